"""Models without a manifest that an enemy may have written, and what each is refused with.

All start from models that TensorFlow saved. Some are those that a fuzzer of TensorFlow found: attributes of the wrong
kind, a constant without a value, a negative shape.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from inlay._src.base.protos.saved_model import AssetFileDef, SavedModel
from inlay._src.base.types import dtypes
from inlay._src.saved.container import GRAPH
from inlay._src.training import tensor_bundle
from tests.unit.saved.hostile_models import HUGE, Change, add_call

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
PREFIX = "variables/variables"
INDEX = PREFIX + tensor_bundle.INDEX
FLOAT, STRING, INT64 = 1, 7, 9


# ---------------------------------------------------------------- changes


def meta(change: Callable[[Any], Any]) -> Change:
    """A change of the `MetaGraphDef`."""

    def changed(path: Path) -> None:
        read = SavedModel.FromString((path / GRAPH).read_bytes())
        change(read.meta_graphs[0])
        (path / GRAPH).write_bytes(read.SerializeToString())

    return changed


def nodes(change: Callable[[Any], Any]) -> Change:
    """A change of the list of objects."""
    return meta(lambda m: change(m.object_graph_def.nodes))


def function(stem: str, change: Callable[[Any], Any]) -> Change:
    """A change of the function whose name begins so."""

    def changed(m: Any) -> None:
        change(next(f for f in m.graph_def.library.function if f.signature.name.startswith(f"__inference_{stem}")))

    return meta(changed)


def trace(stem: str, change: Callable[[Any], Any]) -> Change:
    """A change of what a model says of a trace."""

    def changed(m: Any) -> None:
        traces = m.object_graph_def.concrete_functions
        change(traces[next(name for name in traces if name.startswith(f"__inference_{stem}"))])

    return meta(changed)


def checkpoint(change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> Change:
    """A change of the checkpoint: of its values by name, and of its tree of objects."""

    def changed(path: Path) -> None:
        prefix = str(path / PREFIX)
        with tensor_bundle.TensorBundleReader(prefix) as reader:
            values = {name: (reader.read(name), reader.dtype(name)) for name in reader.entries}
            extra = dict(reader.manifest)
        values = {name: value for name, value in values.items() if not name.startswith("_CHECKPOINTABLE")}
        change(values, extra)
        shutil.rmtree(path / "variables")
        (path / "variables").mkdir()
        tensor_bundle.write(prefix, values, extra)

    return changed


def of_kind(kind: str, listed: Any) -> list[Any]:
    """The objects of a kind."""
    return [node for node in listed if node.WhichOneof("kind") == kind]


def constant(node_list: Any, name: str, dtype: int, values: list[Any]) -> None:
    """Adds a constant to the nodes of a graph."""
    node = node_list.add(name=name, op="Const")
    node.attr["dtype"].type = dtype
    tensor = node.attr["value"].tensor
    tensor.dtype = dtype
    {STRING: tensor.string_val, INT64: tensor.int64_val, FLOAT: tensor.float_val}[dtype].extend(values)
    tensor.tensor_shape.SetInParent()


# ---------------------------------------------------------------- graphs


def negative_shape(f: Any) -> None:
    node = f.node_def.add(name="bad", op="Const")
    node.attr["dtype"].type = FLOAT
    node.attr["value"].tensor.dtype = FLOAT
    node.attr["value"].tensor.tensor_shape.dim.add(size=-5)
    node.attr["value"].tensor.float_val.append(1.0)


def no_value(f: Any) -> None:
    f.node_def.add(name="bad", op="Const").attr["dtype"].type = FLOAT


def bad_attribute(f: Any) -> None:
    for node in f.node_def:
        for name in ("T", "dtype", "Tout"):
            if name in node.attr:
                node.attr[name].s = b"\xff\xfe"


def huge_constant(f: Any) -> None:
    node = f.node_def.add(name="bad", op="Const")
    node.attr["dtype"].type = FLOAT
    node.attr["value"].tensor.dtype = FLOAT
    for _ in range(3):
        node.attr["value"].tensor.tensor_shape.dim.add(size=HUGE)
    node.attr["value"].tensor.float_val.append(1.0)


def calls_itself(f: Any) -> None:
    add_call(f, f.signature.name)


def function_twice(m: Any) -> None:
    m.graph_def.library.function.add().CopyFrom(m.graph_def.library.function[0])


def argument_of_a_shape(f: Any) -> None:
    f.arg_attr[0].attr["_output_shapes"].list.shape.add().dim.add(size=-9)


# ---------------------------------------------------------------- what runs while a model is loaded


def initializer(change: Callable[[Any], Any]) -> Change:
    """A change of the function that fills the table of `vocabulary_file`."""
    return function("_initializer", change)


def writes(path: Path) -> None:
    """A table that is filled with the help of a file that it writes."""

    def change(f: Any) -> None:
        constant(f.node_def, "target", STRING, [str(path.parent / "mark").encode()])
        constant(f.node_def, "text", STRING, [b"boom"])
        f.node_def.add(name="writing", op="WriteFile", input=["target:output:0", "text:output:0"])

    initializer(change)(path)


def reads(f: Any) -> None:
    constant(f.node_def, "target", STRING, [b"/etc/passwd"])
    f.node_def.add(name="reading", op="ReadFile", input=["target:output:0"])


def fills_from(f: Any) -> None:
    constant(f.node_def, "target", STRING, [b"/etc/passwd"])
    node = next(n for n in f.node_def if n.op == "InitializeTableFromTextFileV2")
    node.input[1] = "target:output:0"


def fills_from_a_constant(m: Any) -> None:
    """The captured path is a constant of the model instead of its file."""
    constant(m.graph_def.node, "target", STRING, [b"/etc/passwd"])
    added = m.object_graph_def.nodes.add()
    added.constant.operation = "target"
    traces = m.object_graph_def.concrete_functions
    said = next(traces[name] for name in traces if name.startswith("__inference__initializer"))
    said.bound_inputs[0] = len(m.object_graph_def.nodes) - 1


def restores(f: Any) -> None:
    for name, value in (("target", b"/etc/passwd"), ("names", b"x"), ("parts", b"")):
        constant(f.node_def, name, STRING, [value])
    inputs = ["target:output:0", "names:output:0", "parts:output:0"]
    f.node_def.add(name="restoring", op="RestoreV2", input=inputs).attr["dtypes"].list.type.append(STRING)


def calls_python(f: Any) -> None:
    node = f.node_def.add(name="python", op="EagerPyFunc")
    node.attr["token"].s = b"pyfunc_0"
    for side in ("Tin", "Tout"):
        node.attr[side].list.SetInParent()


def fills_memory(f: Any) -> None:
    node = f.node_def.add(name="sizes", op="Const")
    node.attr["dtype"].type = INT64
    node.attr["value"].tensor.dtype = INT64
    node.attr["value"].tensor.tensor_shape.dim.add(size=2)
    node.attr["value"].tensor.int64_val.extend([1 << 20, 1 << 16])
    constant(f.node_def, "zero", FLOAT, [0.0])
    filled = f.node_def.add(name="filled", op="Fill", input=["sizes:output:0", "zero:output:0"])
    filled.attr["T"].type, filled.attr["index_type"].type = FLOAT, INT64


def repeats(m: Any) -> None:
    """A loop that never ends, which the initializer runs."""
    functions = m.graph_def.library.function
    for name, result in (("always", 10), ("same", FLOAT)):
        f = functions.add()
        f.signature.name = name
        f.signature.input_arg.add(name="v", type=FLOAT)
        f.signature.output_arg.add(name="r", type=result)
        f.ret["r"] = "v"
    node = functions[-2].node_def.add(name="yes", op="Equal", input=["v", "v"])
    node.attr["T"].type = FLOAT
    functions[-2].ret["r"] = "yes:z:0"
    f = next(f for f in functions if f.signature.name.startswith("__inference__initializer"))
    constant(f.node_def, "one", FLOAT, [1.0])
    loop = f.node_def.add(name="loop", op="While", input=["one:output:0"])
    loop.attr["T"].list.type.append(FLOAT)
    loop.attr["cond"].func.name, loop.attr["body"].func.name = "always", "same"


def main_op(op: str, inputs: dict[str, bytes], types: dict[str, list[int]] | None = None) -> Change:
    """A graph of a session whose main operation does something else."""

    def changed(path: Path) -> None:
        def change(m: Any) -> None:
            for name, value in inputs.items():
                text = value.replace(b"MARK", str(path.parent / "mark").encode())
                constant(m.graph_def.node, name, STRING, [text])
            node = m.graph_def.node.add(name="boom", op=op, input=list(inputs))
            for attribute, kinds in (types or {}).items():
                node.attr[attribute].list.type.extend(kinds)
            if op == "EagerPyFunc":
                node.attr["token"].s = b"pyfunc_0"
            init = m.graph_def.node.add(name="boom_group", op="NoOp", input=["^boom"])
            info = m.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"]
            info.name = init.name

        meta(change)(path)

    return changed


def table_of(m: Any) -> None:
    """The file of the table of a session's graph is not fed, but a constant of its own."""
    constant(m.graph_def.node, "other", STRING, [b"/etc/passwd"])
    for node in m.graph_def.node:
        if node.op == "InitializeTableFromTextFileV2":
            node.input[1] = "other"


def assigns_a_path(m: Any) -> None:
    """The variable that holds the path of a file is another one's handle too, which gets another path."""
    constant(m.graph_def.node, "other", STRING, [b"/etc/passwd"])
    handle = m.graph_def.node.add()
    handle.CopyFrom(next(n for n in m.graph_def.node if n.name == "Variable"))
    handle.name = "again"
    handle.attr["shared_name"].s = b"Variable"
    m.graph_def.node.add(name="assigned", op="AssignVariableOp", input=["again", "other"]).attr["dtype"].type = STRING
    next(n for n in m.graph_def.node if n.name == "NoOp").input.append("^assigned")
    del m.object_graph_def.nodes[:]


def restores_elsewhere(m: Any) -> None:
    """The restore operation reads another checkpoint."""
    constant(m.graph_def.node, "other", STRING, [b"/etc/passwd"])
    for node in m.graph_def.node:
        if node.op == "RestoreV2":
            node.input[0] = "other"


# ---------------------------------------------------------------- objects


def deep_structure(said: Any) -> None:
    """A signature ten thousand deep; the parser of messages would refuse it written out, so it is put together."""
    inner = said.output_signature
    for _ in range(90):
        inner = inner.list_value.values.add()
    inner.int64_value = 1


def deep_bytes(path: Path) -> None:
    """The same, in bytes, ten thousand deep."""

    def field(number: int, data: bytes) -> bytes:
        size, length = len(data), b""
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        return bytes([*_varint(number << 3 | 2)]) + length + bytes([size]) + data

    value = b""
    for _ in range(10_000):
        value = field(51, field(1, value))
    entry = field(1, b"deep") + field(2, field(4, value))
    graph = field(7, field(2, entry))
    (path / GRAPH).write_bytes((path / GRAPH).read_bytes() + field(2, graph))


def _varint(number: int) -> list[int]:
    return [number] if number < 128 else [number & 127 | 128, *_varint(number >> 7)]


def many_fields(said: Any) -> None:
    said.output_signature.named_tuple_value.name = "Many"
    one = said.output_signature.named_tuple_value.values.add()
    one.key, one.value.int64_value = "a", 1
    data = said.output_signature.named_tuple_value.SerializeToString()
    said.output_signature.named_tuple_value.ParseFromString(data + data[6:] * 100_000)


def field_names(said: Any) -> None:
    said.output_signature.named_tuple_value.name = "__import__('os').system('true')"
    one = said.output_signature.named_tuple_value.values.add()
    one.key, one.value.int64_value = "import os", 1


def list_of(*names: str) -> Change:
    """A list whose items are at such places."""

    def change(listed: Any) -> None:
        added = listed.add()
        added.user_object.identifier = "trackable_list_wrapper"
        for name in names:
            added.children.add(local_name=name, node_id=0)
        listed[0].children.add(local_name="items", node_id=len(listed) - 1)

    return nodes(change)


def circle_of_resources(listed: Any) -> None:
    """A table that is made by a function that captures the table."""
    table = next(n for n in listed if any(c.local_name == "_create_resource" for c in n.children))
    number = list(listed).index(table)
    for child in table.children:
        if child.local_name == "_create_resource":
            child.node_id = number


def created_by_itself(m: Any) -> None:
    traces = m.object_graph_def.concrete_functions
    creator = next(traces[name] for name in traces if name.startswith("__inference__creator"))
    creator.bound_inputs.append(1)


def chain_of_resources(listed: Any) -> None:
    for number in range(500):
        added = listed.add()
        added.resource.SetInParent()
        following = len(listed) if number < 499 else 0
        added.children.add(local_name="_create_resource", node_id=following)


def captures_nowhere(m: Any) -> None:
    for said in m.object_graph_def.concrete_functions.values():
        for at in range(len(said.bound_inputs)):
            said.bound_inputs[at] = 10**6


def captured_tensor(m: Any) -> None:
    added = m.object_graph_def.nodes.add()
    added.captured_tensor.name = "nowhere:7"
    added.captured_tensor.concrete_function = "nothing"
    number = len(m.object_graph_def.nodes) - 1
    for said in m.object_graph_def.concrete_functions.values():
        for at in range(len(said.bound_inputs)):
            said.bound_inputs[at] = number


def gradient_of(change: Callable[[Any, Any], Any]) -> Change:
    """A change of a registered gradient, and of what the model says of its function."""

    def changed(m: Any) -> None:
        registered = m.graph_def.library.registered_gradients[0]
        change(registered, m.object_graph_def.concrete_functions[registered.gradient_func])

    return meta(changed)


def thousand_variables(path: Path) -> None:
    """A thousand variables of one value of four megabytes."""

    def change(values: dict[str, Any], extra: dict[str, Any]) -> None:
        values["large"] = np.zeros(1 << 20, np.float32), dtypes.float32
        root = extra["objects"][0]
        for number in range(1000):
            extra["objects"].append({"children": {}, "value": "large", "name": "v"})
            root["children"][f"v{number}"] = len(extra["objects"]) - 1

    checkpoint(change)(path)

    def more(listed: Any) -> None:
        for number in range(1000):
            added = listed.add()
            added.variable.dtype = FLOAT
            added.variable.shape.dim.add(size=1 << 20)
            listed[0].children.add(local_name=f"v{number}", node_id=len(listed) - 1)

    nodes(more)(path)


def other_values(make: Callable[[np.ndarray], Any]) -> Change:
    """Other values of all variables."""

    def change(values: dict[str, Any], extra: dict[str, Any]) -> None:
        for name, (array, _) in list(values.items()):
            other = make(array)
            values[name] = other, dtypes.FROM_NUMPY[other.dtype]

    return checkpoint(change)


def asset_named(name: str) -> Change:
    """Another name for the file of a model: it is in a list of its own, or in a collection of a session's graph."""

    def change(m: Any) -> None:
        for said in m.asset_file_def:
            said.filename = name
        for item in m.collection_def["saved_model_assets"].any_list.value:
            said = AssetFileDef.FromString(item.value)
            said.filename = name
            item.value = said.SerializeToString()

    return meta(change)


def shapes(listed: Any, size: int) -> None:
    """One more axis for every variable."""
    for node in of_kind("variable", listed):
        node.variable.shape.dim.add(size=size)


def restores_a_thousand(path: Path) -> None:
    """A session's graph whose restore operation reads one value of four megabytes a thousand times."""

    def change(values: dict[str, Any], extra: dict[str, Any]) -> None:
        values["large"] = np.zeros(1 << 20, np.float32), dtypes.float32

    checkpoint(change)(path)

    def more(m: Any) -> None:
        node = next(n for n in m.graph_def.node if n.op == "RestoreV2")
        messages = {n.name: n for n in m.graph_def.node}
        for number, text in ((1, b"large"), (2, b"")):
            tensor = messages[node.input[number]].attr["value"].tensor
            tensor.string_val.extend([text] * 1000)
            tensor.tensor_shape.dim[0].size += 1000
        node.attr["dtypes"].list.type.extend([FLOAT] * 1000)

    meta(more)(path)


def in_a_text_variant(m: Any) -> None:
    """A constant of type variant that holds bytes of some class."""
    node = m.graph_def.node.add(name="variant", op="Const")
    node.attr["dtype"].type = 21
    tensor = node.attr["value"].tensor
    tensor.dtype = 21
    tensor.tensor_shape.SetInParent()
    tensor.tensor_content = b"\xff" * 100
    added = m.object_graph_def.nodes.add()
    added.constant.operation = "variant"


def references(change: Callable[[Any], Any]) -> Change:
    """A change of the variables of a session's graph that are references."""

    def changed(m: Any) -> None:
        for node in m.graph_def.node:
            if node.op == "VariableV2":
                change(node)

    return meta(changed)


def many_updates(m: Any) -> None:
    """A long chain of assignments, each of the reference that the one before gives."""
    node_list = m.graph_def.node
    value = next(n for n in node_list if n.op == "Assign").input[1]
    before = "w"
    for number in range(4000):
        node = node_list.add(name=f"again_{number}", op="Assign", input=[before, value])
        node.attr["T"].type = FLOAT
        before = node.name
