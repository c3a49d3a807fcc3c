"""One call of a host function, in four parts.

    values ─▶ prepare ─▶ arguments ─▶ run ─▶ result ─▶ accept ─▶ values
                  │                    │                  │
                  └────── explain ◀────┴──────────────────┘      an exception becomes what the caller sees

`run` is the only part that may happen elsewhere: it needs the function and its arguments, and nothing of the call.
Values are runtime values where the function receives NumPy arrays, eager tensors where it receives those.

This module defines the meaning of a call. `host.codegen` writes the same four parts as straight-line source, once per
declaration. Eager calls (`host.eager_calls`) and the steps of plans (`host.steps`) run that source; a result that its
fast path does not recognize, right or wrong, is handled here. Recorded calls and calls on a device wrap either.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.span_chunks import Activity
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import values
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import codegen, convert, declare, observing
from inlay._src.host.convert import ResultError
from inlay._src.host.record import HostFunction, Mode

# Python looks a member of an enumeration up for as long as a small call takes.
_NUMPY, _EAGER = Mode.NUMPY, Mode.EAGER


class RuleError(Exception):
    """A function's shape rule raised; the cause is what it raised."""


class HostCall:
    """A host function at one place of a program: an op of a name and type, whose outputs must have declared shapes.

    Attributes:
      sites, activity: for `observing`: where generated source calls the function, and the subject of its spans.
    """

    __slots__ = ("__weakref__", "_runs", "_written", "activity", "declared", "host", "name", "sites", "type")
    writer: ClassVar[type[codegen.CallWriter]] = codegen.CallWriter
    """The writer of its source."""

    def __init__(self, host: HostFunction, name: str, type: str, declared: tuple[Dims, ...] | None = None) -> None:
        self.host, self.name, self.type = host, name, type
        self.declared: tuple[Dims, ...] = host.outputs.dims if declared is None else declared
        self.sites: list[observing.CallSite] = []
        self.activity: Activity | None = None
        self._runs = 0
        self._written: Callable[[Sequence[Any]], list[Any]] | None = None  # once the call has run a few times

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """The whole call, in the state that is in force."""
        try:
            if self._written is not None:
                return self._written(inputs)
            self._runs += 1
            if self._runs == TUNING.host_call_runs:
                self._written = codegen.function(self.host, self.declared, self, len(inputs), self.writer)
            args, kwargs = self.prepare(inputs)
            box = [self.run(observing.called(self), args, kwargs)]
            del args, kwargs  # so that who else holds the result can be seen
            return self.accept(box, inputs)
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raised = self.explain(error, inputs)
            raise raised from raised.__cause__

    def prepare(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The function's positional and keyword arguments."""
        host = self.host
        if host.mode is _NUMPY:
            make = convert.numpy_argument if host.copy else convert.numpy_view
            inputs = [make(v) for v in inputs]
        return (inputs, {}) if host.template is None else host.template.fill(inputs)

    @staticmethod
    def run(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Calls the function."""
        return function(*args, **kwargs)

    def accept(self, box: list[Any], inputs: Sequence[Any] = ()) -> list[Any]:
        """The checked results.

        Args:
          box: a list of what the function returned; it is emptied, so that who else holds the result can be seen.
          inputs: the values of the call, for a shape rule.

        Raises:
          ResultError: if a result does not fit its declaration.
          RuleError: if the shape rule raises.
        """
        value = self._array(box)
        if value is not None:
            out = [value]
            box.clear()
        else:
            items = self.items(box.pop())
            out = [self.item(i, items) for i in range(len(self.host.outputs.leaves))]
        if self.host.shape_of is not None:
            self.check_rule([_shape(v) for v in inputs], out)
        return out

    def _array(self, box: list[Any]) -> Any:
        """The value of a result that is the one array that is declared, by far the most; None for any other result."""
        outputs = self.host.outputs
        if box[0].__class__ is not np.ndarray or box[0].dtype is not outputs.array:
            return None
        value = self.taken(box)
        convert.check_shape(self.host, 0, value.shape, self.declared[0])
        return value if self.host.mode is _NUMPY else EagerTensor(value, outputs.dtypes[0])

    def items(self, result: Any) -> list[Any]:
        """The results of a function, one item per declared leaf; ResultError if count or structure differ."""
        if inspect.iscoroutine(result):
            result.close()
            raise ResultError(
                f"{self.host.name} returned a coroutine, but is not an `async def` function: make it one and await "
                "the coroutine, so that it runs on the event loop"
            )
        items = convert.items_of(self.host, result)
        return convert.flat_components(self.host, self.host.outputs, items) if self.host.outputs.composites else items

    def item(self, index: int, items: list[Any]) -> Any:
        """Item `index` as a value that fits its declaration, else ResultError; it is given up in `items`."""
        host = self.host
        leaf = host.outputs.leaves[index]
        if host.mode is _EAGER:
            value = convert.eager_result(host, index, leaf, items)
            convert.check_shape(host, index, _shape(value), self.declared[index])
            return value
        convert.check_single(host, index, items)
        items[index] = convert.numpy_result(host, index, leaf, items[index])
        value = self.taken(items, index)
        convert.check_shape(host, index, value.shape, self.declared[index])
        return value

    @staticmethod
    def taken(items: list[Any], index: int = 0) -> Any:
        """Array `index` of a list as a value of the run: an array that nobody else can reach."""
        return ownership.own(items, index)

    def single(self, result: Any) -> Any:
        """The value of a function that returns one."""
        box = [result]
        del result  # so that who else holds it can be seen
        value = self._array(box)
        return self.item(0, self.items(box.pop())) if value is None else value

    def check_rule(self, input_shapes: Sequence[tuple[int, ...]], out: Sequence[Any]) -> None:
        """Checks results against the shapes that the function's shape rule computes from those of the inputs."""
        try:
            promised = declare.computed(self.host, [shapes.from_dims(s) for s in input_shapes])
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raise RuleError from error
        for i, (value, dims) in enumerate(zip(out, promised, strict=True)):
            convert.check_shape(self.host, i, _shape(value), dims)

    def explain(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """The exception that the caller sees if a body raises or a result breaks its declaration; it has a cause."""
        if isinstance(error, ResultError):
            text = f"{error}\n{self._text(inputs, 'returned by function')}"
            raised: BaseException = errors.refused(error.kind, error.python, text)
            raised.__cause__ = error.__cause__
            return raised
        what = "raised in function"
        if isinstance(error, RuleError) and error.__cause__ is not None:
            error, what = error.__cause__, "raised in output_shapes of function"
        return errors.wrap(error, self._text(inputs, what))

    def _text(self, inputs: Sequence[Any], what: str) -> str:
        """The lines below a message, beginning with `what`: the failed action of the function or its shape rule."""
        seen = ", ".join(values.describe(v) for v in inputs) or "none"
        return (
            f"  {what} {self.host.label}\n  called by op '{self.name}' ({self.type}), defined at {self.host.site}\n"
            f"  inputs: {seen}\n  [[{{{{node {self.name}}}}}]]"
        )


class ReadAtOnceCall(HostCall):
    """A host call whose caller reads the results before anybody else goes on: they may be views of its arguments."""

    __slots__ = ()
    writer = codegen.ReadAtOnceWriter

    @staticmethod
    def taken(items: list[Any], index: int = 0) -> Any:
        """Array `index` of a list, as it is."""
        return items[index]


def _shape(value: Any) -> tuple[int, ...]:
    return np.shape(value_of(value) if isinstance(value, EagerTensor) else value)
