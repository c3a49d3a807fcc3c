"""Feeds: from what a user passes to runtime values of the fed tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.core import values
from inlay._src.core.graph import Graph
from inlay._src.core.state import FedCell
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.ops.variables import Variable
from inlay._src.programs.session.fetches import variable_of

ndarray = np.ndarray


def feed_items(graph: Graph, feed_dict: Any) -> tuple[tuple[SymbolicTensor, ...], tuple[Any, ...]]:
    """The fed tensors and their values."""
    if feed_dict is None or (isinstance(feed_dict, (list, tuple)) and not feed_dict):
        return (), ()
    if not isinstance(feed_dict, Mapping):
        shown = repr_of(feed_dict)
        raise TypeError(f"Argument `feed_dict` = {shown} must be a dictionary, got {type(feed_dict).__name__}")
    keys: list[SymbolicTensor] = []
    fed: list[Any] = []
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            pairs = _pairs(key, value)
        elif isinstance(key, Composite):
            pairs = list(zip(key._components(), key._feed_components(value), strict=True))  # type: ignore[attr-defined]
        else:
            pairs = [(key, value)]
        for k, v in pairs:
            keys.append(feed_key(graph, k))
            fed.append(v)
    return tuple(keys), tuple(fed)


def _pairs(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """The tensors of a nest of tuples, each with its value."""
    if not isinstance(key, tuple):
        return [(key, value)]
    parts = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(parts) != len(key):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(key)} elements, but value had {len(parts)} "
            f"elements. Key: {key}, value: {value!r}."
        )
    return [pair for k, v in zip(key, parts, strict=True) for pair in _pairs(k, v)]


def feed_key(graph: Graph, key: Any) -> SymbolicTensor:
    """The tensor that a key of a `feed_dict` stands for."""
    if key.__class__ is SymbolicTensor and key.op.graph is graph:
        return key
    if isinstance(key, Variable) and key.graph is graph:
        return key.handle  # type: ignore[return-value]  # every read of it gives the fed value
    try:
        return graph.as_graph_element(key, allow_operation=False)  # type: ignore[no-any-return]
    except (TypeError, ValueError, KeyError) as error:
        text = error.args[0] if error.args else str(error)
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None


def feed_keys(graph: Graph, keys: Iterable[Any]) -> list[SymbolicTensor]:
    """The tensors that several keys stand for: those of its components for a composite."""
    parts = [key._components() if isinstance(key, Composite) else [key] for key in keys]
    return [feed_key(graph, part) for of_one in parts for part in of_one]


def feed_converter(tensor: SymbolicTensor) -> Callable[[Any], Any]:
    """The conversion of fed values to runtime values of a tensor's dtype and shape; a number becomes a NumPy scalar."""
    variable = variable_of(tensor)
    if variable is not None:
        read = feed_converter(variable.read)

        def cell(value: Any) -> FedCell:
            converted = read(value)
            return FedCell(variable, converted.copy() if converted.__class__ is ndarray else converted)

        return cell
    want, numpy_dtype = tensor.dtype, tensor.dtype.np
    if want in (dtypes.resource, dtypes.variant):
        return lambda value: value
    strings = want is dtypes.string
    plain = not strings
    floats = want in (dtypes.float32, dtypes.float64)

    def convert(value: Any) -> Any:
        dims = tensor._dims
        is_array = plain and value.__class__ is ndarray and value.ndim
        if is_array and value.dtype is numpy_dtype and value.flags.c_contiguous:
            array = value
            if dims is None or array.shape == dims:
                return array
        elif strings and value.__class__ is ndarray and value.dtype is numpy_dtype and values.holds_bytes(value):
            array = value if value.flags.c_contiguous else value.copy()
        elif floats and value.__class__ is float and -3e38 < value < 3e38 and (dims is None or not dims):
            return numpy_dtype.type(value)
        else:
            array = _feed_value(tensor, value)
        if array.shape != dims and not shapes.compatible(array.shape, dims):
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape} "
                "(inlay explain feed)"
            )
        return array if array.ndim or not plain else array[()]

    return convert


def _holds(dtype: dtypes.DType, number: int) -> bool:
    """Whether tensors of a dtype hold a Python integer."""
    if isinstance(number, bool) or not dtype.is_integer:
        return dtype is not dtypes.string
    return dtype.min <= number <= dtype.max  # type: ignore[no-any-return]


def _feed_value(tensor: SymbolicTensor, value: Any) -> Any:
    want = tensor.dtype
    if isinstance(value, SymbolicTensor):
        raise TypeError(
            f"The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
            f"scalars, strings, lists, numpy ndarrays, or eager tensors. For reference, the tensor object was "
            f"{value!r} which was passed to the feed with key {tensor.name}. "
            "(inlay explain feed)"
        )
    if isinstance(value, EagerTensor):
        value = value._value
    if isinstance(value, int) and not _holds(want, value):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{want.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        )
    if value is None and not want.is_integer and want is not dtypes.string:
        return np.asarray(None, want.np)  # False, or no number
    try:
        natural = np.asarray(value, dtype=object if want is dtypes.string else None)
    except ValueError as error:
        raise ValueError(f"Cannot feed {tensor.name}: the value is not rectangular ({error})") from error
    if natural.dtype.char in "gG":  # longer than any type of tensors
        natural = natural.astype(np.complex128 if natural.dtype.char == "G" else np.float64)
    if want is not dtypes.string and natural.dtype.kind in "US":
        first = natural.reshape(-1)[0].item() if natural.size else ""
        raise ValueError(f"could not convert string to {want.c_name}: {first!r} (fed to {tensor.name})")
    if want is not dtypes.string and natural.dtype.kind == "O":
        raise TypeError(f"Cannot feed {value!r} to {tensor.name} of dtype {want.name}")
    try:
        if want is dtypes.string:
            return values.string_array(natural)
        return np.asarray(values.lossless(natural, want))
    except (ValueError, TypeError) as error:
        raise type(error)(f"{error} (fed to {tensor.name})") from error


def returned_feed(value: Any, fed: Any) -> Any:
    """A fetched feed: the very array that the caller fed, if `value`, its conversion, is that."""
    if value.__class__ is not ndarray:
        return np.asarray(value) if isinstance(value, np.generic) else value
    if not value.ndim:  # as in TensorFlow: a rank-0 array, which only a string's bytes are not
        return value[()] if value.dtype == object else value
    return value.copy() if isinstance(fed, EagerTensor) else value


def copying(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A conversion of a fed value whose result may leave the run's control: never the caller's own array."""

    def copied(value: Any) -> Any:
        converted = convert(value)
        if converted.__class__ is not np.ndarray or (converted.dtype.hasobject and converted is not value):
            return converted  # strings in another order were copied already
        return converted.copy()

    return copied
