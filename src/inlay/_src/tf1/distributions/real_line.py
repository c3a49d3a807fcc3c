"""Distributions over all numbers, by a location and a scale: Normal, Laplace, StudentT.

Densities, moments and entropies are those of Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions"
(chapters 13, 24, 28); the normal distribution function and its tail are those of Abramowitz and Stegun, 26.2.
"""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.ops import array, asserting, complex_numbers, math, powers, random, special
from inlay._src.ops.joining import concat
from inlay._src.ops.shaped_draws import random_gamma
from inlay._src.tf1.distributions.distribution import FULLY_REPARAMETERIZED
from inlay._src.tf1.distributions.divergence import RegisterKL
from inlay._src.tf1.distributions.parameters import checked, floats_of_one_type, parameter, salted
from inlay._src.tf1.distributions.scalar import ScalarDistribution


class LocationScale(ScalarDistribution):
    """The base class of distributions that are moved by `loc` and stretched by `scale`."""

    _broadcast: tuple[str, ...] = ("loc", "scale")
    _loc: Any
    _scale: Any

    loc: Any = parameter("_loc", "Where the distribution is centered.")
    scale: Any = parameter("_scale", "How wide the distribution is.")

    def _hold(self, positive: str, arguments: dict[str, Any]) -> None:
        """Takes the parameters that a constructor was given, one of which must be positive."""
        with name_scope(arguments["name"]) as scope:
            validate = arguments["validate_args"]
            assertions = [asserting.assert_positive_v1(arguments[positive])] if validate else []
            tensors = floats_of_one_type(assertions, **{name: arguments[name] for name in self._broadcast})
        for name, tensor in zip(self._broadcast, tensors, strict=True):
            setattr(self, f"_{name}", tensor)
        super().__init__(
            self._scale.dtype,
            FULLY_REPARAMETERIZED,
            validate,
            arguments["allow_nan_stats"],
            arguments,
            tensors,
            scope,
        )

    def _standard(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _mean(self) -> Any:
        return self._loc * array.ones_like(self._scale)

    def _mode(self) -> Any:
        return self._mean()


# ---------------------------------------------------------------- normal


_TAIL_TERMS = 6
_TAIL = {dtypes.float32: -10.0, dtypes.float64: -20.0}
"""Where the asymptotic series of the normal tail is as exact as the type."""


def _normal_cdf(x: Any) -> Any:
    """`erfc(-x / sqrt(2)) / 2`, Abramowitz and Stegun 26.2.29, which keeps its digits on the left."""
    if x.dtype not in _TAIL:
        raise TypeError(f"x.dtype={x.dtype.name} is not handled, float32 and float64 are.")
    return 0.5 * special.erfc(-numbers.sqrt(0.5) * x)


def _log_normal_cdf(x: Any) -> Any:
    """The logarithm of `_normal_cdf`, whose gradient is finite everywhere.

    On the far left by the asymptotic series of Mills's ratio, Abramowitz and Stegun 26.2.12; on the right by the
    complement, which is small. Each form is computed where it is valid: elsewhere its gradient would be NaN.
    """
    if x.dtype not in _TAIL:
        raise TypeError(f"x.dtype={x.dtype.name} is not supported.")
    border = array.constant(_TAIL[x.dtype], x.dtype)
    left = math.minimum(x, border)
    inverse, series = 1.0 / powers.square(left), array.ones_like(left)
    for n in range(_TAIL_TERMS, 0, -1):
        series = 1.0 - (2 * n - 1) * inverse * series
    tail = -0.5 * powers.square(left) - powers.log(-left) - 0.5 * numbers.log(2 * numbers.pi) + powers.log(series)
    middle = powers.log(_normal_cdf(math.minimum(math.maximum(x, border), array.zeros_like(x))))
    right = powers.log1p(-_normal_cdf(-math.maximum(x, array.zeros_like(x))))
    return array.where(x > 0.0, right, array.where(x > border, middle, tail))


@export("compat.v1.distributions.Normal")
class Normal(LocationScale):
    """The normal distribution: the density is `exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi))`.

    Args:
      loc: the means, a float tensor.
      scale: the standard deviations, positive; of the same type, and broadcasts with `loc`.
      validate_args: whether `scale` is checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Normal"
    ) -> None:
        self._hold("scale", dict(locals()))

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        return random.normal(self._draws_shape(n), dtype=self.dtype, seed=seed) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        logarithm_of_area = 0.5 * numbers.log(2 * numbers.pi) + powers.log(self._scale)
        return -0.5 * powers.square(self._standard(x)) - logarithm_of_area

    def _cdf(self, x: Any) -> Any:
        return _normal_cdf(self._standard(x))

    def _survival_function(self, x: Any) -> Any:
        return _normal_cdf(-self._standard(x))

    def _log_cdf(self, x: Any) -> Any:
        return _log_normal_cdf(self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_normal_cdf(-self._standard(x))

    def _quantile(self, p: Any) -> Any:
        """Infinite at 0 and 1, where the gradient is 0, as in TensorFlow."""
        low, high = p <= 0.0, p >= 1.0
        inside = special.ndtri(array.where(math.logical_or(low, high), array.constant(0.5, p.dtype), p))
        infinity = array.constant(np.inf, p.dtype)
        return array.where(low, -infinity, array.where(high, infinity, inside)) * self._scale + self._loc

    def _entropy(self) -> Any:
        return 0.5 * numbers.log(2 * numbers.pi * numbers.e) + powers.log(self._stddev())

    def _stddev(self) -> Any:
        return self._scale * array.ones_like(self._loc)


@RegisterKL(Normal, Normal)
def _from_normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    """`((loc_a - loc_b) / scale_b)^2 / 2 + (r - 1 - log r) / 2` of the ratio `r` of the variances."""
    with name_scope(name or "kl_normal_normal"):
        ratio = powers.square(a.scale / b.scale)
        distance = powers.squared_difference(a.loc, b.loc) / (2.0 * powers.square(b.scale))
        return distance + 0.5 * (ratio - 1.0 - powers.log(ratio))


# ---------------------------------------------------------------- Laplace


@export("compat.v1.distributions.Laplace")
class Laplace(LocationScale):
    """The Laplace (two-sided exponential) distribution: the density is `exp(-|x - loc| / scale) / (2 scale)`.

    Args:
      loc: the means, a float tensor.
      scale: the widths, positive; of the same type, and broadcasts with `loc`.
      validate_args: whether `scale` is checked.
      allow_nan_stats: whether statistics that are not defined are NaN; all are defined.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Laplace"
    ) -> None:
        self._hold("scale", dict(locals()))

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """By the inverse of the distribution function; -1 is left out, whose inverse is infinite."""
        lowest = np.nextafter(self.dtype.np.type(-1), self.dtype.np.type(0))
        side = random.uniform(self._draws_shape(n), lowest, 1.0, self.dtype, seed)
        distance = complex_numbers.sign(side) * powers.log1p(-complex_numbers.abs(side))
        return self._loc - self._scale * distance

    def _log_prob(self, x: Any) -> Any:
        return -complex_numbers.abs(self._standard(x)) - numbers.log(2) - powers.log(self._scale)

    def _cdf(self, x: Any) -> Any:
        z = self._standard(x)
        return 0.5 - 0.5 * complex_numbers.sign(z) * powers.expm1(-complex_numbers.abs(z))

    def _log_cdf(self, x: Any) -> Any:
        return self._log_below(self._standard(x))

    def _log_survival_function(self, x: Any) -> Any:
        return self._log_below(-self._standard(x))

    @staticmethod
    def _log_below(z: Any) -> Any:
        """The logarithm of the distribution function of the standard distribution."""
        return array.where(z < 0.0, z - numbers.log(2), powers.log1p(-0.5 * powers.exp(-complex_numbers.abs(z))))

    def _entropy(self) -> Any:
        return numbers.log(2 * numbers.e) + powers.log(self._scale + array.zeros_like(self._loc))

    def _stddev(self) -> Any:
        return numbers.sqrt(2) * self._scale + array.zeros_like(self._loc)


# ---------------------------------------------------------------- Student's t


@export("compat.v1.distributions.StudentT")
class StudentT(LocationScale):
    """Student's t distribution: the density is proportional to `(1 + ((x - loc) / scale)^2 / df) ^ (-(df + 1) / 2)`.

    Args:
      df: the degrees of freedom, positive; a float tensor.
      loc, scale: where the distribution is centered and how wide it is; of the same type, and broadcast with `df`.
      validate_args: whether `df` is checked.
      allow_nan_stats: whether means for `df <= 1`, and variances, are NaN; else asking for them fails.
      name: the scope of the nodes.

    Raises:
      ValueError: if the parameters differ in type or are not floating.
    """

    _broadcast = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        self._hold("df", dict(locals()))

    _df: Any
    df: Any = parameter("_df", "The degrees of freedom.")

    def _sample_n(self, n: Any, seed: Any = None) -> Any:
        """A normal number over the root of an independent one that is distributed as chi-squared over `df`."""
        normal = random.normal(self._draws_shape(n), dtype=self.dtype, seed=seed)
        df = self._over_batch(self._df)
        chi_squared = random_gamma([n], 0.5 * df, 0.5, self.dtype, salted(seed, "student_t"))
        return normal * powers.rsqrt(chi_squared / df) * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        half = 0.5 * (self._df + 1.0)
        area = (
            special.lgamma(0.5 * self._df)
            - special.lgamma(half)
            + 0.5 * (powers.log(self._df) + numbers.log(numbers.pi))
        )
        bell = half * powers.log1p(powers.square(self._standard(x)) / self._df)
        return -bell - area - powers.log(complex_numbers.abs(self._scale))

    def _cdf(self, x: Any) -> Any:
        """Half of the regularized incomplete beta function on the left, by Abramowitz and Stegun 26.7.1."""
        z = (x - self._loc) / complex_numbers.abs(self._scale)
        shape = array.ones_like(z) * self._df
        below = 0.5 * special.betainc(0.5 * shape, 0.5 * array.ones_like(shape), shape / (powers.square(z) + shape))
        return array.where(z < 0.0, below, 1.0 - below)

    def _entropy(self) -> Any:
        df = self._over_batch(self._df)
        half = 0.5 * (df + 1.0)
        beta = special.lbeta(concat([0.5 * df[..., None], 0.5 * array.ones_like(df)[..., None]], -1))
        spread = powers.log(complex_numbers.abs(self._scale)) + 0.5 * powers.log(df)
        return spread + beta + half * (special.digamma(half) - special.digamma(0.5 * df))

    def _mean(self) -> Any:
        return self._where_defined("mean", self._over_batch(self._loc))

    def _variance(self) -> Any:
        finite = self._df > 2.0
        over = self._df / array.where(finite, self._df - 2.0, array.ones_like(self._df))
        variance = self._over_batch(powers.square(self._scale) * over)
        return self._where_defined("variance", array.where(finite, variance, array.constant(np.inf, self.dtype)))

    def _where_defined(self, statistic: str, value: Any) -> Any:
        """A statistic of which there is none for `df <= 1`."""
        if self.allow_nan_stats:
            return array.where(self._df > 1.0, value, array.constant(np.nan, self.dtype))
        one, says = array.constant(1, self.dtype), f"{statistic} not defined for components of df <= 1"
        return checked(value, [asserting.assert_less_v1(one, self._df, message=says)])

    def _mode(self) -> Any:
        return array.identity(self._loc)
