"""DType records: name, TensorFlow's enum number, NumPy dtype. The only dtype table."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import is_iterable, repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.attributes import read_only

__all__ = ["DType", "as_dtype"]


@functools.cache
def _limit_of(kind: str, numpy_dtype: Any, end: str) -> Any:
    """The "min" or "max" of a type with an order; NumPy computes it anew each time."""
    if kind in "iu":
        return getattr(np.iinfo(numpy_dtype), end)
    if kind in "IU":
        return int(getattr(ml_dtypes.iinfo(numpy_dtype), end))
    return getattr(ml_dtypes.finfo(numpy_dtype), end)


@export("DType", "dtypes.DType")
class DType:
    """The type of a tensor's elements; one object per type, so `is` compares.

    Attributes:
      name: TensorFlow's name, for instance `"float32"`.
      as_datatype_enum: the number TensorFlow's wire format uses.
      as_numpy_dtype: the NumPy scalar type (`object` for strings, resources and variants).
      np: the `numpy.dtype`.

    Args:
      type_enum: the number of a type, as a `NodeDef` or a `TensorProto` has it.
      handle_data: accepted.

    Raises:
      TypeError: if no type has that number.
    """

    __slots__ = ("__dict__", "__weakref__", "_c_name", "_kind", "as_datatype_enum", "as_numpy_dtype", "name", "np")
    name: str
    as_datatype_enum: int
    as_numpy_dtype: type
    np: np.dtype[Any]
    _kind: str
    _c_name: str
    _made: ClassVar[list[DType]] = []

    def __new__(cls, type_enum: Any, handle_data: Any = None) -> DType:
        try:
            dtype = _BY_ENUM.get(int(type_enum))
        except (TypeError, OverflowError):
            raise TypeError(f"`type_enum` must be an integer, got {repr_of(type_enum)}") from None
        if dtype is None:
            raise TypeError(f"{type_enum} does not correspond to a valid DataType")
        return dtype

    @classmethod
    def _defined(cls, name: str, enum: int, numpy_type: Any, kind: str, c_name: str = "") -> DType:
        """Another type."""
        self = super().__new__(cls)
        self.name, self.as_datatype_enum, self.as_numpy_dtype = name, enum, numpy_type
        self.np, self._kind, self._c_name = np.dtype(numpy_type), kind, c_name or name
        DType._made.append(self)
        return self

    is_floating: bool = read_only(lambda self: self._kind in "fF", doc="A real floating type.")
    is_complex: bool = read_only(lambda self: self._kind == "c", doc="A complex type.")
    is_integer: bool = read_only(lambda self: self._kind in "iuIU", doc="A signed or unsigned integer, not quantized.")
    is_unsigned: bool = read_only(lambda self: self._kind in "uU", doc="An unsigned integer.")
    is_bool: bool = read_only(lambda self: self._kind == "b", doc="bool.")
    is_quantized: bool = read_only(lambda self: self._kind == "q", doc="A quantized type.")
    is_numpy_compatible: bool = read_only(lambda self: self._kind not in "rv", doc="False for resources and variants.")
    is_numeric: bool = read_only(lambda self: self._kind in "fiuc", doc="Numbers that arithmetic takes.")
    is_trainable: bool = read_only(lambda self: self._kind in "fc", doc="Gradients flow through this type.")
    base_dtype: DType = read_only(lambda self: self, doc="This type (reference types do not exist here).")
    size: int = read_only(
        lambda self: 0 if self._kind in "srv" else self.np.itemsize,
        doc="Bytes of one element; 0 for strings, resources and variants.",
    )
    c_name: str = read_only(lambda self: self._c_name, doc="The wire format's name: 'float' for float32.")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is this type: no type is a subtype of another."""
        return self is other

    def most_specific_common_supertype(self, types: Sequence[Any]) -> DType | None:
        """This type if all `types` are it, else None."""
        if not is_iterable(types):
            raise TypeError(f"`types` must be a sequence of dtypes, got {repr_of(types)}")
        return self if all(other is self for other in types) else None

    @property
    def real_dtype(self) -> DType:
        """The real type of a complex type's parts; other types are their own."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def min(self) -> float | Any:
        """The least finite value."""
        return self._limit("min")

    @property
    def max(self) -> float | Any:
        """The greatest finite value."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensities of an image of this type: from 0 to 1, or to the greatest integer; ValueError for others."""
        if self._kind in "biu":
            return 0, self._kind == "b" or self.max
        if self.name in ("float32", "float64"):
            return 0, 1
        raise ValueError(f"{self} does not have defined limits.")

    def _limit(self, end: str) -> Any:
        if self._kind not in "iuIUfF":
            raise TypeError(f"Cannot find {end}imum value of {self!r}: it has no order.")
        return _limit_of(self._kind, self.np, end)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether `other`, a dtype or the name of one, is this dtype."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return _dtype_of(other) is self
        except TypeError:  # not hashable
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__: Callable[[], int] = object.__hash__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


float32: DType = export("float32", "dtypes.float32")(DType._defined("float32", 1, np.float32, "f", "float"))
float64: DType = export("float64", "dtypes.float64", "double", "dtypes.double")(
    DType._defined("float64", 2, np.float64, "f", "double")
)
int32: DType = export("int32", "dtypes.int32")(DType._defined("int32", 3, np.int32, "i"))
uint8: DType = export("uint8", "dtypes.uint8")(DType._defined("uint8", 4, np.uint8, "u"))
int16: DType = export("int16", "dtypes.int16")(DType._defined("int16", 5, np.int16, "i"))
int8: DType = export("int8", "dtypes.int8")(DType._defined("int8", 6, np.int8, "i"))
string: DType = export("string", "dtypes.string")(DType._defined("string", 7, object, "s"))
complex64: DType = export("complex64", "dtypes.complex64")(DType._defined("complex64", 8, np.complex64, "c"))
int64: DType = export("int64", "dtypes.int64")(DType._defined("int64", 9, np.int64, "i"))
bool_: DType = export("bool", "dtypes.bool")(DType._defined("bool", 10, np.bool_, "b"))
qint8: DType = export("qint8", "dtypes.qint8")(DType._defined("qint8", 11, np.int8, "q"))
quint8: DType = export("quint8", "dtypes.quint8")(DType._defined("quint8", 12, np.uint8, "q"))
qint32: DType = export("qint32", "dtypes.qint32")(DType._defined("qint32", 13, np.int32, "q"))
bfloat16: DType = export("bfloat16", "dtypes.bfloat16")(DType._defined("bfloat16", 14, ml_dtypes.bfloat16, "f"))
qint16: DType = export("qint16", "dtypes.qint16")(DType._defined("qint16", 15, np.int16, "q"))
quint16: DType = export("quint16", "dtypes.quint16")(DType._defined("quint16", 16, np.uint16, "q"))
uint16: DType = export("uint16", "dtypes.uint16")(DType._defined("uint16", 17, np.uint16, "u"))
complex128: DType = export("complex128", "dtypes.complex128")(DType._defined("complex128", 18, np.complex128, "c"))
float16: DType = export("float16", "dtypes.float16", "half", "dtypes.half")(
    DType._defined("float16", 19, np.float16, "f", "half")
)
resource: DType = export("resource", "dtypes.resource")(DType._defined("resource", 20, object, "r"))
variant: DType = export("variant", "dtypes.variant")(DType._defined("variant", 21, object, "v"))
uint32: DType = export("uint32", "dtypes.uint32")(DType._defined("uint32", 22, np.uint32, "u"))
uint64: DType = export("uint64", "dtypes.uint64")(DType._defined("uint64", 23, np.uint64, "u"))
# Narrow types are stored, moved and cast; no arithmetic takes them and no gradient flows through them.
float8_e5m2: DType = export("dtypes.experimental.float8_e5m2", "experimental.float8_e5m2")(
    DType._defined("float8_e5m2", 24, ml_dtypes.float8_e5m2, "F")
)
float8_e4m3fn: DType = export("dtypes.experimental.float8_e4m3fn", "experimental.float8_e4m3fn")(
    DType._defined("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn, "F")
)
float8_e4m3fnuz: DType = export("dtypes.experimental.float8_e4m3fnuz", "experimental.float8_e4m3fnuz")(
    DType._defined("float8_e4m3fnuz", 26, ml_dtypes.float8_e4m3fnuz, "F")
)
float8_e4m3b11fnuz: DType = export("dtypes.experimental.float8_e4m3b11fnuz", "experimental.float8_e4m3b11fnuz")(
    DType._defined("float8_e4m3b11fnuz", 27, ml_dtypes.float8_e4m3b11fnuz, "F")
)
float8_e5m2fnuz: DType = export("dtypes.experimental.float8_e5m2fnuz", "experimental.float8_e5m2fnuz")(
    DType._defined("float8_e5m2fnuz", 28, ml_dtypes.float8_e5m2fnuz, "F")
)
int4: DType = export("dtypes.experimental.int4", "experimental.int4")(DType._defined("int4", 29, ml_dtypes.int4, "I"))
uint4: DType = export("dtypes.experimental.uint4", "experimental.uint4")(
    DType._defined("uint4", 30, ml_dtypes.uint4, "U")
)
int2: DType = export("dtypes.experimental.int2", "experimental.int2")(DType._defined("int2", 31, ml_dtypes.int2, "I"))
uint2: DType = export("dtypes.experimental.uint2", "experimental.uint2")(
    DType._defined("uint2", 32, ml_dtypes.uint2, "U")
)
float4_e2m1fn: DType = export("dtypes.experimental.float4_e2m1fn", "experimental.float4_e2m1fn")(
    DType._defined("float4_e2m1fn", 33, ml_dtypes.float4_e2m1fn, "F")
)
ALL = tuple(DType._made)
FLOATS = frozenset({float16, bfloat16, float32, float64})
COMPLEX = frozenset({complex64, complex128})
INTS = frozenset({int8, int16, int32, int64, uint8, uint16, uint32, uint64})
SIGNED_INTS = frozenset({int8, int16, int32, int64})
INDEX = frozenset({int32, int64})


class Exact(frozenset[DType]):
    """The dtypes of a letter that has no default in TensorFlow: Python's and NumPy's values keep their own dtype.

    An empty list is float32 there, and a bool is no index.
    """


EXACT_INDEX = Exact(INDEX)
REALS = FLOATS | INTS
NUMBERS = REALS | COMPLEX
ANY = frozenset(ALL)
DENSE = ANY - {resource, variant}
TRAINABLE = FLOATS | COMPLEX

_BY_NAME = {d.name: d for d in ALL} | {"float": float32, "double": float64, "half": float16}
_BY_ENUM = {d.as_datatype_enum: d for d in ALL}
_BY_TYPE = {float: float32, bool: bool_, complex: complex128, str: string, bytes: string, object: string}
# NumPy dtype -> DType. Quantized types share NumPy dtypes with plain ones, which win.
FROM_NUMPY: dict[Any, DType] = {d.np: d for d in ALL if not d.is_quantized and d not in (string, resource, variant)}
FROM_NUMPY[np.dtype(object)] = string
# How TensorFlow writes them in NumPy: records of one field. Here they are held as plain integers.
QUANTIZED: dict[Any, DType] = {np.dtype([(d.name, d.np)]): d for d in ALL if d.is_quantized}
QUANTIZED_DTYPES = export("dtypes.QUANTIZED_DTYPES", "compat.v1.QUANTIZED_DTYPES")(frozenset(QUANTIZED.values()))


@export("as_dtype", "dtypes.as_dtype")
@boundary
def as_dtype(type_value: Any) -> DType:
    """The DType of a DType, name, enum number, NumPy type or Python type.

    Args:
      type_value: `tf.float32`, `"float32"`, `1`, `np.float32`, `np.dtype("f4")`, `float` (float32) or `bool`.

    Returns:
      The DType.

    Raises:
      TypeError: if `type_value` names no type. `int` is refused, as in TensorFlow: say int32 or int64.
    """
    try:
        dtype = type_value if type_value.__class__ is DType else _dtype_of(type_value)
        if dtype is None:
            raise TypeError(f"Cannot convert the argument `type_value`: {repr_of(type_value)} to a TensorFlow DType.")
        return dtype
    except Exception as error:
        leave(error)
        raise


def _dtype_of(value: Any) -> DType | None:
    """The DType that a value other than a DType names, or None."""
    if isinstance(value, str):
        return _BY_NAME.get(value)
    if isinstance(value, (int, float, np.number, np.bool_)):  # TensorFlow looks numbers up: True is 1 there
        return _BY_ENUM.get(value)  # type: ignore[arg-type]
    if isinstance(value, type) and value in _BY_TYPE:
        return _BY_TYPE[value]
    if isinstance(value, (type, np.dtype)) and value is not int:
        try:
            return from_numpy(np.dtype(value).newbyteorder("="))
        except TypeError:
            return None
    return None


def numpy_dtype(value: Any) -> np.dtype[Any]:
    """NumPy's dtype of a user's value.

    Raises:
      TypeError: if it stands for none.
    """
    try:
        return np.dtype(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Cannot interpret {repr_of(value)} as a data type: {error}") from None


def from_numpy(dtype: np.dtype[Any]) -> DType | None:
    """The DType of an array's dtype in native byte order, or None where tensors have no such type."""
    native = FROM_NUMPY.get(dtype)
    if native is None and dtype.kind in "SU":
        return string
    return QUANTIZED.get(dtype) if native is None else native
