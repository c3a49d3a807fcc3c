"""The ops and types that models need, and whether inlay has them: read from the files, without running anything.

    saved model, graph ─▶ every node of the graph and of its functions ─▶ ops that are not here
                       ─▶ GraphReader                                  ─▶ nodes whose op is here, but not their form
    checkpoint         ─▶ its index                                    ─▶ types that are not here

Nodes that need one that is absent are not examined: a form behind an absent node is not found.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.files.allowance import allowance
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.programs.graph_def.absent_nodes import OLD_CONTROL_FLOW
from inlay._src.programs.graph_def.declared import OWN, declaration, other_ops
from inlay._src.programs.graph_def.foreign import ForeignModel, LeftOut
from inlay._src.programs.graph_def.importing import add_nodes
from inlay._src.programs.graph_def.program_readers import Functions
from inlay._src.programs.graph_def.reading import op_of, reader_of
from inlay._src.programs.graph_def.reference_variables import with_resources
from inlay._src.saved.container import GRAPH, MANIFEST, MOST_GRAPH
from inlay._src.saved.loading import Inspected
from inlay._src.saved.tensorflow_models.model import TEXT, graphs_of, is_tensorflow_model
from inlay._src.saved.tensorflow_models.showing import HOST_CALLS
from inlay._src.training import checkpoint_files, tensor_bundle

ABSENT, UNKNOWN = "absent: TensorFlow's op", "unknown op"
MODEL, FILE = "saved model", "graph"
"""The kinds of what holds graphs."""
_GRAPHS = (".pb", ".pbtxt")
_MOST_NAMES = 4
"""The number of functions or signatures that a line of text lists."""


class AbsentOp(NamedTuple):
    """An op that is not here.

    Attributes:
      op: its name.
      status: `ABSENT` for an op of TensorFlow, `UNKNOWN` for another one.
      nodes: the number of its nodes.
      functions: the functions that hold them; "" is the graph.
      signatures: the signatures that need them.
    """

    op: str
    status: str
    nodes: int
    functions: list[str]
    signatures: list[str]


class GraphCoverage(NamedTuple):
    """The ops of a graph and of its functions.

    Attributes:
      path: the model or file.
      kind: `MODEL` or `FILE`.
      tags: the tags of the graph in its model.
      functions: the number of functions.
      ops: op -> the number of its nodes, the most frequent first.
      absent: the ops that are not here, the most frequent first.
      forms: the nodes that cannot be read although their ops are here.
      python_calls: the number of calls of Python that the model does not hold.
    """

    path: str
    kind: str
    tags: list[str]
    functions: int
    ops: Mapping[str, int]
    absent: list[AbsentOp]
    forms: list[LeftOut]
    python_calls: int

    @property
    def whole(self) -> bool:
        """Whether everything is here."""
        return not self.absent and not self.forms


class CheckpointCoverage(NamedTuple):
    """The values of a checkpoint.

    Attributes:
      path: its prefix.
      values: name -> (type, shape).
      types: type -> the number of values, the most frequent first.
      absent: the names of the values whose types are not here.
    """

    path: str
    values: Mapping[str, tuple[str, list[int] | None]]
    types: Mapping[str, int]
    absent: list[str]

    @property
    def whole(self) -> bool:
        """Whether everything is here."""
        return not self.absent


def is_model(path: str) -> bool:
    """Whether there is a saved model, a graph or a checkpoint at a path, by the names of files."""
    if os.path.isdir(path):
        return is_tensorflow_model(path)
    return os.path.isfile(path) and path.endswith(_GRAPHS) or checkpoint_files.main_file(_prefix(path)) is not None


def _prefix(path: str) -> str:
    return path.removesuffix(tensor_bundle.INDEX)


def coverage(path: str) -> list[GraphCoverage | CheckpointCoverage]:
    """The ops or types that a model needs, for each of its graphs.

    Args:
      path: the folder of a saved model, a file with a `GraphDef` as bytes or text, or the prefix or the index of a
        checkpoint.

    Raises:
      NotFoundError, OSError: if there is none.
      DataLossError, ValueError: if it cannot be read at all.
    """
    if os.path.basename(path) in (GRAPH, TEXT):
        path = os.path.dirname(path) or "."
    if os.path.isdir(path):
        return _of_saved_model(path)
    if os.path.isfile(path) and path.endswith(_GRAPHS):
        return [_of_graph(path, FILE, [], read_graph(path), {}, os.path.getsize(path))]
    return [_of_checkpoint(_prefix(path))]


def read_graph(path: str) -> Any:
    """The `GraphDef` in a file, as bytes or as text.

    Raises:
      ValueError: if the file holds something else.
    """
    from inlay._src.base.protos.graph import GraphDef
    from inlay._src.base.protos.schema import parsed, parsed_text

    if os.path.getsize(path) > MOST_GRAPH:
        raise ValueError(f"{path} has more bytes than a graph may have")
    with open(path, "rb") as file:
        data = file.read()
    try:
        with allowance(len(data)):
            graph = parsed_text(GraphDef, data.decode()) if path.endswith(".pbtxt") else parsed(GraphDef, data)
    except ValueError as error:
        raise ValueError(f"{path} holds no GraphDef: {error}") from None
    if not graph.node:
        raise ValueError(f"{path} holds no GraphDef with nodes")
    return graph


# ---------------------------------------------------------------- graphs


def _of_saved_model(path: str) -> list[GraphCoverage | CheckpointCoverage]:
    if os.path.lexists(os.path.join(path, MANIFEST)):
        model = Inspected(path)
        return [_of_graph(path, MODEL, [], model.graph_def, model.signatures, model.container.size, own=True)]
    return [
        _of_graph(path, MODEL, sorted(m.meta.meta_info_def.tags), m.meta.graph_def, m.signatures, m.size)
        for m in graphs_of(path)
    ]


def _of_graph(
    path: str, kind: str, tags: list[str], graph: Any, signatures: Mapping[str, Any], size: int, own: bool = False
) -> GraphCoverage:
    """The coverage of a `GraphDef`; only ops can be absent from a model of this library, if a later one wrote it."""
    held: dict[str, Sequence[Any]] = {"": with_resources(graph.node)}
    held |= {function.signature.name: function.node_def for function in graph.library.function}
    places: dict[str, Counter[str]] = {}
    for name, nodes in held.items():
        for node in nodes:
            places.setdefault(node.op, Counter())[name] += 1
    missing = {op for op in places if not _is_here(op)}
    needs = {name: _needed(graph.node, held, signature) for name, signature in signatures.items()}
    absent = [
        AbsentOp(
            op,
            ABSENT if op in other_ops() or declaration(op) is not None else UNKNOWN,
            places[op].total(),
            sorted(places[op]),
            sorted(name for name, ops in needs.items() if op in ops),
        )
        for op in missing
    ]
    every = Counter(node.op for node in graph.node) + Counter(n.op for f in graph.library.function for n in f.node_def)
    forms: list[LeftOut] = []
    if not own:
        with allowance(size):
            forms = [left for left in _left_out(graph, held) if left.op not in missing]
    calls = sum(every[op] for op in HOST_CALLS) if not own else 0
    absent.sort(key=lambda row: (-row.nodes, row.op))
    return GraphCoverage(path, kind, tags, len(held) - 1, dict(every.most_common()), absent, forms, calls)


def _is_here(op: str) -> bool:
    """Whether nodes of an op are read."""
    if op in OLD_CONTROL_FLOW:  # its ops are here in another form
        return True
    if op.startswith(OWN):
        return op_of(op.removeprefix(OWN)) is not None or declaration(op) is not None
    return declaration(op) is not None and reader_of(op) is not None


def _called(node: Any) -> Iterator[str]:
    """The functions that attributes of a node name."""
    for value in node.attr.values():
        held = value.WhichOneof("value")
        if held == "func":
            yield value.func.name
        elif held == "list":
            yield from (function.name for function in value.list.func)


def _needed(nodes: Sequence[Any], held: Mapping[str, Sequence[Any]], signature: Any) -> set[str]:
    """The ops that a signature needs: of the nodes before its outputs, and of all functions that these call."""
    messages = {node.name: node for node in nodes}
    todo = [reference for info in signature.outputs.values() for reference in tensors_of(info)]
    seen, functions, ops = set[str](), list[str](), set[str]()
    while todo:
        name = todo.pop().lstrip("^").partition(":")[0]
        if name in messages and name not in seen:
            seen.add(name)
            ops.add(messages[name].op)
            functions += _called(messages[name])
            todo += messages[name].input
    called = dict.fromkeys(functions)
    for function in functions:  # grows
        for node in held.get(function, ()):
            ops.add(node.op)
            for name in _called(node):
                if name not in called:
                    called[name] = None
                    functions.append(name)
    return ops


def tensors_of(info: Any) -> list[str]:
    """The names of the tensors that a `TensorInfo` names."""
    if info.WhichOneof("encoding") == "coo_sparse":
        parts = info.coo_sparse
        return [parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name]
    return [info.name]


def _left_out(graph: Any, held: Mapping[str, Sequence[Any]]) -> list[LeftOut]:
    """The nodes that cannot be read, without calls of functions that cannot be read."""
    foreign = ForeignModel({})
    failed: dict[str, str] = {}
    functions = Functions(graph.library.function, _no_body, foreign)
    with context.using(context.State()):
        for name in held:
            if name:
                try:
                    functions.program(name)
                except (ValueError, errors.OpError) as error:
                    failed[name] = errors.said_by(error)
        lefts = list(foreign.left_out)
        inside = Graph()
        foreign = ForeignModel({})
        try:
            with inside.as_default():
                add_nodes(graph, _no_body, "", foreign=foreign)
        except (ValueError, errors.OpError) as error:
            failed[""] = errors.said_by(error)
    lefts += [left for left in foreign.left_out if not left.function]
    failing = {left.function for left in lefts}
    messages = {(name, node.name): node for name, nodes in held.items() for node in nodes}
    rows = []
    for left in lefts:
        node = messages.get((left.function, left.node))
        if node is None or not any(name in failed for name in _called(node)):
            rows.append(left)
    for name, reason in failed.items():
        if name not in failing and reason not in {row.reason for row in rows}:
            rows.append(LeftOut(name, "", "", reason))
    return rows


def _no_body(name: str) -> None:
    """No function of Python: nothing is opened."""
    return


# ---------------------------------------------------------------- checkpoints


def _of_checkpoint(prefix: str) -> CheckpointCoverage:
    values: dict[str, tuple[str, list[int] | None]] = {}
    absent = []
    with checkpoint_files.opened(prefix) as reader:
        for name, entry in sorted(reader.entries.items()):
            dtype, shape = None, None
            with contextlib.suppress(errors.OpError):
                dtype = reader.dtype(name)
            with contextlib.suppress(errors.OpError):
                shape = reader.shape(name)
            if dtype is None or dtype not in dtypes.DENSE:
                absent.append(name)
            number = getattr(entry, "dtype", "?")
            values[name] = (f"type {number}" if dtype is None else dtype.name), shape
    counted = Counter(dtype for dtype, _ in values.values())
    return CheckpointCoverage(prefix, values, dict(counted.most_common()), absent)


# ---------------------------------------------------------------- reports


def as_data(reports: Iterable[GraphCoverage | CheckpointCoverage]) -> list[dict[str, Any]]:
    """Coverages as a structure of JSON."""
    return [_data(report) for report in reports]


def _data(report: GraphCoverage | CheckpointCoverage) -> dict[str, Any]:
    if isinstance(report, CheckpointCoverage):
        values = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in report.values.items()}
        return {"path": report.path, "kind": "checkpoint", "types": report.types, "values": values,
                "absent": report.absent, "whole": report.whole}  # fmt: skip
    said = report._asdict()
    said["absent"] = [row._asdict() for row in report.absent]
    said["forms"] = [row._asdict() for row in report.forms]
    return said | {"whole": report.whole}


def as_text(reports: Iterable[GraphCoverage | CheckpointCoverage]) -> str:
    """Coverages as lines of text: absent ops first, then the forms that are absent, then the counts of all ops."""
    lines: list[str] = []
    for report in reports:
        lines += _checkpoint_lines(report) if isinstance(report, CheckpointCoverage) else _graph_lines(report)
    return "\n".join(lines)


def _graph_lines(report: GraphCoverage) -> Iterator[str]:
    tags = f" with the tags {', '.join(report.tags)}" if report.tags else ""
    nodes = sum(report.ops.values())
    yield f"{report.path}: {report.kind}{tags}: {nodes} nodes of {len(report.ops)} ops, {report.functions} functions"
    for status in (ABSENT, UNKNOWN):
        rows = [row for row in report.absent if row.status == status]
        if rows:
            yield f"{status}:"
        for row in rows:
            needing = f"needed by {_listed(row.signatures)}" if row.signatures else "no signature needs it"
            needing = f"; {needing}" if report.kind == MODEL else ""
            yield f"  {row.nodes:5d} x {row.op}  in {_listed([n or 'the graph' for n in row.functions])}{needing}"
    if report.forms:
        yield "absent form:"
    for left in report.forms:
        node = f"{left.node} ({left.op}): " if left.node else ""
        yield f"  {node}{left.reason}  in {left.function or 'the graph'}"
    gone = {row.op for row in report.absent}
    yield "here:"
    yield from (f"  {count:5d} x {op}" for op, count in report.ops.items() if op not in gone)
    if report.python_calls:
        yield f"calls of Python: {report.python_calls}, whose functions tf.saved_model.load takes as host_functions="
    here = len(report.ops) - len(gone)
    yield f"{here} of {len(report.ops)} ops are here, and {len(report.forms)} nodes have a form that is absent"


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _checkpoint_lines(report: CheckpointCoverage) -> Iterator[str]:
    yield f"{report.path}: checkpoint of {len(report.values)} values"
    for dtype, count in report.types.items():
        shapes = Counter(str(shape) for of, shape in report.values.values() if of == dtype)
        listed = ", ".join(f"{shape} x {times}" if times > 1 else shape for shape, times in shapes.most_common(8))
        more = f", and {len(shapes) - 8} other shapes" if len(shapes) > 8 else ""
        yield f"  {count:5d} x {dtype}  {listed}{more}"
    if report.absent:
        yield "of a type that is not here:"
        yield from (f"  {name}" for name in report.absent)
    yield f"{len(report.values) - len(report.absent)} of {len(report.values)} values are of types that are here"
