"""Servers on three nodes, and sessions on them from this process."""

from __future__ import annotations

import functools
import gc
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.conftest import RayCluster

v1 = tf.compat.v1
JOB = "/job:worker/task:{}"


def addresses(count: int) -> list[str]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [f"127.0.0.1:{s.getsockname()[1]}" for s in held]
    for s in held:
        s.close()
    return found


@pytest.fixture(scope="module")
def servers(ray_cluster: RayCluster) -> Iterator[list[Any]]:
    """Two workers, on different nodes, and a parameter server on a third."""
    first, second, third = addresses(3)
    spec = tf.train.ClusterSpec({"worker": [first, second], "ps": [third]})
    where = [("worker", 0, {}), ("worker", 1, {"second": 1}), ("ps", 0, {"third": 1})]
    made = [tf.distribute.Server(spec, job, i, address=ray_cluster.address, resources=r) for job, i, r in where]
    yield made
    del made
    gc.collect()


@pytest.fixture
def session(servers: list[Any]) -> Iterator[Callable[..., Any]]:
    """Runs what a function makes, in a graph of its own, on the first server."""
    v1.Session.reset(servers[0].target)
    with tf.Graph().as_default() as graph:

        def run(fetches: Any, feeds: Any = None, target: str = servers[0].target, **options: Any) -> Any:
            with v1.Session(target, graph=graph, **options) as opened:
                return opened.run(fetches, feeds)

        yield run


def test_a_server_is_a_target(servers: list[Any]) -> None:
    assert [s.target.startswith("grpc://127.0.0.1:") for s in servers] == [True] * 3
    assert servers[1].server_def.job_name == "worker"
    assert (servers[1].server_def.task_index, servers[1].server_def.protocol) == (1, "grpc")
    with v1.Session(servers[1].target, graph=tf.Graph()) as session:
        assert session.sess_str == servers[1].target
        assert [d.name for d in session.list_devices()] == [
            f"/job:{t}/device:CPU:0"
            for t in ("ps/replica:0/task:0", "worker/replica:0/task:0", "worker/replica:0/task:1")
        ]


def test_parts_run_in_the_processes_of_their_tasks(servers: list[Any], session: Any) -> None:
    pids = [tf.numpy_function(os.getpid, [], tf.int64)]
    for place in (JOB.format(0), JOB.format(1), "/job:ps", "/job:worker/task:1/cpu:0"):
        with tf.device(place):
            pids.append(tf.numpy_function(os.getpid, [], tf.int64))
    here, first, second, third, again = session(pids)
    assert here == first and again == second
    assert len({os.getpid(), first, second, third}) == 4
    assert session(pids[0], target=servers[1].target) == second


def test_values_travel_between_parts(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 300])
    with tf.device(JOB.format(1)):
        y = tf.py_function(lambda t: tf.matmul(t, t), [x], tf.float32)
        names = tf.numpy_function(lambda s: [b"<" + s[0] + b">"], [tf.constant(["a"])], tf.string)
    z = tf.reduce_sum(y) + tf.cast(tf.size(names), tf.float32)
    with tf.device("/job:ps/task:0"):
        w = z * 2.0
    fed = np.ones((300, 300), np.float32)
    found = session([w, y, names, x], {x: fed})
    assert found[0] == 2 * (300.0**3 + 1)
    np.testing.assert_array_equal(found[1], fed @ fed)
    found[1][0, 0] = 5.0  # the caller's own
    assert found[2] == b"<a>"
    assert found[3] is fed


class Adder:
    def __init__(self, by: float) -> None:
        self.by = np.float32(by)

    def add(self, x: Any) -> Any:
        return x + self.by


def test_functions_of_every_kind_arrive(session: Any) -> None:
    by = np.float32(3)
    kinds = [np.negative, lambda x: x + by, Adder(5.0).add, functools.partial(np.add, np.float32(7))]
    with tf.device(JOB.format(1)):
        made = [tf.numpy_function(f, [tf.constant(1.0)], tf.float32) for f in kinds]
        inside = tf.cond(
            made[0] < 0.0, lambda: tf.numpy_function(Adder(9.0).add, [made[0]], tf.float32), lambda: made[0]
        )
    assert session([*made, inside]) == [-1, 4, 6, 8, 8]


def test_functions_run_on_the_executors_of_their_server(session: Any) -> None:
    with tf.device(JOB.format(1)):
        where = tf.numpy_function(
            lambda: [os.getpid(), threading.current_thread() is threading.main_thread()],
            [],
            [tf.int64, tf.bool],
            executor="threads",
        )
        plain = tf.numpy_function(os.getpid, [], tf.int64)
    (pid, on_main), other = session([where, plain])
    assert pid == other and not on_main
    with tf.device(JOB.format(1)), ThreadPoolExecutor(1) as threads:
        mine = tf.numpy_function(os.getpid, [], tf.int64, name="mine", executor=threads)
        with pytest.raises(TypeError, match="used by op 'mine'.* cannot be sent to a server"):
            session(mine)


def test_variables_live_where_they_are_placed_and_every_session_sees_them(servers: list[Any], session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        v = v1.get_variable("shared", initializer=tf.constant([1.0, 2.0]) * 2.0)
    up = v.assign_add([1.0, 1.0])
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value shared"):
        session(v)
    session(v.initializer)
    session(up)
    np.testing.assert_array_equal(session(v, target=servers[1].target), [3.0, 5.0])
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        same = v1.get_variable("shared", [2])
        other = v1.Variable(0, name="shared", dtype=tf.int32)
        with v1.Session(servers[2].target) as opened:
            np.testing.assert_array_equal(opened.run(same), [3.0, 5.0])
            del other
    v1.Session.reset(servers[1].target, ["worker"])
    np.testing.assert_array_equal(session(v), [3.0, 5.0])
    v1.Session.reset(servers[1].target)
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value shared"):
        session(v)


def test_a_variable_of_another_dtype_is_refused(servers: list[Any], session: Any) -> None:
    v = v1.get_variable("typed", initializer=1.0)
    session(v.initializer)
    with tf.Graph().as_default(), v1.Session(servers[0].target) as opened:
        other = v1.get_variable("typed", [], tf.int32)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="variable typed with the wrong dtype. Expected float32"
        ):
            opened.run(other)


def test_gradients_go_through_tasks(session: Any) -> None:
    x = v1.placeholder(tf.float32, [])
    with tf.device(JOB.format(1)):
        v = v1.get_variable("factor", initializer=3.0)
        y = tf.py_function(lambda t, f: t * t * f, [x, v], tf.float32)
    slopes = tf.gradients(tf.exp(y * 0.1), [x, v])
    curve = tf.gradients(slopes[0], x)[0]
    session(v.initializer)
    value = np.exp(0.1 * 12.0)
    np.testing.assert_allclose(session([*slopes, curve], {x: 2.0}), [
        value * 0.1 * 12, value * 0.1 * 4, value * (0.1 * 6 + (0.1 * 12) ** 2),
    ], rtol=1e-5)  # fmt: skip


def test_training_on_a_parameter_server_learns(session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        w = v1.get_variable("w", initializer=0.0)
    x, y = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.square(x * w - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    session(w.initializer)
    for _ in range(20):
        session(train, {x: [1.0, 2.0], y: [2.0, 4.0]})
    assert abs(session(w) - 2.0) < 1e-3


class Mine(Exception):
    pass


def fail(x: Any) -> Any:
    raise Mine("no")


def test_errors_are_those_of_a_local_session(session: Any) -> None:
    x = v1.placeholder(tf.int32, [])
    with tf.device(JOB.format(1)):
        user = tf.numpy_function(fail, [x], tf.int32, name="user")
        kernel = tf.truncatediv(1, x, name="kernel")
        wrong = tf.numpy_function(lambda v: 1.5, [x], tf.int32, name="wrong")
        broken = tf.cond(x < 1, lambda: tf.numpy_function(fail, [x], tf.int32, name="inner"), lambda: x)
    after = user + 1
    for fetch, kind in ((user, Mine), (kernel, Exception), (wrong, Exception), (broken, Mine), (after, Mine)):
        told = []
        for options in ({}, {"target": "", "config": v1.ConfigProto(allow_soft_placement=True)}):
            with pytest.raises(tf.errors.OpError) as caught:
                session(fetch, {x: 0}, **options)
            assert isinstance(caught.value, kind)
            told.append((type(caught.value).__mro__[1:3], caught.value.message.split("\n\n")[0], caught.value.op))
        assert told[0] == told[1]


def test_what_is_placed_where_nothing_is_is_refused(session: Any) -> None:
    with tf.device("/job:nope/task:0/cpu:0"):
        y = tf.add(tf.constant(1.0), 2.0, name="lost")
    message = (
        r"Cannot assign a device for operation lost: \{\{node lost\}\} was explicitly assigned to "
        r"/job:nope/task:0/device:CPU:0 but available devices are \[ /job:ps/replica:0/task:0/device:CPU:0, "
        r"/job:worker/replica:0/task:0/device:CPU:0, /job:worker/replica:0/task:1/device:CPU:0 \]"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
        session(y)
    assert caught.value.op is y.op
    assert session(y, config=v1.ConfigProto(allow_soft_placement=True)) == 3.0


def test_what_cannot_run_there_is_refused_by_name(servers: list[Any], session: Any) -> None:
    lock = threading.Lock()
    held = tf.numpy_function(lambda: (lock, np.float32(1))[1], [], tf.float32, name="held")
    with pytest.raises(TypeError, match=r"(?s)used by op 'held' \(PyFunc\), .*cannot be sent to a server: .*lock"):
        session(held)

    @tf.function
    def split(x: Any) -> Any:
        with tf.device(JOB.format(1)):
            return x * 2.0

    with tf.device(JOB.format(0)):
        y = split(tf.constant(1.0))
    with pytest.raises(
        tf.errors.UnimplementedError, match="is placed on /job:worker/task:1, but it is part of .*split"
    ):
        session(y)


def test_a_run_goes_on_in_steps_there(servers: list[Any]) -> None:
    with tf.Graph().as_default(), v1.Session(servers[0].target) as opened:
        a, b = (v1.placeholder(tf.float32, []) for _ in range(2))
        with tf.device(JOB.format(1)):
            total = a + 1.0
        product = total * b
        handle = opened.partial_run_setup([total, product], [a, b])
        assert opened.partial_run(handle, total, {a: 1.0}) == 2.0
        assert opened.partial_run(handle, product, {b: 3.0}) == 6.0


def test_a_deadline_ends_a_run(servers: list[Any]) -> None:
    with tf.Graph().as_default(), v1.Session(servers[0].target) as opened:
        with tf.device(JOB.format(1)):
            slow = tf.numpy_function(lambda: __import__("time").sleep(2), [], [])
        with pytest.raises(tf.errors.DeadlineExceededError):
            opened.run(slow, options=v1.RunOptions(timeout_in_ms=200))
        with tf.device(JOB.format(1)):
            quick = tf.constant(1.0) + 1.0
        assert opened.run(quick) == 2.0


def test_runs_of_several_threads_go_on_beside_one_another(servers: list[Any]) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [])
        with tf.device(JOB.format(1)):
            y = tf.numpy_function(lambda v: v * 2, [x + 1.0], tf.float32)
        z = y + 1.0
    found: dict[int, Any] = {}
    with v1.Session(servers[0].target, graph=graph) as opened:
        threads = [threading.Thread(target=lambda i=i: found.update({i: opened.run(z, {x: i})})) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(30)
    assert found == {i: 2 * (i + 1) + 1 for i in range(8)}


def test_parts_that_need_nothing_of_one_another_run_at_once_and_the_first_failure_ends_the_run(
    session: Any, tmp_path: Any
) -> None:
    def meet(mine: bytes, other: bytes) -> bool:
        import pathlib
        import time

        pathlib.Path(mine.decode()).touch()
        end = time.monotonic() + 30
        while not pathlib.Path(other.decode()).exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        return True

    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    met = []
    for i in range(2):
        with tf.device(JOB.format(i)):
            met.append(tf.numpy_function(meet, [names[i], names[1 - i]], tf.bool))
    assert session(met) == [True, True]
    with tf.device(JOB.format(0)):
        slow = tf.numpy_function(lambda: __import__("time").sleep(20), [], [])
    with tf.device(JOB.format(1)):
        wrong = tf.numpy_function(fail, [1.0], tf.float32, name="wrong")
    begun = __import__("time").monotonic()
    with pytest.raises(Mine) as caught:
        session([slow, wrong + 1.0])
    assert caught.value.op is wrong.op
    assert __import__("time").monotonic() - begun < 15


def test_a_server_is_told_what_it_is(ray_cluster: RayCluster) -> None:
    two = {"worker": ["localhost:0", "localhost:0"], "ps": ["localhost:0"]}
    for given, job, task, kind, says in (
        (two, None, None, ValueError, "Must specify an explicit `job_name`"),
        (two, "worker", None, ValueError, "Must specify an explicit `task_index`"),
        (two, "x", None, ValueError, "No such job in cluster: 'x'"),
        (two, "worker", 4, tf.errors.InternalError, 'Task 4 was not defined in job "worker"'),
    ):
        with pytest.raises(kind, match=says):
            tf.distribute.Server(given, job, task)
    with pytest.raises(tf.errors.NotFoundError, match="No server factory registered for protocol 'carrier'"):
        tf.distribute.Server({"a": ["localhost:0"]}, protocol="carrier")


def test_the_same_task_is_served_once(servers: list[Any], ray_cluster: RayCluster) -> None:
    with pytest.raises(tf.errors.UnknownError, match="nothing can listen at"):
        tf.distribute.Server(servers[0].server_def)


def test_a_local_server_starts_when_it_is_told_and_ends_with_its_object(ray_cluster: RayCluster) -> None:
    local = tf.train.Server.create_local_server(start=False)
    patient = v1.ConfigProto(operation_timeout_in_ms=200)
    target = local.target
    with pytest.raises(tf.errors.UnavailableError, match="no server answers at|is not ready"):
        v1.Session(target, config=patient)
    local.start()
    local.start()
    with tf.Graph().as_default(), v1.Session(target) as session:
        assert session.run(tf.constant(2.0) * 3.0) == 6.0
        assert [d.name for d in session.list_devices()] == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    del local
    gc.collect()
    with pytest.raises(tf.errors.UnavailableError, match=f"no server answers at {target.partition('//')[2]}"):
        v1.Session(target, config=patient)


def test_a_task_that_dies_is_told_and_takes_its_variables_along(ray_cluster: RayCluster) -> None:
    local = tf.train.Server.create_local_server()
    with tf.Graph().as_default(), v1.Session(local.target) as session:
        dies = tf.numpy_function(lambda: os._exit(3), [], tf.float32, name="dies")
        fine = tf.constant(1.0)
        with pytest.raises(
            tf.errors.UnavailableError, match=r"server of .*task:0 at .* is gone.* It ran 'dies'"
        ) as caught:
            session.run(dies)
        assert caught.value.op is dies.op
        with pytest.raises(tf.errors.UnavailableError, match="is gone"):
            session.run(fine + 1.0)
