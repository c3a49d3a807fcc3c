"""Fingerprints of datasets: a hash of what they do, the same in every process.

    dataset ─▶ nodes and functions as `GraphDef` has them ─▶ a digest of each node, from those of its inputs ─▶ 64 bits

Names are no part of it: functions and nodes count by what they compute. A Python function counts by its pickled body.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.data import graph_node_readers, graph_ops
from inlay._src.data.element import Element, Values
from inlay._src.data.graph_nodes import DATASET, Place, Use, add_use
from inlay._src.data.node import Iteration, Node
from inlay._src.data.options import Options
from inlay._src.data.pipeline import Pipeline
from inlay._src.data.reducing import result_of
from inlay._src.data.stored import SnapshotNode
from inlay._src.ops.control import no_op
from inlay._src.programs.graph_def.exporting import Audience, Library, Scope
from inlay._src.programs.graph_def.host_functions import PREFIX, Written, inline

_FINGERPRINT = Element(TensorSpec((), dtypes.uint64))
_NAMES = frozenset({"metadata", "token", "_output_shapes", "_user_specified_name", "_class"})
"""Attributes that say what something is called, or what follows from the rest."""


def fingerprint(dataset: Pipeline) -> Tensor:
    """A hash of the transformations and their arguments, a uint64 scalar that is equal in every process.

    Datasets with equal fingerprints have the same elements, if the files that they read, and the variables and tables
    that their functions use, have the same contents. The number differs from TensorFlow's, and may change with the
    version.

    Raises:
      UnimplementedError: if a part cannot be serialized, such as a Python function that cannot be pickled.
    """
    task = graph_ops.Task(dataset._node, dataset._options, _fingerprint)
    return result_of(graph_ops.FINGERPRINT, task, (), _FINGERPRINT)  # type: ignore[no-any-return]


def _fingerprint(inputs: Sequence[Any], node: Node, iteration: Iteration) -> Values:
    try:
        digest = _digest_of(node, iteration, iteration.options)
    except TypeError as error:
        raise errors.UnimplementedError(None, None, f"this dataset has no fingerprint: {error}") from error
    return [np.uint64(int.from_bytes(digest[:8], "big"))]


UNIDENTIFIED = "unidentified"
"""The folder of the snapshots of datasets without a fingerprint."""


def _identity(node: Node, iteration: Iteration) -> str:
    """The name of the folder of a dataset's snapshot: its fingerprint, whatever its options."""
    try:
        return str(int.from_bytes(_digest_of(node, iteration, Options())[:8], "big"))
    except TypeError:
        return UNIDENTIFIED


def _digest_of(node: Node, iteration: Iteration, options: Options) -> bytes:
    """The digest of a dataset.

    Raises:
      TypeError: if it cannot be written as data.
    """
    graph = Graph()
    with graph.as_default():
        operation = no_op()
    library = Library(packing=_packed, audience=Audience.SELF)
    message = library.messages.GraphDef()
    scope = Scope(library, graph, message.node)
    used = {id(t): scope.constant(scope.names.claim("used"), iteration.value(t), t.dtype)[0] for t in node.used()}
    reference = _FingerprintPlace(scope, operation, used, "dataset").dataset(node, options)
    return _Digests(library.functions).of_nodes(message.node, {})[_name(reference)]


def _packed(operation: Operation, host: Any) -> Written:
    """The body of a Python function.

    Raises:
      TypeError: if it has none, with the reason.
    """
    written = inline(operation, host)
    if written.body is None:
        raise TypeError(written.reason)
    return written


class _FingerprintPlace(Place):
    """Where a dataset is written whose variables count by dtype and shape."""

    def tensor(self, tensor: Any, name: str) -> tuple[str, DType]:
        cell: Any = value_of(tensor) if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.resource else None
        if isinstance(getattr(cell, "dtype", None), DType) and hasattr(cell, "dims"):
            text = f"{cell.dtype.name} {shapes.from_dims(cell.dims)}"
            return self.scope.constant(name, np.array(text.encode(), object), dtypes.string)
        return super().tensor(tensor, name)


class _Digests:
    """The digests of nodes and functions.

    Args:
      functions: name -> the message of a function.
    """

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self._functions = functions
        self._known: dict[str, bytes] = {}

    def of_nodes(self, nodes: Iterable[Any], arguments: Mapping[str, bytes]) -> dict[str, bytes]:
        """The digests of nodes that stand behind their inputs, by name.

        Args:
          nodes: their messages.
          arguments: name -> the digest of the argument.
        """
        digests = dict(arguments)
        for node in nodes:
            inputs = [_digest(name.startswith("^"), digests[_name(name)], _output(name)) for name in node.input]
            attrs = [(name, self._attribute(name, node.attr[name])) for name in sorted(node.attr) if name not in _NAMES]
            digests[node.name] = _digest(node.op, node.device, inputs, attrs)
        return digests

    def _attribute(self, name: str, attr: Any) -> Any:
        kind = attr.WhichOneof("value")
        if kind == "func":
            return self._function(attr.func)
        if kind == "list" and attr.list.func:
            return [self._function(called) for called in attr.list.func]
        if name == DATASET:
            return json.dumps(_unlabeled(json.loads(attr.s)), sort_keys=True)
        return attr.SerializeToString(deterministic=True)

    def _function(self, called: Any) -> bytes:
        """The digest of a function.

        Raises:
          TypeError: if it could not be written.
        """
        name = called.name
        if name not in self._known:
            if name not in self._functions:
                raise TypeError(called.attr["reason"].s.decode() or f"{name} cannot be written as data")
            function = self._functions[name]
            arguments = {each.name: _digest("argument", i) for i, each in enumerate(function.signature.input_arg)}
            nodes = self.of_nodes(function.node_def, arguments)
            results = [function.ret[each.name] for each in function.signature.output_arg]
            returned = [(nodes[_name(result)], _output(result)) for result in results]
            effects = sorted(nodes[_name(node)] for node in function.control_ret.values())
            self._known[name] = _digest(name if name.startswith(PREFIX) else "", returned, effects)
        return self._known[name]


def _unlabeled(said: Any) -> Any:
    """The attribute `DATASET` of a node without the places where functions were defined."""
    fields = {name: value for name, value in said.get("fields", {}).items() if name != "label"}
    for name, value in fields.items():
        if isinstance(value, list) and value and value[0] == "function":
            fields[name] = [*value[:2], *value[3:]]
    return {**said, "fields": fields}


def _name(reference: str) -> str:
    """The name of the node that an input refers to."""
    return reference.removeprefix("^").partition(":")[0]


def _output(reference: str) -> str:
    """The index of the output that an input refers to, as text."""
    return reference.partition(":")[2]


def _digest(*parts: Any) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


_USE = Use(graph_ops.FINGERPRINT, _fingerprint, "DatasetFingerprint")
add_use(_USE)
graph_node_readers.add_use(_USE)
SnapshotNode.identify = staticmethod(_identity)
