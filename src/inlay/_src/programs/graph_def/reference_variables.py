"""Variables of TensorFlow 1 that are references, as variables that are resources.

A node `Variable` gives a reference: other nodes read what it refers to, or change it and pass it on. Before such a
graph is read, its messages are rewritten: the variable is a handle, a node that changes it is the op of resources and a
read behind it, and every other node that takes the reference reads it first.

    w (VariableV2)                          w (VarHandleOp)
    w/Assign (Assign w, value)              w/Assign/update (AssignVariableOp w, value)
                                            w/Assign (ReadVariableOp w) after w/Assign/update
    w/read (Identity w)                     w/read (ReadVariableOp w)
    y (Add w, x)                            y/w (ReadVariableOp w), y (Add y/w, x)

A variable has at least one read, which is what is fetched where the reference is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes
from inlay._src.programs.graph_def.attributes import get
from inlay._src.programs.graph_def.declared import Declaration, declaration
from inlay._src.programs.graph_def.node_names import NodeNames

VARIABLES = frozenset({"Variable", "VariableV2"})
"""The ops that give references."""
_RESOURCE_OPS = {
    "Assign": "AssignVariableOp", "AssignAdd": "AssignAddVariableOp", "AssignSub": "AssignSubVariableOp",
    "CountUpTo": "ResourceCountUpTo", "IsVariableInitialized": "VarIsInitializedOp",
    "StridedSliceAssign": "ResourceStridedSliceAssign",
}  # fmt: skip
"""Op that takes a reference -> the one that takes a handle; the others have `Resource` before their names."""
_PREFIXES = ("Apply", "Scatter", "SparseApply")
BY_REFERENCE = "_by_reference"
"""Marks the handle of a variable that was a reference."""


class _Referred(NamedTuple):
    """The variable behind a reference.

    Attributes:
      handle: the name of the variable.
      after: the name of the node that passed it on, which readers follow; None if that is the variable.
    """

    handle: str
    after: str | None


def _resource_op(op: str) -> Declaration | None:
    """The op that does to a handle what `op` does to a reference; None if there is none."""
    name = _RESOURCE_OPS.get(op) or (f"Resource{op}" if op.startswith(_PREFIXES) else None)
    return None if name is None else declaration(name)


def with_resources(nodes: Sequence[Any]) -> Sequence[Any]:
    """The nodes of a graph, with resources for variables that are references.

    Args:
      nodes: the `NodeDef`s; they are not changed.

    Returns:
      The same sequence if none is such a variable.
    """
    if not any(node.op in VARIABLES for node in nodes):
        return nodes
    return _ReferenceRewriting(nodes).nodes


class _ReferenceRewriting:
    """The rewriting of one graph.

    Attributes:
      nodes: the result.
    """

    def __init__(self, nodes: Sequence[Any]) -> None:
        self.nodes: list[Any] = []
        self._types: dict[str, int] = {}
        self._referred: dict[str, _Referred] = {}
        self._names = NodeNames(node.name for node in nodes)
        self._numbers: dict[str, int] = {}  # name -> how many others were made of it
        self._messages = {node.name: node for node in nodes}
        for node in nodes:
            self._find(node.name)
        readable = {_producer(n.input[0]) for n in nodes if n.op == "Identity" and len(n.input) == 1}
        for node in nodes:
            self._rewrite(node)
            if node.op in VARIABLES and node.name not in readable:
                self._read(self._names.claim(f"{node.name}/read"), _Referred(node.name, None), (), node.device)

    def _find(self, start: str) -> _Referred | None:
        """The variable behind the first output of a node; None if that is no reference."""
        path: dict[str, None] = {}
        name = start
        while name not in self._referred:
            node = self._messages.get(name)
            if node is None or name in path:
                return None
            if node.op in VARIABLES:
                self._types[name] = _checked(node).attr["dtype"].type
                self._referred[name] = _Referred(name, None)
                break
            declared = _resource_op(node.op)
            changes = declared is not None and not declared.outputs
            before = _producer(node.input[0]) if (changes or node.op == "RefIdentity") and node.input else None
            if before is None:
                return None
            path[name] = None
            name = before
        handle = self._referred[name].handle
        for passed in path:
            self._referred[passed] = _Referred(handle, passed)
        return self._referred.get(start)

    def _reference(self, reference: str) -> _Referred | None:
        """The variable behind an input; None if that is a value."""
        name = _producer(reference)
        return None if name is None else self._referred.get(name)

    def _add(self, name: str, op: str) -> Any:
        node = type(next(iter(self._messages.values())))(name=name, op=op)
        self.nodes.append(node)
        return node

    def _read(self, name: str, referred: _Referred, controls: Sequence[str], device: str) -> Any:
        """Adds a read of what a reference refers to."""
        read = self._add(name, "ReadVariableOp")
        read.attr["dtype"].type = self._types[referred.handle]
        read.device = device
        followed = dict.fromkeys([*([f"^{referred.after}"] if referred.after else []), *controls])
        read.input.extend([referred.handle, *followed])
        return read

    def _rewrite(self, node: Any) -> None:
        controls = [r for r in node.input if r.startswith("^")]
        inputs = [r for r in node.input if not r.startswith("^")]
        if node.op in VARIABLES:
            self._variable(node)
            return
        referred = [self._reference(r) for r in inputs]
        if not any(referred):
            self.nodes.append(node)
            return
        if node.op in ("Identity", "RefIdentity") and referred[0] is not None:
            read = self._read(node.name, referred[0], controls, node.device)
            if "_class" in node.attr:
                read.attr["_class"].CopyFrom(node.attr["_class"])
            return
        declared = _resource_op(node.op)
        arguments = () if declared is None else declared.inputs
        handles = {at for at, argument in enumerate(arguments) if argument.dtype is dtypes.resource}
        name, first = node.name, referred[0] if handles else None
        passes = first is not None and name in self._referred
        changed = self._add("", node.op)
        changed.CopyFrom(node)
        changed.name = self._names.claim(f"{name}/update") if passes else name
        del changed.input[:]
        followed = list(controls)
        for at, (reference, target) in enumerate(zip(inputs, referred, strict=True)):
            if target is None:
                changed.input.append(reference)
            elif at in handles:
                changed.input.append(target.handle)
                followed += [f"^{target.after}"] if target.after and target.after != name else []
            else:
                label = self._names.claim(f"{name}/{target.handle.rpartition('/')[2]}")
                self._read(label, target, controls, node.device)
                changed.input.append(label)
        changed.input.extend(dict.fromkeys(followed))
        if declared is not None and first is not None:
            self._as_resource_op(changed, declared, first)
        if passes and first is not None:
            self._read(name, _Referred(first.handle, changed.name), (), node.device)

    def _variable(self, node: Any) -> None:
        """The handle of a variable."""
        handle = self._add(node.name, "VarHandleOp")
        handle.device = node.device
        handle.input.extend(node.input)
        for name in ("dtype", "shape", "container", "_class"):
            if name in node.attr:
                handle.attr[name].CopyFrom(node.attr[name])
        shared = node.attr["shared_name"].s if "shared_name" in node.attr else b""
        handle.attr["shared_name"].s = shared or node.name.encode()
        handle.attr[BY_REFERENCE].b = True

    @staticmethod
    def _as_resource_op(node: Any, declared: Declaration, referred: _Referred) -> None:
        """Makes a node one of the op of resources, with the attributes that this op has."""
        attrs = {name: node.attr[name] for name in node.attr}
        if "dtype" in declared.attributes and "dtype" not in attrs and "T" in attrs:
            attrs["dtype"] = attrs["T"]
        chosen = {n: type(a).FromString(a.SerializeToString()) for n, a in attrs.items()}
        node.op = declared.name
        node.attr.clear()
        for name, value in chosen.items():
            if name in declared.attributes or name == "_class":
                node.attr[name].CopyFrom(value)


def _checked(node: Any) -> Any:
    """The same node, a variable; ValueError if it is not as its op says."""
    where = f"Node '{node.name}' ({node.op})"
    for name, kind in (("dtype", "type"), ("shape", "shape")):
        if name not in node.attr:
            raise ValueError(f"{where}: attribute '{name}' is missing")
        try:
            get(node.attr[name], kind)
        except ValueError as error:
            raise ValueError(f"{where}: attribute '{name}': {error}") from None
    if any(not reference.startswith("^") for reference in node.input):
        raise ValueError(f"{where}: expected 0 inputs, got {len(node.input)}")
    return node


def _producer(reference: str) -> str | None:
    """The node whose first output an input is; None if it is another output, or a control input."""
    name, _, output = reference.partition(":")
    return None if reference.startswith("^") or output not in ("", "0") else name
