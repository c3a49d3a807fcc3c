"""Distributions over an interval: Uniform, and Beta over the numbers from 0 to 1.

Densities, moments and entropies are those of Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions"
(chapters 25 and 26).
"""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.context import name_scope
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, math, powers, random, special
from inlay._src.ops.shaped_draws import random_gamma
from inlay._src.tf1.distributions.distribution import FULLY_REPARAMETERIZED
from inlay._src.tf1.distributions.divergence import RegisterKL
from inlay._src.tf1.distributions.parameters import checked, floats_of_one_type, parameter, salted
from inlay._src.tf1.distributions.scalar import ScalarDistribution


@export("compat.v1.distributions.Uniform")
class Uniform(ScalarDistribution):
    """The uniform distribution over the numbers from `low` to `high`, which is left out.

    Args:
      low, high: the ends, float tensors of one type that broadcast.
      validate_args: whether `low < high` is checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    _broadcast = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            says = "uniform not defined when low >= high."
            assertions = [asserting.assert_less_v1(low, high, message=says)] if validate_args else []
            tensors = floats_of_one_type(assertions, low=low, high=high)
            self._low, self._high = tensors
        super().__init__(
            self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope
        )

    low: Any = parameter("_low", "The lower ends.")
    high: Any = parameter("_high", "The upper ends.")

    def range(self, name: str = "range") -> Tensor:
        """`high - low`.

        Args:
          name: the scope of the nodes.
        """
        with self._name_scope(name):
            return self._high - self._low

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return self._low + self.range() * random.uniform(self._draws_shape(n), dtype=self.dtype, seed=seed)

    def _prob(self, x: Any) -> Any:
        x = self._over_batch(x)
        outside = math.logical_or(x < self._low, x >= self._high)
        density = array.where(outside, array.zeros_like(x), array.ones_like(x) / self.range())
        return array.where(math.is_nan(x), x, density)

    def _cdf(self, x: Any) -> Any:
        x = self._over_batch(x)
        below = array.where(x < self._low, array.zeros_like(x), (x - self._low) / self.range())
        return array.where(x >= self._high, array.ones_like(x), below)

    def _entropy(self) -> Any:
        return powers.log(self.range())

    def _mean(self) -> Any:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Any:
        return powers.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / numbers.sqrt(12)


@export("compat.v1.distributions.Beta")
class Beta(ScalarDistribution):
    """The beta distribution: the density is proportional to `x^(concentration1 - 1) (1 - x)^(concentration0 - 1)`.

    Args:
      concentration1: the concentration near 1, positive; a float tensor.
      concentration0: the concentration near 0, positive; of the same type, and broadcasts with `concentration1`.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether modes where a concentration is at most 1 are NaN; else asking for them fails.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    _broadcast = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            both, says = (concentration1, concentration0), "Concentration parameter must be positive."
            assertions = [asserting.assert_positive_v1(c, message=says) for c in both] if validate_args else []
            tensors = floats_of_one_type(assertions, concentration1=concentration1, concentration0=concentration0)
            self._concentration1, self._concentration0 = tensors
            self._total_concentration = self._concentration1 + self._concentration0
        tensors = [*tensors, self._total_concentration]
        super().__init__(
            tensors[0].dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope
        )

    concentration1: Any = parameter("_concentration1", "The weights near 1.")
    concentration0: Any = parameter("_concentration0", "The weights near 0.")
    total_concentration: Any = parameter("_total_concentration", "The sum of both.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """The share of one of two gamma distributed numbers in their sum."""
        one = random_gamma([n], self._over_batch(self._concentration1), None, self.dtype, seed)
        two = random_gamma([n], self._over_batch(self._concentration0), None, self.dtype, salted(seed, "beta"))
        return one / (one + two)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            positive = asserting.assert_positive_v1(x, message="sample must be positive")
            most = asserting.assert_less_v1(x, array.ones([], self.dtype), message="sample must be less than `1`.")
            x = checked(x, [positive, most])
        near_one = powers.xlogy(self._concentration1 - 1.0, x)
        return near_one + (self._concentration0 - 1.0) * powers.log1p(-x) - self._log_area()

    def _log_area(self) -> Any:
        """The logarithm of the beta function."""
        both = special.lgamma(self._concentration1) + special.lgamma(self._concentration0)
        return both - special.lgamma(self._total_concentration)

    def _cdf(self, x: Any) -> Any:
        x = self._over_batch(x)
        one = array.ones_like(x)
        return special.betainc(self._concentration1 * one, self._concentration0 * one, x)

    def _entropy(self) -> Any:
        parts = (
            (self._concentration1 - 1.0) * special.digamma(self._concentration1)
            + (self._concentration0 - 1.0) * special.digamma(self._concentration0)
            - (self._total_concentration - 2.0) * special.digamma(self._total_concentration)
        )
        return self._log_area() - parts

    def _mean(self) -> Any:
        return self._concentration1 / self._total_concentration

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self._total_concentration)

    def _mode(self) -> Any:
        mode, one = (self._concentration1 - 1.0) / (self._total_concentration - 2.0), array.ones([], self.dtype)
        both = {"concentration1": self._concentration1, "concentration0": self._concentration0}
        if self.allow_nan_stats:
            inside = math.logical_and(self._concentration1 > 1.0, self._concentration0 > 1.0)
            return array.where(inside, mode, array.constant(np.nan, self.dtype))
        says = "Mode undefined for {} <= 1."
        assertions = [asserting.assert_less_v1(one, c, message=says.format(name)) for name, c in both.items()]
        return checked(mode, assertions)


@RegisterKL(Beta, Beta)
def _from_beta(a: Beta, b: Beta, name: str | None = None) -> Any:
    """The mean of `log(p_a / p_b)`, where that of `log x` is a difference of digamma functions."""
    with name_scope(name or "kl_beta_beta"):
        near_one = special.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
        near_zero = special.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
        total = special.digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
        return b._log_area() - a._log_area() - near_one - near_zero + total
