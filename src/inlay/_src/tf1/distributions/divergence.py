"""Kullback-Leibler divergences: a registry of formulas by pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from inlay._src.base.export import export
from inlay._src.core.context import name_scope
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.printing import assert_
from inlay._src.ops.reductions import reduce_any

Formula = TypeVar("Formula", bound=Callable[..., Any])

_FORMULAS: dict[tuple[type, type], Callable[..., Any]] = {}
"""Classes of the two distributions -> `formula(a, b, name=None)`, the divergence of `a` from `b`."""


@export("compat.v1.distributions.RegisterKL")
class RegisterKL:
    """A decorator: a function computes the divergence between two classes of distributions, and between subclasses.

    Args:
      dist_cls_a: the class of the distribution over which the expectation is taken.
      dist_cls_b: the class of the other one.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._pair = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Formula) -> Formula:
        """Registers `kl_fn(a, b, name=None)`, and returns it.

        Raises:
          TypeError: if it is not callable.
          ValueError: if the pair of classes has a function.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._pair in _FORMULAS:
            one, two = (c.__name__ for c in self._pair)
            raise ValueError(f"KL({one} || {two}) has already been registered to: {_FORMULAS[self._pair]}")
        _FORMULAS[self._pair] = kl_fn
        return kl_fn


def _formula(one: type, two: type) -> Callable[..., Any] | None:
    """The formula of the closest pair of base classes, by the sum of their places in the orders of resolution."""
    pairs = [
        (i + j, (a, b)) for i, a in enumerate(one.__mro__) for j, b in enumerate(two.__mro__) if (a, b) in _FORMULAS
    ]
    return _FORMULAS[min(pairs, key=lambda pair: pair[0])[1]] if pairs else None


@export("compat.v1.distributions.kl_divergence")
def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The Kullback-Leibler divergence, the mean of `log(p_a(x) / p_b(x))` over samples `x` of `distribution_a`.

    Args:
      distribution_a, distribution_b: `Distribution`s whose batches broadcast.
      allow_nan_stats: False fails where the divergence is NaN.
      name: names the nodes.

    Returns:
      A tensor of the batch's shape and the distributions' float type.

    Raises:
      NotImplementedError: if no formula was registered for these classes or their bases.
      InvalidArgumentError: when it runs, for NaN unless `allow_nan_stats`.
    """
    formula = _formula(type(distribution_a), type(distribution_b))
    if formula is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        divergence = formula(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        says = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was "
            "called with allow_nan_stats=False). Values:"
        )
        numbers = math.logical_not(reduce_any(math.is_nan(divergence)))
        with control_dependencies([assert_(numbers, [says, divergence])]):
            return array.identity(divergence, name="checked_kl")


def cross_entropy(of: Any, other: Any, allow_nan_stats: bool = True) -> Any:
    """The mean of `-log(p_other(x))` over samples `x` of a distribution: its entropy plus the divergence."""
    return of.entropy() + kl_divergence(of, other, allow_nan_stats)
