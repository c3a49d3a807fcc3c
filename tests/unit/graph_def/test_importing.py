"""`import_graph_def`: arguments, names, and what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.rules import REGISTERED


def written(build):
    """The message of the graph that a function builds."""
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def()


def square():
    x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    tf.multiply(x, x, name="y")


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_names_begin_with_import(graph) -> None:
    assert tf.import_graph_def(written(square)) is None
    tf.import_graph_def(written(square))
    tf.import_graph_def(written(square), name="mine")
    with tf.name_scope("outer"):
        tf.import_graph_def(written(square))
    names = ["import/x", "import/y", "import_1/x", "import_1/y", "mine/x", "mine/y", "outer/import/x", "outer/import/y"]
    assert [n.name for n in graph.get_operations()] == names


def test_an_empty_name_is_no_prefix_and_names_may_not_clash(graph) -> None:
    tf.import_graph_def(written(square), name="")
    assert graph.get_tensor_by_name("y:0").shape == [None]
    with pytest.raises(ValueError, match="Node name 'x' already exists in the Graph"):
        tf.import_graph_def(written(square), name="")


def test_elements_are_returned_in_the_order_in_which_they_are_asked_for(graph) -> None:
    y, op, x = tf.import_graph_def(written(square), return_elements=["y:0", "y", b"x:0"])
    assert y.op is op and op.inputs == (x, x)
    assert tf.import_graph_def(written(square), return_elements=[]) == []
    for missing in ("z", "z:0", "y:1"):
        with pytest.raises(ValueError, match=f"Requested return_element '{missing}' not found in graph_def"):
            tf.import_graph_def(written(square), return_elements=[missing])


def test_tensors_of_the_graph_stand_in_for_those_of_the_message(graph) -> None:
    given = tf.constant([3.0])
    for key in ("x:0", "x", b"x:0"):
        (y,) = tf.import_graph_def(written(square), input_map={key: given}, return_elements=["y:0"])
        with tf.compat.v1.Session() as session:
            assert session.run(y).tolist() == [9]
    (y,) = tf.import_graph_def(written(square), {"x:0": np.float32([2])}, ["y:0"])
    with tf.compat.v1.Session() as session:
        assert session.run(y).tolist() == [4]
    with pytest.raises(ValueError, match=r"Attempted to map inputs that were not found in graph_def: \[z:0\]"):
        tf.import_graph_def(written(square), {"z:0": given})
    with pytest.raises(ValueError, match="expected float32, got int32 from"):
        tf.import_graph_def(written(square), {"x:0": tf.constant([1])})


def test_an_operation_stands_in_for_one_that_is_followed(graph) -> None:
    def build() -> None:
        with tf.control_dependencies([tf.no_op(name="first")]):
            tf.constant(1.0, name="c")

    mine = tf.no_op(name="mine")
    (c,) = tf.import_graph_def(written(build), {"^first": mine}, ["c"])
    assert c.control_inputs == [mine]


def test_arguments_of_another_kind_are_refused(graph) -> None:
    with pytest.raises(TypeError, match="must be a GraphDef proto"):
        tf.import_graph_def(b"bytes")
    with pytest.raises(TypeError, match="`return_elements` must be a list of strings"):
        tf.import_graph_def(written(square), return_elements="y")
    with pytest.raises(TypeError, match="`return_elements` must be a list of strings. Obtained 1"):
        tf.import_graph_def(written(square), return_elements=[1])
    with pytest.raises(ValueError, match="Cannot convert 'y:0:0' to a tensor name"):
        tf.import_graph_def(written(square), return_elements=["y:0:0"])


def test_devices_control_inputs_and_order_are_kept(graph) -> None:
    def build() -> None:
        with tf.device("/job:worker/task:1/CPU:0"), tf.control_dependencies([tf.no_op(name="first")]):
            tf.constant(1.0, name="c")

    message = written(build)
    turned = tf.compat.v1.GraphDef(node=reversed(message.node))
    (c,) = tf.import_graph_def(turned, return_elements=["c"], name="")
    assert c.device == "/job:worker/task:1/device:CPU:0" and [o.name for o in c.control_inputs] == ["first"]
    graph.verify()


def test_branches_loops_and_calls_give_what_they_gave(graph) -> None:
    def build() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        scaled = tf.function(lambda v: v * 3)(x)
        y = tf.cond(x > 0, lambda: scaled * x, lambda: x - 1)
        y = tf.switch_case(tf.cast(x, tf.int32), [lambda: y, lambda: -y])
        _, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2 + x), [0, y], maximum_iterations=2)
        tf.identity(tf.gradients(tf.identity(y, name="y"), x, name="g")[0], name="slope")
        tf.map_fn(lambda v: v + x, tf.range(3.0), name="m")

    results = []
    with tf.Graph().as_default() as here:
        build()
    for _ in range(3):
        with tf.compat.v1.Session(graph=here) as session:
            results.append([session.run(["y:0", "slope:0"], {"x:0": v}) for v in (-2.0, 0.5, 2.0)])
        message = here.as_graph_def()
        with tf.Graph().as_default() as here:
            tf.import_graph_def(message, name="")
        here.verify()
    assert results[0] == results[1] == results[2]


def test_variables_are_shared_by_name_and_start_without_a_value(graph) -> None:
    def build() -> None:
        v = tf.compat.v1.get_variable("v", initializer=2.0)
        tf.identity(v * 3, name="y")
        tf.compat.v1.global_variables_initializer()

    tf.import_graph_def(written(build), name="")
    with tf.compat.v1.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run("y:0")
        session.run("init")
        assert session.run("y:0") == 6


def test_random_numbers_are_drawn_from_the_same_seeds(graph) -> None:
    def build() -> None:
        tf.random.set_seed(4)
        tf.random.uniform([3], seed=5, name="u")

    message = written(build)
    names = [n.name for n in message.node if n.op == "RandomUniform"]
    assert "Inlay>RandomStateOp" not in {n.op for n in message.node}
    values = []
    for _ in range(2):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            (u,) = tf.import_graph_def(message, return_elements=[f"{names[0]}:0"])
            values.append(session.run([u]) + session.run([u]))
    np.testing.assert_array_equal(values[0], values[1])
    assert (values[0][0] != values[0][1]).all()


def test_a_function_of_another_process_is_imported_and_says_that_it_is_not_here(graph) -> None:
    message = tf.compat.v1.GraphDef()
    node = message.node.add(name="call", op="PyFunc")
    node.attr["token"].s = b"pyfunc_7"
    node.attr["Tin"].list.SetInParent()
    node.attr["Tout"].list.type.append(tf.float32.as_datatype_enum)
    (y,) = tf.import_graph_def(message, return_elements=["call:0"])
    assert y.dtype is tf.float32 and y.op.type == "PyFunc"
    with tf.compat.v1.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="callback pyfunc_7 is not found"):
            session.run(y)
        assert session.run(y + 1, {y: 2.0}) == 3


def test_ops_of_namespaces_that_nobody_asked_for_are_there() -> None:
    with tf.Graph().as_default() as graph:
        tf.signal.fft(tf.constant([1 + 1j], tf.complex64, name="x"), name="y")
    code = (
        "import sys, inlay as tf\n"
        "message = tf.compat.v1.GraphDef.FromString(bytes.fromhex(sys.argv[1]))\n"
        "(y,) = tf.import_graph_def(message, return_elements=['y'])\n"
        "print(y.type)"
    )
    data = graph.as_graph_def().SerializeToString().hex()
    done = subprocess.run([sys.executable, "-c", code, data], capture_output=True, text=True, timeout=50)
    assert done.stdout.strip() == "FFT", done.stderr


def test_functions_that_bring_their_own_gradient_keep_it(graph) -> None:
    @tf.custom_gradient
    def clipped(v, w):
        return v * w, lambda dy: (tf.clip_by_value(dy, -1.0, 1.0) * w, None)

    def build() -> None:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        tf.function(lambda v: clipped(v, v * 3.0) * 10.0)(x)

    message = written(build)
    name = message.node[-1].name
    for _ in range(2):
        with tf.Graph().as_default() as again, tf.compat.v1.Session() as session:
            x, y = tf.import_graph_def(message, return_elements=["x:0", f"{name}:0"], name="")
            assert session.run([y, *tf.gradients(y, x)], {x: 2.0}) == [120, 6]
            again.verify()
        with tf.Graph().as_default() as again:
            tf.import_graph_def(message, name="")
        message = again.as_graph_def()


def test_a_gradient_that_uses_the_results_of_its_node_does_not_travel(graph) -> None:
    later = []

    def build() -> None:
        x = tf.compat.v1.placeholder(tf.float32)
        later.append(tf.custom_gradient(lambda v: (v, lambda dy: dy * later[0]))(x) * 2.0)

    message = written(build)
    with pytest.raises(ValueError, match="refers to 'gradient_0', an object of the process that wrote the graph"):
        tf.import_graph_def(message)
    with pytest.raises(TypeError, match=r"^TypeError: op 'CustomGradient.* its gradient uses what is computed of its"):
        pickle.dumps(later[0].graph)


def test_the_gradient_of_a_graph_is_traced_when_it_is_written_and_changes_nothing(graph) -> None:
    traced = []
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    kept = tf.exp(x)

    @tf.custom_gradient
    def own(v):
        def gradient(dy):
            traced.append(dy.graph)
            return dy * kept * tf.constant(np.float32(2.0))

        return v * 1.0, gradient

    tf.identity(own(x), name="y")
    graph.finalize()
    assert traced == []
    messages = [graph.as_graph_def(), graph.as_graph_def()]
    assert messages[0] == messages[1] and len(traced) == 1
    for message in (messages[0], pickle.loads(pickle.dumps(graph)).as_graph_def()):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x, y = tf.import_graph_def(message, return_elements=["x:0", "y:0"])
            assert session.run([y, *tf.gradients(y, x)], {x: 0.0}) == [0.0, 2.0]


def test_a_registered_gradient_goes_by_name_in_a_graph_and_by_value_in_a_pickle(graph) -> None:
    name = f"Fourfold{id(graph)}"
    tf.RegisterGradient(name)(lambda op, dy: dy * 4.0)
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    with graph.gradient_override_map({"Square": name}):
        tf.square(x, name="y")
    sent = pickle.dumps(graph)
    tf.import_graph_def(graph.as_graph_def())  # without trust=
    function = REGISTERED.pop(name)
    with pickle.loads(sent).as_default() as again, tf.compat.v1.Session() as session:
        x, y = again.get_tensor_by_name("x:0"), again.get_tensor_by_name("y:0")
        assert session.run(tf.gradients(y, x), {x: 3.0}) == [4.0]
        assert again.get_operation_by_name("y").get_attr("_gradient_op_type").startswith(name.encode())
    tf.RegisterGradient(name)(lambda op, dy: dy * 5.0)
    with pickle.loads(sent).as_default() as again, tf.compat.v1.Session() as session:
        x, y = again.get_tensor_by_name("x:0"), again.get_tensor_by_name("y:0")
        assert session.run(tf.gradients(y, x), {x: 3.0}) == [4.0], "its own, and not this process's of that name"
    assert function is not REGISTERED.pop(name)


@pytest.mark.parametrize(("producer", "dims"), [(21, None), (22, [])])
def test_a_placeholder_of_an_old_graph_without_axes_takes_any_shape(
    graph, producer: int, dims: list[int] | None
) -> None:
    """Up to version 21 of the format nothing told a shape of no axes from one that is not known."""
    message = written(lambda: tf.compat.v1.placeholder(tf.float32, [], name="x"))
    message.versions.producer = producer
    (x,) = tf.import_graph_def(message, return_elements=["x:0"])
    assert x.shape.rank == (None if dims is None else 0)
    assert message.node[0].attr["shape"].shape.unknown_rank is False


def test_constants_of_tensorflows_eager_code_hand_their_input_on(graph) -> None:
    message = written(lambda: tf.constant(3.0, name="x"))
    node = message.node.add(name="y", op="_EagerConst", input=["x:0"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    (y,) = tf.import_graph_def(message, return_elements=["y:0"])
    with tf.compat.v1.Session() as session:
        assert session.run(y) == 3.0


@pytest.mark.parametrize(
    ("function", "size"),
    [
        (lambda x: tf.linalg.qr(x)[1], (3, 3)),
        (lambda x: tf.einsum("ii,jk->ik", x, x), (3, 3)),
        (lambda x: tf.linalg.lstsq(x, x), (4, 3)),
    ],
    ids=["QrVjp", "EinsumVjp", "MatrixSolveLsVjp"],
)
def test_a_gradient_that_was_derived_is_read_again(function: Any, size: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, size, name="x")
        (gradient,) = tf.gradients(function(x), x)
    with tf.Graph().as_default():
        (found,) = tf.import_graph_def(graph.as_graph_def(), name="", return_elements=[gradient.name])
        assert found.shape == size


@pytest.mark.parametrize("name", ["WriteFileVjp_1o0t1", "QrVjp_1_1o0t1", "QrVjp_999o0t1", "NothingVjp_1o0t1"])
def test_a_derived_gradient_that_cannot_be_is_an_unknown_op(name: str) -> None:
    message = tf.compat.v1.GraphDef()
    message.node.add(name="a", op=f"Inlay>{name}")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="no op of that name is known"):
        tf.import_graph_def(message, name="")


def test_colocation_groups_are_written_and_read(graph) -> None:
    with tf.device("/device:CPU:0"):
        a = tf.constant(1.0, name="a")
    with tf.compat.v1.colocate_with(a), tf.device("/device:GPU:0"):
        b = tf.constant(2.0, name="b")
        with tf.compat.v1.colocate_with(b):
            c = tf.add(a, b, name="c")
    with tf.compat.v1.colocate_with(c, ignore_existing=True):
        d = tf.constant(3.0, name="d")
    assert a.op.colocation_groups() == b.op.colocation_groups() == c.op.colocation_groups() == [b"loc:@a"]
    assert d.op.colocation_groups() == [b"loc:@a"] and b.device == "/device:CPU:0"
    with pytest.raises(ValueError, match="no attr named '_class'"):
        a.op.get_attr("_class")
    graph_def = graph.as_graph_def()
    assert list(graph_def.node[1].attr["_class"].list.s) == [b"loc:@a"]
    with tf.Graph().as_default() as second:
        tf.import_graph_def(graph_def, name="other")
        assert second.get_operation_by_name("other/c").get_attr("_class") == [b"loc:@other/a"]
    graph_def.node[1].attr["_class"].list.s[0] = b"loc:@e"
    with pytest.raises(ValueError, match="Node 'b' expects to be colocated with unknown node 'e'"):
        tf.import_graph_def(graph_def)
