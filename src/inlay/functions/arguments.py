"""The arguments of one call of a `function`: tensors, split from the rest, and the key that a trace depends on."""

from __future__ import annotations

import inspect
import re
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
from inlay.types.specs import TensorSpec, TypeSpec
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
      labels: the names of the positional arguments.
      specs: what one trace is to serve: tensors or specs.
    """

    __slots__ = ("key", "labels", "names", "specs", "template", "tensors")
    key: Any
    labels: Sequence[str]
    names: Sequence[str]
    template: Template
    tensors: Sequence[Any]

    def __init__(
        self,
        template: Template,
        tensors: Sequence[Any],
        names: Sequence[str],
        key: Any,
        labels: Sequence[str],
        specs: Any = None,
    ) -> None:
        self.template, self.tensors, self.names, self.key, self.labels = template, tensors, names, key, labels
        self.specs: Sequence[Any] = tensors if specs is None else specs

    def for_specs(self, specs: Sequence[TensorSpec]) -> Bound:
        """The same call with a trace that is to serve more."""
        return Bound(self.template, self.tensors, self.names, self.key, self.labels, specs)

    def placeholders(self) -> list[tuple[DType, Dims, str]]:
        """(dtype, dims, name) of the inputs of a trace."""
        return [(s.dtype, s.shape._dims, _placeholder_name(n)) for s, n in zip(self.specs, self.names, strict=True)]

    def rank_key(self) -> Any:
        """The key but for the sizes of the tensors."""
        rest, specs, mode = self.key
        return rest, tuple((dtype, None if dims is None else len(dims)) for dtype, dims in specs), mode

    def changed(self, inputs: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """The names of arguments, made of `inputs`, that are not what they were: a list that was appended to."""
        positional, keyword = self.template.structure
        before = [*zip(self.labels, positional, strict=False), *keyword.items()]
        after = [*args, *kwargs.values()]
        return [name for (name, part), value in zip(before, after, strict=False) if _differs(part, value, inputs)]

    def signature(self) -> Any:
        """The (positional, keyword) arguments with specs for tensors."""
        return self.template.fill(self.specs, lambda hole, flat: _spec_of(hole, flat, self.names))


def _differs(part: Any, value: Any, inputs: Sequence[Any]) -> bool:
    """Whether an argument is not what a part of a template made of `inputs` any more."""
    if not nest.is_nested(part):
        return part.__class__ is Hole and part.composite is None and value is not inputs[part.index]
    kept, now = nest._items(part), nest._items(value) if nest.is_nested(value) else ()
    return [at for at, _ in kept] != [at for at, _ in now] or any(
        _differs(child, found, inputs) for (_, child), (_, found) in zip(kept, now, strict=True)
    )


def check_declared(specs: Sequence[Any], signature: inspect.Signature) -> None:
    """Refuses a declared signature that is none, or does not fit the parameters of a function.

    Raises:
      TypeError: saying what is missing or too much.
    """
    wrong = [s for s in nest.flatten(specs) if not isinstance(s, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{wrong} with types {[type(w) for w in wrong]}."
        )
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":  # a method, in the body of its class
        del parameters[0]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a default value"
            )
    for p in positional[len(specs) :]:
        if p.default is p.empty:
            raise TypeError(f"input_signature missing type constraint for {p.name}")
    more = len(specs) - len(positional)
    if more > 0 and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise TypeError(f"input_signature contains {more} extra type constraints.")


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
    return Bound(Template((tuple(parts), named)), tensors, split.names, (rest, specs, mode), labels)


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
    return Bound(template, split.flat.values, split.names, ("declared", (), mode), labels, flat if plain else None)


def bind_traced(args: Sequence[Any], kwargs: Mapping[str, Any], labels: Sequence[str], signature: Any) -> Sequence[Any]:
    """The tensors of a call of one trace.

    Args:
      args, kwargs: the arguments. Those that are no tensors may be left out.
      labels: the names of the positional ones.
      signature: the (positional, keyword) arguments that it was traced for, with specs for tensors.

    Raises:
      TypeError, ValueError: if an argument is missing, or is not what was traced.
    """
    positional, keyword = signature
    if len(args) > len(positional):
        raise TypeError("too many positional arguments")
    wanted = dict(zip(labels, positional, strict=False)) | keyword
    given = dict(zip(labels, args, strict=False))
    for name, value in kwargs.items():
        if name not in wanted or name in given:
            raise TypeError(
                f"multiple values for argument {name!r}"
                if name in given
                else f"got an unexpected keyword argument {name!r}"
            )
        given[name] = value
    split = _Split()
    for name, spec in wanted.items():
        if name in given:
            split.declared(given[name], spec, name)
        elif any(isinstance(leaf, (TensorSpec, Composite)) for leaf in nest.flatten(spec)):
            raise TypeError(f"missing a required argument: {name!r}")
    return split.flat.values


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
            self._leaf(leaf, name + re.sub(r"\W+", "_", path).rstrip("_"))
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
        if not isinstance(spec, TensorSpec):
            if _static_key(value) != _static_key(spec):
                raise TypeError(f"Can not cast {value!r} to Literal[{spec!r}]")
            return value
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
