"""`HostOp`: a host function with the options that `jax.op` and `torch.op` share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

from inlay._src.base.misuse import repr_of
from inlay._src.base.types.specs import TensorSpec
from inlay._src.compilers.derivatives import Array
from inlay._src.core.opdef import Effect
from inlay._src.core.site import as_written, caller, of_function
from inlay._src.host import declare
from inlay._src.host.executors.event_loop import awaited
from inlay._src.host.record import HostFunction, Mode
from inlay._src.host.remote_call import placed


class HostOp:
    """A host function that code of another compiler calls.

    Args:
      api: the public name of the decorator, for messages.
      func: the function.
      mode, grad, stateful, executor, copy: as in `jax.op`.

    Attributes:
      func, label: the function, and its name and definition.
      mode, effect: the kind of its arguments, and its effect.
    """

    def __init__(
        self,
        api: str,
        func: Callable[..., Any],
        mode: str,
        grad: Callable[..., Any] | None,
        stateful: bool,
        executor: Any,
        copy: bool,
    ) -> None:
        declare.checked_callable(func)
        functools.update_wrapper(self, func)  # type: ignore[arg-type]
        try:
            self.mode = Mode(mode)
        except ValueError:
            raise TypeError(f"{api}: mode is 'eager' or 'numpy', got {repr_of(mode)}") from None
        self.func, self.label = as_written(func), of_function(func)
        self.effect = Effect.STATEFUL if stateful else Effect.PURE
        self._api, self._grad, self._copy, self._site = api, grad, copy, caller(3)
        self._executor = placed(executor, func, self.effect, self.label, api)

    def check_may_be_called(self) -> None:
        """Refuses to call a stateful function for its result.

        Raises:
          TypeError: if it is stateful.
        """
        if self.effect is Effect.STATEFUL:
            raise TypeError(f"{self._api}: {self.label} is stateful and is not called to learn its result: say result=")

    def host_function(self, gives: Sequence[Array], nested: NestedFunction | None, checks: bool) -> HostFunction:
        """The record of the function for flat arguments and results.

        Args:
          gives: the results.
          nested: the function of flat values; None if the function takes values and returns one.
          checks: whether calls check the shapes of results.
        """
        specs = [TensorSpec(a.shape if checks else None, a.dtype) for a in gives]
        outputs = declare.outputs_of(specs[0] if nested is None else specs, self._api)
        return HostFunction(
            awaited(self.func if nested is None else nested), self.mode, outputs, self.effect, self.label, self._site,
            grad=self._grad, copy=self._copy, executor=self._executor,
        )  # fmt: skip


def check_vmap(api: str, vmap: Any, methods: Collection[str], rules: bool) -> None:
    """Refuses a method of batching that does not exist.

    Raises:
      TypeError: naming those that do; `rules` says whether a function is one.
    """
    if vmap not in methods and not (rules and callable(vmap)):
        raise TypeError(
            f"{api}: vmap is 'sequential'{', ' if rules else ' or '}'batched'{' or a function' if rules else ''}, got "
            f"{repr_of(vmap)}"
        )


class NestedFunction:
    """A function of nests as one of flat values; it returns a flat list.

    Args:
      func, label: the function, and its name and definition.
      unflatten: makes a nest like the arguments of a list of values.
      returned: the structure of the result, which flattens values that are nested like it.
    """

    def __init__(
        self, func: Callable[..., Any], label: str, unflatten: Callable[[list[Any]], Any], returned: Any
    ) -> None:
        self.func, self.label, self.unflatten, self.returned = func, label, unflatten, returned

    def __call__(self, *flat: Any) -> list[Any]:
        value = self.func(*self.unflatten(list(flat)))
        if value is None and not self.returned.num_leaves:
            return []
        try:
            return list(self.returned.flatten_up_to(value))
        except ValueError as error:
            raise ValueError(
                f"{self.label} returned a {type(value).__name__}, which is not nested as `result`, {self.returned}: "
                f"{error}"
            ) from None


def is_spec(value: Any) -> bool:
    """Whether a value has a shape and a dtype."""
    return hasattr(value, "shape") and hasattr(value, "dtype")
