"""Transformers of all depths trained on hop_1, ..., hop_k at every position, in one program."""

from functools import partial
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Key

from depthjax.instruments.hops import hop_errors
from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.hops import hop_batch
from depthjax.training import Ensemble, Recipe, ensemble
from depthjax.training.losses import cross_entropy


def hop_recipe(steps: int, rate: float) -> Recipe:
    """Return the training recipe: a twentieth of the steps for warmup, a small weight decay, clipped gradients."""
    schedule = {"warmup": steps // 20, "weight_decay": 1e-4, "betas": (0.9, 0.99), "record_every": steps // 10, "clip": 1.0}
    return Recipe(steps, rate, **schedule)


def train_hops(
    key: Key[Array, ""],
    recipe: Recipe,
    *,
    alphabet: int,
    length: int,
    largest: int,
    depths: int,
    width: int,
    heads: int,
    mlp: bool,
    batch: int,
    seeds: int,
    tests: int,
) -> tuple[SequenceModel, Ensemble]:
    """Return transformers of 1 to `depths` layers in which no position sees itself, trained on `hop_batch`.

    Their test holds, for every run, the share of wrong answers by k on fresh words: "errors", and "cut" without the last of
    their layers (networks of one layer keep it).

    Args:
        key: Root of all runs.
        recipe: Training recipe of every run.
        alphabet: Number of letters.
        length: Letters of a word.
        largest: Largest k.
        depths: Number of layers of the deepest networks.
        width: Width of the residual stream.
        heads: Heads of a layer.
        mlp: Whether each layer has an MLP.
        batch: Words of a training step.
        seeds: Runs of every depth.
        tests: Words of the test.
    """
    sizes: dict[str, Any] = {"letters": alphabet, "classes": largest * (alphabet + 1), "width": width}
    sizes |= {"max_depth": depths, "heads": heads}
    model = sequence_model("transformer", mlp=mlp, mask="strict", positions="learned", max_length=length, **sizes)
    sample = partial(hop_batch, alphabet=alphabet, length=length, largest=largest)

    def logits(params, tokens, depth):
        return model.apply(params, tokens, depth).reshape(len(tokens), -1, alphabet + 1)

    def loss(params, words, depth):
        return cross_entropy(logits(params, words.tokens, depth), words)

    def test(test_key, params, depth):
        words = sample(test_key, batch=tests)
        fewer = jnp.maximum(depth - 1, 1)
        errors, cut = (hop_errors(logits(params, words.tokens, n), words, alphabet, largest) for n in (depth, fewer))
        return {"errors": errors, "cut": cut}

    every, draw = tuple(range(1, depths + 1)), partial(sample, batch=batch)
    return model, ensemble(key, model.init, loss, draw, recipe, depths=every, seeds=seeds, test=test, layout="masked")
