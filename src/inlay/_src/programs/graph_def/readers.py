"""Nodes declared otherwise here than by TensorFlow: constants, variables, draws, slices, Python functions.

Ops that are several ops here are in `composed`, calls, branches and loops in `program_readers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import constant_in, symbolic
from inlay._src.core.opdef import OPS, Effect, OpDef
from inlay._src.core.operation import Operation
from inlay._src.core.site import caller, of_function
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor
from inlay._src.host.record import HostFunction, Leaf, Mode, Outputs, ResultForm
from inlay._src.ops import indexing
from inlay._src.ops.hash_tables.table_ops import HANDLES
from inlay._src.ops.hash_tables.table_state import TableKey, TableSpec
from inlay._src.ops.seeds import RandomKey, RandomState
from inlay._src.ops.state import HandleKey
from inlay._src.programs.graph_def.attributes import array_in
from inlay._src.programs.graph_def.checking import internal_attributes
from inlay._src.programs.graph_def.forms import DRAWS, STATE
from inlay._src.programs.graph_def.host_functions import BODY, AbsentFunction
from inlay._src.programs.graph_def.reading import READERS, GraphReader, NodeMessage, aliased, build_exactly
from inlay._src.programs.graph_def.reference_variables import BY_REFERENCE

# ---------------------------------------------------------------- sources


def _constant(site: GraphReader, node: NodeMessage) -> Operation:
    value, dtype = array_in(node.message.attr["value"].tensor)
    if dtype is not node.attrs["dtype"]:
        raise ValueError(f"attribute 'value' is {dtype.name}, and attribute 'dtype' {node.attrs['dtype'].name}")
    value.flags.writeable = False
    held = value if value.ndim or dtype is dtypes.string else value[()]
    attrs = {"value": held, "dtype": dtype, **internal_attributes(node.message)}
    return site.graph.add(OPS["Const"], (), attrs, (dtype,), (value.shape,), node.name)


def _placeholder(site: GraphReader, node: NodeMessage) -> Operation:
    dtype, shape = node.attrs["dtype"], node.attrs["shape"]
    attrs = {"dtype": dtype, "shape": shape, **internal_attributes(node.message)}
    return site.graph.add(OPS["Placeholder"], (), attrs, (dtype,), (shape._dims,), node.name)


READERS.update({"Const": _constant, "Placeholder": _placeholder, "PlaceholderV2": _placeholder})


# ---------------------------------------------------------------- variables


def _shared_name(node: NodeMessage) -> str:
    """The shared name of a variable or table, the same for all nodes that refer to it."""
    name = node.attrs["shared_name"] or node.name.rstrip("/")
    if not isinstance(name, str):
        raise ValueError(f"its shared_name is not a text: {name!r:.80}")
    return name


def _stateful(site: GraphReader, node: NodeMessage, opdef: OpDef, key: Any) -> Operation:
    """The handle of a variable or table, whose state a session makes; a function has no session and makes it here."""
    if not site.graph.building_function:
        attrs = {"handle": site.graph.resources.add(key, key.name), **internal_attributes(node.message)}
        return site.graph.add(opdef, (), attrs, (dtypes.resource,), ((),), node.name)
    state = site.states.setdefault(id(key), EagerTensor(key.make(), dtypes.resource))
    if not site.in_function and getattr(site.graph, "in_v1", False):  # captured, so that tapes see what it reads
        return symbolic(state, site.graph, node.name).op
    return constant_in(site.graph, state, node.name).op


def _handle(site: GraphReader, node: NodeMessage) -> Operation:
    """The handle of a variable; nodes that name the same one share it."""
    name = _shared_name(node)
    key = site.shared.get(name)
    if key is None:
        key = HandleKey(name, node.attrs["dtype"], node.attrs["shape"]._dims, node.attrs["dtype"].is_trainable)
        key.by_reference = BY_REFERENCE in node.message.attr
        site.shared[name] = key
    elif key.dtype is not node.attrs["dtype"]:
        raise ValueError(f"the variable '{name}' is {key.dtype.name} elsewhere in the graph")
    return _stateful(site, node, OPS["VarHandleOp"], key)


def _read(site: GraphReader, node: NodeMessage) -> Operation:
    key = handle_key(node.inputs[0])
    is_typed = key is not None and key.dtype is node.attrs["dtype"]
    read = aliased(site, node, OPS["ReadVariableOp"], shape=key.dims if is_typed else None)
    if isinstance(key, HandleKey) and key.by_reference and key.read is None and not read.control_inputs:
        key.read = read.outputs[0]  # a reference is fetched as its value
    return read


READERS.update({"VarHandleOp": _handle, "ReadVariableOp": _read})


def _table(site: GraphReader, node: NodeMessage) -> Operation:
    """The handle of a table; nodes that name the same one share it."""
    kind, dims = node.message.op.removesuffix("V2"), ()
    if "value_shape" in node.attrs:
        dims = tuple(node.attrs["value_shape"].as_list())
    return _table_of(site, node, TableSpec(kind, node.attrs["key_dtype"], node.attrs["value_dtype"], value_dims=dims))


def _dense_table(site: GraphReader, node: NodeMessage) -> Operation:
    """The handle of a table that is made of the keys that it does not take."""
    empty, deleted = node.value(0, "empty_key"), node.value(1, "deleted_key")
    reserved = {_plain_key(empty): "empty_key", _plain_key(deleted): "deleted_key"}
    if len(reserved) != 2 or empty.shape != deleted.shape:
        raise ValueError("Empty and deleted keys cannot be equal")
    spec = TableSpec(
        "MutableDenseHashTable",
        node.attrs["key_dtype"],
        node.attrs["value_dtype"],
        empty.shape,
        tuple(node.attrs["value_shape"].as_list()),
        reserved,
        node.attrs["initial_num_buckets"],
    )
    return _table_of(site, node, spec)


def _plain_key(key: Any) -> Any:
    """A key as tables have it."""
    return tuple(key.ravel().tolist()) if key.ndim else key.item()


def _table_of(site: GraphReader, node: NodeMessage, spec: TableSpec) -> Operation:
    name, kind = _shared_name(node), spec.kind
    key = site.shared.setdefault(f"table {name}", TableKey(spec, name))
    if key.spec != spec:
        raise ValueError(f"the table '{name}' is another one elsewhere in the graph")
    return _stateful(site, node, HANDLES[kind], key)


READERS.update({f"{kind}V2": _table for kind in HANDLES} | {"MutableDenseHashTableV2": _dense_table})


# ---------------------------------------------------------------- draws


def _drawn(site: GraphReader, node: NodeMessage) -> Operation:
    seeds = node.attrs["seed"], node.attrs["seed2"]
    chosen = None if seeds == (0, 0) else seeds
    if site.in_function or site.graph.building_function:  # a function has no session: it brings its state along
        state = EagerTensor(RandomState(node.message.op, chosen), dtypes.resource)
        handle = constant_in(site.graph, state, f"{node.name}state/")
    else:
        handle = _state(site, RandomKey(node.message.op, chosen), f"{node.name}state/").outputs[0]
    return aliased(site, node, OPS[node.message.op], [handle, *node.inputs])


def _state(site: GraphReader, key: RandomKey, name: str) -> Operation:
    """The state of a draw of a graph."""
    attrs = {"handle": site.graph.resources.add(key, "random_state"), "dtype": dtypes.variant}
    return site.graph.add(OPS["RandomStateOp"], (), attrs, (dtypes.resource,), ((),), name)


def _read_state(site: GraphReader, node: NodeMessage) -> Operation:
    seeds = node.attrs["seeds"]
    if len(seeds) not in (0, 2):
        raise ValueError(f"attribute 'seeds': expected two numbers or none, got {len(seeds)}")
    return _state(site, RandomKey(node.attrs["name"], tuple(seeds) or None), node.name)


READERS.update(dict.fromkeys(DRAWS, _drawn))
READERS[STATE] = _read_state


# ---------------------------------------------------------------- slices


def _sliced(site: GraphReader, node: NodeMessage) -> Operation:
    masks = {name: node.attrs[name] for name in node.attrs if name.endswith("_mask")}
    vectors = [site.entries(r) for r in list(node.message.input)[1:4]]
    with site.inside(node):
        items = indexing.sliced_items(node.inputs[0], *vectors, **masks)
        index, dynamic = indexing.parsed(items)
    attrs = {"index": index, **internal_attributes(node.message)}
    return build_exactly(site, OPS["StridedSlice"], [node.inputs[0], *dynamic], attrs, node.name)


READERS["StridedSlice"] = _sliced


# ---------------------------------------------------------------- other names


def _as(name: str, **more: Any) -> Any:
    def read(site: GraphReader, node: NodeMessage) -> Operation:
        return aliased(site, node, OPS[name], **more)

    return read


def _adjoint(site: GraphReader, node: NodeMessage) -> Operation:
    kinds = {node.attrs[k] for k in ("Ta", "Tb", "Tout", "T") if k in node.attrs}
    if len(kinds) > 1:
        raise ValueError("the factors and the product must have one dtype: cast them first")
    return aliased(site, node, OPS["BatchMatMulV2"])


def _gathered(site: GraphReader, node: NodeMessage) -> Operation:
    return aliased(site, node, OPS["GatherV2"], node.inputs[:2], axis=0, batch_dims=0)


def decomposed(site: GraphReader, node: NodeMessage) -> Operation:
    if node.attrs["T"].is_complex or not node.attrs["compute_uv"]:
        raise ValueError("only singular vectors of real matrices are read")
    return aliased(site, node, OPS["Svd"], Treal=node.attrs["T"])


def _nothing(site: GraphReader, node: NodeMessage) -> Operation:
    """A node that changes how a value is kept, which makes no difference here."""
    return aliased(site, node, OPS["NoOp"], ())


READERS.update(
    {
        "Add": _as("AddV2"),
        "BatchMatMul": _adjoint,
        "BatchMatMulV2": _adjoint,
        "BatchMatMulV3": _adjoint,
        "ControlTrigger": _as("NoOp"),
        "DeepCopy": _as("Identity"),
        "DisableCopyOnRead": _nothing,
        "Gather": _gathered,
        "InTopK": _as("InTopKV2"),
        "PreventGradient": _as("Identity"),
        **{f"Segment{name}V2": _as(f"UnsortedSegment{name}") for name in ("Max", "Min", "Prod", "Sum")},
        "Snapshot": _as("Identity"),
        "TopK": _as("TopKV2"),
        "_EagerConst": _as("Identity"),
    }
)


# ---------------------------------------------------------------- Python functions


def _host_call(site: GraphReader, node: NodeMessage) -> Operation:
    if BODY in node.message.attr and site.hosts is not None:
        host = site.hosts(node.message.attr[BODY].func.name)
        if host is not None and not isinstance(host, HostFunction):
            raise ValueError(f"attribute '{BODY}' names no Python function: {type(host).__name__}")
        if host is not None:
            return add_host_call(site, node, _declared(node, host))
    op, token = OPS[node.message.op], node.attrs["token"]
    mode = Mode.EAGER if op.name == "EagerPyFunc" else Mode.NUMPY
    outputs = Outputs(ResultForm.LIST, tuple(Leaf(d, None) for d in node.attrs["Tout"]))
    effect = Effect.PURE if op.name == "PyFuncStateless" else Effect.STATEFUL
    supplied = None if site.foreign is None else site.foreign.host_function(node.message.name, str(token))
    label = f"{token} (not here)" if supplied is None else of_function(supplied)
    host = HostFunction(supplied or AbsentFunction(str(token)), mode, outputs, effect, label, caller())
    return add_host_call(site, node, host)


def _declared(node: NodeMessage, host: HostFunction) -> HostFunction:
    """A host function, if a node calls it as what it is.

    Raises:
      ValueError: if not.
    """
    kinds, dtypes_ = [leaf.dtype for leaf in host.outputs.leaves], list(node.attrs["Tout"])
    mode, effect = Mode.EAGER if node.message.op == "EagerPyFunc" else Mode.NUMPY, host.effect
    if (
        kinds != dtypes_
        or mode is not host.mode
        or (node.message.op == "PyFuncStateless") != (effect is Effect.PURE and mode is Mode.NUMPY)
    ):
        raise ValueError(f"it calls {host.label} as a {node.message.op} that gives {dtypes_}, which that is not")
    return host


def add_host_call(site: GraphReader, node: NodeMessage, host: HostFunction) -> Operation:
    """A call of a host function whose inputs and outputs the node declares."""
    leaves = host.outputs.leaves
    kinds, dims = [leaf.dtype for leaf in leaves], [leaf.dims for leaf in leaves]
    attrs: Mapping[str, Any] = {"num": len(leaves)}
    op = OPS[node.message.op]
    return site.graph.add(op, tuple(node.inputs), attrs, kinds, dims, node.name, host, host.effect, host.site)


READERS.update(dict.fromkeys(("PyFunc", "PyFuncStateless", "EagerPyFunc"), _host_call))
