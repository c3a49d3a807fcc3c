"""Distributions over positive numbers: Gamma and, with the concentration 1, Exponential.

Densities, moments and entropies are those of Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions"
(chapters 17 and 19).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, asserting, powers, random, special
from inlay._src.ops.joining import concat
from inlay._src.ops.shaped_draws import random_gamma
from inlay._src.tf1.distributions.distribution import FULLY_REPARAMETERIZED
from inlay._src.tf1.distributions.divergence import RegisterKL
from inlay._src.tf1.distributions.parameters import checked, floats_of_one_type, parameter
from inlay._src.tf1.distributions.scalar import ScalarDistribution


@export("compat.v1.distributions.Gamma")
class Gamma(ScalarDistribution):
    """The gamma distribution: the density is proportional to `x^(concentration - 1) exp(-rate x)`.

    Args:
      concentration: the shapes, positive; a float tensor.
      rate: the inverse scales, positive; of the same type, and broadcasts with `concentration`.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether modes for `concentration <= 1` are NaN; else asking for them fails.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    _broadcast: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            assertions = [asserting.assert_positive_v1(p) for p in (concentration, rate)] if validate_args else []
            tensors = floats_of_one_type(assertions, concentration=concentration, rate=rate)
            self._concentration, self._rate = tensors
        super().__init__(
            self._rate.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, tensors, scope
        )

    concentration: Any = parameter("_concentration", "The shapes of the distributions.")
    rate: Any = parameter("_rate", "The inverse scales.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return random_gamma([n], self._concentration, self._rate, self.dtype, seed)

    def _log_prob(self, x: Any) -> Any:
        x = self._positive(x)
        area = special.lgamma(self._concentration) - self._concentration * powers.log(self._rate)
        return powers.xlogy(self._concentration - 1.0, x) - self._rate * x - area

    def _cdf(self, x: Any) -> Any:
        return special.igamma(self._concentration, self._rate * self._positive(x))

    def _positive(self, x: Any) -> Any:
        asserting.assert_same_float_dtype([x], self.dtype)
        return checked(x, [asserting.assert_positive_v1(x)]) if self.validate_args else x

    def _entropy(self) -> Any:
        shape = self._concentration
        slope = (1.0 - shape) * special.digamma(shape)
        return shape - powers.log(self._rate) + special.lgamma(shape) + slope

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / powers.square(self._rate)

    def _stddev(self) -> Any:
        return powers.sqrt(self._concentration) / self._rate

    def _mode(self) -> Any:
        mode = (self._concentration - 1.0) / self._rate
        if self.allow_nan_stats:
            return array.where(self._concentration > 1.0, mode, array.constant(np.nan, self.dtype))
        one, says = array.constant(1, self.dtype), "mode not defined when any concentration <= 1"
        return checked(mode, [asserting.assert_less_v1(one, self._concentration, message=says)])


@RegisterKL(Gamma, Gamma)
def _from_gamma(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    """The mean of `log(p_a / p_b)`, where that of `x` is `concentration_a / rate_a` and that of `log x` the digamma
    function of `concentration_a` less `log rate_a`."""
    with name_scope(name or "kl_gamma_gamma"):
        shapes = (a.concentration - b.concentration) * special.digamma(a.concentration)
        areas = special.lgamma(b.concentration) - special.lgamma(a.concentration)
        rates = b.concentration * (powers.log(a.rate) - powers.log(b.rate))
        return shapes + areas + rates + a.concentration * (b.rate / a.rate - 1.0)


@export("compat.v1.distributions.Exponential")
class Exponential(Gamma):
    """The exponential distribution: the density is `rate exp(-rate x)`.

    Args:
      rate: the inverse means, positive; a float tensor.
      validate_args: whether parameters and values are checked.
      allow_nan_stats: whether modes, which are not defined, are NaN; else asking for them fails.
      name: the scope of the nodes.

    Raises:
      ValueError: if `rate` is not floating.
    """

    _broadcast = ("rate",)

    def __init__(
        self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            rate = convert_to_tensor(rate, name="rate")
            super().__init__(array.ones([], rate.dtype), rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """By the inverse of the distribution function; 0 is left out, whose inverse is infinite."""
        tiny = np.finfo(self.dtype.np).tiny
        shape = concat([[n], array.shape(self._rate)], 0)
        return -powers.log(random.uniform(shape, tiny, 1.0, self.dtype, seed)) / self._rate

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - powers.log(self._rate)
