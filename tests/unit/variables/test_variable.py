"""Variables: eager, in graphs and sessions, and captured by functions and host functions."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import inlay as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def initialized(*more: object) -> tf.Session:
    session = tf.Session()
    session.run([tf.global_variables_initializer(), *more])
    return session


class TestEager:
    def test_holds_what_it_was_given(self):
        v = tf.Variable([1.0, 2.0], name="w")
        assert (v.name, v.shape, v.dtype, v.trainable) == ("w:0", tf.TensorShape([2]), tf.float32, True)
        np.testing.assert_array_equal(v.numpy(), np.float32([1, 2]))

    def test_calls_a_function_for_its_first_value(self):
        assert tf.Variable(lambda: tf.constant(3), dtype=tf.int32).numpy() == 3

    def test_needs_a_first_value(self):
        with pytest.raises(ValueError, match="initial_value"):
            tf.Variable()

    def test_refuses_a_shape_that_does_not_fit(self):
        with pytest.raises(ValueError, match=r"\(2,\) is not compatible.*\(3,\)"):
            tf.Variable([1.0, 2.0], shape=[3])

    def test_unknown_sizes_may_change(self):
        v = tf.Variable([1.0, 2.0], shape=[None])
        v.assign([1.0, 2.0, 3.0])
        assert v.numpy().tolist() == [1, 2, 3]
        with pytest.raises(ValueError, match="Shape mismatch"):
            v.assign(1.0)

    def test_assignments_return_the_variable(self):
        v = tf.Variable(1.0)
        assert v.assign(2.0).assign_add(3.0).assign_sub(1.0) is v
        assert v.numpy() == 4.0
        assert v.assign(1.0, read_value=False) is None

    def test_a_sum_of_another_shape_is_refused(self):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(ValueError, match=r"shape \(2,\).*\(\)"):
            v.assign_add(1.0)

    def test_a_value_of_another_type_is_refused(self):
        v = tf.Variable([1.0, 2.0])
        with pytest.raises(ValueError, match="float32.*int32"):
            v.assign(tf.constant([1, 2]))

    def test_what_was_read_does_not_change(self):
        v = tf.Variable([1.0, 2.0])
        before, array, view = v.read_value(), v.numpy(), np.asarray(v)
        v.assign_add([1.0, 1.0])
        array[0] = 50.0
        assert before.numpy().tolist() == view.tolist() == [1, 2]
        assert v.numpy().tolist() == [2, 3]

    def test_the_callers_array_is_its_own(self):
        given = np.float32([1, 2])
        v = tf.Variable(given)
        given[0] = 9.0
        v.assign(given)
        given[1] = 7.0
        assert v.numpy().tolist() == [9, 2]

    def test_behaves_like_its_value(self):
        v = tf.Variable([1.0, 2.0])
        assert ((v + 1) * 2 - [1, 1] / v).numpy().tolist() == [3, 5.5]
        assert (1 - v).numpy().tolist() == [0, -1]
        assert (np.float32([1, 2]) * v).numpy().tolist() == [1, 4]
        assert (v[1].numpy(), [float(x) for x in v], (v == v).numpy().tolist()) == (2.0, [1, 2], [True, True])
        assert (v != [1.0, 3.0]).numpy().tolist() == [False, True]
        assert int(tf.Variable(3)) == 3 and list(range(4))[tf.Variable(2)] == 2

    def test_scatters(self):
        v = tf.Variable([1.0, 2.0, 3.0])
        v.scatter_nd_add([[0], [0], [2]], [1.0, 1.0, 5.0])
        v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([1])))
        assert v.numpy().tolist() == [3, 9, 8]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 3 is not in \[0, 3\)"):
            tf.scatter_update(v, [3], [0.0])
        with pytest.raises(TypeError, match="not IndexedSlices"):
            v.scatter_add([1.0])

    def test_copies_and_pickles_are_variables_of_their_own(self):
        v = tf.Variable([1.0, 2.0], name="w", trainable=False, shape=[None])
        for made in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
            v.assign([5.0, 6.0])
            assert (made.name, made.trainable, made.shape.as_list()) == ("w:0", False, [None])
            assert made.numpy().tolist() == [1, 2]
            v.assign([1.0, 2.0])

    def test_names_follow_name_scopes(self):
        with tf.name_scope("a"), tf.name_scope("b"):
            assert tf.Variable(0.0, name="w").name == "a/b/w:0"
        assert tf.Variable(0.0).name == "Variable:0"

    def test_tapes_watch_trainable_ones(self):
        v, frozen = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
        with tf.GradientTape() as tape:
            y = v * v * frozen
        assert [g if g is None else g.numpy() for g in tape.gradient(y, [v, frozen])] == [12.0, None]

    def test_is_initialized(self):
        assert bool(tf.Variable(1.0).is_initialized())

    def test_prints_its_value(self):
        assert repr(tf.Variable(1.0, name="w")) == "<tf.Variable 'w:0' shape=() dtype=float32, numpy=1.0>"

    def test_a_constraint_must_be_a_function(self):
        with pytest.raises(ValueError, match="constraint"):
            tf.Variable(1.0, constraint=3)


class TestInGraphs:
    def test_nodes_have_tensorflows_names(self, graph):
        tf.Variable(1.0, name="w")
        assert [n.name for n in graph.get_operations()] == [
            "w/Initializer/initial_value",
            "w",
            "w/IsInitialized/VarIsInitializedOp",
            "w/Assign",
            "w/Read/ReadVariableOp",
        ]
        assert [tf.Variable(1.0).name for _ in range(2)] == ["Variable:0", "Variable_1:0"]

    def test_every_session_has_a_value_of_its_own(self, graph):
        v = tf.Variable(1.0)
        one, two = initialized(), initialized()
        one.run(v.assign(5.0))
        assert (one.run(v), two.run(v)) == (5.0, 1.0)

    def test_reading_before_initialization_names_the_variable(self, graph):
        v = tf.Variable(1.0, name="w")
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w.*global_variables_initial"):
            tf.Session().run(v)

    def test_assign_gives_the_new_value_or_the_operation(self, graph):
        v = tf.Variable([1.0, 2.0])
        new, op = v.assign_add([1.0, 1.0]), v.assign([7.0, 7.0], read_value=False)
        session = initialized()
        assert session.run(new).tolist() == [2, 3]
        assert session.run(op) is None and session.run(v).tolist() == [7, 7]

    def test_static_shapes_are_checked_while_building(self, graph):
        v = tf.Variable([1.0, 2.0], name="w")
        with pytest.raises(ValueError, match=r"variable 'w:0'.*\(2,\).*\(3,\)"):
            v.assign([1.0, 2.0, 3.0])

    def test_shapes_known_late_are_checked_when_running(self, graph):
        v, x = tf.Variable([1.0, 2.0], name="w"), tf.placeholder(tf.float32)
        op, session = v.assign(x), initialized()
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"variable 'w:0'.*\(2,\).*\(3,\)"):
            session.run(op, {x: [1, 2, 3]})
        assert session.run(v).tolist() == [1, 2]

    def test_a_sum_of_another_shape_is_refused(self, graph):
        v, x = tf.Variable([1.0, 2.0], name="w"), tf.placeholder(tf.float32)
        session = initialized()
        for op in (v.assign_add(x), v.assign_sub(x)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"variable 'w:0' with shape \[2\].*shape \[\]"):
                session.run(op, {x: 1.0})

    def test_without_validation_the_shape_may_change(self, graph):
        v, x = tf.Variable([1.0], validate_shape=False), tf.placeholder(tf.float32)
        session = initialized()
        assert v.shape.rank is None
        assert session.run(v.assign(x), {x: [[1, 2]]}).tolist() == [[1, 2]]

    def test_load_and_eval(self, graph):
        v = tf.Variable([1.0, 2.0])
        with initialized().as_default():
            v.load([3.0, 4.0])
            assert v.eval().tolist() == [3, 4]

    def test_numpy_needs_eager_execution(self, graph):
        with pytest.raises(NotImplementedError, match="eager"):
            tf.Variable(1.0).numpy()

    def test_initialized_value_is_the_first_value_until_there_is_one(self, graph):
        v = tf.Variable(2.0)
        w = tf.Variable(v.initialized_value() * 10)
        session = tf.Session()
        session.run(w.initializer)
        assert session.run(w) == 20.0
        session.run(v.initializer)
        session.run(v.assign(3.0))
        session.run(w.initializer)
        assert session.run(w) == 30.0

    def test_first_values_may_use_other_variables(self, graph):
        v = tf.Variable(2.0)
        w = tf.Variable(tf.square(v + 1.0))
        session = tf.Session()
        session.run(w.initializer)  # v has no value yet
        assert session.run(w) == 9.0

    def test_a_shared_random_first_value_is_drawn_once(self, graph):
        v = tf.Variable(tf.random.uniform([4]))
        w = tf.Variable(v.initialized_value())
        session = initialized()
        np.testing.assert_array_equal(*session.run([v, w]))

    def test_scatters_return_the_new_value(self, graph):
        v = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        session = initialized()
        assert session.run(tf.scatter_update(v, [0, 2], [[9.0, 9.0], [8.0, 8.0]])).tolist() == [[9, 9], [2, 2], [8, 8]]
        assert session.run(tf.scatter_add(v, [1, 1], [[1.0, 0.0], [1.0, 5.0]])).tolist() == [[9, 9], [4, 7], [8, 8]]
        assert session.run(tf.scatter_sub(v, 0, [9.0, 8.0])).tolist() == [[0, 1], [4, 7], [8, 8]]
        assert session.run(tf.scatter_mul(v, [2], 2.0)).tolist() == [[0, 1], [4, 7], [16, 16]]
        assert session.run(tf.scatter_nd_update(v, [[2, 0]], [5.0])).tolist() == [[0, 1], [4, 7], [5, 16]]

    def test_integer_division_stays_an_integer(self, graph):
        v = tf.Variable([7, 9])
        assert initialized().run(tf.scatter_div(v, [0], 2)).tolist() == [3, 9]

    def test_updates_of_another_shape_are_refused(self, graph):
        v = tf.Variable([[1.0, 1.0]])
        with pytest.raises(ValueError, match="Shapes must be equal"):
            tf.scatter_update(v, [0], [1.0])
        op = tf.scatter_update(v, [0], tf.compat.v1.placeholder_with_default([1.0], None))
        session = initialized()
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"got updates.shape \[1\], indices.shape \[1\]"):
            session.run(op)

    def test_strings_and_bools(self, graph):
        s, b = tf.Variable([b"a", b"b"]), tf.Variable([True, False])
        session = initialized()
        assert session.run(tf.scatter_update(s, [1], ["zz"])).tolist() == [b"a", b"zz"]
        assert session.run(b.assign([False, False])).tolist() == [False, False]

    def test_gradients(self, graph):
        v = tf.Variable([1.0, 2.0])
        grad = tf.gradients(tf.reduce_sum(v * v + v), v)[0]
        assert initialized().run(grad).tolist() == [3, 5]

    def test_a_device_and_a_graph(self, graph):
        v = tf.Variable(1.0)
        assert v.graph is graph and v.op.type == "VarHandleOp" and v.device == ""

    def test_equality_is_identity(self, graph):
        v, w = tf.Variable(1.0), tf.Variable(1.0)
        assert v == v and v != w and v in {v: 1}

    def test_only_variables_can_be_assigned(self, graph):
        with pytest.raises(TypeError, match="assign writes into a tf.Variable"):
            tf.assign(tf.constant(1.0), 2.0)

    def test_an_eager_variable_can_be_used_in_a_graph(self):
        v = tf.Variable(2.0)
        with tf.Graph().as_default():
            read, write = v * 3.0, v.assign_add(1.0)
            session = tf.Session()
            assert session.run(read) == 6.0
            session.run(write)
        assert v.numpy() == 3.0


class TestOrder:
    def test_control_dependencies_order_reads_and_writes(self, graph):
        v = tf.Variable(0)
        before = v.read_value()
        with tf.control_dependencies([before]):
            add = v.assign_add(5, read_value=False)
        with tf.control_dependencies([add]):
            after = v.read_value()
        session = initialized()
        assert session.run([after, before]) == [5, 0]
        assert session.run([before, after]) == [5, 10]

    def test_a_constant_made_after_a_write_keeps_it_alive(self, graph):
        v = tf.Variable(0)
        with tf.control_dependencies([v.assign_add(1)]):
            one = tf.constant(1)
        session = initialized()
        assert session.run(one + one) == 2  # not folded away
        assert session.run(v) == 1

    def test_what_waits_for_a_constant_waits_for_what_it_waits_for(self, graph):
        v = tf.Variable(0)
        with tf.control_dependencies([tf.py_func(lambda: np.int32(1), [], tf.int32)]):
            add = v.assign_add(1, read_value=False)
        with tf.control_dependencies([add]):
            marker = tf.constant(1)
        with tf.control_dependencies([marker]):
            late = v.read_value()
        session = initialized()
        plan = session.plan(late)
        write = next(k for k, s in enumerate(plan.steps) if s.op == "AssignAddVariableOp")
        assert [write] == [w for s in plan.steps if s.op == "ReadVariableOp" for w in s.waits]
        assert session.run(late) == 1

    def test_a_function_writes_in_program_order(self):
        v, seen = tf.Variable(0), []

        @tf.function
        def f():
            v.assign_add(1)
            tf.py_function(lambda x: seen.append(int(x)), [v], [])
            v.assign(v * 10)
            return v.read_value()

        assert (f().numpy(), f().numpy(), seen) == (10, 110, [1, 11])


class TestMemory:
    def test_a_host_function_cannot_write_into_a_variable(self, graph):
        v = tf.Variable(np.zeros(50_000, np.float32))

        def scribble(x):
            x[:] = 7.0
            return x

        y, session = tf.py_func(scribble, [v], tf.float32), initialized()
        assert session.run(y)[0] == 7.0
        assert not session.run(v).any()

    def test_a_fetched_value_is_the_callers_own(self, graph):
        v, session = tf.Variable(np.zeros(50_000, np.float32)), None
        session = initialized()
        session.run(v)[:] = 7.0
        assert not session.run(v).any()

    def test_a_fed_array_that_was_assigned_is_not_kept(self, graph):
        v, x = tf.Variable(np.zeros(50_000, np.float32)), tf.placeholder(tf.float32, [50_000])
        session, given = initialized(), np.ones(50_000, np.float32)
        session.run(v.assign(tf.reshape(x, [50_000])).op, {x: given})
        given[:] = 7.0
        assert session.run(v)[0] == 1.0

    def test_a_buffer_that_a_function_uses_again_is_not_kept(self, graph):
        buffer = np.zeros(50_000, np.float32)

        def fill():
            buffer[:] += 1
            return buffer

        v = tf.Variable(np.zeros(50_000, np.float32))
        op, session = v.assign(tf.py_func(fill, [], tf.float32)).op, initialized()
        session.run(op)
        buffer[:] = 70.0
        assert session.run(v)[0] == 1.0


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (slice(1, None), [5.0, 6.0], [1.0, 5.0, 6.0]),
        (0, 9.0, [9.0, 2.0, 3.0]),
        (slice(None, None, 2), [7], [7.0, 2.0, 7.0]),
        ((Ellipsis, slice(None, 2)), 0.0, [0.0, 0.0, 3.0]),
        (slice(None, None, -1), [1, 2, 3], [3.0, 2.0, 1.0]),
    ],
)
def test_slices_are_assigned(key, value, expected):
    """FINDINGS B: `v[1:].assign`."""
    eager = tf.Variable([1.0, 2.0, 3.0])
    assert eager[key].assign(value) is eager and eager.numpy().tolist() == expected
    again = tf.Variable([1.0, 2.0, 3.0])
    tf.function(lambda: again[key].assign(value))()
    assert again.numpy().tolist() == expected
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        in_graph = tf.Variable([1.0, 2.0, 3.0])
        written = in_graph[key].assign(value)
        session.run(in_graph.initializer)
        assert session.run(written).tolist() == session.run(in_graph).tolist() == expected


def test_a_slice_that_does_not_fit_is_refused():
    v = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
        v[1:].assign([1.0, 2.0, 3.0])
    with pytest.raises(AttributeError, match="no attribute 'assign'"):
        (v[1:] + 1.0).assign([1.0, 2.0])


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "**"])
def test_operators_in_place_are_refused_eagerly_and_make_tensors_in_graphs(operator):
    """FINDINGS B: `v += 1.`"""
    names = {"v": tf.Variable(2.0)}
    with pytest.raises(RuntimeError, match="is not supported. Use `variable.assign"):
        exec(f"v {operator}= 2.0", names)
    with tf.Graph().as_default():
        names = {"v": tf.Variable(2.0)}
        exec(f"v {operator}= 2.0", names)
        assert isinstance(names["v"], tf.Tensor)


def test_eager_variables_have_no_hash():
    """FINDINGS B: `hash(Variable)`."""
    with pytest.raises(TypeError, match="Instead, use variable.ref"):
        hash(tf.Variable(1.0))
    with tf.Graph().as_default():
        assert len({tf.Variable(1.0), tf.Variable(2.0)}) == 2


def test_a_copy_of_a_variable_has_its_constraint_synchronization_and_aggregation():
    v = tf.Variable(
        1.0,
        constraint=tf.nn.relu,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
    made = copy.deepcopy(v)
    assert (made.constraint, made.synchronization, made.aggregation) == (v.constraint, v.synchronization, v.aggregation)


def test_where_a_part_lies_is_said_by_a_text_and_read_from_it():
    info = tf.Variable.SaveSliceInfo("whole", [2, 3, 4], [0, 2, 0], [1, 1, 3])
    assert info.spec == "2 3 4 0,1:2,1:0,3" and tf.Variable.SaveSliceInfo.from_spec(info.spec).spec == info.spec
    for text in ("0", "0:0", "a b", "0 0:0", "0 a,0:0:0", "0 0,a:0:0"):
        with pytest.raises(ValueError, match="Spec string"):
            tf.Variable.SaveSliceInfo.from_spec(text)


def test_assign_of_1x_writes_into_a_part_of_a_variable() -> None:
    eager = tf.Variable([1, 2, 3])
    tf.compat.v1.assign(eager[1:], [5, 6])
    assert eager.numpy().tolist() == [1, 5, 6]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=[1, 2, 3])
        session.run(v.initializer)
        assert session.run(tf.compat.v1.assign(v[1:], [5, 6])).tolist() == [1, 5, 6]
    with pytest.raises(TypeError, match="a tensor cannot be assigned"):
        tf.compat.v1.assign(tf.constant([1]), [2])


def test_the_first_replica_has_its_name_of_1x() -> None:
    first = tf.VariableAggregation.ONLY_FIRST_REPLICA
    assert tf.compat.v1.VariableAggregation.ONLY_FIRST_TOWER is first and first.name == "ONLY_FIRST_REPLICA"
