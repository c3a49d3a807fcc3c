"""A saved model of TensorFlow as text or JSON, as `saved_model_cli show --all` shows it; nothing of it is run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inlay._src.host.bodies.trust import printable
from inlay._src.saved.container import GRAPH
from inlay._src.saved.showing import described_variable, tensor_text, variables_of_graph
from inlay._src.saved.tensorflow_models.model import TensorFlowModel, graphs_of
from inlay._src.saved.tensorflow_models.session_graph import asset_feeds

UNPROVEN = "no manifest: nothing proves that its files are as they were written"
"""The note about every model without a manifest."""
HOST_CALLS = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless"})
"""The ops that call functions of Python."""
_TABLES = frozenset(
    {
        "AnonymousHashTable", "AnonymousMutableDenseHashTable", "AnonymousMutableHashTable",
        "AnonymousMutableHashTableOfTensors", "HashTable", "HashTableV2", "MutableDenseHashTable",
        "MutableDenseHashTableV2", "MutableHashTable", "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2",
        "MutableHashTableV2",
    }
)  # fmt: skip
"""The ops that make tables."""
_MOST_OPS = 40


def described_tensorflow_model(path: str) -> dict[str, Any]:
    """The contents of a model, for programs: a structure of JSON.

    Args:
      path: its folder.

    Raises:
      NotFoundError, DataLossError: see `TensorFlowModel`; also if the description of its objects makes no sense.
    """
    models = graphs_of(path)
    with models[0].folder.guard(GRAPH):
        return {
            "model": path,
            "bytes": _bytes_below(path),
            "digest": None,
            "note": UNPROVEN,
            "graphs": [_graph(model) for model in models],
        }


def shown_tensorflow_model(path: str) -> str:
    """The contents of a model, for people; see `described_tensorflow_model`."""
    said = described_tensorflow_model(path)
    return "\n".join(_lines(said))


def _bytes_below(path: str) -> int:
    """The bytes of all files below a folder."""
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(path) for name in names)


# ---------------------------------------------------------------- data


def _graph(model: TensorFlowModel) -> dict[str, Any]:
    meta = model.meta
    paths = _paths(model.objects.nodes)
    inside = [node for function in model.library for node in function.node_def]
    return {
        "tags": sorted(meta.meta_info_def.tags),
        "tensorflow_version": meta.meta_info_def.tensorflow_version,
        "signatures": {
            name: {
                "method": signature.method_name,
                "inputs": {key: _tensor(info) for key, info in sorted(signature.inputs.items())},
                "outputs": {key: _tensor(info) for key, info in sorted(signature.outputs.items())},
            }
            for name, signature in sorted(model.signatures.items())
        },
        "functions": _functions(model, paths),
        "variables": _variables(model),
        "assets": {os.path.basename(path): _size(path) for _, path in asset_feeds(model)},
        "resources": _resources(model, paths, inside),
        "ops": {
            "graph": dict(Counter(node.op for node in meta.graph_def.node).most_common()),
            "functions": dict(Counter(node.op for node in inside).most_common()),
        },
        "python_calls": list(_host_calls(model)),
    }


def _tensor(info: Any) -> str:
    kind = info.WhichOneof("encoding")
    return {"coo_sparse": "sparse ", "composite_tensor": "composite "}.get(kind, "") + tensor_text(info)


def _paths(nodes: Any) -> dict[int, str]:
    """Number of an object -> the names of attributes that lead to it from the root."""
    paths = {0: ""} if nodes else {}
    queue = list(paths)
    for number in queue:  # grows
        for child in nodes[number].children:
            if child.node_id not in paths and 0 <= child.node_id < len(nodes):
                paths[child.node_id] = f"{paths[number]}.{child.local_name}".lstrip(".")
                queue.append(child.node_id)
    return paths


def _functions(model: TensorFlowModel, paths: Mapping[int, str]) -> dict[str, int]:
    """Path of a function -> the number of its traces."""
    traces = {}
    for number, node in enumerate(model.objects.nodes):
        if node.WhichOneof("kind") == "function" and number in paths:
            traces[paths[number]] = len(node.function.concrete_functions)
    return traces


def _variables(model: TensorFlowModel) -> list[dict[str, Any]]:
    """The variables: objects of TensorFlow 2, or nodes of a graph of TensorFlow 1."""
    if model.objects.nodes:
        return [
            described_variable(node.variable.name, node.variable.dtype, node.variable.shape, node.variable.trainable)
            for node in model.objects.nodes
            if node.WhichOneof("kind") == "variable"
        ]
    return variables_of_graph(model.meta)


def _size(path: str) -> int | None:
    """The bytes of a file of the model; None if it is missing."""
    return os.lstat(path).st_size if os.path.lexists(path) else None


def _resources(model: TensorFlowModel, paths: Mapping[int, str], inside: Iterable[Any]) -> list[str]:
    """The tables and other objects that functions make, or the nodes that make tables."""
    objects = [
        paths[number]
        for number, node in enumerate(model.objects.nodes)
        if node.WhichOneof("kind") == "resource" and number in paths
    ]
    if objects:
        return objects
    tables = [f"{node.name} ({node.op})" for node in (*model.meta.graph_def.node, *inside) if node.op in _TABLES]
    return list(dict.fromkeys(tables))


def _host_calls(model: TensorFlowModel) -> Iterator[dict[str, str]]:
    """The calls of Python, by node, token and function of the library."""
    for function, nodes in (
        ("", model.meta.graph_def.node),
        *((function.signature.name, function.node_def) for function in model.library),
    ):
        for node in nodes:
            if node.op in HOST_CALLS:
                token = node.attr["token"].s.decode("utf-8", "backslashreplace")
                yield {"node": node.name, "op": node.op, "token": token, "function": function}


# ---------------------------------------------------------------- text


def _lines(said: Mapping[str, Any]) -> Iterator[str]:
    yield f"{printable(said['model'])}: {said['bytes']:,} bytes, a saved model of TensorFlow"
    yield f"  {said['note']}"
    for graph in said["graphs"]:
        yield ""
        tags = ", ".join(map(printable, graph["tags"])) or "none"
        version = printable(graph["tensorflow_version"]) or "of an unknown version"
        yield f"Graph with the tags {tags}, written by TensorFlow {version}"
        yield from (f"  {line}" if line else "" for line in _graph_lines(graph))


def _graph_lines(graph: Mapping[str, Any]) -> Iterator[str]:
    yield "Signatures"
    for name, signature in graph["signatures"].items():
        inputs, outputs = (_tensors(signature[side]) for side in ("inputs", "outputs"))
        yield f"  {printable(name)}({inputs}) -> {outputs}"
    if not graph["signatures"]:
        yield "  none"
    if graph["functions"]:
        yield ""
        yield "Functions"
        yield from (f"  {printable(name)}: {count} traces" for name, count in graph["functions"].items())
    yield ""
    yield f"Variables ({len(graph['variables'])})"
    for variable in graph["variables"]:
        frozen = ", not trainable" if variable["trainable"] is False else ""
        yield f"  {printable(variable['name'])}: {variable['dtype']} {variable['shape']}{frozen}"
    if graph["assets"]:
        yield ""
        yield "Files"
        for name, size in graph["assets"].items():
            yield f"  {printable(name)}: {'missing' if size is None else f'{size:,} bytes'}"
    if graph["resources"]:
        yield ""
        yield "Tables and other resources"
        yield from (f"  {printable(name)}" for name in graph["resources"])
    for place, counts in graph["ops"].items():
        if counts:
            yield ""
            yield f"Ops of the {place}"
            yield from (f"  {count:6} {printable(op)}" for op, count in list(counts.items())[:_MOST_OPS])
            if len(counts) > _MOST_OPS:
                yield f"  and {len(counts) - _MOST_OPS} other ops"
    yield ""
    yield f"Calls of Python ({len(graph['python_calls'])})"
    for call in graph["python_calls"]:
        where = f" in {printable(call['function'])}" if call["function"] else ""
        yield f"  {printable(call['node'])} ({call['op']}{where}), token {printable(call['token'])}"
    if graph["python_calls"]:
        yield "  TensorFlow does not save these functions: supply them with tf.saved_model.load(host_functions=...)"


def _tensors(said: Mapping[str, str]) -> str:
    return ", ".join(f"{printable(name)}: {printable(text)}" for name, text in said.items()) or "nothing"
