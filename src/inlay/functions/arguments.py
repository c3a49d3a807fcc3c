"""The arguments of one call of a `function`: tensors, split from the rest, and the key that a trace depends on."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core import context
from inlay.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay.devices.device_tensor import DeviceTensor
from inlay.eager.emit import convert_to_tensor
from inlay.types import nest
from inlay.types.nest import Composite
from inlay.types.specs import TensorSpec
from inlay.variables import Variable


class Place:
    """In a bound argument structure: the place of tensor number `index`."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Bound:
    """The arguments of one call, split into tensors and the rest."""

    __slots__ = ("args", "key", "kwargs", "names", "tensors")

    def __init__(self, args: Any, kwargs: Any, tensors: list[Any], names: list[str], key: Any) -> None:
        self.args, self.kwargs, self.tensors, self.names, self.key = args, kwargs, tensors, names, key


def split(value: Any, name: str, tensors: list[Any], names: list[str]) -> tuple[Any, Any]:
    """(structure with tensors replaced by places, key) of one argument."""
    kind = value.__class__
    if kind is EagerTensor:
        tensors.append(value)
        names.append(name)
        return Place(len(tensors) - 1), (value._dtype, value._value.shape)
    if kind is DeviceTensor:
        tensors.append(value)
        names.append(name)
        return Place(len(tensors) - 1), (value._dtype, value.shape._dims)
    if kind is SymbolicTensor:
        tensors.append(value)
        names.append(name)
        return Place(len(tensors) - 1), (value._dtype, value._dims)
    if kind in (int, float, bool, str, bytes) or value is None:
        return value, (kind, value)
    if isinstance(value, (np.ndarray, np.generic)):
        return split(
            convert_to_tensor(value) if context.current().graph is None else _eager_constant(value),
            name,
            tensors,
            names,
        )
    if isinstance(value, TensorSpec):
        tensors.append(value)
        names.append(value.name or name)
        return Place(len(tensors) - 1), (value.dtype, value.shape._dims)
    if isinstance(value, Variable):
        return value, ("variable", id(value.handle), value.dtype, value.shape)
    if isinstance(value, Composite):
        parts = [split(c, f"{name}_{i}", tensors, names) for i, c in enumerate(value._components())]
        places = [p for p, _ in parts]
        return Rebuilt(value, places), (type(value), tuple(k for _, k in parts))
    if nest.is_nested(value):
        return _split_nest(value, name, tensors, names)
    try:
        hash(value)
    except TypeError:
        return value, ("id", id(value))
    return value, (kind, value)


def _eager_constant(value: Any) -> EagerTensor:
    with context.using(context.EAGER):
        return convert_to_tensor(value)  # type: ignore[return-value]


def _split_nest(value: Any, name: str, tensors: list[Any], names: list[str]) -> tuple[Any, Any]:
    paths = nest.flatten_with_paths(value)
    parts = [
        split(leaf, name + "".join(c if c.isalnum() else "_" for c in path).rstrip("_"), tensors, names)
        for path, leaf in paths
    ]
    structure = nest.pack_sequence_as(value, [p for p, _ in parts])
    return structure, (type(value).__name__, tuple(p for p, _ in paths), tuple(k for _, k in parts))


class Rebuilt:
    """In a bound argument structure: a composite whose components are tensors."""

    __slots__ = ("original", "places")

    def __init__(self, original: Composite, places: list[Place]) -> None:
        self.original, self.places = original, places


def declared(value: Any, spec: Any, name: str, tensors: list[Any], names: list[str]) -> Any:
    """One argument checked against its spec in `input_signature`."""
    if nest.is_nested(spec):
        nest.assert_same_structure(spec, value, check_types=False)
        flat = [
            declared(v, s, name, tensors, names) for v, s in zip(nest.flatten(value), nest.flatten(spec), strict=True)
        ]
        return nest.pack_sequence_as(spec, flat)
    if isinstance(spec, Composite):
        if isinstance(value, type(spec)):
            parts = spec._components()
        elif spec.is_compatible_with(value):  # type: ignore[attr-defined]
            parts = value._components()
        else:
            raise TypeError(f"Can not cast {value!r} to {spec!r}")
        places = []
        for i, part in enumerate(parts):
            tensors.append(part)
            names.append(f"{name}_{i}")
            places.append(Place(len(tensors) - 1))
        return Rebuilt(spec, places)
    if isinstance(value, TensorSpec):
        tensor: Any = spec
    else:
        natural = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=spec.dtype)
        got = TensorSpec(natural.shape, natural.dtype)
        if not spec.is_compatible_with(got):
            raise TypeError(f"Can not cast {got!r} to {spec!r}")
        tensor = natural
    tensors.append(tensor)
    names.append(spec.name or name)
    return Place(len(tensors) - 1)
