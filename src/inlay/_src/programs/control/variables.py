"""The variables that a statement of converted code assigns; those without a value yet, and what stands in for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.ops.array import constant, fill

State = tuple[Any, ...]


class Variables:
    """The variables of one statement.

    Args:
      names: names of the variables in the program.
      read: gives their values.
      write: takes their values.
    """

    __slots__ = ("_write", "names", "read")

    def __init__(self, names: Sequence[str], read: Callable[[], State], write: Callable[[State], None]) -> None:
        self.names, self.read, self._write = tuple(names), read, write

    def assign(self, values: Iterable[Any]) -> None:
        """Gives all of them a value."""
        self._write(tuple(values))

    @contextmanager
    def restored_on_error(self) -> Iterator[State]:
        """Their values before the block, which they get back if it fails: the program may catch the error and go on."""
        before = self.read()
        try:
            yield before
        except BaseException:
            self.assign(before)
            raise


class Undefined:
    """A variable that was not assigned. Reading it in the user's code raises."""

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name: str = symbol_name

    def read(self) -> Any:
        """Raises what Python raises."""
        raise UnboundLocalError(f"'{self.symbol_name}' is used before assignment", name=self.symbol_name)

    def __repr__(self) -> str:
        return f"<undefined {self.symbol_name}>"


class UndefinedReturnValue:
    """The value of a function that has not returned yet."""

    __slots__ = ()


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def ld(value: Any) -> Any:
    """A variable's value.

    Raises:
      UnboundLocalError: if it has none.
    """
    return value.read() if value.__class__ is Undefined else value


def ldu(load: Callable[[], Any], name: str) -> Any:
    """The value that `load` reads, or `Undefined` if that place (an attribute, an item) does not exist."""
    try:
        return load()
    except (KeyError, IndexError, AttributeError, NameError):
        return Undefined(name)


def blank(dtype: DType, dims: Dims) -> Any:
    """A tensor nobody reads, of a given dtype; sizes that are not known are 0, an unknown rank is 0."""
    if dtype is dtypes.variant:
        return emit(OPS["TensorListReserve"], (0,))
    return fill(convert_to_tensor([size or 0 for size in dims or ()], dtypes.int32), _zero(dtype))


def _zero(dtype: DType) -> Any:
    return constant("" if dtype is dtypes.string else 0, dtype) if not dtype.is_bool else constant(False)


def blank_like(value: Any) -> Any:
    """`blank` for a tensor or composite."""
    if isinstance(value, Composite):
        return value._rebuild([blank(c.dtype, c.shape._dims) for c in value._components()])
    return blank(value.dtype, value.shape._dims)
