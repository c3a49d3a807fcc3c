"""Graphs and sessions: names, fetches, feeds, order, collections."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import refused, session


def names_are_made_unique(tf: Any) -> Any:
    with tf.Graph().as_default():
        made = [tf.constant(1, name="c"), tf.constant(2, name="c"), tf.constant(3)]
        made += [tf.add(made[0], made[1]), made[0] + made[1], made[0] * 2, tf.identity(made[0], name="out")]
        return [t.name for t in made]


def name_scopes_nest(tf: Any) -> Any:
    with tf.Graph().as_default():
        found = []
        with tf.name_scope("a"):
            found.append(tf.constant(1, name="x").name)
            with tf.name_scope("b") as scope:
                found += [scope, tf.constant(1, name="x").name]
            with tf.name_scope("b"):
                found.append(tf.constant(1, name="x").name)
        with tf.name_scope("a"):
            found.append(tf.constant(1, name="x").name)
        return found


def scopes_of_the_first_generation(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        found = []
        with v1.name_scope("s") as scope:
            found.append(v1.placeholder(tf.float32, name="p").name)
        with v1.name_scope(scope):
            found.append(v1.placeholder(tf.float32, name="p").name)
        with v1.name_scope(None):
            found.append(v1.placeholder(tf.float32, name="p").name)
        with v1.name_scope("", "default"):
            found.append(v1.placeholder(tf.float32, name="p").name)
        return [*found, graph.unique_name("p"), graph.unique_name("new", mark_as_used=False)]


def kinds_of_operations(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        tf.nn.relu(tf.matmul(x[None], tf.ones([2, 3], name="w")) + 1.0, name="y")
        return [[op.name, op.type] for op in graph.get_operations() if op.type in ("Placeholder", "MatMul", "Relu")]


def things_are_found_by_name(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1, 2], name="x")
        a, b = tf.split(x, 2, name="parts")
        return [
            graph.get_tensor_by_name("x:0") is x,
            graph.get_operation_by_name("x") is x.op,
            graph.get_tensor_by_name("parts:1") is b,
            a.op is b.op,
            [b.value_index, b.op.type, len(a.op.outputs), [i.name for i in x.op.inputs]],
            graph.as_graph_element("x:0") is x,
            graph.as_graph_element("x") is x.op,
        ]


def consumers_and_controls(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
        first = tf.identity(x, name="first")
        with tf.control_dependencies([first]):
            second = tf.identity(x, name="second")
            with tf.control_dependencies(None):
                third = tf.identity(x, name="third")
        return [
            sorted(op.name for op in x.consumers()),
            [op.name for op in second.op.control_inputs],
            [op.name for op in third.op.control_inputs],
        ]


def fetches_of_every_structure(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y = tf.constant(1.5, name="x"), tf.constant([1, 2], name="y")
        return [
            session.run(x),
            session.run([x, [y]]),
            session.run({"b": x, "a": (y, {"c": x})}),
            session.run(x.op),
            session.run([x, x.op]),
            session.run("x:0"),
            session.run((x,)),
            session.run([]),
            session.run({}),
        ]


def feeds_replace_any_tensor(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder_with_default(1.0, [])
        y = x + 1.0
        z = y * 10.0
        return [session.run(z), session.run(z, {y: 5.0}), session.run([y, z], {x: 4.0}), session.run(y, {y: 9.0})]


def placeholders_with_a_default(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder_with_default([1.0, 2.0], [None])
        y = tf.reduce_sum(x)
        return [session.run(y), session.run(y, {x: [5.0]}), x.shape.as_list()]


def feeds_are_converted(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        f, i, b, s = [tf.compat.v1.placeholder(d) for d in (tf.float32, tf.int64, tf.bool, tf.string)]
        fetched = [tf.identity(t) for t in (f, i, b, s)]
        return [
            session.run(fetched, {f: 1, i: 2, b: True, s: "text"}),
            session.run(fetched, {f: [1.5, 2], i: [[1]], b: [False], s: [b"a", "b"]}),
        ]


def feeds_of_a_wrong_shape(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        y, raised = tf.identity(x), []
        for value in ([1.0], [[1.0]], [[1.0, 2.0, 3.0]], "text", [[1.0, 2.0], [3.0]]):
            try:
                session.run(y, {x: value})
                raised.append("nothing")
            except (ValueError, TypeError) as error:
                raised.append(type(error).__name__)
        return raised


def a_missing_feed(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [], name="wanted")
        try:
            session.run(x + 1.0)
        except tf.errors.InvalidArgumentError as error:
            return ["wanted" in str(error), "feed" in str(error)]


def partial_fetches_run_what_they_need(tf: Any) -> Any:
    calls: list[str] = []

    def noted(name: str) -> Any:
        def body(x: Any) -> Any:
            calls.append(name)
            return x

        return body

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(1.0)
        a = tf.compat.v1.py_func(noted("a"), [x], tf.float32)
        b = tf.compat.v1.py_func(noted("b"), [x], tf.float32)
        session.run(a)
        session.run([a, b, a])
        session.run(tf.add(b, 1.0))
        return [calls.count("a"), calls.count("b")]


def control_dependencies_run_what_they_name(tf: Any) -> Any:
    calls: list[int] = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        first = tf.compat.v1.py_func(lambda: calls.append(1), [], [])
        with tf.control_dependencies([first]):
            second = tf.compat.v1.py_func(lambda: calls.append(2), [], [])
        with tf.control_dependencies([second]):
            value = tf.identity(5)
        return [session.run(value), calls]


def groups_and_no_ops(tf: Any) -> Any:
    calls: list[int] = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ops = [tf.compat.v1.py_func(lambda k=k: calls.append(k), [], []) for k in range(3)]
        grouped = tf.group(*ops, name="all")
        return [session.run(grouped), sorted(calls), grouped.name, grouped.type, session.run(tf.no_op())]


def collections(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        graph.add_to_collection("mine", 1)
        v1.add_to_collections(["mine", "other"], 2)
        with tf.name_scope("inside"):
            v1.add_to_collection("mine", tf.constant(3))
        return [
            len(v1.get_collection("mine")),
            v1.get_collection("other"),
            v1.get_collection("absent"),
            [t.name for t in v1.get_collection("mine", scope="inside") if hasattr(t, "name")],
            sorted(graph.get_all_collection_keys()),
        ]


def graphs_stack(tf: Any) -> Any:
    one, two = tf.Graph(), tf.Graph()
    with one.as_default():
        a = tf.constant(1)
        with two.as_default():
            b = tf.constant(2)
        c = tf.constant(3)
    return [a.graph is one, b.graph is two, c.graph is one, a.graph is c.graph]


def tensors_of_another_graph(tf: Any) -> Any:
    with tf.Graph().as_default():
        a = tf.constant(1)
    raised = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for attempt in (lambda: session.run(a), lambda: tf.add(a, tf.constant(1))):
            try:
                attempt()
                raised.append("nothing")
            except (ValueError, RuntimeError) as error:
                raised.append(type(error).__name__)
    return raised


def sessions_that_are_closed(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.constant(1)
        session = tf.compat.v1.Session()
        first = session.run(x)
        session.close()
        try:
            session.run(x)
        except RuntimeError as error:
            return [first, str(error)]


def default_sessions(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = tf.constant(4)
        with v1.Session() as session:
            inside = [x.eval(), x.op.run(), (x + 1).eval(session=session)]
        return inside


def a_finalized_graph_cannot_grow(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1)
        graph.finalize()
        try:
            tf.add(x, x)
        except RuntimeError:
            return [graph.finalized, len(graph.get_operations())]


def make_callable(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.float32)
        call = session.make_callable([x + y, x * y], [x, y])
        return [call(2.0, 3.0), call([1.0], 4.0)]


def partial_runs_of_scopes(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("layer"):
            w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
            b = v1.get_variable("b", initializer=tf.constant([0.5, -0.5]))
        with v1.variable_scope("layer", reuse=True):
            again = v1.get_variable("w", [2])
        session.run(v1.global_variables_initializer())
        return [w.name, b.name, again.name, session.run(w + b), [v.name for v in v1.trainable_variables()]]


def device_names(tf: Any) -> Any:
    with tf.Graph().as_default():
        plain = tf.constant(1)
        with tf.device("/cpu:0"):
            here = tf.constant(1)
            with tf.device(None):
                free = tf.constant(1)
        with tf.device("/job:worker/task:1"), tf.device("/device:CPU:0"):
            far = tf.constant(1)
        return [plain.device, here.device, free.device, far.device]


def equal_ops_of_tensors(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1, 2, 3])
        made = [x + 1, 1 + x, x - 1, 1 - x, x * 2, x / 2, x // 2, x % 2, x**2, -x, abs(-x), x < 2, x >= 2]  # fmt: skip
        return [session.run(made), [t.op.type for t in made[:4]]]


def logical_operators_of_tensors(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a, b = tf.constant([True, True, False]), tf.constant([True, False, False])
        return session.run([a & b, a | b, a ^ b, ~a])


def a_symbolic_tensor_is_no_bool(tf: Any) -> Any:
    with tf.Graph().as_default():
        x, raised = tf.constant(1), []
        for attempt in (lambda: bool(x), lambda: list(x), lambda: len(x), lambda: float(x)):
            try:
                attempt()
                raised.append("nothing")
            except TypeError:
                raised.append("TypeError")
            except Exception as error:
                raised.append(f"{isinstance(error, TypeError)}")
        return raised


def two_sessions_two_values(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=7)
        add = v.assign_add(1)
        with v1.Session() as one, v1.Session() as two:
            one.run(v.initializer)
            two.run(v.initializer)
            one.run(add)
            return [one.run(v), two.run(v)]


def assertions_in_order(tf: Any) -> Any:
    x = tf.constant([1, 2])
    with tf.control_dependencies([tf.debugging.assert_positive(x)] if not tf.executing_eagerly() else []):
        y = tf.identity(x)
    raised = []
    for check in (
        lambda: tf.debugging.assert_equal(x, [1, 3]),
        lambda: tf.debugging.assert_less(x, 2),
        lambda: tf.debugging.assert_greater_equal(x, 2),
        lambda: tf.debugging.assert_none_equal(x, [5, 2]),
        lambda: tf.debugging.assert_near([1.0], [1.1]),
        lambda: tf.debugging.assert_rank(x, 2),
        lambda: tf.debugging.assert_type(x, tf.float32),
        lambda: tf.debugging.assert_integer(tf.constant(1.0)),
        lambda: tf.debugging.check_numerics([float("nan")], "found"),
        lambda: tf.debugging.Assert(False, [x]),
        lambda: tf.debugging.assert_shapes([(x, ("N", "N"))]),
        lambda: tf.debugging.assert_positive([0]),
        lambda: tf.debugging.assert_scalar(x),
    ):
        try:
            check()
            raised.append("nothing")
        except Exception as error:
            raised.append(type(error).__name__)
    return [y, raised]


def created_by_name(tf: Any) -> Any:
    """Nodes added by the names of their ops: types that inputs tell, scopes, devices, control inputs, and refusals."""
    message = tf.compat.v1.AttrValue
    with session(tf) as opened:
        graph = tf.compat.v1.get_default_graph()
        one, two = tf.constant(1.0, name="one"), tf.constant(2.0)
        with tf.name_scope("outer"), tf.device("/cpu:0"), tf.control_dependencies([two]):
            total = graph.create_op("AddV2", [one, two], name="total")
            inside = tf.get_current_name_scope()
        again = graph.create_op("AddV2", [one, one], name="outer/total")
        packed = graph.create_op("Pack", [one, two, one], attrs={"axis": message(i=0), "N": message(i=3)})
        held = graph.create_op("Placeholder", [], attrs={"dtype": message(type=1)}, name="held")
        return [
            [total.name, total.device, [c.name for c in total.control_inputs], inside, tf.get_current_name_scope()],
            [again.name, packed.name, packed.get_attr("N"), held.outputs[0].dtype.name],
            opened.run(
                [total.outputs[0], again.outputs[0], packed.outputs[0], held.outputs[0]], {held.outputs[0]: 4.0}
            ),
            refused(lambda: graph.create_op("AddV2", [1.0, 2.0])),
        ]


def of_function_graphs(tf: Any) -> Any:
    """What a function's graph says of what it takes from outside."""
    outside = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def scaled(x: Any) -> Any:
        return x * outside

    graph = scaled.get_concrete_function(tf.TensorSpec([3])).graph
    names = [tensor.op.type for tensor in graph.internal_captures]
    return [len(graph.external_captures), names, graph.outer_graph is tf.compat.v1.get_default_graph()]


def shapes_as_messages(tf: Any) -> Any:
    """Shapes as messages."""
    protos = [tf.TensorShape(dims).as_proto() for dims in (None, [], [2, None])]
    return [([d.size for d in proto.dim], proto.unknown_rank) for proto in protos]


def tensor_infos(tf: Any) -> Any:
    """Tensors and sparse tensors named in messages, and found by them."""
    models = tf.compat.v1.saved_model
    with tf.Graph().as_default() as graph, tf.name_scope("a"):
        dense = tf.compat.v1.placeholder(tf.float32, [1, None], name="x")
        sparse = tf.compat.v1.sparse_placeholder(tf.int64, [4, 6], name="s")
        infos = [models.build_tensor_info(dense), models.build_tensor_info(sparse)]
    within = models.get_tensor_from_tensor_info(infos[1], graph)
    scoped = type(infos[0])(name="x:0")
    return [
        infos[0].name,
        infos[1].coo_sparse.values_tensor_name,
        [d.size for d in infos[1].tensor_shape.dim],
        models.get_tensor_from_tensor_info(infos[0], graph) is dense,
        [within.values.name, within.indices.name],
        models.get_tensor_from_tensor_info(scoped, graph, import_scope="a").name,
        refused(lambda: models.get_tensor_from_tensor_info(scoped, graph)),
        refused(lambda: models.get_tensor_from_tensor_info(type(infos[0])(), graph)),
        refused(lambda: models.build_tensor_info(tf.constant(1))),
    ]


def sparse_or_not(tf: Any) -> Any:
    """Values as tensors, sparse ones as sparse tensors."""
    convert = tf.compat.v1.convert_to_tensor_or_sparse_tensor
    sparse = tf.sparse.from_dense([[0, 1], [2, 0]])
    return [
        type(convert(sparse)).__name__,
        type(convert(tf.compat.v1.SparseTensorValue([[0, 1]], [3], [1, 2]))).__name__,
        convert([1, 2], tf.float32),
        refused(lambda: convert(sparse, tf.float32)),
    ]


def imported_nodes_stand_in_device_scopes(tf: Any) -> Any:
    """A scope says what a node does not say itself; functions of scopes see the node with its inputs."""
    with tf.Graph().as_default() as source:
        with tf.device("/job:ps"):
            one = tf.constant(1.0, name="one")
        tf.add(one, 2.0, name="sum")
    message, seen = source.as_graph_def(), []

    def place(node: Any) -> Any:
        seen.append((node.name, len(node.inputs)))
        return "/task:1" if node.type == "AddV2" else ""

    with tf.Graph().as_default() as graph, tf.device("/device:CPU:0"), tf.compat.v1.device(place):
        tf.import_graph_def(message, name="")
    places = [(node.name, node.device) for node in graph.get_operations()]
    with tf.Graph().as_default():
        refusals = [
            refused(lambda: tf.import_graph_def(message, input_map={"one:0": 5.0}, name="")),
            refused(lambda: tf.import_graph_def(message, input_map={"one:0": 5.0}, name="other")),
        ]
        message.versions.producer = -1
        refusals.append(refused(lambda: tf.import_graph_def(message)))
    return [sorted(places), sorted(seen), refusals]
