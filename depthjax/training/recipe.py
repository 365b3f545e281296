"""The training recipe: optimiser, learning-rate schedule, records and early stopping."""

import dataclasses
import math
from typing import Literal, get_args

import optax

Schedule = Literal["cosine", "constant"]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """AdamW with a learning-rate schedule. Defaults are those of the published word problems, where these state them.

    Attributes:
        steps: Number of optimiser steps, each on one batch.
        learning_rate: Peak learning rate, reached after `warmup` steps.
        schedule: "cosine" decays to zero at the last step; "constant" keeps the peak rate.
        warmup: Number of steps over which the rate rises linearly from zero.
        weight_decay: Decoupled weight decay of every parameter, multiplied by the learning rate.
        betas: Decay rates of the running averages of the gradients and of their squares.
        epsilon: Added to the root of the average square.
        clip: Gradients with a larger global norm are scaled down to this norm; None disables clipping.
        record_every: Steps between two records of the mean training loss and of the validation metrics; divides `steps`.
        stop_metric: A run stops at the first record where this metric is at least `stop_at`; the empty string disables this.
        stop_at: Value of `stop_metric` at which a run stops.

    Raises:
        ValueError: A field has a value that cannot be followed; the message names every such field.

    >>> Recipe(steps=100, record_every=10).records
    10
    >>> Recipe(steps=100, record_every=7)
    Traceback (most recent call last):
    ValueError: this recipe cannot be followed: record_every = 7, expected a divisor of steps = 100: ...
    """

    steps: int = 1000
    learning_rate: float = 1e-3
    schedule: Schedule = "cosine"
    warmup: int = 0
    weight_decay: float = 1e-6
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    clip: float | None = None
    record_every: int = 10
    stop_metric: str = ""
    stop_at: float = 0.99

    def __post_init__(self) -> None:
        """Check every field."""
        rules = (
            ("steps", self.steps >= 1, "at least 1"),
            ("learning_rate", 0 < self.learning_rate < math.inf, "positive and finite"),
            ("schedule", self.schedule in get_args(Schedule), "one of " + ", ".join(get_args(Schedule))),
            ("warmup", 0 <= self.warmup < max(self.steps, 1), f"at least 0 and below steps = {self.steps}"),
            ("weight_decay", 0 <= self.weight_decay < math.inf, "at least 0 and finite"),
            ("betas", len(self.betas) == 2 and all(0 <= b < 1 for b in self.betas), "two numbers in [0, 1)"),
            ("epsilon", self.epsilon > 0, "positive"),
            ("clip", self.clip is None or self.clip > 0, "positive, or None for no clipping"),
            (
                "record_every",
                1 <= self.record_every <= self.steps and self.steps % self.record_every == 0,
                f"a divisor of steps = {self.steps}: records are equally far apart, and the last is at the end",
            ),
            ("stop_at", not math.isnan(self.stop_at), "a number"),
        )
        wrong = [f"{name} = {getattr(self, name)!r}, expected {what}" for name, fine, what in rules if not fine]
        if wrong:
            raise ValueError("this recipe cannot be followed: " + "; ".join(wrong))

    @property
    def records(self) -> int:
        """Number of records of a complete run."""
        return self.steps // self.record_every

    def rate(self) -> optax.Schedule:
        """Return the learning rate as a function of the step."""
        rest = self.steps - self.warmup
        if self.schedule == "cosine":
            later = optax.cosine_decay_schedule(self.learning_rate, rest)
        else:
            later = optax.constant_schedule(self.learning_rate)
        if not self.warmup:
            return later
        return optax.join_schedules([optax.linear_schedule(0.0, self.learning_rate, self.warmup), later], [self.warmup])

    def optimiser(self) -> optax.GradientTransformation:
        """Return the optimiser: clipping, then AdamW."""
        adamw = optax.adamw(self.rate(), *self.betas, eps=self.epsilon, weight_decay=self.weight_decay)
        return adamw if self.clip is None else optax.chain(optax.clip_by_global_norm(self.clip), adamw)
