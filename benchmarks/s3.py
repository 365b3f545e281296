"""S3 from random weights: ``python -m benchmarks.s3 [--published] [--rate R] [--state N] [--steps S] [--seeds N]``.

Two layers of complex unit diagonals with an MLP (width 64, 64 words of 16 letters a step, AdamW with warm-up and clipping),
the least depth that has exact weights for the group. Printed: token accuracy of every seed on fresh words of the training
length, and the mean training loss along the way.

The biases of the step sizes start at zero here. As published they start at the inverse softplus of 1e-3 ... 1e-1 and enter
twice, so that the recurrence is at first driven by a millionth to a hundredth of its input (`--published`). Seen, one run of
four seeds each: from zero 1.000, 1.000, 1.000 and 0.465 of the tokens, loss below 0.003 at step 1500; as published (another
root key) 1.000, 0.994, 0.933 and 0.774.
"""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.training import Recipe
from experiments.studies.study import Study, train
from experiments.studies.tasks import sampler as words_of


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {"state": 1, "steps": 3000, "seeds": 4, "width": 64, "depth": 2}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--published", action="store_true", help="initial step sizes as published")
    options = parser.parse_args()
    study = Study(
        follows="S3",
        model="aussm",
        width=options.width,
        switches={"mlp": True, "state": options.state},
        length=16,
        batch=64,
        depths=(options.depth,),
        seeds=options.seeds,
        recipe=Recipe(options.steps, options.rate, warmup=options.steps // 30, clip=1.0, record_every=options.steps // 100),
    )
    sampler = words_of(study)
    model = study.network(sampler)

    def init(key):
        params = model.init(key)
        if not options.published:
            mixer = params["layers"]["mixer"]
            mixer["dt_bias"] = jnp.zeros_like(mixer["dt_bias"])
        return params

    def watch(segment):
        print(f"step {segment.step}: losses {np.round(segment.losses, 4)}", flush=True)

    print(options, flush=True)
    found = train(study, jax.random.key(0), sampler, segments=10, watch=watch, init=init)
    token, whole = found.test["token_1x"][0], found.test["sequence_1x"][0]
    print(f"{(token > 0.99).sum()} of {options.seeds} seeds above 99 % of tokens: {np.round(token, 4)}")
    print(f"words with every position right: {np.round(whole, 3)}")


if __name__ == "__main__":
    main()
