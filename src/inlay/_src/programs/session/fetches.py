"""Fetches: the graph elements of a structure, its reconstruction from values, and the values that leave a run."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Role
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.variables.variable import Variable

Fetch: TypeAlias = "Tensor | Variable | str"
Runnable: TypeAlias = Operation | None
F = TypeVar("F", bound="Fetch | Runnable")
K = TypeVar("K")
Feeds: TypeAlias = Mapping[Any, Any] | None
FED = object()
"""The separator of the fetches and the fed tensors in the key of a run."""
_LASTING = frozenset({SymbolicTensor, Operation, str})
"""Classes of fetches and fed keys that stand for one element of a graph of one version."""


class Named(Protocol):
    """A named tuple: a run returns one of the same class."""

    def _asdict(self) -> dict[str, Any]: ...


class Fetched:
    """One parsed fetch structure.

    Attributes:
      elements: the graph elements that it needs, each once.
      pack: builds the result from the values of the tensors among them; operations give None.
      single: whether it is one tensor.
    """

    __slots__ = ("elements", "pack", "single")

    def __init__(self, elements: list[Any], pack: Callable[[Sequence[Any]], Any], single: bool = False) -> None:
        self.elements, self.pack, self.single = elements, pack, single

    def operations(self) -> list[Operation]:
        """The operations that are fetched, or whose results are."""
        return [e.op if isinstance(e, SymbolicTensor) else e for e in self.elements]


def fetch_key(fetches: Any, elements: list[Any]) -> Any:
    """A hashable identity of a fetch structure. It contains identities: `elements` collects their objects."""
    kind = fetches.__class__
    if not nest.is_nested(fetches):
        if isinstance(fetches, (str, bytes)):
            return fetches
        elements.append(fetches)
        return id(fetches)
    if issubclass(kind, (list, tuple)):
        return kind, *[fetch_key(part, elements) for part in fetches]
    if kind is dict or issubclass(kind, Mapping):
        factory = getattr(fetches, "default_factory", None)
        return kind, factory, *[(k, fetch_key(v, elements)) for k, v in fetches.items()]
    return kind, *[fetch_key(getattr(fetches, name), elements) for name in nest.field_names(fetches)]


def parse_fetches(graph: Graph, fetches: Any) -> Fetched:
    """The graph elements of a fetch structure, and how to rebuild the structure from their values.

    Raises:
      TypeError, ValueError: with TensorFlow's wording.
    """
    operations: dict[int, Operation] = {}
    tensors: dict[int, tuple[int, SymbolicTensor]] = {}  # identity -> (which of the tensors, tensor)

    def place(tensor: SymbolicTensor) -> int:
        return tensors.setdefault(id(tensor), (len(tensors), tensor))[0]

    def visit(part: Any) -> Callable[[Sequence[Any]], Any]:
        if part is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        if isinstance(part, (list, tuple)):
            if len(part) > 1 and all(p.__class__ is SymbolicTensor for p in part):  # one look-up for all
                elements = [_as_element(graph, p) for p in part]
                return _list_builder(part, operator.itemgetter(*map(place, elements)))
            return _list_builder(part, _each([visit(p) for p in part]))
        if isinstance(part, Mapping):
            return _mapping_builder(part, _each([visit(v) for v in part.values()]))
        if isinstance(part, Composite):
            components = _each([visit(c) for c in part._components()])
            return lambda got: part._session_value(components(got))  # type: ignore[attr-defined]
        if nest.is_nested(part):
            leaves = _each([visit(v) for v in nest.flatten(part)])
            return lambda got: nest.pack_sequence_as(part, leaves(got))
        element = _as_element(graph, part)
        if isinstance(element, Operation):
            operations[id(element)] = element
            return lambda got: None
        return operator.itemgetter(place(element))

    pack = visit(fetches)
    elements = [*(tensor for _, tensor in tensors.values()), *operations.values()]
    return Fetched(elements, pack, isinstance(fetches, SymbolicTensor))


def _each(parts: list[Callable[[Sequence[Any]], Any]]) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda got: [part(got) for part in parts]


def _list_builder(part: Any, items: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    if isinstance(part, list):
        return lambda got: list(items(got))
    if hasattr(part, "_fields"):
        return lambda got: type(part)(*items(got))
    return lambda got: tuple(items(got))


def _mapping_builder(part: Any, items: Callable[[Sequence[Any]], list[Any]]) -> Callable[[Sequence[Any]], Any]:
    keys = list(part)

    def build(got: Sequence[Any]) -> Any:
        pairs = list(zip(keys, items(got), strict=True))
        if type(part) is dict:
            return dict(pairs)
        result = type(part)(part.default_factory) if hasattr(part, "default_factory") else type(part)()
        result.update(pairs)
        return result

    return build


def variable_of(element: Any) -> Any:
    """The key of the variable whose handle an element is; None for others. As TensorFlow's name of one, `w:0`, does
    in 1.x graphs, the handle stands for the value in fetches and feeds."""
    if not isinstance(element, SymbolicTensor) or element.op.opdef.role is not Role.VARIABLE:
        return None
    key = handle_key(element)
    return None if getattr(key, "read", None) is None else key


def _as_element(graph: Graph, item: Any) -> Any:
    if isinstance(item, EagerTensor):
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
    try:
        element = graph.as_graph_element(item)
    except TypeError:
        raise TypeError(
            f'Argument `fetch` = {item} has invalid type "{type(item).__name__}" must be a string or Tensor.'
        ) from None
    except (ValueError, KeyError) as error:
        text = error.args[0] if error.args else str(error)
        said = repr(text) if isinstance(error, KeyError) else text
        raise ValueError(f"Argument `fetch` = {item} cannot be interpreted as a Tensor. ({said})") from None
    if not graph.is_fetchable(element):
        raise errors.InaccessibleTensorError(
            f"Operation {element.name} has been marked as not fetchable. Typically this happens when it is defined in "
            "another function or code block. Use return values, explicit Python locals or TensorFlow collections to "
            "access it."
        )
    variable = variable_of(element)
    return element if variable is None else variable.read


def leaving(cells: list[Any], slot: int, dtype: Any) -> Any:
    """A fetched value as the caller's own: copied unless nobody else can reach it."""
    if cells[slot].__class__ is np.ndarray:
        return ownership.own(cells, slot) if cells[slot].ndim else cells[slot][()]
    value = cells[slot]
    if not isinstance(value, np.generic) and dtype not in (dtypes.resource, dtypes.variant):
        value = np.asarray(value)
        return ownership.copied(value) if value.ndim else value[()]
    return value


def run_form(fetches: Any) -> Any:
    """The key of a nest of fetches: its parts, after the class of their container and the keys of a dictionary."""
    kind = fetches.__class__
    if kind is list or kind is tuple:
        return (kind, *map(run_form, fetches))
    if kind is dict:
        return (kind, *fetches, *map(run_form, fetches.values()))
    return fetches


def _says_class(part: Any) -> bool:
    """Whether a part of a key is no bare tuple, which would equal a namedtuple, or the key of a composite's feed."""
    return part.__class__ is not tuple or (bool(part) and (part[0] is list or part[0] is tuple or part[0] is dict))


def says_everything(key: Any) -> bool:
    """Whether a run's key is made of graph elements and their names, which mean the same as long as the graph is the
    same, besides what marks its form."""
    kind = key.__class__
    if kind is tuple:
        return all(map(_says_class, key)) and all(map(says_everything, key))
    return kind in _LASTING or key is list or key is tuple or key is dict or key is FED
