"""`ConcreteFunction.prune`: the part of a traced graph between some tensors and others, as a function."""

from __future__ import annotations

from collections import Counter
from typing import Any

from inlay._src.base.types import nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.control.graph_copies import GraphCopies
from inlay._src.programs.control.tracing import Traced, Tracing
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.arguments import BoundArguments


def pruned(source: FuncGraph, feeds: Any, fetches: Any, name: str | None) -> tuple[Traced, BoundArguments]:
    """A part of a traced graph as a graph of its own, and what it takes; see `ConcreteFunction.prune`.

    Args:
      source: the traced graph.
      feeds, fetches, name: as for `prune`.
    """
    elements = [source.as_graph_element(feed) for feed in nest.flatten(feeds, expand_composites=True)]
    for feed in elements:
        if not isinstance(feed, SymbolicTensor):
            raise ValueError(f"All members of argument `feeds` must be tensors. Got {feed!r}.")
    taken = [feed for feed in elements if source.outside(feed) is None]  # captures stay captures
    if len({id(feed) for feed in taken}) != len(taken):
        raise ValueError(f"All members of argument `feeds` must differ. Got {taken}.")
    targets = nest.map_structure(lambda fetch: _element(source, fetch), fetches, expand_composites=True)
    parts = nest.flatten(targets, expand_composites=True)
    several = Counter(feed.op.name for feed in taken)
    labels = [f"{f.op.name}_{f.value_index}" if several[f.op.name] > 1 else f.op.name for f in taken]
    specs = [TensorSpec(feed.shape, feed.dtype, label) for feed, label in zip(taken, labels, strict=True)]
    bound = arguments.bind(specs, labels, {}, None)
    tracing = Tracing(name or "pruned", source.outer)
    inputs = [tracing.graph.add_input(*parameters) for parameters in bound.placeholders()]
    with tracing.building():
        copies = GraphCopies(source, tracing.graph, dict(zip(map(id, taken), inputs, strict=True)))
        copies.add([item for item in parts if item is not None])
        copied = [None if item is None else copies.of(item) for item in parts]
        result = nest.pack_sequence_as(targets, copied, expand_composites=True)
    return tracing.finish(result), bound


def _element(graph: Graph, fetch: Any) -> Any:
    """A tensor or operation of a graph, named by itself, its name or a `TensorInfo`."""
    named = fetch.name if hasattr(fetch, "WhichOneof") else fetch
    return None if named is None else graph.as_graph_element(named)
