"""Plans with an accelerator: where steps run, what moves, and that the meaning stays."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import device
from inlay._src.core.devices import device_tensor
from inlay._src.engine.plan.plan import Plan, verify
from tests.unit.devices.standing_in import Crossings

v1 = tf.compat.v1
ON_GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
GPU, CPU = "/device:GPU:0", "/device:CPU:0"


def some(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def steps(plan: Plan) -> list[tuple[str, str]]:
    """(op, device) of every step, and that the plan is well formed."""
    verify(plan)
    assert {s.op for s in plan.steps if s.device == GPU} <= {"CompiledSegment", "ToDevice", "EagerPyFunc"}
    return [(s.op, s.device) for s in plan.steps]


def runs(session: Any, fetches: Any, feeds: Any) -> Any:
    """The result of a run, the same by the interpreter and by generated source."""
    first = session.run(fetches, feeds)
    for _ in range(4):
        again = session.run(fetches, feeds)
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    return again


def test_numbers_go_to_the_gpu_by_default_and_a_numpy_function_gets_host_arrays(gpu: Crossings) -> None:
    seen = []

    def double(a: Any) -> Any:
        seen.append(type(a))
        a *= 2
        return a

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 3])
        y = tf.sin(x) + 1.0
        z = tf.reduce_sum(tf.numpy_function(double, [y], tf.float32) * y, axis=1)
        with v1.Session() as session:
            found = runs(session, [z, y], {x: some(2, 3)})
            plan = session.plan([z, y], [x])
    assert steps(plan) == [
        ("ToDevice", GPU), ("CompiledSegment", GPU), ("ToHost", CPU), ("PyFunc", CPU), ("ToDevice", GPU),
        ("CompiledSegment", GPU), ("ToHost", CPU),
    ]  # fmt: skip
    assert " on /device:GPU:0" in str(plan) and "ToHost" in str(plan)
    want = np.sin(some(2, 3)) + 1
    np.testing.assert_allclose(found[1], want, rtol=1e-6)
    np.testing.assert_allclose(found[0], (2 * want * want).sum(1), rtol=1e-6)
    assert set(seen) == {np.ndarray}
    assert all(isinstance(v, np.ndarray) and v.flags.writeable for v in found)


def test_what_was_asked_for_wins(gpu: Crossings) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        n = v1.placeholder(tf.int32, [3])
        with tf.device("/CPU:0"):
            y = tf.exp(x)
        m = n + 1
        with tf.device("/GPU:0"):
            k = n * 2
        with v1.Session() as session:
            assert steps(session.plan(y, [x])) == [("Exp", "")]
            assert steps(session.plan(m, [n])) == [("AddV2", "")]  # whole numbers stay where they are
            assert [d for _, d in steps(session.plan(k, [n]))] == [GPU, GPU, CPU]
            assert session.run(k, {n: [1, 2, 3]}).tolist() == [2, 4, 6]


def test_without_an_accelerator_a_plan_stays_what_it_is(gpu: Crossings) -> None:
    device.hide([GPU])
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        y = tf.exp(x) * 2.0
        with v1.Session() as session:
            assert steps(session.plan(y, [x])) == [("Exp", ""), ("Mul", "")]
        with tf.device("/GPU:0"):
            z = tf.exp(x) + 1.0
        with v1.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            session.run(z, {x: some(3)})
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
            np.testing.assert_allclose(session.run(z, {x: some(3)}), np.exp(some(3)) + 1, rtol=1e-6)


def test_a_py_function_gets_tensors_of_the_device_and_leaves_its_result_there(gpu: Crossings) -> None:
    seen = []

    def body(a: Any) -> Any:
        if not seen:
            tf.nn.relu(a) * 2.0  # the number goes there once
        with gpu.none():
            b = tf.nn.relu(a) * 2.0
        seen.append((a.device, b.device, tf.constant(1.0).device))
        return b

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4])
        y = tf.py_function(body, [tf.exp(x) - 1.0], tf.float32)
        z = tf.sqrt(y)
        with v1.Session() as session:
            plan = session.plan(z, [x])
            got = runs(session, [z], {x: some(4)})[0]
            crossed = gpu.there, gpu.back
            session.run(z, {x: some(4)})
    assert steps(plan) == [
        ("ToDevice", GPU), ("CompiledSegment", GPU), ("EagerPyFunc", GPU), ("CompiledSegment", GPU), ("ToHost", CPU),
    ]  # fmt: skip
    assert set(seen) == {(ON_GPU, ON_GPU, ON_GPU)}
    np.testing.assert_allclose(got, np.sqrt(2 * np.maximum(np.exp(some(4)) - 1, 0)), rtol=1e-5)
    assert (gpu.there - crossed[0], gpu.back - crossed[1]) == (1, 1)  # the feed; the fetch


def test_a_py_function_without_device_values_stays_on_the_host_unless_asked(gpu: Crossings) -> None:
    where = []

    def body(a: Any) -> Any:
        where.append(a.device)
        return np.float32(3) + a.numpy()  # made on the host

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        here = tf.py_function(body, [x], tf.float32)
        with tf.device("/GPU:0"):
            there = tf.py_function(body, [x], tf.float32)
        with v1.Session() as session:
            assert steps(session.plan(here, [x])) == [("EagerPyFunc", "")]
            assert steps(session.plan(there, [x])) == [("ToDevice", GPU), ("EagerPyFunc", GPU), ("ToHost", CPU)]
            assert session.run([here, there], {x: [1.0, 2.0]})[1].tolist() == [4, 5]
    assert sorted(where) == [ON_GPU.replace("GPU", "CPU"), ON_GPU]


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_through_a_py_function_on_the_device(gpu: Crossings, order: int) -> None:
    def gradient(place: str) -> Any:
        with tf.Graph().as_default(), tf.device(place):
            x = v1.placeholder(tf.float32, [3])
            y = tf.py_function(lambda a: a * a * a, [tf.sin(x)], tf.float32)
            y.set_shape([3])
            for _ in range(order):
                (y,) = tf.gradients(tf.reduce_sum(y), x)
            with v1.Session() as session:
                ops = steps(session.plan(y, [x]))
                return session.run(y, {x: some(3)}), ops

    here, _ = gradient("/CPU:0")
    there, ops = gradient("/GPU:0")
    assert [op for op, _ in ops].count("ToHost") == 1
    np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6)


def test_text_state_and_refusing_ops_stay_on_the_host(gpu: Crossings) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        v = v1.get_variable("v", initializer=[1.0, 2.0, 3.0])
        picked = tf.gather(tf.exp(x) * v, [2, 0])
        text = tf.strings.as_string(tf.cast(picked, tf.int32))
        update = v.assign_add(tf.exp(x))
        with v1.Session() as session:
            session.run(v.initializer)
            ops = dict(steps(session.plan([text, update], [x])))
            assert ops["GatherV2"] == ops["AsString"] == ops["ReadVariableOp"] == ops["AssignAddVariableOp"] == CPU
            assert session.run(text, {x: [0.0, 0.0, 0.0]}).tolist() == [b"3", b"1"]
            assert session.run(update, {x: [0.0, 0.0, 0.0]}).tolist() == [2, 3, 4]
            with pytest.raises(tf.errors.InvalidArgumentError, match="GatherV2"):
                session.run(tf.gather(tf.exp(x), [7]), {x: [0.0, 0.0, 0.0]})


def test_an_error_names_the_op_as_on_the_host(gpu: Crossings) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = tf.add(tf.exp(x), tf.constant([1.0, 2.0, 3.0]), name="here") * 2.0
        with v1.Session() as session:
            np.testing.assert_allclose(session.run(y, {x: np.zeros(3, np.float32)}), [4, 6, 8])
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]") as caught:
                session.run(y, {x: np.zeros(2, np.float32)})
            assert caught.value.op.name == "here"


def test_ops_that_cannot_be_compiled_run_on_the_host_between_the_rest(gpu: Crossings) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4])
        y = tf.exp(x)
        kept = tf.boolean_mask(y, y > 1.0)
        z = tf.reduce_sum(kept * 2.0)
        n = v1.placeholder(tf.int32, [2])
        shaped = tf.reshape(tf.exp(x), n) + 1.0  # its shape is fed
        with v1.Session() as session:
            want = np.exp(some(4))
            np.testing.assert_allclose(runs(session, [z], {x: some(4)})[0], 2 * want[want > 1].sum(), rtol=1e-5)
            got = runs(session, [shaped], {x: some(4), n: [2, 2]})[0]
            np.testing.assert_allclose(got, want.reshape(2, 2) + 1, rtol=1e-6)
            assert session.run(shaped, {x: some(4), n: [4, 1]}).shape == (4, 1)


def test_sizes_are_divided_where_they_are_known(gpu: Crossings) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        there = tf.exp(x)
        rows = tf.size(there) // tf.maximum(tf.size(there) // 2, 1)
        scale = tf.cast(tf.size(there) // rows, tf.float32)
        y = tf.py_function(lambda a: a + 1.0, [tf.sin(x)], tf.float32) * scale
        late = tf.size(there) // (rows + 1)  # the segment that has it does not know `rows`
        z = y * tf.cast(late, tf.float32)
        with v1.Session() as session:
            plan = session.plan([y, rows], [x])
            got = runs(session, [y, rows], {x: some(6)})
            again = runs(session, [z], {x: some(6)})[0]
    assert "FloorDiv" not in dict(steps(plan)) and "not compiled" not in str(plan)
    np.testing.assert_allclose(got[0], (np.sin(some(6)) + 1) * 3, rtol=1e-6)
    assert got[1] == 2
    np.testing.assert_allclose(again, got[0] * 2, rtol=1e-6)


def test_large_constants_go_once(gpu: Crossings) -> None:
    table = some(100, 100)
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [100])
        y = tf.linalg.matvec(tf.constant(table), tf.exp(x))
        with v1.Session() as session:
            session.run(y, {x: some(100)})
            before = gpu.there
            for _ in range(5):
                got = session.run(y, {x: some(100)})
            assert gpu.there - before == 5  # the feed
            np.testing.assert_allclose(got, table @ np.exp(some(100)), rtol=1e-4, atol=1e-4)


def test_what_a_variable_holds_goes_once_until_it_is_assigned(gpu: Crossings) -> None:
    gc.collect()
    kept = len(device_tensor._SENT)
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        v = v1.get_variable("w", initializer=some(3, 3))
        y = tf.linalg.matvec(v, tf.exp(x))
        z = tf.reduce_sum(v * 2.0)
        update = v.assign(v + 1.0)
        with v1.Session() as session:
            session.run(v.initializer)
            for turn in range(3):
                got = session.run(y, {x: some(3)})
                before = gpu.there
                for _ in range(4):
                    session.run(y, {x: some(3)})
                    total = session.run(z)  # another plan, the same value
                assert gpu.there - before == 4  # the feeds
                np.testing.assert_allclose(got, (some(3, 3) + turn) @ np.exp(some(3)), rtol=1e-5, atol=1e-5)
                np.testing.assert_allclose(total, 2 * (some(3, 3) + turn).sum(), rtol=1e-5, atol=1e-5)
                session.run(update)
    gc.collect()
    assert len(device_tensor._SENT) - kept <= 1  # replaced values are gone; the first is the graph's own constant


def test_functions_take_and_leave_values_where_they_lie(gpu: Crossings) -> None:
    @tf.function
    def f(a: Any, b: Any) -> Any:
        c = tf.matmul(a, b)
        return tf.reshape(c, [tf.shape(c)[0], -1, 1]) * 2.0, tf.shape(c), a

    a, b = tf.constant(some(2, 3)), tf.constant(some(3, 4))
    here = f(a, b)
    assert [t.device for t in here][0] == ON_GPU
    there = a.gpu(), b.gpu()
    f(*there)
    with gpu.none():
        out = f(*there)
    assert out[0].device == out[2].device == ON_GPU and f.experimental_get_tracing_count() == 1
    np.testing.assert_allclose(out[0].numpy()[..., 0], 2 * some(2, 3) @ some(3, 4), rtol=1e-5)
    assert out[1].numpy().tolist() == [2, 4]


def test_a_function_runs_where_it_is_called(gpu: Crossings) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.exp(x)

    @tf.function
    def f(x: Any, n: Any) -> Any:
        if n > 0:
            x = inner(x) + 1.0
        return x * 2.0, n + 1

    x, n = tf.constant(some(3)), tf.constant(2)
    want = (np.exp(some(3)) + 1) * 2
    for scope, where in (("/CPU:0", [0, 0]), ("/GPU:0", [1, 1]), (None, [1, 0]), ("/CPU:0", [0, 0])):
        with tf.device(scope):
            out = f(x, n)
        assert [t.device == ON_GPU for t in out] == where, scope
        np.testing.assert_allclose(out[0].numpy(), want, rtol=1e-6)
    assert f.experimental_get_tracing_count() == 3
    with tf.device("/CPU:0"):
        seen = f(x.gpu(), n)
    assert [t.device == ON_GPU for t in seen] == [False, False]


def test_gradients_of_a_function_stay_on_the_device(gpu: Crossings) -> None:
    w = tf.constant(some(3, 2)).gpu()

    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_mean(tf.nn.relu(tf.matmul(x, w)) ** 2.0)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    x = tf.constant(some(4, 3)).gpu()
    want = gradient(tf.constant(some(4, 3)))
    gradient(x)
    before = gpu.back
    got = gradient(x)
    assert got.device == ON_GPU and gpu.back == before
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5)


def test_branches_loops_and_nested_functions_pass_values_on(gpu: Crossings) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.sin(x)

    @tf.function
    def f(x: Any, n: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            x = tf.exp(inner(x))
        else:
            x = tf.exp(-inner(x))
        for _ in tf.range(n):
            x = x * 0.5
        return x

    def want(x: Any, n: int) -> Any:
        return np.exp(np.sin(x) * (1 if x.sum() > 0 else -1)) * 0.5**n

    for sign in (1, -1):
        x = np.abs(some(5)) * np.float32(sign)
        for tensor in (tf.constant(x), tf.constant(x).gpu()):
            got = f(tensor, tf.constant(3))
            assert got.device == ON_GPU
            np.testing.assert_allclose(got.numpy(), want(x, 3), rtol=1e-5)
    there = tf.constant(x).gpu()
    with tf.GradientTape() as tape:
        tape.watch(there)
        y = f(there, tf.constant(3))
    np.testing.assert_allclose(tape.gradient(y, there).numpy(), want(x, 3) * -np.cos(x), rtol=1e-5)


def test_a_function_in_a_session(gpu: Crossings) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.exp(x) + 1.0

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        y = f(x)
        z = tf.py_function(lambda a: a * 2.0, [y], tf.float32)
        with v1.Session() as session:
            got = runs(session, [y, z], {x: some(3)})
            assert all(type(v) is np.ndarray for v in got)
            np.testing.assert_allclose(got[1], 2 * (np.exp(some(3)) + 1), rtol=1e-6)
            steps(session.plan([y, z], [x]))


def test_jit_compile_beside_the_device(gpu: Crossings) -> None:
    @tf.function(jit_compile=True)
    def f(x: Any, n: Any) -> Any:
        with tf.device("/CPU:0"):
            here = tf.exp(x) * 2.0
        return here, tf.sin(x) + 1.0, n * 3 + 1

    here, there, whole = f(tf.constant(some(4)), tf.constant([1, 2]))
    assert there.device == ON_GPU and here.device != ON_GPU and whole.device != ON_GPU
    np.testing.assert_allclose(here.numpy(), np.exp(some(4)) * 2, rtol=1e-6)
    np.testing.assert_allclose(there.numpy(), np.sin(some(4)) + 1, rtol=1e-6)
    assert whole.numpy().tolist() == [4, 7]


def test_functions_that_wait_for_one_another_do(gpu: Crossings) -> None:
    barrier = threading.Barrier(2, timeout=20)

    def meet(a: Any) -> Any:
        barrier.wait()
        return a

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        one = tf.exp(tf.numpy_function(meet, [tf.exp(x)], tf.float32))
        two = tf.sin(tf.py_function(meet, [tf.sin(x)], tf.float32))
        with v1.Session() as session:
            for _ in range(4):
                got = session.run([one, two], {x: some(2)})
    np.testing.assert_allclose(got[0], np.exp(np.exp(some(2))), rtol=1e-5)
    np.testing.assert_allclose(got[1], np.sin(np.sin(some(2))), rtol=1e-5)


def test_what_the_caller_fed_may_be_written_into(gpu: Crossings) -> None:
    array = np.ones(1 << 14, np.float32)
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        y = tf.identity(x) * 1.0
        with v1.Session() as session:
            for _ in range(4):
                array[:] = 1
                got = session.run(y, {x: array})
                array[:] = 7
                assert got.max() == 1
                got[:] = 9
    assert array.max() == 7


def test_eager_host_functions_in_a_scope(gpu: Crossings) -> None:
    seen = []

    def body(a: Any) -> Any:
        seen.append(a.device if isinstance(a, tf.Tensor) else type(a))
        return a * 2

    x = tf.constant(3.0)
    with tf.device("/GPU:0"), tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(body, [x], tf.float32)
        z = tf.numpy_function(body, [x], tf.float32)
    assert seen == [ON_GPU, np.float32] and y.device == z.device == ON_GPU
    assert tape.gradient(y, x).numpy() == 2 and z.numpy() == 6
    assert tf.py_function(body, [x.gpu()], tf.float32).device == ON_GPU


def test_placement_is_logged(gpu: Crossings, capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        y = tf.exp(x, name="e")
        with v1.Session(config=v1.ConfigProto(log_device_placement=True)) as session:
            session.run(y, {x: some(3)})
    assert "e: (CompiledSegment): /device:GPU:0" in capsys.readouterr().err
