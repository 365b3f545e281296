"""What a training objective determines: hidden Markov models from masked prediction, Gaussians from noise contrast."""

from depthjax.doors import opened

opened(__name__)
