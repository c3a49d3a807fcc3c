"""Properties of an op besides its meaning, which plans may use: hints for lowerings, and facts for scheduling.

An op means the same without them. `LoweringHints` names faster replacements of its kernel, `Scheduling` the needs of
its step besides its inputs. Both are plain classes, because each dataclass takes a hundredth of the import's time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types.dtypes import DType

Name = Callable[[str, Any], str]
"""Gives an object a name in generated source; the first argument is how the name begins."""


class InlineKernel(NamedTuple):
    """The common case of a kernel as source.

    Attributes:
      test: source of the condition under which `text` may replace the kernel's call.
      text: the result. Where this raises, the kernel words the error.
      view: whether an array that is the result is a view of another, so that it is never uniquely referenced.
    """

    test: str
    text: str
    view: bool = False


Expression = Callable[["Sequence[str]", "Sequence[DType]", "Mapping[str, Any]", Name, str], "InlineKernel | None"]
Refuses = Callable[["Sequence[DType]", "Sequence[Any]"], bool]


class _Frozen:
    """A class whose attributes, `__slots__`, its constructor alone sets."""

    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"`{name}` of {type(self).__name__} cannot be set")

    def _put(self, *values: Any) -> None:
        put = object.__setattr__
        for name, value in zip(self.__slots__, values, strict=True):
            put(self, name, value)


class LoweringHints(_Frozen):
    """Hints for lowerings of an op.

    Attributes:
      aliases: whether a result may share memory with an input.
      ufunc: the NumPy ufunc that the kernel calls and nothing else; hot plans write its result into an input.
      operator: Python's operator for the same ufunc (not on strings); on NumPy scalars it takes a tenth of the time.
      overwrites: the kernel, but it may change its first input: hot plans call it if that is uniquely referenced.
      expression: source that replaces the kernel's call in hot plans: `expression(inputs, dtypes, attrs, name, sole)`.
        Its arguments are the flat inputs as source, their dtypes, the attributes, a function that names an object in
        the source, and source of the test whether the first input is uniquely referenced ("" if it never is). If it
        returns None, the kernel is called.
      refuses: `refuses(dtypes, constants)`: whether the kernel may raise because of values, which compiled code could
        not. Its arguments are the dtype of each input, and its value if it is a constant, else None.
      fuses: whether XLA for the CPU fuses it into a loop, so that large arrays take no longer than by its kernel; None:
        as its ufunc tells, if it is elementwise.
      shape_only: it reads the shape of its first input, not its values: it runs where shapes are known, on the host.
      to_shape: it leaves its first input alone if that has the shape of the second.
      fresh: its result is an array of its own, unless it is of rank 0, as that of a ufunc always is.
      linear: it is a linear function of its first input.
      fixed_index: the numbers in its attribute `index` may be passed in its list input, so that it is compiled once.
    """

    __slots__ = (
        "aliases",
        "ufunc",
        "operator",
        "overwrites",
        "expression",
        "refuses",
        "fuses",
        "shape_only",
        "to_shape",
        "fresh",
        "linear",
        "fixed_index",
    )
    aliases: bool
    ufunc: Any
    operator: str | None
    overwrites: Callable[..., Any] | None
    expression: Expression | None
    refuses: Refuses | None
    fuses: bool | None
    shape_only: bool
    to_shape: bool
    fresh: bool
    linear: bool
    fixed_index: bool

    def __init__(
        self,
        aliases: bool = False,
        ufunc: Any = None,
        operator: str | None = None,
        overwrites: Callable[..., Any] | None = None,
        expression: Expression | None = None,
        refuses: Refuses | None = None,
        fuses: bool | None = None,
        shape_only: bool = False,
        to_shape: bool = False,
        fresh: bool = False,
        linear: bool = False,
        fixed_index: bool = False,
    ) -> None:
        self._put(
            aliases, ufunc, operator, overwrites, expression, refuses, fuses, shape_only, to_shape, fresh, linear,
            fixed_index,
        )  # fmt: skip


class Scheduling(_Frozen):
    """Facts about the step of an op.

    Attributes:
      bind: for ops whose step is more than a kernel: `bind(step, graph)` gives its `StepCall`.
      calls_users: its step runs other plans, and so may run user code, which may block.
      waits: its step may wait for what other runs do.
      on_tensors: its step calls a function of eager tensors, which may lie on a device.
      anywhere_from: its inputs from this one on may lie on any device; None: all lie where the step runs.
    """

    __slots__ = ("bind", "calls_users", "waits", "on_tensors", "anywhere_from")
    bind: Callable[..., Any] | None
    calls_users: bool
    waits: bool
    on_tensors: bool
    anywhere_from: int | None

    def __init__(
        self,
        bind: Callable[..., Any] | None = None,
        calls_users: bool = False,
        waits: bool = False,
        on_tensors: bool = False,
        anywhere_from: int | None = None,
    ) -> None:
        self._put(bind, calls_users, waits, on_tensors, anywhere_from)


NO_LOWERING = LoweringHints()
NO_SCHEDULING = Scheduling()


def some_values(kinds: Sequence[DType], constants: Sequence[Any]) -> bool:
    """`LoweringHints.refuses` of a kernel that may refuse values of its inputs, constants or not."""
    return True


REFUSES_VALUES = LoweringHints(refuses=some_values)
"""The hints of a kernel that may refuse values of its inputs, and of which nothing else is known."""
