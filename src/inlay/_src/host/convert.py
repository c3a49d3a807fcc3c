"""Runtime values to a function's arguments, and its results back: two pure functions per mode.

The only place where results are coerced or refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite, StructureError, leaves_of
from inlay._src.core import values
from inlay._src.core.devices import dlpack
from inlay._src.core.eager.convert import convert_to_tensor, holds_tensors
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.host.record import HostFunction, Leaf, Outputs, ResultForm
from inlay._src.ops.variables import Variable

_NEST = ResultForm.NEST
"""Python looks a member of an enumeration up for as long as a small call takes."""

ndarray = np.ndarray


# ---------------------------------------------------------------- arguments


def numpy_argument(value: Any) -> Any:
    """The argument of a NumPy-mode function: its own array; for rank 0 a NumPy scalar, or `bytes` for a string."""
    if value.__class__ is ndarray:
        return value.copy() if value.ndim else value[()]
    return value


def numpy_view(value: Any) -> Any:
    """As `numpy_argument`, but arrays arrive as read-only views (`copy=False`)."""
    if value.__class__ is ndarray and value.ndim:
        return ownership.read_only(value)
    return numpy_argument(value)


# ---------------------------------------------------------------- results


class ResultError(Exception):
    """A result that does not fit its declaration.

    Attributes:
      kind: the error class it becomes.
      python: the class of Python's that the error is an instance of as well, or None.
    """

    def __init__(
        self,
        message: str,
        kind: type[errors.OpError] = errors.InvalidArgumentError,
        python: type[Exception] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.python = kind, python

    def __reduce__(self) -> Any:
        return ResultError, (self.args[0], self.kind, self.python)


_ADVICE_COUNT = "Return one value per dtype in Tout."
_ADVICE_NONE = "It returned None: is a `return` missing? To return nothing, declare Tout=[]."


def items_of(host: HostFunction, result: Any) -> list[Any]:
    """The returned items, one per declared leaf (composites still whole).

    Raises:
      ResultError: if the count or the structure differs from the declaration.
    """
    outputs = host.outputs
    if outputs.form is _NEST:
        return _nest_items(host, result)
    if result is None:
        items: list[Any] = []
    elif outputs.arrays:
        items = nest.flatten(result)
    elif result.__class__ is list or result.__class__ is tuple or isinstance(result, (list, tuple)):
        items = list(result)
    else:
        items = [result]
    expected = len(outputs.composites) if outputs.composites else len(outputs.leaves)
    if len(items) != expected:
        raise ResultError(
            f"{host.name} returns {len(items)} values, but expects to see {expected} values.\n"
            f"  {_ADVICE_NONE if result is None else _ADVICE_COUNT} (inlay explain result-count)"
        )
    return items


def _nest_items(host: HostFunction, result: Any) -> list[Any]:
    if result is None and not host.outputs.leaves:
        return []
    try:
        items = leaves_of(host.outputs.structure, result)
    except StructureError as error:
        raise ResultError(
            f"{host.name} returned {_sketch(result)}, which does not have the declared structure "
            f"{host.outputs.structure!r}: {error}\n  Return that structure, or declare this one in "
            "Tout. (inlay explain result-count)"
        ) from error
    return items


def check_single(host: HostFunction, index: int, items: Sequence[Any]) -> None:
    """Refuses a list where one value is declared, if lists count as several values (contrib).

    Raises:
      ResultError: with the number of values.
    """
    if host.outputs.arrays and nest.is_nested(items[index]):
        count = len(nest.flatten(list(items)))
        raise ResultError(
            f"{host.name} returns {count} values, but expects to see {len(items)} values. (A list counts as several: "
            "return an array where one value is declared.) "
            "(inlay explain result-count)"
        )


def _sketch(value: Any) -> str:
    if nest.is_nested(value):
        return repr(
            nest.map_structure(lambda v: values.describe(v) if hasattr(v, "dtype") else type(v).__name__, value)
        )
    return values.describe(value)


def place(host: HostFunction, index: int) -> str:
    """The name of an output in messages: `output 1 of f`, with its path in a nest."""
    path = host.outputs.leaves[index].path if index < len(host.outputs.leaves) else ""
    return f"output {index}{' at ' + path if path else ''} of {host.name}"


def _at(leaf: Leaf) -> str:
    return f" (at {leaf.path})" if leaf.path.startswith("['") else ""


def numpy_result(host: HostFunction, index: int, leaf: Leaf, item: Any) -> Any:
    """One result of a NumPy-mode function as a runtime value of exactly the declared dtype.

    Raises:
      ResultError: naming what came and what was declared.
    """
    if item.__class__ is np.ndarray and item.dtype is leaf.dtype.np and leaf.dtype is not dtypes.string:
        return ownership.c_ordered(item)  # by far the most: it fits, and only who else holds it is left to ask
    if item.__class__ is leaf.dtype.np.type:  # a number, which nobody can change
        return item
    if isinstance(item, SymbolicTensor):
        raise ResultError(
            f"{place(host, index)} is {repr_of(item)}: a symbolic tensor cannot leave a running function "
            "(inlay explain out-of-scope)"
        )
    if isinstance(item, EagerTensor):
        value: Any = item._value
    elif hasattr(item, "__tf_tensor__"):
        value = item.__tf_tensor__(None, None)._value
    else:
        value = _natural(host, index, item)
    got = dtypes.string if value.dtype == object else dtypes.FROM_NUMPY.get(value.dtype)
    if (
        got is not leaf.dtype
        and value.dtype != leaf.dtype.np
        or (got is dtypes.string) != (leaf.dtype is dtypes.string)
    ):
        raise ResultError(
            f"{index}-th value returned by {host.name} is {got.c_name if got else value.dtype}, but expects "
            f"{leaf.dtype.c_name}{_at(leaf)}\n"
            f"  Output {index} is {got.name if got else value.dtype}, declared {leaf.dtype.name}: "
            f"{_converted(leaf.dtype)} or declare {f'tf.{got.name}' if got else 'another dtype'} in Tout. "
            "(inlay explain result-dtype)"
        )
    return value


def _natural(host: HostFunction, index: int, item: Any) -> Any:
    """A plain result as the array NumPy would make of it, strings as bytes."""
    if item is None or isinstance(item, (dict, set, frozenset)) or hasattr(item, "__next__"):
        text = f"{place(host, index)}: Unsupported object type {type(item).__name__}"
        raise ResultError(text, errors.InternalError)
    if values.is_masked(item):
        raise ResultError(f"{place(host, index)} is a masked array, whose mask would be lost; return .filled(value)")
    if isinstance(item, (str, bytes)):
        try:
            return values.scalar_string(item)
        except ValueError as error:
            raise ResultError(f"{place(host, index)}: {error}") from error
    if isinstance(item, (list, tuple)) and any(issubclass(t, (str, bytes)) for t in values.leaf_types(item, set())):
        array = np.array(item, object)
    else:
        try:
            theirs = values.as_array(item)
            array = np.asarray(item) if theirs is None else theirs
        except ValueError as error:
            raise ResultError(f"{place(host, index)} is not rectangular: {error}") from error
    if array.dtype.kind in "SUO":
        try:
            return values.string_array(array)
        except TypeError:
            bad = next(v for v in array.ravel().tolist() if not isinstance(v, (str, bytes)))
            raise ResultError(
                f"{place(host, index)}: Unsupported object type {type(bad).__name__}", errors.InternalError
            ) from None
        except ValueError as error:
            raise ResultError(f"{place(host, index)}: {error}") from error
    native = array.dtype.newbyteorder("=")
    if native not in dtypes.FROM_NUMPY:
        raise ResultError(f"{place(host, index)}: Unsupported numpy type: {array.dtype}", errors.InternalError)
    if array.dtype != native or not array.dtype.isnative:
        return array.astype(native)
    return ownership.c_ordered(array)


def _converted(dtype: dtypes.DType) -> str:
    """The advice for a function whose result must have a dtype, such as "return np.float32(...)"."""
    if dtype is dtypes.string:
        return "return str or bytes"
    return f"return np.{dtype.np.name}(...)" if hasattr(np, dtype.np.name) else "convert it,"


def eager_result(host: HostFunction, index: int, leaf: Leaf, items: list[Any]) -> EagerTensor:
    """Result number `index` of an eager-mode function as a tensor of the declared dtype.

    `items[index]` is cleared, so that an array that only the runtime references need not be copied.

    Python numbers and arrays are converted where no value changes; tensors must have the dtype already.

    Raises:
      ResultError: with TensorFlow's wording, and the class of Python's that TensorFlow raises.
    """
    item = items[index]
    if isinstance(item, Composite) and not hasattr(item, "__tf_tensor__"):
        raise ResultError(
            f"{place(host, index)} is {repr_of(item)}, but declared is {leaf.dtype!r}: declare "
            f"{item._type_spec!r} in Tout"
        )
    if isinstance(item, EagerTensor):
        if item._dtype is not leaf.dtype:
            raise ResultError(
                f"Tensor conversion requested dtype {leaf.dtype.name} for Tensor with dtype "
                f"{item._dtype.name}: {repr_of(item)} ({place(host, index)})\n"
                f"  Output {index} is {item._dtype.name}, declared {leaf.dtype.name}: return tf.cast(..., "
                f"tf.{leaf.dtype.name}) or declare tf.{item._dtype.name} in Tout. (inlay explain result-dtype)",
                python=ValueError,
            )
        return item
    if isinstance(item, SymbolicTensor):
        raise ResultError(
            f"{repr_of(item)} is out of scope and cannot be used here: {host.name} returned a symbolic tensor "
            "(inlay explain out-of-scope)",
            python=TypeError,
        )
    if isinstance(item, Variable):
        raise ResultError(
            "Attempting to return a variable from an eagerly executed py_func. Only numeric data "
            f"structures like Tensors or NumPy arrays should be returned; to return the value of a "
            f"variable, make sure to obtain the Tensor backing it by calling `.read_value()` on the "
            f"variable in question: {repr_of(item)}",
            errors.UnknownError,
            RuntimeError,
        )
    items[index] = None
    try:
        if hasattr(item, "__tf_tensor__") or (isinstance(item, (list, tuple)) and holds_tensors(item)):
            return convert_to_tensor(item, leaf.dtype)  # type: ignore[return-value]
        if item.__class__ is not ndarray and hasattr(item, "__dlpack_device__") and not dlpack.lies_on_host(item):
            tensor = dlpack.on_device(item, copy=True)
            if tensor._dtype is leaf.dtype:
                return tensor
            item = tensor._value  # another type: what fits without changing a value is converted on the host
        box = [fitted(item, leaf.dtype)]
    except (ValueError, TypeError) as error:
        python = ValueError if isinstance(error, ValueError) else TypeError
        raise ResultError(f"{error} ({place(host, index)})", python=python) from error
    del item
    return EagerTensor(ownership.own(box), leaf.dtype)


def fitted(item: Any, dtype: DType) -> Any:
    """A Python or NumPy value as a runtime value of a dtype, where that changes no value.

    Raises:
      ValueError, TypeError: if it would, or if there is no such tensor.
    """
    if values.is_masked(item):
        raise ValueError("a masked array's mask would be lost; return .filled(value)")
    if isinstance(item, (np.str_, np.bytes_)):
        return values.to_value(item, dtype)
    array = item if isinstance(item, (np.ndarray, np.generic)) else values.as_array(item)
    if array is None and hasattr(item, "__dlpack__"):
        array = np.from_dlpack(item)
    return values.to_value(item, dtype) if array is None else values.lossless(array, dtype)


def check_shape(host: HostFunction, index: int, shape: tuple[int, ...], declared: shapes.Dims) -> None:
    """Refuses a result whose shape breaks what was declared or asserted.

    Raises:
      ResultError: with got against declared.
    """
    if not shapes.compatible(shape, declared):
        raise ResultError(
            f"{place(host, index)} has shape {shapes.bracketed(shape)}; declared is "
            f"{shapes.bracketed(declared)} (Tout, output_shapes or set_shape)\n"
            "  Return that shape, or declare None for sizes that vary. (inlay explain result-shape)"
        )


def _listed(outputs: Outputs) -> Any:
    return [outputs.structure] if outputs.form is ResultForm.SINGLE else outputs.structure


def flat_components(host: HostFunction, outputs: Outputs, items: Sequence[Any]) -> list[Any]:
    """Items with composites taken apart into their component tensors.

    Raises:
      ResultError: if a composite does not fit its spec.
    """
    if not any(outputs.composites):
        return list(items)
    flat: list[Any] = []
    for item, spec in zip(items, outputs.composites, strict=True):
        if spec is None:
            flat.append(item)
            continue
        try:
            fits = spec.is_compatible_with(item)
        except (TypeError, ValueError, AttributeError):
            fits = False
        if not fits:
            raise ResultError(
                f"{host.name} returned {repr_of(item)}, which did not match Tout={_listed(outputs)!r}: it does "
                f"not satisfy {spec!r}"
            )
        flat.extend(item._components())
    return flat
