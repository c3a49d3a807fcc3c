"""Checks of the operations that run while a model is loaded: they restore variables and fill tables, nothing else.

A model names them itself, so they could read or write any file, or call Python. Loading promises that it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files.allowance import charge
from inlay._src.base.types import dtypes
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tables import references
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.program import Program

_ALLOWED = frozenset({
    "Assert", "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "InitializeTableV2",
    "LookupTableExportV2", "LookupTableFindV2", "LookupTableImportV2", "LookupTableInsertV2", "LookupTableSizeV2",
    "NoOp", "ReadVariableOp", "VarIsInitializedOp",
})  # fmt: skip
"""Ops with an effect that is on variables and tables alone."""
_OF_PATHS = frozenset({"AssignVariableOp", "ReadVariableOp", "VarIsInitializedOp"})
"""The ops on a variable that holds the path of a file."""
_LOOPS = frozenset({"While", "StatelessWhile"})
_FILES = {"RestoreV2": 0, "InitializeTableFromTextFileV2": 1}
"""Op -> the input that is the path of the file that it reads."""


def check(
    path: str,
    graph: Graph,
    what: str,
    targets: Sequence[Operation] | None = None,
    feeds: Sequence[SymbolicTensor] = (),
    *,
    within: bool = False,
    python: bool = False,
) -> None:
    """Refuses a graph that would do more than to restore variables and to fill tables from files that are fed.

    Args:
      path: the folder of the model.
      graph: the graph.
      what: the words for it in the message.
      targets: the operations that run; None for all.
      feeds: the tensors whose values are the paths of files of the model. Inputs of a function graph are too.
      within: whether `feeds` are all of them, and inputs are not.
      python: whether it may call Python, of which all was allowed to run.

    Raises:
      PermissionDeniedError: naming the node.
      ValueError: if its tensors would take more memory than a model of this size may.
    """
    paths = {id(t) for t in feeds}
    if not within:
        paths |= {id(t) for t in getattr(graph, "inputs", ())}
    paths |= _reads_of_paths(graph, paths)
    what = f"The saved model {path} was not loaded: {what}"
    for node in graph.nodes if targets is None else _needed(targets, paths):
        if node.host is None or not python:
            _check_node(node, what, paths)


def _check_node(node: Operation, what: str, paths: set[int]) -> None:
    if node.type in _FILES:
        if id(_source(node.inputs[_FILES[node.type]], paths)) not in paths:
            raise _refused(node, what, "reads a file that is not one of the model's")
        return
    programs = [node.graph.referred(r) for value in node.attrs.values() for r in references(value)]
    programs = [p for p in programs if isinstance(p, Program)]
    if node.type in _LOOPS:
        raise _refused(node, what, "repeats what it does, and may do so for ever")
    if node.host is not None:
        raise _refused(node, what, "calls Python")
    _charge(node)
    for program in programs:
        inner = {
            id(parameter)
            for parameter, tensor in zip(program.parameters, node.inputs, strict=False)
            if id(_source(tensor, paths)) in paths
        }
        for each in program.graph.nodes:
            _check_node(each, what, inner)
    if programs or node.type in _ALLOWED or node.opdef.role in (Role.PLACEHOLDER, Role.CONSTANT, Role.VARIABLE):
        return
    if node.effect not in (Effect.PURE, Effect.RANDOM):
        raise _refused(node, what, "does more than to set variables and tables")


def _reads_of_paths(graph: Graph, paths: set[int]) -> set[int]:
    """The ids of reads of variables that nothing but paths is assigned to: TensorFlow 2 keeps those of files so."""
    uses: dict[int, list[Operation]] = {}
    for node in graph.nodes:
        for tensor in node.inputs:
            key = handle_key(tensor) if tensor.dtype is dtypes.resource else None
            if key is not None:
                uses.setdefault(id(key), []).append(node)
    reads = set()
    for nodes in uses.values():
        values = [node.inputs[1] for node in nodes if node.type == "AssignVariableOp"]
        if values and all(node.type in _OF_PATHS for node in nodes) and all(id(v) in paths for v in values):
            reads |= {id(node.outputs[0]) for node in nodes if node.type == "ReadVariableOp"}
    return reads


def _charge(node: Operation) -> None:
    """Charges the memory of the results that a node computes, as far as their shapes are known."""
    if node.opdef.role is not Role.OPERATION:
        return
    for tensor in node.outputs:
        count = tensor.shape.num_elements()
        if count is not None:
            charge(count * 8)


def _source(tensor: Any, paths: set[int]) -> Any:
    """A tensor behind identities."""
    while id(tensor) not in paths and tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def _needed(targets: Sequence[Operation], fed: set[int]) -> list[Operation]:
    reached: dict[int, Operation] = {}
    stack = list(targets)
    while stack:
        node = stack.pop()
        if node.index not in reached:
            reached[node.index] = node
            stack += [*(t.op for t in node.inputs if id(t) not in fed), *node.control_inputs]
    return list(reached.values())


def _refused(node: Operation, what: str, why: str) -> errors.OpError:
    return errors.PermissionDeniedError(
        None,
        None,
        f"{what} has the node '{node.name}' ({node.type}), which {why}. Loading runs nothing else. Add the graph with "
        "tf.import_graph_def, and run what you want of it",
    )
