"""Graph: the program as data. `Graph.add` is the only mutation that makes nodes.

Every node is data: op type, inputs, attributes, device, control inputs. Nodes are numbered in creation order, and
inputs exist before the nodes that take them, so creation order is a topological order. Programs, cells and Python
functions are entries of tables of the graph, and attributes refer to them by name (`core/tables.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export, pickled
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.misuse import repr_of
from inlay._src.base.types.attributes import ProtoMessage, read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.text import counted
from inlay._src.core import context, site
from inlay._src.core.collections import Collections
from inlay._src.core.controls import Controls
from inlay._src.core.names import Names
from inlay._src.core.opdef import Effect, OpDef
from inlay._src.core.operation import CREATED, WRITTEN, Operation
from inlay._src.core.pictured import Pictured
from inlay._src.core.tables import ObjectTable, Reference, not_data, references
from inlay._src.core.tensor import SymbolicTensor, Tensor


@export("Graph")
class Graph(Pictured, Collections):
    """A program: nodes, in creation order, and the tables of live objects that their attributes refer to.

    Every graph has its own tables, also the graph of a function, a branch or a loop's body: it is traced before
    anything calls it, and called from several graphs. A `Program` in a table brings its graph along, with its tables.

    Attributes:
      nodes: in creation order.
      host_functions: the functions that its host calls call.
      functions: the `Program`s that its calls, branches and loops run.
      gradients: the gradients that its nodes bring along.
      resources: the live objects behind its constants and handles: variables' cells or keys, generators, lists.
      absent: name of a node of a foreign model that could not be read -> the reason.
    """

    _picture_kind = "graph"
    _building_function = False
    absent: Mapping[str, str] = MappingProxyType({})

    def __init__(self) -> None:
        self.nodes: list[Operation] = []
        self.version: int = 0
        self.finalized: bool = False
        self.seed: int | None = None
        super().__init__()
        self._by_name: dict[str, Operation] = {}
        self._unfeedable: dict[int, Any] = {}  # by identity: eager tensors have no hash
        self._unfetchable: set[Operation] = set()
        self._names = Names()
        self._claimed = ""  # the name that was claimed last
        self._lock = new_rlock()
        self.host_functions: ObjectTable = ObjectTable("host_functions", "pyfunc", self._lock)
        self.functions: ObjectTable = ObjectTable("functions", "function", self._lock)
        self.gradients: ObjectTable = ObjectTable("gradients", "gradient", self._lock)
        self.resources: ObjectTable = ObjectTable("resources", "resource", self._lock)

    # ---- building

    def add(
        self,
        opdef: OpDef,
        inputs: tuple[SymbolicTensor, ...],
        attrs: Mapping[str, Any],
        out_dtypes: Sequence[DType],
        out_dims: Sequence[Dims],
        name: str | None = None,
        host: Any = None,
        effect: Effect | None = None,
        where: site.Site | None = None,
    ) -> Operation:
        """Appends a node. Name scope, control inputs and device come from the context if it is in this graph."""
        state = context.current()
        with self._lock:
            if self.finalized:
                raise RuntimeError("Graph is finalized and cannot be modified. (inlay explain finalized-graph)")
            for t in inputs:
                if not isinstance(t, SymbolicTensor):
                    raise TypeError(f"an input of a node must be a tensor of the graph, got a {type(t).__name__}")
                if t.op.graph is not self:
                    raise ValueError(
                        f"{t} must be from the same graph as the other inputs of {name or opdef.name}; "
                        "it belongs to another one. (inlay explain other-graph)"
                    )
            full = self._node_name(name or opdef.label, state.scope if state.graph is self else context.scope_of(self))
            node = Operation(
                self,
                len(self.nodes),
                full,
                opdef,
                inputs,
                attrs,
                tuple(state.followed(self, inputs)) if state.control else (),
                state.device,
                effect or opdef.effect,
                None if host is None else self.host_functions.key_of(host),
                where or site.caller(1),
                dict(state.overrides).get(opdef.name) if state.overrides else None,
            )
            if len(out_dtypes) == len(out_dims) == 1:
                node._made = SymbolicTensor(node, 0, out_dtypes[0], out_dims[0])
            else:
                pairs = enumerate(zip(out_dtypes, out_dims, strict=True))
                node._made = tuple([SymbolicTensor(node, i, d, s) for i, (d, s) in pairs])
            if state.placing is not None:
                state.placing.place(node)
            self.nodes.append(node)
            self._by_name[full] = node
            if state.control or state.colocated:
                state.note_made(node)
        for tape in state.tapes:
            tape.follow_node(node)
        return node

    def _node_name(self, name: str | bytes, scope: str) -> str:
        """A unique name for a node; "scope/" gives it the scope's own name while no node has that."""
        if isinstance(name, bytes):
            name = name.decode()
        if name.__class__ is str and name.endswith("/"):
            whole = name[:-1]
            if whole not in self._by_name:
                if whole != self._claimed:
                    self._names.note(whole)
                return whole
        return self._names.claim(name, scope)

    def claim_name(self, name: str) -> str:
        """A name for a node that is still to be made, in the current scope: the node should be called `name/`."""
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
        with self._lock:
            self._claimed = self._node_name(name, context.scope_of(self))
            return self._claimed

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name not yet in use, inside the current scope."""
        if not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
        full = context.scope_of(self) + name
        with self._lock:
            return self._names.take(full) if mark_as_used else self._names.free(full)

    def keep_names(self, names: Iterable[str]) -> None:
        """Keeps whole names for nodes that are still to be made, as `name/`: others are made unique beside them."""
        with self._lock:
            for name in names:
                self._names.note(name)

    def outside(self, tensor: SymbolicTensor) -> Any:
        """The outside tensor behind an input of this graph; only functions have such."""
        return None

    def note_change(self) -> None:
        """Existing nodes changed (a shape was asserted, a pullback asked for): plans must be built again."""
        self.version += 1

    def referred(self, reference: Reference) -> Any:
        """The live object that an attribute refers to."""
        return getattr(self, reference.table)[reference.key]

    # ---- scopes

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Ops in the block are added to this graph."""
        with context.building(self):
            yield self

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names in the block start with `name/`. A trailing slash re-opens a scope; None or "" leaves all scopes."""
        state = context.current()
        scope = ""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"The name of a scope must be a string or None, got {type(name).__name__}.")
        if name:
            scope = name if name.endswith("/") else self._names.claim(name, context.scope_of(self)) + "/"
        here = {"scope": scope} if state.graph is self else {"elsewhere": ((self, scope), *state.elsewhere)}
        with context.using(state.replace(**here)):
            yield scope

    building_function: bool = read_only(lambda self: self._building_function, doc="Whether it is that of a function.")

    def entered(self, state: context.State) -> None:
        """Comes into force inside `state`; `init_scope` leaves a graph that is said to be a function's for that."""
        if self._building_function:
            self.outer: Graph | None = state.graph
            self.place: str = state.device

    def get_name_scope(self) -> str:
        """The current name scope, without a trailing slash: "a/b", or "" outside of all."""
        return context.scope_of(self).rstrip("/")

    @contextmanager
    def control_dependencies(self, control_inputs: Sequence[Any] | None) -> Iterator[None]:
        """Nodes created in the block run after `control_inputs`; None clears the outer ones."""
        state, control = context.current(), list[Controls]()
        if control_inputs is not None:
            added = [self.as_operation(c) for c in control_inputs]
            control = [*state.control, Controls([a for a in added if a is not None])]
        with context.using(state.replace(control=tuple(control))):
            yield

    def as_operation(self, item: Any) -> Operation | None:
        """The operation behind a control input; None for values that exist already."""
        if isinstance(item, Operation):
            return item
        if isinstance(item, SymbolicTensor):
            return item.op
        if isinstance(item, Tensor):
            return None
        convert = getattr(item, "__inlay_control__", None)
        if convert is not None:
            return convert()  # type: ignore[no-any-return]
        raise TypeError(f"Can not convert a {type(item).__name__} into a Tensor or Operation.")

    @contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Iterator[None]:
        """Nodes of the given types created in the block use the gradients registered under the given names."""
        if not isinstance(op_type_map, Mapping):
            raise TypeError("`op_type_map` must be a dictionary mapping strings to strings")
        for key, value in op_type_map.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"`op_type_map` must map strings to strings; got {key!r}: {value!r}")
        state = context.current()
        with context.using(state.replace(overrides=tuple((dict(state.overrides) | dict(op_type_map)).items()))):
            yield

    def device(self, device_name_or_function: Any) -> AbstractContextManager[None]:
        """Nodes created in the block are placed on a device."""
        return context.device_v1(device_name_or_function)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
        """Nodes created in the block are placed where another operation was: see `tf.compat.v1.colocate_with`."""
        return context.colocate_with(op, ignore_existing)

    def switch_to_thread_local(self) -> None:
        """Does nothing: each thread has scopes of its own anyway."""

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds a node by the name of its op, as TensorFlow declares it.

        Args:
          op_type, name, inputs: the op, the node's name, and tensors of this graph.
          attrs: `AttrValue` messages; types of inputs need not be among them.
          dtypes, input_types, op_def, compute_shapes, compute_device: accepted; the op says them.

        Raises:
          TypeError, ValueError: if an input is no tensor, there is no such op, or the node is none of it.
        """
        return CREATED["Graph"](self, op_type, inputs, name or op_type, attrs or {})

    # ---- looking things up

    def get_operations(self) -> list[Operation]:
        """The nodes in creation order."""
        return list(self.nodes)

    def get_operation_by_name(self, name: str) -> Operation:
        """The node called `name`; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings, not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)  # type: ignore[no-any-return]

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor called `node:index`."""
        return self.as_graph_element(name, allow_operation=False)  # type: ignore[no-any-return]

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation that `obj` (an object or a name) stands for.

        Raises:
          ValueError, KeyError, TypeError: with TensorFlow's wording if there is none.
        """
        convert = getattr(obj, "__inlay_graph_element__", None)
        item = obj if convert is None else convert()
        kinds = " or ".join(k for k, on in (("Tensor", allow_tensor), ("Operation", allow_operation)) if on)
        if isinstance(item, (str, bytes)):
            return self._by_text(item.decode() if isinstance(item, bytes) else item, allow_tensor, allow_operation)
        if isinstance(item, SymbolicTensor) and allow_tensor:
            if item.op.graph is not self:
                raise ValueError(f"Tensor {item} is not an element of this graph. (inlay explain other-graph)")
            return item
        if isinstance(item, Operation) and allow_operation:
            if item.graph is not self:
                raise ValueError(f"Operation {item!r} is not an element of this graph. (inlay explain other-graph)")
            return item
        raise TypeError(f"Can not convert a {type(item).__name__} into a {kinds}.")

    def _by_text(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if (reason := self.absent.get(name.partition(":")[0])) is not None:
            raise errors.UnimplementedError(None, None, f"the graph has no {name!r}: {reason}")
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not an Operation.")
            node_name, _, index = name.rpartition(":")
            if not index.isdecimal():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names "
                    'must be of the form "<op_name>:<output_index>".'
                )
            node = self._by_name.get(node_name)
            if node is not None and int(index) < len(node.outputs):
                return node.outputs[int(index)]
            has = f"exists but only has {len(node.outputs)} outputs" if node else "does not exist in the graph"
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {node_name!r}, {has}."
            )
        if not allow_operation:
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of the "
                'form "<op_name>:<output_index>".'
            )
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a tensor may be in a `feed_dict`."""
        return id(tensor) not in self._unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Forbids to feed a tensor."""
        self._unfeedable[id(tensor)] = tensor
        self.note_change()

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a tensor or operation may be fetched."""
        return getattr(tensor_or_op, "op", tensor_or_op) not in self._unfetchable

    def prevent_fetching(self, op: Operation) -> None:
        """Forbids to fetch an operation or its tensors."""
        self._unfetchable.add(op)
        self.note_change()

    def session_for(self, session: Any, what: str) -> Any:
        """`session`, or the default one; ValueError if there is none for this graph."""
        current = session if session is not None else context.DEFAULT_SESSION.get()
        if current is None:
            raise ValueError(
                f"Cannot evaluate {what} using `eval()` or `run()`: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session. (inlay explain no-default-session)"
            )
        if current.graph is not self:
            raise ValueError(
                f"Cannot use the default session to evaluate {what}: the {what}'s graph is different from the "
                "session's graph. Pass an explicit session."
            )
        return current

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, use_pybind11_proto: bool = False
    ) -> ProtoMessage:
        """The graph as a `tf.compat.v1.GraphDef`, which `import_graph_def` reads, and readers of TensorFlow do.

        Args:
          from_version: leaves out the first so many nodes.
          add_shapes: whether each node says the shapes of its outputs, in the attribute `_output_shapes`.
          use_pybind11_proto: accepted and ignored.
        """
        return WRITTEN["Graph"](self, from_version, add_shapes)

    def finalize(self) -> None:
        """Forbids further nodes."""
        self.finalized = True

    def verify(self) -> None:
        """Checks the invariants: inputs exist before use and belong here, names are unique, attributes are data.

        Raises:
          errors.InternalError: naming the first node that breaks one, and the attribute.
        """
        for i, node in enumerate(self.nodes):
            if node.index != i or self._by_name.get(node.name) is not node:
                raise errors.InternalError(None, node, f"{node!r} is not registered under its index and name")
            uses: tuple[SymbolicTensor | Operation, ...] = (*node.inputs, *node._controls)
            for t in uses:
                before = t.op if isinstance(t, SymbolicTensor) else t
                if before.graph is not self or before.index >= i:
                    raise errors.InternalError(None, node, f"{node!r} takes {t!r}, which does not come before it")
                if isinstance(t, SymbolicTensor) and not any(t is o for o in (*before.outputs, before._pullback)):
                    raise errors.InternalError(None, node, f"{node!r} takes {t!r}, which is not an output of its node")
            self._verify_attributes(node)
        for key in self.functions:
            self.functions[key].graph.verify()

    def _verify_attributes(self, node: Operation) -> None:
        if node.token is not None and node.token not in self.host_functions:
            raise errors.InternalError(None, node, f"{node!r} calls {node.token!r}, an unknown host function")
        for name, value in node.attrs.items():
            for live in not_data(value):
                raise errors.InternalError(
                    None, node, f"attribute {name!r} of {node!r} is not data: it has {live!r}, a {type(live).__name__}"
                )
            for reference in references(value):
                table = getattr(self, reference.table, None)
                if not isinstance(table, ObjectTable) or reference.key not in table:
                    raise errors.InternalError(
                        None, node, f"attribute {name!r} of {node!r} refers to {reference}, which is not in the graph"
                    )

    def __repr__(self) -> str:
        return f"<Graph at {id(self):#x}: {self._summary()}>"

    def _summary(self) -> str:
        """The number of its nodes, and whether more can be added."""
        parts = [counted(len(self.nodes), "operation")]
        if self.host_functions:
            parts.append(counted(len(self.host_functions), "Python function"))
        return ", ".join([*parts, "finalized"] if self.finalized else parts)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return pickled(self)


_default_graph: Graph | None = None


@export("get_default_graph")
def default_graph() -> Graph:
    """The current graph, or the process's default graph while executing eagerly."""
    graph = context.current().graph
    return graph if graph is not None else global_graph()


def global_graph() -> Graph:
    """The process's default graph, made on first use."""
    global _default_graph
    base = context.base().graph
    if base is not None:
        return base
    if _default_graph is None:
        _default_graph = Graph()
    return _default_graph


@export("reset_default_graph")
def reset_default_graph() -> None:
    """Replaces the process's default graph by an empty one.

    Raises:
      AssertionError: inside `with graph.as_default()`, or while a function is traced.
    """
    global _default_graph
    if context.current().graph not in (None, context.base().graph):
        advice = "If you need a cleared graph, exit the nesting and create a new graph."
        raise AssertionError(f"Do not use tf.reset_default_graph() to clear nested graphs. {advice}")
    _default_graph = None
    base = context.base()
    if base.graph is not None:
        context.set_base(context.State(graph=Graph()))


def static_value_of(tensor: SymbolicTensor) -> np.ndarray | None:
    """A tensor's value if it is known, or can be computed, while building."""
    return None if (value := tensor.op.static_value(tensor.value_index)) is None else np.asarray(value)


def static_size(value: Any) -> int | None:
    """A number as a size if it is known, or can be computed, while building; else None."""
    size = static_value_of(value) if isinstance(value, SymbolicTensor) else constant_of(value)
    return int(size.item()) if size is not None and size.dtype.kind in "iuf" and size.size == 1 and size >= 0 else None


def constant_of(tensor: Any) -> np.ndarray | None:
    """A tensor's value if it is known while building, else None."""
    value = tensor.op.constant_value() if isinstance(tensor, SymbolicTensor) else getattr(tensor, "_value", tensor)
    try:
        return None if value is None else np.asarray(value)
    except NotImplementedError:  # a list that holds a symbolic tensor
        return None
    except ValueError as error:
        raise ValueError(f"Expected numbers, or lists of one length, got {repr_of(value)}") from error
