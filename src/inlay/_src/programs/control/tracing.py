"""Tracing: a Python function runs once, and the ops that it applies become a graph of their own.

The one way into a function graph: of `function`, of branches and loop bodies, of the sides of a statement.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite, composite_of
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.template import Flattening, Hole, Template
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import OpDef, strongest
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.array import identity
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.composite.specs import SparseTensorSpec
from inlay._src.ops.math import cast
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.program import Program, add_program_node


class Traced(NamedTuple):
    """A traced function and the structure it returns.

    Attributes:
      graph: its graph; the outputs are the flat tensors of the result.
      template: the result with holes for the outputs; None where there is no tensor.
    """

    graph: FuncGraph
    template: Template

    @property
    def result(self) -> Any:
        """The result of the function, with tensors of its graph."""
        return self.template.fill(self.graph.outputs)

    def pack(self, tensors: Sequence[Any], node: Operation) -> Any:
        """Flat tensors in the structure of the result; the node if there is no tensor."""
        return self.template.fill(tensors) if self.graph.outputs else node


class Tracing:
    """A function being traced.

    Args:
      name: of the graph.
      outer: the graph in force around it, or None.
      tapes: the tapes that hear what is traced.

    Attributes:
      graph: its graph, open until the trace is finished.
    """

    __slots__ = ("_executor", "_tapes", "graph")

    def __init__(self, name: str, outer: Graph | None, tapes: tuple[Any, ...] = ()) -> None:
        self.graph, self._tapes = FuncGraph(name, outer), tapes
        self._executor = context.current().executor

    def building(self) -> AbstractContextManager[Any]:
        """Ops in the block are added to the graph."""
        return context.using(context.State(graph=self.graph, tapes=self._tapes, executor=self._executor))

    def inputs(self, parameters: Sequence[Any]) -> list[SymbolicTensor]:
        """New inputs of the graph, one for each (dtype, dims, name)."""
        return [self.graph.add_input(dtype, dims, name) for dtype, dims, name in parameters]

    def tensor(self, value: Any, hint: Any = None) -> SymbolicTensor:
        """A value as a tensor of the graph; `hint` is the dtype of one that brings none along."""
        with self.building():
            tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=hint)
            return symbolic(tensor, self.graph)

    def finish(
        self, result: Any, convert: Callable[[Any], Tensor] = convert_to_tensor, instead: Tensor | None = None
    ) -> Traced:
        """Makes the tensors in a nest the graph's outputs and closes the graph, unless it is one of 1.x.

        Args:
          result: the function's result: a nest of tensors, composites and values that become tensors; None gives None,
            and so do operations unless something stands in for them.
          convert: makes a leaf a tensor.
          instead: the tensor whose value is where the function returned an operation, once that has run.
        """
        flat = Flattening()

        def place(leaf: Any) -> Any:
            if isinstance(leaf, Operation) and instead is not None:
                with self.graph.control_dependencies([leaf]):
                    return flat.single(identity(instead))
            if isinstance(leaf, Operation):
                self.graph.returned.append(leaf)
                return None
            if leaf is None:
                return None
            return flat.single(convert(leaf)) if composite_of(leaf) is None else flat.hole(leaf)

        with self.building():
            template = Template(flat.part(result, place))
            self.graph.outputs.extend(symbolic(convert_to_tensor(t), self.graph) for t in flat.values)
        if not self.graph.in_v1:  # ops may follow in a wrapped function's graph, which `prune` makes functions of
            self.graph.finalize()
        return Traced(self.graph, template)


def trace(
    function: Callable[..., Any], name: str, parameters: Sequence[Any] = (), instead: Tensor | None = None
) -> Traced:
    """Traces a function into a graph that the current one encloses.

    Args:
      function: takes one symbolic tensor per parameter.
      name: the graph's name.
      parameters: (dtype, dims, name) of the inputs.
      instead: stands for a returned operation; None is nothing.
    """
    state = context.current()
    tracing = Tracing(name, state.graph, state.tapes)
    inputs = tracing.inputs(parameters)
    with tracing.building():
        result = function(*inputs)
    return tracing.finish(result, instead=instead)


class BranchesDifferError(TypeError, ValueError):
    """Branches return different things. TensorFlow raises ValueError in graphs of 1.x, TypeError in functions."""


def with_wide_indices(branches: Sequence[Traced]) -> list[Traced]:
    """Branches whose `IndexedSlices` have indices of one dtype: int64 where they differ, as in TensorFlow."""
    holes = [branch.template.holes() for branch in branches]
    if len({len(each) for each in holes}) > 1:
        return list(branches)  # `aligned` refuses them
    wide = {
        at
        for at, row in enumerate(zip(*holes, strict=True))
        if all(isinstance(hole.composite, IndexedSlices) for hole in row)
        and len({hole.composite.indices.dtype for hole in row}) > 1
    }
    return [_widened(branch, [each[at] for at in wide]) for branch, each in zip(branches, holes, strict=True)]


def _widened(branch: Traced, holes: Sequence[Hole]) -> Traced:
    """A branch with the indices of some `IndexedSlices` of its result as int64."""
    graph, replaced = branch.graph, {}
    for hole in holes:
        if hole.composite.indices.dtype is dtypes.int64:
            continue
        graph.finalized, before = False, graph.finalized
        with context.using(context.State(graph=graph)):
            wide: Any = cast(graph.outputs[hole.index + 1], dtypes.int64)  # behind the values
        graph.outputs[hole.index + 1] = wide
        graph.finalized = before
        parts = graph.outputs[hole.index : hole.index + hole.count]
        replaced[hole.index] = Hole(hole.index, hole.count, hole.composite._rebuild(parts))
    if not replaced:
        return branch

    def place(leaf: Any) -> Any:
        return replaced.get(leaf.index, leaf) if isinstance(leaf, Hole) else leaf

    return branch._replace(template=Template(Flattening().part(branch.template.structure, place)))


def aligned(branches: Sequence[Traced], labels: Sequence[str], name: str) -> None:
    """Refuses branches whose results differ in structure or dtypes.

    Raises:
      TypeError: naming the branches, the place and both sides.
    """
    first = branches[0]
    for branch, label in zip(branches[1:], labels[1:], strict=True):
        if not first.graph.outputs and not branch.graph.outputs:
            continue
        try:
            nest.assert_same_structure(first.result, branch.result, expand_composites=True)
        except (ValueError, TypeError) as error:
            raise BranchesDifferError(
                f"{name}: branches '{labels[0]}' and '{label}' must return the same structure, got "
                f"{first.result!r} and {branch.result!r}: {error} (inlay explain branches-differ)"
            ) from error
        pairs = zip(nest.flatten_with_paths(first.result), nest.flatten(branch.result), strict=True)
        for (path, a), b in pairs:
            _same_kind(a, b, path, labels[0], label, name)


def in_common(branches: Sequence[Traced]) -> Traced:
    """The first one of branches whose results are alike, with composites of which no more is known than of all."""
    rows = zip(*(branch.template.holes() for branch in branches), strict=True)
    shared = {
        row[0].index: Hole(row[0].index, row[0].count, common_composite([hole.composite for hole in row]))
        for row in rows
        if row[0].composite is not None
    }

    def place(leaf: Any) -> Any:
        return shared.get(leaf.index, leaf) if isinstance(leaf, Hole) else leaf

    first = branches[0]
    return first._replace(template=Template(Flattening().part(first.template.structure, place))) if shared else first


def common_composite(values: Sequence[Any]) -> Any:
    """The first of composite values of one class, or the spec of what they have in common if they differ."""
    specs: list[Any] = [getattr(value, "_type_spec", None) for value in values]
    if specs[0] is None or all(spec == specs[0] for spec in specs):
        return specs[0] if isinstance(specs[0], SparseTensorSpec) else values[0]  # the spec has the static shape
    shared = functools.reduce(lambda one, two: one.most_specific_compatible_type(two), specs)
    return shared if isinstance(shared, Composite) else values[0]


def _same_kind(a: Any, b: Any, path: str, one: str, two: str, name: str) -> None:
    none_a, none_b = (x is None or isinstance(x, Operation) for x in (a, b))
    if none_a != none_b:
        raise BranchesDifferError(
            f"{name}: output{path} is {a!r} in branch '{one}' but {b!r} in branch '{two}' "
            "(inlay explain branches-differ)"
        )
    if none_a:
        return
    if not hasattr(a, "dtype") or not hasattr(b, "dtype"):
        try:
            nest.same_specs(composite_of(a), composite_of(b))
        except ValueError as error:
            raise BranchesDifferError(
                f"{name}: output{path} differs in branches '{one}' and '{two}': {error}"
            ) from error
    elif a.dtype is not b.dtype:
        raise BranchesDifferError(
            f"{name}: output{path} has dtype {a.dtype.name} in branch '{one}' but {b.dtype.name} in branch "
            f"'{two}'; cast one of them (inlay explain branches-differ)"
        )


def add_running(
    graph: Graph,
    opdef: OpDef,
    inputs: Sequence[Any],
    traced: Mapping[str, FuncGraph | Sequence[FuncGraph]],
    dims: Sequence[Dims],
    name: str,
    attrs: Mapping[str, Any] | None = None,
) -> Operation:
    """A node that runs traced graphs. Captured tensors, each once, follow its own inputs.

    Args:
      graph: where it is added.
      opdef: made by `program_op`.
      inputs: the selecting index or the arguments of the programs.
      traced: attribute -> what runs, alternatives as a list; the outputs of the last one say the node's dtypes.
      dims: the shapes of the node's outputs.
      name: name of the node.
      attrs: further attributes.
    """
    programs = {at: Program(g) if isinstance(g, FuncGraph) else tuple(map(Program, g)) for at, g in traced.items()}
    every = [p for part in programs.values() for p in ([part] if isinstance(part, Program) else part)]
    captures = {id(c): c for p in every for c in p.captures}
    places = {key: i for i, key in enumerate(captures)}
    picks = tuple(tuple(places[id(c)] for c in p.captures) for p in every)
    return add_program_node(
        graph,
        opdef,
        [symbolic(t, graph) for t in (*inputs, *captures.values())],
        every[-1].graph.outputs,
        programs,
        {"picks": picks, **(attrs or {})},
        strongest(p.effect for p in every),
        name,
        dims,
    )


_SHARED = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)
"""Collections that a function adds to as its caller does; it has copies of the others."""


def own_collections(outer: Mapping[Any, list[Any]]) -> dict[Any, list[Any]]:
    """The initial collections of a traced function: those around it, without those of variable scopes."""
    named = {key: items for key, items in outer.items() if isinstance(key, str)}
    return {key: items if key in _SHARED else list(items) for key, items in named.items()}
