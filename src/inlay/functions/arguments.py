"""The arguments of one call of a `function`: tensors, split from the rest, and the key that a trace depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay.core import context
from inlay.core.tensor import EagerTensor, Tensor
from inlay.eager.convert import convert_to_tensor
from inlay.types import nest
from inlay.types.dtypes import DType
from inlay.types.keys import key_of
from inlay.types.nest import Composite
from inlay.types.shapes import Dims
from inlay.types.specs import TensorSpec
from inlay.types.template import Flattening, Hole, Template, part_key
from inlay.variables import Variable

_STATIC = frozenset({int, float, bool, str, bytes, type(None)})


class Bound:
    """The arguments of one call, split into tensors and the rest.

    Attributes:
      template: the (positional, keyword) arguments with holes for tensors.
      tensors: the flat tensors, or the specs that stand for them.
      names: what their placeholders are called.
      key: what a trace depends on: (the rest of the arguments, dtypes and shapes of the tensors, the context).
      specs: what one trace is to serve: tensors or specs.
    """

    __slots__ = ("key", "names", "specs", "template", "tensors")

    def __init__(
        self, template: Template, tensors: Sequence[Any], names: Sequence[str], key: Any, specs: Any = None
    ) -> None:
        self.template, self.tensors, self.names, self.key = template, tensors, names, key
        self.specs: Sequence[Any] = tensors if specs is None else specs

    def for_specs(self, specs: Sequence[TensorSpec]) -> Bound:
        """The same call with a trace that is to serve more."""
        return Bound(self.template, self.tensors, self.names, self.key, specs)

    def placeholders(self) -> list[tuple[DType, Dims, str]]:
        """(dtype, dims, name) of the inputs of a trace."""
        return [(s.dtype, s.shape._dims, _placeholder_name(n)) for s, n in zip(self.specs, self.names, strict=True)]

    def rank_key(self) -> Any:
        """The key but for the sizes of the tensors."""
        rest, specs, mode = self.key
        return rest, tuple((dtype, None if dims is None else len(dims)) for dtype, dims in specs), mode

    def signature(self) -> Any:
        """The (positional, keyword) arguments with specs for tensors."""
        return self.template.fill(self.specs, lambda hole, flat: _spec_of(hole, flat, self.names))


def _placeholder_name(name: str) -> str:
    clean = "".join(c if c.isalnum() or c in "_." else "_" for c in name).lstrip("_")
    return clean or "arg"


def _spec_of(hole: Hole, flat: Sequence[Any], names: Sequence[str]) -> Any:
    if hole.composite is not None:
        return getattr(hole.composite, "_type_spec", hole.composite)
    return TensorSpec(flat[hole.index].shape, flat[hole.index].dtype, names[hole.index])


def bind(args: Sequence[Any], labels: Sequence[str], kwargs: Mapping[str, Any], mode: Any) -> Bound:
    """The arguments of a call without a declared signature.

    Args:
      args, kwargs: the arguments.
      labels: the names of the positional ones.
      mode: what else a trace depends on.
    """
    split = _Split()
    parts = [split.argument(value, label) for value, label in zip(args, labels, strict=False)]
    named = {name: split.argument(value, name) for name, value in kwargs.items()} if kwargs else {}
    tensors = split.flat.values
    rest = tuple([_part_key(part) for part in parts])
    if named:
        rest = rest, tuple([(name, _part_key(part)) for name, part in named.items()])
    specs = tuple([(t._dtype, t._value.shape if t.__class__ is EagerTensor else t.shape._dims) for t in tensors])
    return Bound(Template((tuple(parts), named)), tensors, split.names, (rest, specs, mode))


def bind_declared(args: Sequence[Any], labels: Sequence[str], specs: Sequence[Any], mode: Any) -> Bound:
    """The arguments of a call, checked against a declared signature.

    Args:
      args: the positional arguments; those that are declared come first.
      labels: their names.
      specs: the declared signature.
      mode: what else a trace depends on.

    Raises:
      TypeError, ValueError: if one does not satisfy its spec.
    """
    split = _Split()
    parts = [split.declared(value, spec, label) for value, spec, label in zip(args, specs, labels, strict=False)]
    template = Template(((*parts, *args[len(specs) :]), {}))
    flat = nest.flatten(specs)
    plain = all(isinstance(s, TensorSpec) for s in flat)  # else the components of what was given
    return Bound(template, split.flat.values, split.names, ("declared", (), mode), flat if plain else None)


def _part_key(part: Any) -> Any:
    """The key of an argument as a part of the template; which tensor stands in a hole follows from the order."""
    if part.__class__ is Hole and part.composite is None:
        return Hole
    return part_key(part, _static_key, type, False)


def _static_key(value: Any) -> Any:
    """The key of an argument that is no tensor: its value if it can be told, else its identity."""
    return key_of(value, _object_key)


def _object_key(value: Any) -> Any:
    if isinstance(value, Variable):
        return id(value.handle), value.dtype, value.shape
    try:
        hash(value)
    except TypeError:
        return "id", id(value)
    return value


class _Split:
    """Takes tensors out of arguments."""

    __slots__ = ("flat", "names")

    def __init__(self) -> None:
        self.flat = Flattening()
        self.names: list[str] = []

    def argument(self, value: Any, name: str) -> Any:
        """One argument as a part of the template."""
        if value.__class__ is EagerTensor:
            self.names.append(name)
            return self.flat.single(value)
        if value.__class__ in _STATIC:
            return value
        if not nest.is_nested(value):
            return self._leaf(value, name)
        parts = [
            self._leaf(leaf, name + "".join(c if c.isalnum() else "_" for c in path).rstrip("_"))
            for path, leaf in nest.flatten_with_paths(value)
        ]
        return nest.pack_sequence_as(value, parts)

    def _leaf(self, value: Any, name: str) -> Any:
        if isinstance(value, Composite) and not isinstance(value, Variable):
            components = [_tensor(c) for c in value._components()]
            self.names += [f"{name}_{i}" for i in range(len(components))]
            return self.flat.components(value, components)
        if isinstance(value, (Tensor, TensorSpec, np.ndarray, np.generic)) and not isinstance(value, Variable):
            self.names.append(value.name or name if isinstance(value, TensorSpec) else name)
            return self.flat.single(_tensor(value))
        return value

    def declared(self, value: Any, spec: Any, name: str) -> Any:
        """One argument, checked against its spec, as a part of the template."""
        if nest.is_nested(spec):
            nest.assert_same_structure(spec, value, check_types=False)
            pairs = zip(nest.flatten(value), nest.flatten(spec), strict=True)
            return nest.pack_sequence_as(spec, [self.declared(v, s, name) for v, s in pairs])
        if isinstance(spec, Composite):
            if not isinstance(value, type(spec)) and not spec.is_compatible_with(value):  # type: ignore[attr-defined]
                raise TypeError(f"Can not cast {value!r} to {spec!r}")
            components = (spec if isinstance(value, type(spec)) else value)._components()
            self.names += [f"{name}_{i}" for i in range(len(components))]
            return self.flat.components(spec, components)
        self.names.append(spec.name or name)
        return self.flat.single(spec if isinstance(value, TensorSpec) else _satisfying(value, spec))


def _satisfying(value: Any, spec: TensorSpec) -> Tensor:
    tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=spec.dtype)
    got = TensorSpec(tensor.shape, tensor.dtype)
    if not spec.is_compatible_with(got):
        raise TypeError(f"Can not cast {got!r} to {spec!r}")
    return tensor


def _tensor(value: Any) -> Any:
    """A tensor argument; arrays become eager tensors, also while a graph is being built."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if context.current().graph is None:
        return convert_to_tensor(value)
    with context.using(context.EAGER):
        return convert_to_tensor(value)
