"""`tf.experimental.numpy.experimental_enable_numpy_behavior`: operators, methods and indices of tensors as NumPy's.

All of it is attached when it is asked for: while the behavior is off, nothing looks whether it is.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export, lookup, replace_everywhere
from inlay._src.base.misuse import explained
from inlay._src.base.types import dtypes
from inlay._src.core.eager import promotion
from inlay._src.core.eager.convert import get_static_value
from inlay._src.core.eager.emit import answers
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops import array, gathering, indexing, math, operators, rearranging
from inlay._src.programs.numpy_functions import elementwise, reducing, shaping

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_FUNCTIONS = """
    math.add math.subtract math.multiply math.divide math.truediv math.floordiv math.floormod math.pow math.maximum
    math.minimum math.equal math.divide_no_nan math.multiply_no_nan realdiv truncatediv truncatemod linalg.matmul
    tensordot
"""
"""The functions that promote their first two arguments in the modes "all" and "safe"."""
_replaced: list[tuple[Any, Any]] = []
"""(function, what is in its place)."""


@export("experimental.numpy.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """Gives tensors NumPy's methods (`astype`, `reshape`, `T`, ...) and indices, and operators that promote dtypes.

    Args:
      prefer_float32: whether Python's floating numbers count as float32 beside integers, in the mode "legacy".
      dtype_conversion_mode: the promotion of operands with two dtypes. "off": none. "legacy": NumPy's rule, for
        Python's operators. "all": also for `tf.add` and its like; integers beside floating numbers take their dtype.
        "safe": as "all" where no value is lost. In the last two a value that is assigned to a variable is cast to its
        dtype where the two promote to that.

    Raises:
      ValueError: for another mode.
    """
    if dtype_conversion_mode not in promotion.MODES:
        raise ValueError(
            f"dtype_conversion_mode must be one of {', '.join(promotion.MODES)}, got {dtype_conversion_mode!r}"
        )
    promotion.set_mode(dtype_conversion_mode, prefer_float32)
    _set_operators(dtype_conversion_mode)
    _set_functions({"off": (), "legacy": ("math.divide",)}.get(dtype_conversion_mode, _FUNCTIONS.split()))
    for name, member in _MEMBERS.items():
        setattr(Tensor, name, member)


# ---------------------------------------------------------------- operands of two dtypes


def _promoting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first two arguments get one dtype."""
    first, second = list(inspect.signature(function).parameters)[:2]

    @explained
    @functools.wraps(function)
    def promoting(*args: Any, **kwargs: Any) -> Any:
        keywords = [name for name in (first, second)[len(args) :] if name in kwargs]
        operands = [*args[:2], *(kwargs[name] for name in keywords)]
        if len(operands) == 2 and not any(map(answers, operands)):
            dtype = promotion.result_dtype(*operands)
            if dtype is not None:
                operands = [promotion.converted(operand, dtype) for operand in operands]
                positional = len(operands) - len(keywords)
                args = (*operands[:positional], *args[2:])
                kwargs |= dict(zip(keywords, operands[positional:], strict=True))
        return function(*args, **kwargs)

    return promoting


def _set_operators(mode: str) -> None:
    """Attaches Python's operators: those that promote in a mode, and the others."""
    operators.install()
    if mode == "off":
        return
    names = operators.BINARY if mode == "legacy" else _ARITHMETIC
    for name in names:
        function = _two(operators.BINARY[name])
        setattr(Tensor, f"__{name}__", operators.left(function, name))
        setattr(Tensor, f"__r{name}__", _right(function, name))
    for name, comparison in operators.COMPARISONS.items() if mode == "legacy" else ():
        setattr(Tensor, f"__{name}__", operators.left(_two(comparison)))
    others = {"eq": operators.comparing(_two(math.equal), True), "getitem": _method(_item), "pos": _method(lambda t: t)}
    others["round"] = _method(elementwise.around)
    if mode == "legacy":
        others["ne"] = operators.comparing(_two(math.not_equal), False)
    for name, method in others.items():
        setattr(Tensor, f"__{name}__", method)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *operands: function(self, *operands)


def _two(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two operands, which get one dtype."""

    def called(x: Any, y: Any, name: str | None = None) -> Any:
        dtype = promotion.result_dtype(x, y)
        if dtype is not None:
            x, y = promotion.converted(x, dtype), promotion.converted(y, dtype)
        return function(x, y, name=name)

    return called


def _right(function: Callable[..., Any], label: str) -> Callable[[Any, Any], Any]:
    """The operator with its operands exchanged."""

    def operator(self: Any, other: Any) -> Any:
        if operators.declines(other):
            return NotImplemented
        return function(other, self, name=label if self.__class__ is SymbolicTensor else None)

    return operator


def _set_functions(paths: Sequence[str]) -> None:
    """Puts functions that promote instead of the public ones at some paths; elsewhere these are back."""
    while _replaced:
        function, stands = _replaced.pop()
        replace_everywhere(stands, function)
    for path in paths:
        function = lookup(path)
        stands = _promoting(function)
        if replace_everywhere(function, stands):
            _replaced.append((function, stands))


# ---------------------------------------------------------------- indices


def _item(tensor: Any, key: Any) -> Any:
    """`tensor[key]` as NumPy has it: lists, arrays and tensors of rank 1 or more choose elements."""
    if isinstance(key, list) and any(isinstance(part, (list, slice)) or part is None for part in key):
        key = tuple(key)  # as NumPy had it once
    if isinstance(key, tuple):
        key = tuple([list(part) if isinstance(part, tuple) else part for part in key])
    parts = key if isinstance(key, tuple) else (key,)
    if not any(_chooses(part) for part in parts):
        return indexing.getitem(tensor, key)
    if len(parts) == 1 and isinstance(parts[0], SymbolicTensor):
        chosen = parts[0]
        return gathering.boolean_mask(tensor, chosen) if chosen.dtype.is_bool else gathering.gather(tensor, chosen)
    static = [get_static_value(part) if isinstance(part, Tensor) else part for part in parts]
    if any(value is None and part is not None for value, part in zip(static, parts, strict=True)):
        raise errors.UnimplementedError(
            None, None, "indices of several parts, one of them a tensor, are taken where their values are known"
        )
    if not tensor.shape.is_fully_defined():
        raise errors.UnimplementedError(None, None, f"indices that choose need a known shape, got {tensor.shape}")
    sizes, numbers = tensor.shape.as_list(), tuple(map(_numbers, static))
    try:
        places = np.arange(int(np.prod(sizes, dtype=np.int64))).reshape(sizes)[numbers]
    except IndexError as error:
        raise errors.InvalidArgumentError(None, None, f"{error} (a tensor of shape {tensor.shape})") from None
    return gathering.gather(array.reshape(tensor, [-1]), places)


def _chooses(part: Any) -> bool:
    """Whether a part of an index is a list or an array of one or more axes."""
    if isinstance(part, Tensor):
        return part.shape.rank != 0
    return isinstance(part, list) or (isinstance(part, np.ndarray) and part.ndim > 0)


def _numbers(part: Any) -> Any:
    """A part of an index for NumPy.

    Raises:
      IndexError: for a list or an array without whole numbers.
    """
    if not _chooses(part):
        return int(part) if isinstance(part, np.ndarray) else part
    chosen = np.asarray(part)
    if chosen.dtype.kind not in "biu" or not chosen.size and isinstance(part, list):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            f"valid indices, got {part}"
        )
    return chosen


# ---------------------------------------------------------------- methods


def astype(self: Any, dtype: Any) -> Any:
    """The elements in another dtype."""
    kind = dtypes.float32 if dtype is float else dtypes.as_dtype(dtype)
    return math.cast(self, kind)


def reshape(self: Any, *newshape: Any, order: str = "C") -> Any:
    """The elements in another shape, given as one list or as several numbers; read and written in an order, C or F."""
    return shaping.reshape(self, newshape[0] if len(newshape) == 1 else list(newshape), order)


def clip(self: Any, a_min: Any = None, a_max: Any = None) -> Any:
    """The elements, those outside of two bounds moved to them."""
    return elementwise.clip(self, a_min, a_max)


def tolist(self: Any) -> Any:
    """The elements as nested lists; of a scalar the element."""
    if not hasattr(self, "numpy"):
        raise NotImplementedError(f"{self!r} of a graph has no elements yet: tolist() needs an eager tensor")
    return self.numpy().tolist()


_MEMBERS: dict[str, Any] = {
    "astype": astype,
    "reshape": reshape,
    "ravel": shaping.ravel,
    "flatten": shaping.flatten,
    "transpose": shaping.transpose,
    "clip": clip,
    "mean": reducing.mean,
    "max": reducing.amax,
    "min": reducing.amin,
    "tolist": tolist,
    "T": property(rearranging.transpose, doc="The axes turned round."),
    "size": property(shaping.size, doc="How many elements there are."),
    "data": property(lambda self: self, doc="The tensor."),
}
"""Name -> member that tensors get. Until then `operators.MEMBERS` say how."""
assert set(_MEMBERS) == set(operators.MEMBERS)
