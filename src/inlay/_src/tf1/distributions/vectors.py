"""Distributions over vectors: Dirichlet over probabilities, Multinomial and DirichletMultinomial over counts.

Densities and moments are those of Kotz, Balakrishnan and Johnson, "Continuous Multivariate Distributions" (chapter 49),
and of Johnson, Kotz and Balakrishnan, "Discrete Multivariate Distributions" (chapters 35 and 40).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, asserting, math, powers, random, special
from inlay._src.ops.activations import log_softmax
from inlay._src.ops.diagonals import set_diag
from inlay._src.ops.joining import concat
from inlay._src.ops.rearranging import transpose
from inlay._src.ops.reductions import reduce_all, reduce_sum
from inlay._src.ops.sequences import one_hot
from inlay._src.ops.shaped_draws import random_gamma
from inlay._src.programs.control.maps import map_fn
from inlay._src.tf1.distributions.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution
from inlay._src.tf1.distributions.divergence import RegisterKL
from inlay._src.tf1.distributions.parameters import (
    checked,
    counts,
    log_combinations,
    logits_and_probs,
    parameter,
    salted,
    with_several_classes,
)

_POSITIVE = "Concentration parameter must be positive."


class VectorDistribution(Distribution):
    """The base class of distributions over vectors, whose parameters are tensors of vectors.

    A subclass has a tensor in `_whole` whose shape is `batch_shape + event_shape`.
    """

    _whole: Any

    def _batch_shape(self) -> TensorShape:
        return self._whole.shape.with_rank_at_least(1)[:-1]  # type: ignore[no-any-return]

    def _batch_shape_tensor(self) -> Any:
        return array.shape(self._whole)[:-1]

    def _event_shape(self) -> TensorShape:
        return self._whole.shape.with_rank_at_least(1)[-1:]  # type: ignore[no-any-return]

    def _event_shape_tensor(self) -> Any:
        return array.shape(self._whole)[-1:]

    def _size(self) -> Any:
        return self.event_shape_tensor()[0]

    def _counted(self, drawn: Any, n: Any) -> Any:
        """The counts of each class, summed over the last axis of the draws."""
        number = reduce_sum(one_hot(drawn, self._size(), dtype=self.dtype), -2)
        return array.reshape(number, concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0))


def _spread(diagonal: Any, column: Any, row: Any) -> Any:
    """Covariances: a diagonal, and beside it `-column row`."""
    return set_diag(-column[..., :, None] * row[..., None, :], diagonal)


# ---------------------------------------------------------------- Dirichlet


@export("compat.v1.distributions.Dirichlet")
class Dirichlet(VectorDistribution):
    """The Dirichlet distribution: vectors that sum to 1 have a density proportional to `prod(x^(c - 1))`.

    Args:
      concentration: positive, a float tensor whose last axis holds the classes.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether modes where a concentration is at most 1 are NaN; else asking for them fails.
      name: the scope of the nodes.
    """

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Dirichlet"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            tensor = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                tensor = checked(tensor, self._assertions(tensor))
            self._whole, self._total_concentration = tensor, reduce_sum(tensor, -1)
        tensors = [tensor, self._total_concentration]
        super().__init__(
            tensor.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope
        )

    @staticmethod
    def _assertions(concentration: Any) -> list[Any]:
        rank, few = (
            "Concentration parameter must have >=1 dimensions.",
            "Concentration parameter must have event_size >= 2.",
        )
        return [
            asserting.assert_positive_v1(concentration, message=_POSITIVE),
            asserting.assert_rank_at_least_v1(concentration, 1, message=rank),
            asserting.assert_less_v1(1, array.shape(concentration)[-1], message=few),
        ]

    concentration: Any = parameter("_whole", "The weights of the classes.")
    total_concentration: Any = parameter("_total_concentration", "The sum of the weights.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """Independent gamma distributed numbers over their sum."""
        drawn = random_gamma([n], self._whole, None, self.dtype, seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            positive = asserting.assert_positive_v1(x, message="samples must be positive")
            total, one = reduce_sum(x, -1), array.ones([], self.dtype)
            says = "sample last-dimension must sum to `1`"
            x = checked(x, [positive, asserting.assert_near_v1(one, total, message=says)])
        return reduce_sum(powers.xlogy(self._whole - 1.0, x), -1) - special.lbeta(self._whole)

    def _entropy(self) -> Any:
        size, total = math.cast(self._size(), self.dtype), self._total_concentration
        parts = reduce_sum((self._whole - 1.0) * special.digamma(self._whole), -1)
        return special.lbeta(self._whole) + (total - size) * special.digamma(total) - parts

    def _mean(self) -> Any:
        return self._whole / self._total_concentration[..., None]

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total_concentration[..., None])

    def _covariance(self) -> Any:
        mean = self._mean()
        return _spread(self._variance(), mean, mean / (1.0 + self._total_concentration[..., None]))

    def _mode(self) -> Any:
        size, one = math.cast(self._size(), self.dtype), array.ones([], self.dtype)
        mode = (self._whole - 1.0) / (self._total_concentration[..., None] - size)
        if self.allow_nan_stats:
            inside = reduce_all(self._whole > 1.0, -1, keepdims=True)
            return array.where(inside, mode, array.constant(np.nan, self.dtype))
        says = "Mode undefined when any concentration <= 1"
        return checked(mode, [asserting.assert_less_v1(one, self._whole, message=says)])


@RegisterKL(Dirichlet, Dirichlet)
def _from_dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    """The mean of `log(p_a / p_b)`, where that of `log x` is a difference of digamma functions."""
    with name_scope(name or "kl_dirichlet_dirichlet"):
        total = special.digamma(reduce_sum(a.concentration, -1, keepdims=True))
        logarithms = (a.concentration - b.concentration) * (special.digamma(a.concentration) - total)
        return reduce_sum(logarithms, -1) - special.lbeta(a.concentration) + special.lbeta(b.concentration)


# ---------------------------------------------------------------- counts


def _summing_to(total: Any, value: Any, says: str) -> Any:
    """Counts that are checked to be whole numbers with a sum."""
    value = counts(value)
    return checked(value, [asserting.assert_equal_v1(total, reduce_sum(value, -1), message=says)])


@export("compat.v1.distributions.Multinomial")
class Multinomial(VectorDistribution):
    """The multinomial distribution: the counts of each class in `total_count` independent draws.

    Args:
      total_count: the number of draws, a float tensor of whole numbers; broadcasts with the batch.
      logits: unnormalized logarithms of the probabilities, a float tensor whose last axis holds the classes; None if
        `probs` is given.
      probs: the probabilities, which sum to 1; None if `logits` is given.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: unless one of `logits` and `probs` is given.
      TypeError: if it is not floating.
    """

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            total = convert_to_tensor(total_count, name="total_count")
            self._total_count = counts(total) if validate_args else total
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args, classes=True)
            self._whole = self._total_count[..., None] * self._probs
        tensors = [self._total_count, self._logits, self._probs]
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope
        )

    total_count: Any = parameter("_total_count", "How many draws.")
    logits: Any = parameter("_logits", "The logarithms of the probabilities, not normalized.")
    probs: Any = parameter("_probs", "The probabilities of the classes.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """Draws counted for one distribution of the batch after the other: their numbers may differ."""
        size = self._size()
        logits = self._logits * array.ones_like(self._whole)
        totals = math.cast(self._total_count, dtypes.int32) * array.ones_like(logits[..., 0], dtypes.int32)

        def draws(args: Any) -> Any:
            row, number = args
            drawn = array.reshape(random.categorical(row[None], number, seed=seed), [n, -1])
            return reduce_sum(one_hot(drawn, size, dtype=self.dtype), -2)

        rows = array.reshape(logits, [-1, size]), n * array.reshape(totals, [-1])
        drawn = transpose(map_fn(draws, rows, dtype=self.dtype), [1, 0, 2])
        return array.reshape(drawn, concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0))

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            value = _summing_to(self._total_count, value, "counts must sum to `self.total_count`")
        return log_combinations(self._total_count, value) + reduce_sum(value * log_softmax(self._logits), -1)

    def _mean(self) -> Any:
        return array.identity(self._whole)

    def _variance(self) -> Any:
        return self._whole * (1.0 - self._probs)

    def _covariance(self) -> Any:
        return _spread(self._variance(), self._whole, self._probs * array.ones_like(self._whole))


@export("compat.v1.distributions.DirichletMultinomial")
class DirichletMultinomial(VectorDistribution):
    """The multinomial distribution whose probabilities are drawn from a Dirichlet distribution (Polya's distribution).

    Args:
      total_count: the number of draws, a float tensor of whole numbers; broadcasts with the batch.
      concentration: positive, a float tensor whose last axis holds the classes; of the same type.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.
    """

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            total = convert_to_tensor(total_count, name="total_count")
            self._total_count = counts(total) if validate_args else total
            tensor = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                positive = asserting.assert_positive_v1(tensor, message=_POSITIVE)
                tensor = checked(with_several_classes(tensor), [positive])
            self._whole, self._total_concentration = tensor, reduce_sum(tensor, -1)
        tensors = [self._total_count, tensor]
        super().__init__(tensor.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope)

    total_count: Any = parameter("_total_count", "How many draws.")
    concentration: Any = parameter("_whole", "The weights of the classes.")
    total_concentration: Any = parameter("_total_concentration", "The sum of the weights.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """Draws from probabilities that are drawn; `total_count` is one number for the whole batch."""
        logits = powers.log(random_gamma([n], self._whole, None, self.dtype, seed))
        rows, total = array.reshape(logits, [-1, self._size()]), math.cast(self._total_count, dtypes.int32)
        return self._counted(random.categorical(rows, total, seed=salted(seed, "dirichlet_multinomial")), n)

    def _log_prob(self, value: Any) -> Any:
        if self.validate_args:
            says = "counts last-dimension must sum to `self.total_count`"
            value = _summing_to(self._total_count, value, says)
        ordered = special.lbeta(self._whole + value) - special.lbeta(self._whole)
        return ordered + log_combinations(self._total_count, value)

    def _mean(self) -> Any:
        return self._total_count * self._shares()

    def _shares(self) -> Any:
        return self._whole / self._total_concentration[..., None]

    def _more(self) -> Any:
        """The ratio of the variances to those of a multinomial distribution."""
        total = self._total_concentration[..., None]
        return (self._total_count + total) / (1.0 + total)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._shares()) * self._more()

    def _covariance(self) -> Any:
        return _spread(self._variance(), self._mean(), self._shares() * self._more())
