"""What a training objective determines: hidden Markov models from masked prediction, Gaussians from noise contrast."""

from theory.doors import opened

opened(__name__)
