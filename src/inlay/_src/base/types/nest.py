"""Nested structures: flatten, pack and compare. The only place that knows nesting.

A structure is built of lists, tuples, namedtuples, mappings (keys in sorted order), views of mappings, dataclasses and
classes of attrs, unless their class sets `__inlay_leaf__`; everything else is a leaf. Composite values (ragged, sparse)
derive from `Composite` and are expanded on request.
"""

from __future__ import annotations

import collections.abc as abc
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import explained, repr_of, too_deep
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.specs import SPEC_OF, TypeSpec

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


class Composite:
    """A value made of several tensors (ragged, sparse). Subclasses say how to take it apart.

    `_components()` gives the tensors (or the specs, for a composite spec), `_rebuild(components)` makes the value,
    `_type_spec` is the spec of a value.
    """

    __slots__ = ()

    @property
    def _type_spec(self) -> TypeSpec:
        try:
            make = SPEC_OF[type(self)]
        except KeyError:
            raise AttributeError(f"there is no spec of a {type(self).__name__}") from None
        return make(self)

    @property
    def _shared_spec(self) -> TypeSpec | None:
        """The spec of an eager value of one component, if it is one object for all values that are alike; else None."""
        return None

    def _components(self) -> Sequence[Any]:
        raise NotImplementedError

    def _rebuild(self, components: Sequence[Any]) -> Any:
        raise NotImplementedError

    def _differentiable_parts(self) -> Sequence[Any]:
        """The tensors and composites of which the value is made that have a derivative, if their dtype has one."""
        return self._components()

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        """A value like this one, or None, that holds a derivative or None for each of `_differentiable_parts`."""
        return self._rebuild(derivatives)

    def _kind(self) -> Any:
        """Equal for values that differ in their components only: its part of the key of a trace."""
        return type(self)

    def _traced(self, components: Sequence[Any]) -> Any:
        """The value with the components of a trace, of which it says no more than `_kind` does."""
        return self._rebuild(components)

    def _printed(self, hole: Callable[..., str], limit: int) -> str:
        """The text of `tf.print`: `hole(tensor)` stands for that of a tensor, with `text=True` as it is."""
        return f"{type(self).__name__}({', '.join(map(hole, flatten(self, expand_composites=True)))})"


class _SpecComposite(Composite):
    """Stands for a value of a user's class whose `_type_spec`, of a `TypeSpec` of his, takes it apart."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def _type_spec(self) -> TypeSpec:
        return self.value._type_spec  # type: ignore[no-any-return]

    def _components(self) -> Sequence[Any]:
        return flatten(self._type_spec._to_components(self.value), expand_composites=True)  # type: ignore[attr-defined]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        spec: Any = self._type_spec
        own = spec._to_components(self.value)
        return spec._from_components(pack_sequence_as(own, components, expand_composites=True))

    def _differentiable_parts(self) -> Sequence[Any]:
        return flatten(self._type_spec._to_components(self.value))  # type: ignore[attr-defined]

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        spec: Any = self._type_spec
        return spec._from_components(pack_sequence_as(spec._to_components(self.value), derivatives))

    def _kind(self) -> Any:
        return self._type_spec


_MAY_BE_DESCRIBED: BoundedCache[type, bool] = BoundedCache(
    "classes with a spec", 4096, lambda kind: hasattr(kind, "_type_spec")
)


def composite_of(value: Any) -> Composite | None:
    """A value as a composite: itself, or what stands for it if a `TypeSpec` of the user's takes it apart; else None."""
    if isinstance(value, Composite):
        return value
    if _MAY_BE_DESCRIBED[value.__class__] and hasattr(getattr(value, "_type_spec", None), "_to_components"):
        return _SpecComposite(value)
    return None


@export("nest.is_nested", "contrib.framework.nest.is_nested", "contrib.framework.nest.is_sequence")
def is_nested(seq: Any) -> bool:
    """Whether `seq` is a container that `flatten` looks into."""
    return _CONTAINERS[seq.__class__]


def _is_container(kind: type) -> bool:
    """Whether instances of a class are containers."""
    return issubclass(kind, (list, tuple, abc.Mapping, abc.MappingView, range)) or (
        (dataclasses.is_dataclass(kind) or hasattr(kind, "__attrs_attrs__"))
        and not getattr(kind, "__inlay_leaf__", False)
    )


_CONTAINERS: BoundedCache[type, bool] = BoundedCache("classes of containers", 4096, _is_container)
"""Asked for every leaf."""


def field_names(value: Any) -> list[str]:
    """The fields of an instance of a dataclass or of a class of attrs, in the order of their declaration."""
    attributes = getattr(value, "__attrs_attrs__", None)
    return [f.name for f in (dataclasses.fields(value) if attributes is None else attributes)]


def _items(value: Any) -> list[tuple[Any, Any]]:
    """(path entry, child) of a container, in flattening order."""
    if value.__class__ is list or value.__class__ is tuple:  # by far the most
        return list(enumerate(value))
    if isinstance(value, abc.Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            raise TypeError(f"nest only supports dicts with sortable keys; got keys {list(value)!r}") from None
        return [(k, value[k]) for k in keys]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple, range)):
        return list(enumerate(value))
    if isinstance(value, abc.MappingView):
        return list(enumerate(value))  # type: ignore[arg-type]
    if hasattr(value, "__tf_flatten__"):  # the other fields are metadata
        return list(enumerate(value.__tf_flatten__()[1]))
    return [(name, getattr(value, name)) for name in field_names(value)]


def _like(value: Any, children: Sequence[Any]) -> Any:
    """A container like `value` that holds `children` (given in flattening order)."""
    if value.__class__ is list or value.__class__ is tuple:  # by far the most
        return value.__class__(children)  # type: ignore[call-arg]
    if isinstance(value, abc.Mapping):
        by_key = dict(zip(sorted(value), children, strict=True))
        if hasattr(value, "default_factory"):
            result = type(value)(value.default_factory)  # type: ignore[call-arg]
            result.update((k, by_key[k]) for k in value)  # type: ignore[attr-defined]
            return result
        ordered = {k: by_key[k] for k in value}  # as a dict: a Counter counts pairs, and a view wants a mapping
        return ordered if type(value) is dict else type(value)(ordered)  # type: ignore[call-arg]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*children)
    if isinstance(value, (list, tuple)):
        return list(children) if isinstance(value, list) else tuple(children)
    if isinstance(value, (abc.MappingView, range)):
        return list(children)
    if hasattr(value, "__tf_flatten__"):
        return value.__tf_unflatten__(value.__tf_flatten__()[0], tuple(children))  # type: ignore[attr-defined]
    if hasattr(value, "__attrs_attrs__"):
        return type(value)(*children)
    return dataclasses.replace(value, **dict(zip(field_names(value), children, strict=True)))


def _leaves(value: Any, expand: bool) -> Iterator[Any]:
    if _CONTAINERS[value.__class__]:
        for _, child in _items(value):
            if expand or _CONTAINERS[child.__class__]:
                yield from _leaves(child, expand)
            else:
                yield child
    elif expand and (composite := composite_of(value)) is not None:
        for child in composite._components():
            yield from _leaves(child, expand)
    else:
        yield value


@export("nest.flatten", "contrib.framework.nest.flatten")
@boundary
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure`, in order; dict keys are sorted.

    Args:
      structure: any nest; a leaf gives a list of one.
      expand_composites: whether ragged and sparse values give their component tensors.

    Returns:
      A list of leaves.
    """
    try:
        if expand_composites.__class__ is not bool:
            expand_composites = _truth(expand_composites, "expand_composites")
        if not expand_composites and not _CONTAINERS[structure.__class__]:
            return [structure]
        try:
            return list(_leaves(structure, expand_composites))
        except RecursionError:
            raise too_deep() from None
    except Exception as error:
        leave(error)
        raise


def _truth(value: Any, name: str) -> bool:
    """The truth of an argument."""
    try:
        return bool(value)
    except ValueError:  # an array
        raise ValueError(f"`{name}` must be True or False, got {repr_of(value)}") from None


@export("nest.pack_sequence_as", "contrib.framework.nest.pack_sequence_as")
@explained
def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """`flat_sequence` in the shape of `structure`.

    Args:
      structure: the nest to imitate.
      flat_sequence: its new leaves, in the order `flatten` gives.
      expand_composites: whether composites in `structure` take their components from `flat_sequence`.

    Raises:
      ValueError: if the number of leaves differs.
    """
    expand_composites = _truth(expand_composites, "expand_composites")
    try:
        flat = list(flat_sequence)
    except TypeError:
        raise TypeError(
            f"Attempted to pack value:\n  {repr_of(flat_sequence)}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        ) from None
    if not is_nested(structure) and not (expand_composites and composite_of(structure) is not None):
        if len(flat) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`, a leaf, but flat_sequence has "
                f"{len(flat)} elements."
            )
        return flat[0]
    rest = iter(flat)
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had {len(flat)} "
            f"items. Structure: {repr_of(structure)}, flat_sequence: {repr_of(flat)}."
        )

    def pack(part: Any) -> Any:
        if is_nested(part):
            return _like(part, [pack(child) for _, child in _items(part)])
        if expand_composites and (composite := composite_of(part)) is not None:
            return composite._rebuild([pack(child) for child in composite._components()])
        return next(rest)

    return pack(structure)


@export("nest.map_structure", "contrib.framework.nest.map_structure")
def map_structure(
    func: Callable[..., Any], *structure: Any, expand_composites: bool = False, check_types: bool = True, **kwargs: Any
) -> Any:
    """`func` applied to the leaves of one or several structures of the same shape.

    Args:
      func: takes one leaf of each structure.
      *structure: one or more nests of the same shape.
      expand_composites: whether to look into ragged and sparse values.
      check_types: whether containers must agree in type, not only in arity.
      **kwargs: refused.

    Returns:
      A nest shaped like the first one.

    Raises:
      TypeError: if `func` cannot be called.
      ValueError: if there is no structure, or structures differ; for another keyword argument.
    """
    if kwargs:
        names = ", ".join(f"`{name}`" for name in kwargs)
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {names}")
    if not callable(func):
        raise TypeError(f"func must be callable, got: {repr_of(func)}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    flats = [flatten(s, expand_composites) for s in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flats, strict=True)], expand_composites)


def _family(value: Any) -> Any:
    if isinstance(value, abc.Mapping):
        return abc.Mapping
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value).__name__, value._fields)
    return type(value)


def same_specs(one: Composite | None, two: Composite | None) -> None:
    """Raises ValueError unless two leaves are both no composites, or composites of one kind."""
    specs = [getattr(c, "_type_spec", None) for c in (one, two)]
    if (one is None) != (two is None) or (specs[0] is None) != (specs[1] is None):
        raise ValueError(
            f"The two structures don't have the same nested structure: {repr_of(one)} against {repr_of(two)}"
        )
    if specs[0] is not None:
        specs[0].most_specific_compatible_type(specs[1])


@export("nest.assert_same_structure", "contrib.framework.nest.assert_same_structure")
@explained
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises unless two nests have the same containers in the same places.

    Raises:
      ValueError: if they differ in arity, in keys (with `check_types`), or (with `expand_composites`) composites in
        what kind they are.
      TypeError: if `check_types` and a container differs in type.
    """

    check_types = _truth(check_types, "check_types")
    expands = _truth(expand_composites, "expand_composites")

    def differ(kind: type[Exception], why: str) -> Exception:
        return kind(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(nest1).__name__} str={nest1}\n\n"
            f"Second structure: type={type(nest2).__name__} str={nest2}\n\nMore specifically: {why}"
        )

    def compare(a: Any, b: Any) -> None:
        nested, also = _CONTAINERS[a.__class__], _CONTAINERS[b.__class__]
        if nested != also:
            raise differ(
                ValueError,
                f'Substructure "type={type(a).__name__} str={a}" {"is" if nested else "is not"} a sequence, '
                f'while substructure "type={type(b).__name__} str={b}" {"is" if also else "is not"}',
            )
        if not nested:
            if expands:
                same_specs(composite_of(a), composite_of(b))
            return
        if check_types and _family(a) != _family(b):
            raise differ(
                TypeError,
                "The two structures don't have the same sequence type. Input structure has type "
                f"{type(a)}, while shallow structure has type {type(b)}.",
            )
        one, two = _items(a), _items(b)
        if len(one) != len(two):
            raise differ(ValueError, f"The two structures don't have the same number of elements. {one} against {two}")
        mappings = isinstance(a, abc.Mapping) and isinstance(b, abc.Mapping)
        if check_types and mappings and [k for k, _ in one] != [k for k, _ in two]:
            raise differ(
                ValueError,
                "The two dictionaries don't have the same set of keys. "
                f"{[k for k, _ in one]} against {[k for k, _ in two]}",
            )
        for (_, x), (_, y) in zip(one, two, strict=True):
            compare(x, y)

    compare(nest1, nest2)


@export("contrib.framework.nest.assert_shallow_structure")
@explained
def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raises unless `shallow_tree` is a prefix of `input_tree`.

    Raises:
      TypeError: if a container of `shallow_tree` meets a leaf, or (with `check_types`) another type.
      ValueError: if arities or keys differ.
    """
    flatten_up_to(shallow_tree, input_tree, check_types)


@export("contrib.framework.nest.flatten_up_to")
@explained
def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> list[Any]:
    """The parts of `input_tree` at the leaves of `shallow_tree`; raises what `assert_shallow_structure` does."""
    if not is_nested(shallow_tree):
        return [input_tree]
    if not is_nested(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    if check_types and _family(shallow_tree) != _family(input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    one, two = _items(shallow_tree), _items(input_tree)
    if len(one) != len(two):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(two)}, while shallow structure has length {len(one)}."
        )
    if isinstance(shallow_tree, abc.Mapping) and [k for k, _ in one] != [k for k, _ in two]:
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{[k for k, _ in two]}, while shallow structure has keys {[k for k, _ in one]}."
        )
    pairs = zip(one, two, strict=True)
    return [part for (_, a), (_, b) in pairs for part in flatten_up_to(a, b, check_types)]


@export("contrib.framework.nest.map_structure_up_to")
@explained
def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, check_types: bool = True) -> Any:
    """`func` applied at the leaves of `shallow_tree`; deeper parts of the inputs arrive whole."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {repr_of(func)}")
    flats = [flatten_up_to(shallow_tree, tree, check_types) for tree in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*flats, strict=True)])


def flatten_with_paths(structure: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """(path, leaf) pairs; a path reads like `['image'][0]`."""
    if not is_nested(structure):
        return [(prefix, structure)]
    try:
        children = [flatten_with_paths(child, f"{prefix}[{repr_of(key)}]") for key, child in _items(structure)]
    except RecursionError:
        raise too_deep() from None
    return [pair for child in children for pair in child]


class StructureError(Exception):
    """Two nests differ; the message says where, what was expected and what came."""


def leaves_of(declared: Any, got: Any, path: str = "") -> list[Any]:
    """The values in `got` at the leaves of `declared`, in order; StructureError at the first container that differs.

    A list and a tuple may stand for one another; mappings need the same keys, namedtuples the same fields,
    dataclasses the same class.
    """
    if not is_nested(declared):
        return [got]
    where = f"at {path}" if path else "at the top"
    want, have = _kind(declared), _kind(got)
    if want != have and not (want == ("list or tuple",) and isinstance(got, (list, tuple))):
        raise StructureError(f"{where}: expected {_text(declared)}, got {_text(got)}")
    one, two = _items(declared), _items(got)
    if len(one) != len(two):
        raise StructureError(f"{where}: expected {_text(declared)}, got {_text(got)}")
    return [
        leaf
        for (key, child), (_, other) in zip(one, two, strict=True)
        for leaf in leaves_of(child, other, f"{path}[{repr_of(key)}]")
    ]


def _kind(value: Any) -> tuple[Any, ...]:
    """The traits that two containers must share."""
    if isinstance(value, abc.Mapping):
        return ("mapping", *sorted(value, key=repr))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("namedtuple", *value._fields)
    if isinstance(value, (list, tuple)):
        return ("list or tuple",)
    return ("dataclass", type(value)) if is_nested(value) else ("leaf",)


def _text(value: Any) -> str:
    """A container in a few words."""
    if isinstance(value, abc.Mapping):
        return f"a {type(value).__name__} with keys {sorted(value, key=repr)!r}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"a {type(value).__name__} with fields {list(value._fields)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if is_nested(value):
        return f"a {type(value).__name__}"
    return "None" if value is None else f"one {type(value).__name__}"
