"""Distributions over classes: Bernoulli over 0 and 1, Categorical over the numbers below a count.

Both are parameterized by logits or probabilities. The logarithm of the probability of an outcome is a cross entropy
between it and the logits, which is exact where the probability itself would be 0 or 1.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.context import name_scope
from inlay._src.ops import array, losses, math, powers, random
from inlay._src.ops.activations import log_softmax, softmax
from inlay._src.ops.extremes import argmax
from inlay._src.ops.joining import concat
from inlay._src.ops.rearranging import transpose
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.sequences import sequence_mask
from inlay._src.tf1.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from inlay._src.tf1.distributions.divergence import RegisterKL
from inlay._src.tf1.distributions.parameters import indices, logits_and_probs, parameter
from inlay._src.tf1.distributions.scalar import ScalarDistribution


def _same_shape(one: TensorShape, two: TensorShape) -> bool:
    """Whether two static shapes are known to be the same."""
    return one.is_fully_defined() and two.is_fully_defined() and one == two


@export("compat.v1.distributions.Bernoulli")
class Bernoulli(ScalarDistribution):
    """The Bernoulli distribution: 1 with the probability `probs = sigmoid(logits)`, else 0.

    Args:
      logits: the log-odds of 1, a float tensor; None if `probs` is given.
      probs: the probabilities of 1; None if `logits` is given.
      dtype: the type of samples.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: unless one of `logits` and `probs` is given.
      TypeError: if it is not floating.
    """

    _broadcast = ("logits",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args)
        kind, tensors = dtypes.as_dtype(dtype), [self._logits, self._probs]
        super().__init__(kind, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope)

    logits: Any = parameter("_logits", "The log-odds of 1.")
    probs: Any = parameter("_probs", "The probabilities of 1.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        uniform = random.uniform(self._draws_shape(n), dtype=self._probs.dtype, seed=seed)
        return math.cast(uniform < self._probs, self.dtype)

    def _log_prob(self, event: Any) -> Any:
        event = indices(event, dtypes.bool_) if self.validate_args else event
        event, logits = math.cast(event, self._logits.dtype), self._logits
        if not _same_shape(event.shape, logits.shape):
            event, logits = event * array.ones_like(logits), logits * array.ones_like(event)
        return -losses.sigmoid_cross_entropy_with_logits(event, logits)

    def _entropy(self) -> Any:
        """`softplus(l) - l sigmoid(l)` of the log-odds, in a form that loses no digits for large ones."""
        return powers.softplus(-self._logits) + self._logits * powers.sigmoid(-self._logits)

    def _mean(self) -> Any:
        return array.identity(self._probs)

    def _variance(self) -> Any:
        return self._probs * (1.0 - self._probs)

    def _mode(self) -> Any:
        return math.cast(self._probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _from_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    """The mean of the difference of logarithms: `-softplus(-l)` of 1 and `-softplus(l)` of 0, by the log-odds `l`."""
    with name_scope(name or "kl_bernoulli_bernoulli"):
        one = powers.softplus(-b.logits) - powers.softplus(-a.logits)
        zero = powers.softplus(b.logits) - powers.softplus(a.logits)
        return powers.sigmoid(a.logits) * one + powers.sigmoid(-a.logits) * zero


@export("compat.v1.distributions.Categorical")
class Categorical(Distribution):
    """The categorical distribution: the class `k` with the probability `probs[..., k] = softmax(logits)[..., k]`.

    Args:
      logits: unnormalized logarithms of the probabilities, a float tensor whose last axis holds the classes; None if
        `probs` is given.
      probs: the probabilities, which sum to 1; None if `logits` is given.
      dtype: the type of samples.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: unless one of `logits` and `probs` is given, for a scalar, and for one class with `validate_args`.
      TypeError: if it is not floating.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, classes=True)
            shape = self._logits.shape.with_rank_at_least(1)
            is_static = shape.rank is not None and shape.as_list()[-1] is not None
            self._event_size = array.constant(shape.as_list()[-1]) if is_static else array.shape(self._logits)[-1]
        kind, tensors = dtypes.as_dtype(dtype), [self._logits, self._probs]
        super().__init__(kind, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope)

    event_size: Any = parameter("_event_size", "The number of classes, an int32 scalar.")
    logits: Any = parameter("_logits", "The logarithms of the probabilities, not normalized.")
    probs: Any = parameter("_probs", "The probabilities of the classes.")

    def _batch_shape(self) -> TensorShape:
        return self._logits.shape[:-1]  # type: ignore[no-any-return]

    def _batch_shape_tensor(self) -> Any:
        return array.shape(self._logits)[:-1]

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return array.constant([], dtypes.int32)

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        rows = self._logits if self._logits.shape.rank == 2 else array.reshape(self._logits, [-1, self._event_size])
        drawn = random.categorical(rows, n, dtypes.int64 if self.dtype.size > 4 else dtypes.int32, seed)
        draws = array.reshape(transpose(drawn), concat([[n], self.batch_shape_tensor()], 0))
        return math.cast(draws, self.dtype)

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._with_rows(k, self._logits)
        return -losses.sparse_softmax_cross_entropy_with_logits(k, logits)

    def _cdf(self, k: Any) -> Any:
        """The probability of a class below `k`, which is itself left out, as in TensorFlow."""
        k, probs = self._with_rows(k, self._probs)
        return reduce_sum(array.where(sequence_mask(k, self._event_size), probs, array.zeros_like(probs)), -1)

    def _with_rows(self, k: Any, rows: Any) -> tuple[Any, Any]:
        """Class numbers, and the row of numbers per class for each of them."""
        k = indices(k, dtypes.int32) if self.validate_args else k
        if k.dtype.is_floating:
            k = math.cast(k, dtypes.int32)
        elif not k.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype})")
        if not _same_shape(k.shape, rows.shape[:-1]):
            rows = rows * array.ones_like(k[..., None], rows.dtype)
            k = k * array.ones(array.shape(rows)[:-1], k.dtype)
            if rows.shape.rank is not None:
                k.set_shape(rows.shape[:-1])
        return k, rows

    def _entropy(self) -> Any:
        return -reduce_sum(log_softmax(self._logits) * self._probs, -1)

    def _mode(self) -> Any:
        return math.cast(argmax(self._logits, -1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _from_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    """The mean of the difference of logarithms."""
    with name_scope(name or "kl_categorical_categorical"):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), -1)
