"""Host functions on a Ray cluster of three nodes, and on one that an executor starts itself."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.executor import Call
from inlay._src.host.executors import outcome, ray_connection
from tests.conftest import RayCluster

BOUND = 30.0  # seconds within which what must happen happens


@pytest.fixture(scope="module")
def executor(ray_cluster: RayCluster) -> Any:
    return tf.RayExecutor(ray_cluster.address)


def wait_for(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + BOUND
    while not happens():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def times(self, x: Any) -> Any:
        return x * np.float32(self.factor)


def plus(x: Any, y: Any) -> Any:
    return x + y


def test_functions_of_every_kind_arrive(executor: Any) -> None:
    offset = np.float32(4)
    kinds: list[Callable[[Any], Any]] = [
        np.negative,
        lambda x: x + offset,
        Scaled(3.0).times,
        functools.partial(plus, np.float32(1)),
    ]
    x = np.float32(2)
    found = [tf.numpy_function(f, [x], tf.float32, executor=executor).numpy() for f in kinds]
    assert found == [-2, 6, 6, 3]


def test_calls_run_in_other_processes_which_have_the_function_once(executor: Any) -> None:
    pids = {int(tf.numpy_function(os.getpid, [], tf.int64, executor=executor)) for _ in range(3)}
    assert os.getpid() not in pids
    before = len(executor._bodies)
    for i in range(3):
        assert executor.submit(abs, -i).result(BOUND) == i
    assert len(executor._bodies) == before + 1


@pytest.mark.parametrize(
    ("holds", "room"),
    [({}, 4), ({"num_cpus": 2}, 2), ({"num_cpus": 8}, 1), ({"num_cpus": 0}, None)]
    + [({"num_cpus": 0.5, "resources": {"second": 1}}, 2), ({"num_cpus": 0, "resources": {"nowhere": 1}}, 1)],
)
def test_there_are_as_many_workers_as_the_cluster_has_room_for(
    ray_cluster: RayCluster, holds: dict[str, Any], room: int | None
) -> None:
    executor = tf.RayExecutor(ray_cluster.address, **holds)
    wait_for(lambda: executor.workers == room)  # a node that another test killed counts for a while


class Travels:
    """Counts how often it was pickled here, and says whether it was unpickled once in its process."""

    pickled = unpickled = 0

    def __getstate__(self) -> dict[str, Any]:
        Travels.pickled += 1
        return {"kept": 1}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Travels.unpickled += 1


def test_a_function_of_elements_is_put_once_and_a_bounded_number_is_in_flight(
    executor: Any,
) -> None:
    """And `executor="ray"` is the cluster that this process is a member of."""
    captured, read = Travels(), list[int]()
    Travels.pickled = 0

    def note(x: Any) -> Any:
        read.append(int(x))
        return x

    def count(x: Any) -> Any:
        time.sleep(0.01)  # one element is a task
        return np.array([x, type(captured).unpickled, os.getpid()], np.int64)

    def dataset(**how: Any) -> Any:
        source = tf.data.Dataset.range(60).map(lambda x: tf.numpy_function(note, [x], tf.int64))
        return source.map(lambda x: tf.numpy_function(count, [x], tf.int64, stateful=False), **how)

    assert int(executor.submit(abs, -1).result(BOUND)) == 1
    iterator = iter(dataset(executor="ray", num_parallel_calls=4))
    found, most = list[Any](), 0
    for element in iterator:
        found.append(element.numpy().tolist())
        most = max(most, len(read) - len(found))
    assert [x for x, _, _ in found] == list(range(60))
    assert {times for _, times, _ in found} == {1}
    assert 1 <= len({pid for _, _, pid in found} - {os.getpid()}) <= 4
    assert Travels.pickled <= 2
    assert most <= 8  # as many as were asked for, and as many that wait for a worker


def test_large_arrays_and_strings_come_and_go(executor: Any) -> None:
    big = np.arange(1 << 17, dtype=np.float32).reshape(2, -1)

    def swap(x: Any, s: Any) -> Any:
        x[0, 0] = 7.0  # its own to write
        return x[::-1], [b"<" + v + b">" for v in s], x[:0]

    out = tf.numpy_function(swap, [big, ["a", "bc"]], [tf.float32, tf.string, tf.float32], executor=executor)
    assert big[0, 0] == 0
    assert out[0].numpy()[1, 0] == 7.0
    np.testing.assert_array_equal(out[0].numpy()[0], big[1])
    assert out[1].numpy().tolist() == [b"<a>", b"<bc>"]
    assert out[2].shape == (0, big.shape[1])


def test_graphs_run_independent_calls_at_once(executor: Any, tmp_path: Path) -> None:
    def meet(mine: bytes, other: bytes) -> bool:
        Path(mine.decode()).touch()
        wait_for(Path(other.decode()).exists)
        return True

    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, tf.executor(executor):
        pair = [tf.numpy_function(meet, names, tf.bool) for names in ([a, b], [b, a])]
        assert session.run(pair) == [True, True]


def test_gradients_of_every_order_do_not_repeat_the_forward(executor: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"

    def cube(x: Any) -> Any:
        with log.open("a") as file:
            file.write("x")
        return x * x * x

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.py_function(cube, [x], tf.float32, executor=executor)
        dy = inner.gradient(y, x)
    d2y = outer.gradient(dy, x)
    assert (y.numpy(), dy.numpy(), d2y.numpy()) == (27.0, 27.0, 18.0)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.py_function(cube, [p], tf.float32, executor=executor)
        assert session.run([y, tf.gradients(y, p)[0]], {p: 2.0}) == [8.0, 12.0]
    assert log.read_text() == "xx"


class Odd(Exception):
    def __init__(self, a: int, b: int) -> None:
        super().__init__("odd")


@pytest.mark.parametrize(
    ("raised", "kinds"),
    [
        (ValueError("no"), (ValueError, tf.errors.InvalidArgumentError)),
        (KeyError("k"), (KeyError, tf.errors.UnknownError)),
        (tf.errors.NotFoundError(None, None, "gone"), (tf.errors.NotFoundError,)),
    ],
)
def test_exceptions_arrive_as_those_of_functions_in_place(executor: Any, raised: Any, kinds: Any) -> None:
    def fail(x: Any) -> Any:
        raise raised

    told = []
    for where in (None, executor):
        with pytest.raises(kinds[0]) as caught:
            tf.numpy_function(fail, [1.0], tf.float32, name="mine", executor=where)
        assert isinstance(caught.value, kinds)
        told.append(str(caught.value).split("\n\n")[0].replace(f"test_ray.py:{caught.traceback[0].lineno}", ""))
    assert told[0] == told[1]
    assert "fail" in told[1]


def test_what_cannot_travel_says_what_it_is(executor: Any) -> None:
    lock = __import__("threading").Lock()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)cannot be sent.*lock") as caught:
        tf.numpy_function(lambda x: (lock, x)[1], [1.0], tf.float32, executor=executor)
    assert isinstance(caught.value, TypeError)
    with pytest.raises(TypeError, match="argument 0 of abs, a lock, cannot be sent elsewhere"):
        executor.submit(abs, lock)
    with pytest.raises(TypeError, match="the result of .*, a lock, cannot be sent back"):
        executor.submit(lambda: __import__("threading").Lock()).result(BOUND)
    with pytest.raises(Odd, match="odd"):
        executor.submit(_raise_odd).result(BOUND)


def _raise_odd() -> None:
    raise Odd(1, 2)


def test_a_worker_that_dies_is_reported_once_for_stateful_calls_and_tried_again_for_others(
    executor: Any, tmp_path: Path
) -> None:
    def dies_first(path: bytes) -> int:
        with Path(path.decode()).open("a") as file:
            file.write("x")
        if len(Path(path.decode()).read_text()) == 1:
            os._exit(3)
        return 1

    with pytest.raises(
        tf.errors.UnavailableError, match="worker that ran .*dies_first.* was lost.*it was not run again"
    ):
        tf.numpy_function(dies_first, [str(tmp_path / "a")], tf.int64, executor=executor)
    assert (tmp_path / "a").read_text() == "x"
    made = tf.numpy_function(dies_first, [str(tmp_path / "b")], tf.int64, stateful=False, executor=executor)
    assert (int(made), (tmp_path / "b").read_text()) == (1, "xx")


def test_cancelling_interrupts_the_task(executor: Any, tmp_path: Path) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"

    def blocks() -> None:
        begun.touch()
        try:
            for _ in range(100 * int(BOUND)):
                time.sleep(0.1)
        finally:
            ended.touch()

    future = executor.submit(blocks)
    wait_for(begun.exists)
    assert [line for line in executor.pending() if "blocks" in line]
    assert future.cancel() and future.cancelled()
    wait_for(ended.exists)


def test_output_is_forwarded_with_the_name_of_the_op(executor: Any, capfd: Any) -> None:
    def says(x: Any) -> Any:
        print("one\ntwo")
        return x

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.numpy_function(says, [1.0], tf.float32, name="mine", executor=executor))
    assert [line for line in capfd.readouterr().out.splitlines() if "mine" in line] == ["[mine] one", "[mine] two"]


def test_calls_made_in_a_task_do_not_wait_for_its_core(executor: Any) -> None:
    def deeper(n: Any) -> Any:
        if n == 0:
            return np.int64(0)
        return tf.numpy_function(deeper, [n - 1], tf.int64, executor=tf.RayExecutor()).numpy() + 1

    assert int(tf.numpy_function(deeper, [np.int64(100)], tf.int64, executor=executor)) == 100


def test_shutdown_takes_no_more_calls_and_leaves_the_cluster(ray_cluster: RayCluster, executor: Any) -> None:
    mine = tf.RayExecutor(ray_cluster.address, num_cpus=0.5)
    future = mine.submit(abs, -2)
    mine.shutdown()
    assert future.result(0) == 2
    with pytest.raises(RuntimeError, match="takes no calls after its shutdown") as caught:
        mine.submit(abs, 1)
    assert isinstance(caught.value, tf.errors.FailedPreconditionError)
    assert executor.submit(abs, -5).result(BOUND) == 5


def test_options_are_checked_and_travel(ray_cluster: RayCluster) -> None:
    with pytest.raises(ValueError, match="num_cpus must not be negative, got -1"):
        tf.RayExecutor(num_cpus=-1)
    made = pickle.loads(pickle.dumps(tf.RayExecutor(ray_cluster.address, resources={"second": 1}, max_retries=7)))
    assert (made._address, made._holds["resources"], made._max_retries) == (ray_cluster.address, {"second": 1}, 7)


def test_a_process_is_in_one_cluster(executor: Any) -> None:
    executor.submit(abs, 1).result(BOUND)
    with pytest.raises(ValueError, match="is a member of the Ray cluster .* cannot join 127.0.0.1:1"):
        tf.RayExecutor("127.0.0.1:1").submit(abs, 1)


def test_large_arrays_are_put_beside() -> None:
    beside: list[Any] = []
    big = np.arange(1 << 15, dtype=np.float64)
    data = outcome.packed(Call(abs, (big, 1), label="abs"), beside)
    assert len(data) < 1000 and beside[0].nbytes == big.nbytes
    (array, one), kwargs = pickle.loads(data, buffers=beside)
    assert (one, kwargs) == (1, {})
    assert np.shares_memory(array, big)
    made: list[Any] = []
    sent = outcome.perform(outcome.bodies.body_of(np.negative), outcome.packed(Call(abs, (big,))), False, (), made)
    np.testing.assert_array_equal(outcome.opened(sent, made), -big)


OWN = """
import inlay as tf
executor = tf.RayExecutor()
print(executor.submit(abs, -3).result())
import psutil
ours = psutil.Process().children(recursive=True)
listening = {c.laddr.ip for p in ours for c in p.net_connections() if c.status == "LISTEN"}
print(sorted(listening), [p.pid for p in ours])
import ray, time
pending = executor.submit(time.sleep, 100)
ray.shutdown()
pending.cancel()
print(ray.is_initialized())
"""


def test_what_an_executor_starts_itself_is_on_the_loopback_interface_and_ends_with_the_process() -> None:
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("ray")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    done = subprocess.run([sys.executable, "-c", OWN], capture_output=True, text=True, timeout=58, env=environment)
    assert done.returncode == 0, done.stderr
    result, rest, member = done.stdout.splitlines()
    assert result == "3"
    assert member == "False", "cancelling a call of a cluster that was left started another one"
    addresses, _, pids = rest.partition("] ")
    assert {a.strip("'[] ").removeprefix("::ffff:") for a in addresses.split(",")} == {ray_connection.LOOPBACK}
    wait_for(lambda: not any(psutil.pid_exists(int(pid)) for pid in pids.strip("[]").split(",")))
