"""The arguments of one call of a `function`: tensors, split from the rest, and the key that a trace depends on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import nest
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.keys import key_of
from inlay._src.base.types.nest import Composite, composite_of
from inlay._src.base.types.shapes import Dims, from_dims
from inlay._src.base.types.specs import TensorSpec, TypeSpec, spec_of
from inlay._src.base.types.template import Flattening, Hole, Template, part_key
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops.variables import Variable, VariableSpec

_STATIC = frozenset({int, float, bool, str, bytes, type(None)})


class TracingTypeArgument:
    """An argument that says with `__tf_tracing_type__` what a trace depends on; equal to others of an equal type.

    Args:
      value: the argument.
    """

    __slots__ = ("type",)

    def __init__(self, value: Any) -> None:
        self.type: Any = value.__tf_tracing_type__(None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TracingTypeArgument) and bool(self.type == other.type)

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return repr(self.type)


class BoundArguments:
    """The arguments of one call, split into tensors and the rest.

    Attributes:
      template: the (positional, keyword) arguments with holes for tensors.
      tensors: the flat tensors, or the specs that stand for them.
      names: their names in the signature, and as placeholders.
      key: the cache key of a trace: (the rest of the arguments, dtypes and shapes of the tensors, the context).
      labels: the names of the positional arguments.
      specs: the tensors or specs that one trace is to serve.
    """

    __slots__ = ("key", "labels", "names", "specs", "template", "tensors")
    key: Any
    labels: Sequence[str]
    names: Sequence[tuple[str, str]]
    template: Template
    tensors: Sequence[Any]

    def __init__(
        self,
        template: Template,
        tensors: Sequence[Any],
        names: Sequence[tuple[str, str]],
        key: Any,
        labels: Sequence[str],
        specs: Any = None,
    ) -> None:
        self.template, self.tensors, self.names, self.key, self.labels = template, tensors, names, key, labels
        self.specs: Sequence[Any] = tensors if specs is None else specs

    def for_specs(self, specs: Sequence[TensorSpec]) -> BoundArguments:
        """The same call with a trace that is to serve more."""
        return BoundArguments(self.template, self.tensors, self.names, self.key, self.labels, specs)

    def placeholders(self) -> list[tuple[DType, Dims, str, str, Any]]:
        """The inputs of a trace, as arguments of `FuncGraph.add_input`.

        Raises:
          ValueError: if two arguments would have inputs of one name.
        """
        holes = (h for h in self.template.holes() if isinstance(h.composite, VariableSpec))
        keys = {h.index: h.composite.key(self.tensors[h.index]) for h in holes}
        parameters = [*self.labels, *self.template.structure[1]]
        if len({_placeholder_name(n) for n in parameters}) < len(set(parameters)):
            raise ValueError(
                f"Name collision after sanitization. Please rename tf.function input parameters. Original: "
                f"{sorted(parameters)}, Sanitized: {sorted(map(_placeholder_name, parameters))}"
            )
        return [
            (s.dtype, s.shape._dims, _placeholder_name(base), base, keys.get(i))
            for i, (s, (_, base)) in enumerate(zip(self.specs, self.names, strict=True))
        ]

    def filled(self, inputs: Sequence[Any]) -> Any:
        """The (positional, keyword) arguments that the function is traced with.

        Args:
          inputs: the placeholders.
        """
        arguments = self.template.fill(inputs, _traced)
        if not any(leaf.__class__ is TracingTypeArgument for leaf in nest.flatten(self.template.structure)):
            return arguments
        return nest.map_structure(
            lambda v: v.type.placeholder_value(None) if v.__class__ is TracingTypeArgument else v, arguments
        )

    def rank_key(self) -> Any:
        """The key but for the sizes of the tensors."""
        rest, specs, mode = self.key
        return rest, tuple((dtype, None if dims is None else len(dims)) for dtype, dims in specs), mode

    def fits(self, key: Any) -> bool:
        """Whether a trace made for `key` serves this call too: it differs in sizes that it leaves unknown."""
        rest, specs, mode = self.key
        other_rest, wider, other_mode = key
        return (
            (mode, len(specs)) == (other_mode, len(wider))
            and _serves(other_rest, rest)
            and all(
                dtype is other and from_dims(dims).is_subtype_of(from_dims(loose))
                for (dtype, dims), (other, loose) in zip(specs, wider, strict=True)
            )
        )

    def changed(self, inputs: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """The names of arguments, made of `inputs`, that are not what they were: a list that was appended to."""
        positional, keyword = self.template.structure
        before = [*zip(self.labels, positional, strict=False), *keyword.items()]
        after = [*args, *kwargs.values()]
        return [name for (name, part), value in zip(before, after, strict=False) if _differs(part, value, inputs)]

    def signature(self) -> Any:
        """The (positional, keyword) arguments with specs for tensors."""
        return self.template.fill(self.specs, lambda hole, flat: _spec_of(hole, flat, [n for n, _ in self.names]))

    def types(self) -> Any:
        """The same; a spec has a name only if it was given with one."""
        names = [s.name if isinstance(s, TensorSpec) else None for s in self.specs]
        return self.template.fill(self.specs, lambda hole, flat: _spec_of(hole, flat, names))


def _serves(one: Any, other: Any) -> bool:
    """Whether a trace for some arguments that are no tensors serves others: equal ones, or of subtypes."""
    if one.__class__ is TracingTypeArgument is other.__class__:
        return one == other or bool(other.type.is_subtype_of(one.type))
    if one.__class__ is tuple is other.__class__:
        return len(one) == len(other) and all(_serves(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _differs(part: Any, value: Any, inputs: Sequence[Any]) -> bool:
    """Whether an argument is not what a part of a template made of `inputs` any more."""
    if not nest.is_nested(part):
        return part.__class__ is Hole and part.composite is None and value is not inputs[part.index]
    before, now = nest._items(part), nest._items(value) if nest.is_nested(value) else ()
    return [at for at, _ in before] != [at for at, _ in now] or any(
        _differs(child, argument, inputs) for (_, child), (_, argument) in zip(before, now, strict=True)
    )


def _traced(hole: Hole, flat: Sequence[Any]) -> Any:
    """The argument at a place of a template, from the placeholders."""
    if hole.composite is None or not hasattr(hole.composite, "_traced"):
        return hole.value(flat)
    return hole.composite._traced(flat[hole.index : hole.index + hole.count])


def _placeholder_name(name: str) -> str:
    clean = "".join(c if c.isalnum() or c in "_." else "_" for c in name).lstrip("_")
    return clean or "arg"


def _spec_of(hole: Hole, flat: Sequence[Any], names: Sequence[str | None]) -> Any:
    if hole.composite is not None:
        return getattr(hole.composite, "_type_spec", hole.composite)
    return TensorSpec(flat[hole.index].shape, flat[hole.index].dtype, names[hole.index])


def as_tensors(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of a function that takes nothing but tensors: a variable by its value, numbers as tensors."""

    def as_tensor(value: Any) -> Any:
        return value if isinstance(value, (Tensor, TypeSpec)) else convert_to_tensor(value)

    return tuple(map(as_tensor, args)), {name: as_tensor(value) for name, value in kwargs.items()}


def bind(args: Sequence[Any], labels: Sequence[str], kwargs: Mapping[str, Any], mode: Any) -> BoundArguments:
    """The arguments of a call without a declared signature.

    Args:
      args, kwargs: the arguments.
      labels: the names of the positional ones.
      mode: the part of the key that is independent of the arguments.
    """
    split = _Split()
    parts = [split.argument(value, label) for value, label in zip(args, labels, strict=False)]
    named = {name: split.argument(value, name) for name, value in kwargs.items()} if kwargs else {}
    rest = tuple([_part_key(part) for part in parts])
    if named:
        rest = rest, tuple([(name, _part_key(part)) for name, part in named.items()])
    specs = split.specs
    kinds = tuple([(t._dtype, t._value.shape if t.__class__ is EagerTensor else t.shape._dims) for t in specs])
    return BoundArguments(
        Template((tuple(parts), named)), split.flat.values, split.names, (rest, kinds, mode), labels, specs
    )


def bind_declared(
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    labels: Sequence[str],
    specs: Sequence[Any],
    keyword_specs: Mapping[str, Any],
    mode: Any,
) -> BoundArguments:
    """The arguments of a call, checked against a declared signature.

    Args:
      args: the positional arguments.
      keywords: the keyword-only arguments.
      labels: the names of the positional ones.
      specs: their specs, and literals that they must equal.
      keyword_specs: the same of the keyword-only ones.
      mode: the part of the key that is independent of the arguments.

    Raises:
      TypeError, ValueError: if one does not satisfy its spec, is missing, or is not declared.
    """
    if len(args) < len(specs):
        raise TypeError(f"missing a required argument: {labels[len(args)]!r}")
    if len(args) > len(specs):
        raise TypeError("too many positional arguments")
    for name in keywords:
        if name not in keyword_specs:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    split = _Split()
    parts = [split.declared(value, spec, label) for value, spec, label in zip(args, specs, labels, strict=False)]
    named = {name: split.declared(keywords[name], spec, name) for name, spec in keyword_specs.items()}
    template = Template((tuple(parts), named))
    return BoundArguments(template, split.flat.values, split.names, ("declared", (), mode), labels, split.specs)


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
    arguments = dict(zip(labels, args, strict=False))
    for name, value in kwargs.items():
        if name not in wanted or name in arguments:
            twice = ": it is given by position too" if name in arguments else ""
            raise TypeError(f"got an unexpected keyword argument {name!r}{twice}")
        arguments[name] = value
    split = _Split()
    for name, spec in wanted.items():
        if name in arguments:
            split.declared(arguments[name], spec, name)
        elif any(isinstance(leaf, (TensorSpec, Composite)) for leaf in nest.flatten(spec)):
            raise TypeError(f"missing a required argument: {name!r}")
    return split.flat.values


def _part_key(part: Any) -> Any:
    """The key of an argument as a part of the template; the order determines the tensors of the holes."""
    if part.__class__ is Hole and part.composite is None:
        return Hole
    return part_key(part, _static_key, _composite_key, False)


def _composite_key(composite: Any) -> Any:
    """The key of a composite without its components, which are compared as tensors are."""
    return composite if isinstance(composite, VariableSpec) else composite._kind()


def _static_key(value: Any) -> Any:
    """The key of an argument that is no tensor: its value if it can be told, else its identity."""
    return key_of(value, _object_key)


def _check_kinds(value: Any, spec: Any) -> None:
    """Refuses a nest of another kind than its spec: for a list a list, for a named tuple one of any class.

    Raises:
      TypeError: if it is one.
    """
    if isinstance(spec, Mapping):
        pairs = [(value[k], spec[k]) for k in spec if k in value] if isinstance(value, Mapping) else None
        kind = "a Dict type"
    elif isinstance(spec, (list, tuple)):
        named = hasattr(spec, "_fields")
        fits = isinstance(value, list if isinstance(spec, list) else tuple) and (not named or hasattr(value, "_fields"))
        pairs = list(zip(value, spec, strict=False)) if fits else None
        kind = f"type {type(spec)}" if named else f"{'list' if isinstance(spec, list) else 'tuple'} type"
    else:
        pairs, kind = ([] if not nest.is_nested(spec) or nest.is_nested(value) else None), type(spec).__name__
    if pairs is None:
        raise TypeError(f"Can not cast {value!r} to {kind}.")
    for part, part_spec in pairs:
        _check_kinds(part, part_spec)


def _is_literal(value: Any, literal: Any) -> bool:
    """Whether an argument is the default of a parameter that a signature does not declare."""
    if isinstance(value, (int, float)) and isinstance(literal, (int, float)):
        return value == literal
    return value is literal or (
        not isinstance(value, (Tensor, Variable)) and _static_key(value) == _static_key(literal)
    )


def _object_key(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}: a traced function tells Python arguments apart by "
            "`hash` and `==`, which this one does not have. Pass a tensor, or an object that can be hashed."
        ) from None
    return value


class _Split:
    """Takes tensors out of arguments.

    Attributes:
      flat: the tensors.
      specs: the static type of each: a tensor itself, or the spec of a component of a composite.
      names: the names of each: in the signature by its place, as a placeholder like its argument.
    """

    __slots__ = ("_variables", "flat", "names", "specs")

    def __init__(self) -> None:
        self.flat = Flattening()
        self.specs: list[Any] = []
        self.names: list[tuple[str, str]] = []
        self._variables: dict[int, Hole] = {}

    def argument(self, value: Any, name: str) -> Any:
        """One argument as a part of the template."""
        if value.__class__ is EagerTensor:
            return self._single(value, name, name)
        if value.__class__ in _STATIC:
            return value
        if not nest.is_nested(value):
            return self._leaf(value, name, name)
        parts = [
            self._leaf(leaf, name + re.sub(r"\W+", "_", path).rstrip("_"), name)
            for path, leaf in nest.flatten_with_paths(value)
        ]
        return nest.pack_sequence_as(value, parts)

    def _single(self, value: Any, name: str, base: str) -> Hole:
        self.names.append((name, base))
        self.specs.append(value)
        return self.flat.single(value)

    def _leaf(self, value: Any, name: str, base: str) -> Any:
        if isinstance(value, Variable):
            return self._variable(value, VariableSpec.from_value(value), name, base)
        composite = composite_of(value)
        if composite is not None:
            components, spec = [_tensor(c) for c in composite._components()], composite._type_spec
            self.names += [(f"{name}_{i}", base) for i in range(len(components))]
            self.specs += spec._components() if isinstance(spec, Composite) else components
            return self.flat.components(composite, components)
        if isinstance(value, TensorSpec):
            return self._single(value, value.name or name, value.name or base)
        if isinstance(value, (Tensor, np.ndarray, np.generic)):
            return self._single(_tensor(value), name, base)
        return TracingTypeArgument(value) if hasattr(value.__class__, "__tf_tracing_type__") else value

    def _variable(self, variable: Variable, spec: VariableSpec, name: str, base: str) -> Hole:
        """The place of a variable: its first one if it comes twice, so that the trace knows that they are one."""
        hole = self._variables.get(id(variable.handle))
        if hole is None:
            self.names.append((name, base))
            self.specs.append(variable.handle)
            hole = self._variables[id(variable.handle)] = self.flat.components(spec, [variable.handle])
        return hole

    def declared(self, value: Any, spec: Any, name: str) -> Any:
        """One argument, checked against its spec, as a part of the template."""
        if nest.is_nested(spec):
            _check_kinds(value, spec)
            nest.assert_same_structure(spec, value, check_types=False)
            pairs = zip(nest.flatten(value), nest.flatten(spec), strict=True)
            return nest.pack_sequence_as(spec, [self.declared(v, s, name) for v, s in pairs])
        if isinstance(spec, VariableSpec) and isinstance(value, Variable):
            if not spec.is_compatible_with(value):
                raise TypeError(f"Can not cast {VariableSpec.from_value(value)!r} to {spec!r}")
            return self._variable(value, spec, name, name)
        if isinstance(spec, Composite):
            components = _composite_components(value, spec)
            self.names += [(f"{name}_{i}", name) for i in range(len(components))]
            self.specs += spec._components()
            return self.flat.components(spec, components)
        if hasattr(spec, "_of_tensor") and isinstance(value, Composite) and spec.is_compatible_with(value):
            (tensor,) = value._components()  # a dataset is one tensor, and what the spec says is known of it
            self.names.append((name, name))
            self.specs.append(TensorSpec((), tensor.dtype))
            return self.flat.components(spec._of_tensor(tensor), [tensor])
        if isinstance(spec, TracingTypeArgument):
            if not hasattr(value, "__tf_tracing_type__") or not _serves(spec, TracingTypeArgument(value)):
                raise TypeError(f"Can not cast {value!r} to {spec!r}")
            return spec
        if not isinstance(spec, TypeSpec):
            if not _is_literal(value, spec):
                raise TypeError(f"Can not cast {value!r} to Literal[{spec!r}]")
            return spec
        if not isinstance(spec, TensorSpec):
            if value.__class__ is not spec.__class__ or _static_key(value) != _static_key(spec):
                raise TypeError(f"Can not cast {value!r} to Literal[{spec!r}]")
            return value
        self.names.append((spec.name or name, spec.name or name))
        self.specs.append(spec)
        checked = _satisfying(value, spec)
        return self.flat.single(spec if isinstance(value, TensorSpec) else checked)


def _satisfying(value: Any, spec: TensorSpec) -> Any:
    is_tensor = isinstance(value, (Tensor, TensorSpec))
    tensor = value if is_tensor else convert_to_tensor(value, dtype_hint=spec.dtype)
    got = TensorSpec(tensor.shape, tensor.dtype)
    if not spec.is_compatible_with(got):
        raise TypeError(f"Can not cast {got!r} to {spec!r}")
    return tensor


def _composite_components(value: Any, spec: Any) -> Sequence[Any]:
    """The components of a composite that satisfies a spec, or of the spec if that stands for one."""
    if isinstance(value, type(spec)):
        return spec._components()  # type: ignore[no-any-return]
    own: Any = spec_of(value)
    if type(own) is not type(spec) or len(own._components()) != len(spec._components()):
        raise TypeError(f"Can not cast {value!r} to {spec!r}: they don't have the same nested structure")
    for component, wanted in zip(value._components(), spec._components(), strict=True):
        _satisfying(component, wanted)
    if not spec.is_compatible_with(value):
        raise TypeError(f"Can not cast {own!r} to {spec!r}")
    return value._components()  # type: ignore[no-any-return]


def _tensor(value: Any) -> Any:
    """A tensor argument; arrays become eager tensors, also while a graph is being built."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if context.current().graph is None:
        return convert_to_tensor(value)
    with context.using(context.EAGER):
        return convert_to_tensor(value)
