"""Messages that are no graphs: each is refused with an error of ours that names the node and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf

FLOAT = tf.float32.as_datatype_enum


def message(*nodes: tuple[str, str, list[str]]) -> Any:
    """A graph of (name, op, inputs), all float32."""
    made = tf.compat.v1.GraphDef()
    for name, op, inputs in nodes:
        node = made.node.add(name=name, op=op, input=inputs)
        if op == "Placeholder":
            node.attr["dtype"].type = FLOAT
        elif op in ("Neg", "AddV2", "Identity"):
            node.attr["T"].type = FLOAT
    return made


def refused(made: Any, says: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=says):
        tf.import_graph_def(made)


X = ("x", "Placeholder", [])


def test_ops_that_are_not_here() -> None:
    refused(message(("a", "NoSuchOp", [])), r"Node 'a' \(NoSuchOp\): no op of that name is known")
    refused(message(("a", "Inlay>NoSuchOp", [])), r"Node 'a' \(Inlay>NoSuchOp\): no op of that name is known")


def test_variables_that_are_references() -> None:
    made = message(("v", "VariableV2", []))
    refused(made, r"Node 'v' \(VariableV2\): attribute 'dtype' is missing")
    made.node[0].attr["dtype"].type = 77
    refused(made, r"Node 'v' \(VariableV2\): attribute 'dtype': type 77 is unknown")
    made.node[0].attr["dtype"].type = FLOAT
    refused(made, r"Node 'v' \(VariableV2\): attribute 'shape' is missing")
    made.node[0].attr["shape"].shape.dim.add(size=-7)
    refused(made, r"Node 'v' \(VariableV2\): attribute 'shape': \[-7\] is not a shape")
    made.node[0].attr["shape"].shape.dim[0].size = 2
    made.node[0].input.append("x")
    refused(made, r"Node 'v' \(VariableV2\): expected 0 inputs, got 1")
    assert set(made.node[0].attr) == {"dtype", "shape"}, "messages are not changed"


def test_nodes_with_more_outputs_than_there_is_memory_for() -> None:
    with tf.Graph().as_default() as graph:
        tf.split(tf.compat.v1.placeholder(tf.float32, name="x"), 2, name="s")
    made = graph.as_graph_def()
    made.node[-1].attr["num_split"].i = 2**31
    refused(made, "Node 's' .*expected at most 65536 outputs, got 2147483648")
    made = message(X, ("a", "Inlay>Split", ["x"]))
    made.node[1].attr["num"].i = 2**40
    made.node[1].attr["axis"].i = 0
    refused(made, "at most 65536")


@pytest.mark.parametrize("op", ["Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch"])
def test_control_flow_of_the_first_version(op: str) -> None:
    refused(message(X, ("a", op, ["x"])), f"Node 'a' is a {op}: .*enable_control_flow_v2")


def test_attributes_that_are_missing_unknown_or_of_another_kind() -> None:
    made = message(X, ("a", "Neg", ["x"]))
    del made.node[1].attr["T"]
    refused(made, r"Node 'a' \(Neg\): attribute 'T' is missing")
    made.node[1].attr["T"].s = b"float"
    refused(made, "attribute 'T': expected type, got string")
    made.node[1].attr["T"].type = 77
    refused(made, "attribute 'T': type 77 is unknown")
    made.node[1].attr["T"].placeholder = "T"
    refused(made, "attribute 'T' is left open")
    made.node[1].attr["T"].type = FLOAT
    made.node[1].attr["U"].i = 1
    refused(made, "attribute 'U' is unknown: Neg has T")


def test_attributes_with_values_that_are_not_supported() -> None:
    def build() -> None:
        tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 1, "SAME", name="c")

    with tf.Graph().as_default() as graph:
        build()
    made = graph.as_graph_def()
    made.node[-1].attr["explicit_paddings"].list.i.append(3)
    refused(made, r"Node 'c' \(Conv2D\): attribute 'explicit_paddings' is \(3,\): only \(\) is supported")


def test_inputs_that_do_not_exist_or_do_not_fit() -> None:
    refused(message(("a", "Neg", ["b"])), "Node 'a': Unknown input node 'b'")
    refused(
        message(X, ("a", "Neg", ["x:1"])),
        "Node 'a': Connecting to invalid output 1 of source node x which has 1 outputs",
    )
    refused(message(X, ("a", "Neg", ["x:-1"])), "Connecting to invalid output -1 of source node x")
    refused(message(X, ("a", "Neg", ["x:99999999999999999999"])), "invalid output -1")
    refused(message(X, ("a", "Neg", [])), "its input 'x' has the wrong count")
    refused(message(X, ("a", "Neg", ["x", "x"])), "expected 1 inputs, got 2")
    refused(message(X, ("a", "Neg", ["x", "^b"])), "Node 'a': Unknown input node '\\^b'")


@pytest.mark.parametrize("window", [[], [1, 2], [1, 2, 2, 1, 1]])
def test_pools_with_a_window_of_another_rank(window: list[int]) -> None:
    with tf.Graph().as_default() as graph:
        tf.nn.max_pool2d(tf.zeros([1, 4, 4, 1]), 2, 2, "VALID", name="pool")
    made = graph.as_graph_def()
    (node,) = [node for node in made.node if node.op == "MaxPool"]
    node.attr["ksize"].list.i[:] = window
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"\(MaxPool\): .*(window|Sliding window|ksize)"):
        tf.import_graph_def(made)


def test_names_that_are_not_unique_or_no_names() -> None:
    refused(message(X, X), "Node 'x' is not unique")
    for name in ("", "^x", "_x", "x:0"):
        refused(message((name, "Placeholder", [])), "is not a valid node name")


@pytest.mark.parametrize(
    ("nodes", "shown"),
    [
        ((("a", "Neg", ["a"]),), "a -> a"),
        ((("a", "Neg", ["b"]), ("b", "Neg", ["a"])), "a -> b -> a"),
        ((X, ("a", "AddV2", ["x", "c"]), ("b", "Neg", ["a"]), ("c", "Identity", ["b"])), "a -> c -> b -> a"),
        ((("a", "NoOp", ["^b"]), ("b", "NoOp", ["^a"])), "a -> b -> a"),
    ],
)
def test_circles(nodes: Any, shown: str) -> None:
    refused(message(*nodes), f"takes its own result: {shown}: the graph has a circle")


def test_a_long_chain_is_no_trouble() -> None:
    count = 5000
    made = message(*reversed([X, *((f"n{i}", "Neg", [f"n{i - 1}" if i else "x"]) for i in range(count))]))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(made)
    assert len(graph.get_operations()) == count + 1


def constant(change: Callable[[Any], Any]) -> Any:
    made = message(("c", "Const", []))
    node = made.node[0]
    node.attr["dtype"].type = FLOAT
    node.attr["value"].tensor.dtype = FLOAT
    change(node.attr["value"].tensor)
    return made


def test_a_constant_that_declares_much_takes_no_memory() -> None:
    def huge(tensor: Any) -> None:
        tensor.tensor_shape.dim.add(size=1 << 20)
        tensor.tensor_shape.dim.add(size=1 << 20)
        tensor.float_val.append(2.0)

    with tf.Graph().as_default():
        (c,) = tf.import_graph_def(constant(huge), return_elements=["c:0"])
        assert c.shape == [1 << 20, 1 << 20]
        with tf.compat.v1.Session() as session:
            assert session.run(c[5, 7]) == 2


@pytest.mark.parametrize(
    ("sizes", "values", "says"),
    [
        ([1 << 40], [1.0, 2.0], "2 elements stand for the 1099511627776"),
        ([1 << 40, 1 << 40], [1.0], "is not the shape of an array"),
        ([-1], [1.0], "is not the shape of an array"),
        ([2], [1.0, 2.0, 3.0], "3 elements do not fit"),
        ([1] * 300, [1.0], "is not the shape of an array"),
    ],
)
def test_constants_whose_elements_do_not_fill_them(sizes: list[int], values: list[float], says: str) -> None:
    def fill(tensor: Any) -> None:
        for size in sizes:
            tensor.tensor_shape.dim.add(size=size)
        tensor.float_val.extend(values)

    refused(constant(fill), f"Node 'c' .*{says}")


def test_constants_of_no_type_or_another_one() -> None:
    refused(constant(lambda t: setattr(t, "dtype", 20)), "a resource is not an array")
    refused(constant(lambda t: setattr(t, "dtype", 3)), "attribute 'value' is int32, and attribute 'dtype' float32")
    refused(constant(lambda t: setattr(t, "dtype", 99)), "Node 'c'")
    refused(constant(lambda t: setattr(t, "tensor_content", b"123")), "Node 'c'")


# ---------------------------------------------------------------- functions


def library(*functions: tuple[str, str | None]) -> Any:
    """A graph that calls the first of some functions (name, the one that it calls in turn)."""
    made = message(X)
    call(made.node.add(name="call", input=["x"]), functions[0][0])
    for name, following in functions:
        function = made.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="v", type=FLOAT)
        function.signature.output_arg.add(name="r", type=FLOAT)
        function.ret["r"] = "v"
        if following is not None:
            call(function.node_def.add(name="inner", input=["v"]), following)
            function.ret["r"] = "inner:output:0"
    return made


def call(node: Any, name: str) -> None:
    node.op = "PartitionedCall"
    node.attr["f"].func.name = name
    for side in ("Tin", "Tout"):
        node.attr[side].list.type.append(FLOAT)


def test_functions_that_call_themselves() -> None:
    refused(library(("f", "f")), "Function 'f' calls itself: f -> f")
    refused(library(("f", "g"), ("g", "h"), ("h", "g")), "Function 'g' calls itself: g -> h -> g")


def test_functions_that_are_missing_twice_or_too_deep() -> None:
    refused(library(("f", "g")), "Function 'g' is not in the library")
    refused(library(("f", None), ("f", None)), "Function 'f' is not unique")
    chain = [(f"f{i}", f"f{i + 1}") for i in range(2000)]
    refused(library(*chain, ("f2000", None)), "calls others more than 100 deep")


def test_functions_that_double_at_every_level_are_made_once_each() -> None:
    made = library(*[(f"f{i}", f"f{i + 1}") for i in range(60)], ("f60", None))
    for function in made.library.function[:-1]:
        call(function.node_def.add(name="again", input=["inner:output:0"]), function.node_def[0].attr["f"].func.name)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(made)
    assert len(graph.functions) == 1


def test_functions_that_are_called_with_what_they_do_not_take() -> None:
    made = library(("f", None))
    made.library.function[0].signature.input_arg[0].type = 3
    made.library.function[0].signature.output_arg[0].type = 3
    refused(made, r"function 'f': expected arguments \(int32\), got \(float32\)")
    made = library(("f", None))
    made.node[1].attr["Tout"].list.type[0] = 3
    refused(made, r"function 'f': expected results \(int32\), got \(float32\)")
    made = library(("f", None))
    del made.library.function[0].ret["r"]
    refused(made, "Function 'f': its result 'r' has no value")
    made = library(("f", None))
    made.library.function[0].signature.input_arg[0].type_attr = "T"
    refused(made, "Function 'f': its argument 'v' has a type that is left open")
    made = library(("f", None))
    made.library.function[0].ret["r"] = "w:output:0"
    refused(made, "Function 'f': Unknown input node 'w:output:0'")


# ---------------------------------------------------------------- bytes


def test_bytes_that_end_too_soon() -> None:
    data = message(X, ("a", "Neg", ["x"])).SerializeToString()
    with pytest.raises(Exception, match="(?i)parsing"):
        tf.compat.v1.GraphDef.FromString(data[:-3])


def test_objects_of_the_process_that_wrote_do_not_come_along() -> None:
    made = message(("a", "Inlay>MakeIterator", []))
    reference = made.node[0].attr["iterator"].func
    reference.name = "Inlay>reference"
    reference.attr["table"].s, reference.attr["key"].s = b"resources", b"iterator_0"
    refused(made, "refers to 'iterator_0', an object of the process that wrote the graph")


def test_values_that_are_nested_without_end() -> None:
    made = message(("a", "Inlay>Eye", []))
    value = made.node[0].attr["rows"]
    for _ in range(90):
        value.func.name = "Inlay>tuple"
        value = value.func.attr["0"]
    refused(made, "attribute 'rows': it is nested more than 64 deep")
    made.node[0].attr["rows"].func.name = "os.system"
    refused(made, "got the function 'os.system'")
