"""Replay: the recording in the place of the functions, and functions against their recording."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import inlay as tf
from inlay._src.host import observing

f32, f64 = tf.float32, tf.float64


class Counter:
    """A function with state, as an environment has it."""

    def __init__(self) -> None:
        self.total = 0.0

    def add(self, x: Any) -> Any:
        self.total += float(np.sum(x))
        return np.float64(self.total)


def everything(counter: Counter, offset: float = 0.0) -> list[Any]:
    """Calls in eager code, in a traced function, in a session and in a dataset."""
    results: list[Any] = []
    for i in range(4):
        results.append(tf.numpy_function(counter.add, [float(i) + offset], f64).numpy())

    @tf.function
    def twice(x: Any) -> Any:
        first = tf.numpy_function(counter.add, [x], f64)
        return tf.numpy_function(counter.add, [first], f64)

    results += [twice(tf.constant(float(i), f64)).numpy() for i in range(30)]  # until source is generated
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(f64, [None])
        y = tf.numpy_function(counter.add, [x], f64, name="total")
        results += [session.run(y, {x: np.arange(float(i))}) for i in range(30)]
    numbers = tf.data.Dataset.range(5).map(lambda v: tf.numpy_function(counter.add, [v], f64))
    return [*results, *numbers.as_numpy_iterator()]


def bits(results: list[Any]) -> list[bytes]:
    return [np.asarray(value).tobytes() for value in results]


def test_a_program_runs_without_its_functions_and_gives_the_same_bits(tmp_path: Path) -> None:
    with tf.debugging.record(tmp_path / "run") as recording:
        results = everything(Counter())
    assert recording.calls == 4 + 60 + 30 + 5
    absent = Counter()
    del absent.total  # any call would raise
    with tf.debugging.replay(tmp_path / "run") as replaying:
        again = everything(absent)
    assert bits(again) == bits(results)
    assert replaying.left == {}
    replaying.check_all_made()


def test_nothing_is_observed_after_the_blocks(tmp_path: Path) -> None:
    with tf.debugging.record(tmp_path / "run"):
        tf.numpy_function(Counter().add, [1.0], f64)
    with tf.debugging.replay(tmp_path / "run"):
        tf.numpy_function(Counter().add, [1.0], f64)
    assert not observing.meets_executors()
    counter = Counter()
    assert tf.numpy_function(counter.add, [5.0], f64).numpy() == counter.total == 5.0


def test_the_first_different_argument_is_shown_with_both_values(tmp_path: Path) -> None:
    def step(x: Any, *, scale: Any) -> Any:
        return x * scale

    def program(third: float, scale: float = 2.0) -> None:
        for i in range(5):
            x = np.arange(4.0) + (third if i == 3 else 0)
            tf.numpy_function(step, [x], f64, kwargs={"scale": scale})

    with tf.debugging.record(tmp_path / "run"):
        program(0.0)
    with tf.debugging.replay(tmp_path / "run"), pytest.raises(tf.debugging.ReplayDifference) as caught:
        program(0.5)
    error = caught.value
    assert isinstance(error, tf.errors.OpError)  # as every error of a function
    assert (error.call, error.path, error.recorded, error.got) == (3, "argument 0[0]", 0.0, 0.5)
    assert "call 3 of " in str(error)
    assert "recorded: np.float64(0.0)\n  got:      np.float64(0.5)\n  4 of 4 elements differ, by 0.5 at most" in str(
        error
    )
    assert "Traceback" not in str(error)  # no function ran
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"argument 'scale' differs.*\n.*2\.0\n.*3\.0\n"),
    ):
        program(0.0, 3.0)


def test_calls_that_the_recording_lacks_are_differences(tmp_path: Path) -> None:
    counter = Counter()
    with tf.debugging.record(tmp_path / "run"):
        for _ in range(3):
            tf.numpy_function(counter.add, [1.0], f64)
    with (
        tf.debugging.replay(tmp_path / "run") as replaying,
        pytest.raises(tf.debugging.ReplayDifference, match="more often than the 3 times of the recording at op"),
    ):
        for _ in range(4):
            tf.numpy_function(counter.add, [1.0], f64)
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"no call of .*<lambda> .*; it has Counter\.add"),
    ):
        tf.numpy_function(lambda: 1.0, [], f64)
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"op 'EagerPyFunc' calls Counter\.add .* ops are PyFunc"),
    ):
        tf.py_function(counter.add, [1.0], f64)
    with tf.debugging.replay(tmp_path / "run") as replaying:
        tf.numpy_function(counter.add, [1.0], f64)
    assert list(replaying.left.values()) == [2]
    with pytest.raises(tf.debugging.ReplayDifference, match=r"all recorded calls; missing: 2 of Counter\.add"):
        replaying.check_all_made()


def test_exceptions_are_raised_again_with_their_class_message_and_traceback(tmp_path: Path) -> None:
    class LocalError(Exception):
        pass

    def fail(k: Any) -> Any:
        if k == 0:
            raise FileNotFoundError(2, "absent", "data.bin")
        if k == 1:
            raise OwnError(7, "own")
        if k == 2:
            raise tf.errors.ResourceExhaustedError(None, None, "too much")
        if k == 3:
            raise LocalError("only here")
        raise KeyError("k")

    def program() -> list[BaseException]:
        caught: list[BaseException] = []
        for k in range(5):
            with pytest.raises(tf.errors.OpError) as error:
                tf.numpy_function(fail, [k], tf.int32)
            caught.append(error.value)
        return caught

    with tf.debugging.record(tmp_path / "run"):
        before = program()
    with tf.debugging.replay(tmp_path / "run"):
        after = program()
    for k, (error, again) in enumerate(zip(before, after, strict=True)):
        assert type(error).__name__ == type(again).__name__
        if k != 3:
            assert str(error).splitlines()[:4] == str(again).splitlines()[:4]
        assert k == 2 or ", in fail" in str(again)  # the recorded frames
    assert isinstance(after[0], FileNotFoundError)
    assert (after[0].errno, after[0].filename) == (2, "data.bin")
    assert isinstance(after[2], tf.errors.ResourceExhaustedError)
    assert isinstance(after[1], OwnError)
    assert "LocalError: only here (no class " in str(after[3])
    assert isinstance(after[4], KeyError)
    recorded = tf.debugging.replay(tmp_path / "run").functions[0]
    assert recorded.failures == [0, 1, 2, 3, 4]
    assert isinstance(recorded[0].error, FileNotFoundError)
    assert recorded[0].status == "raised"
    raised: Any = recorded[2].error
    assert ", in fail" in str(raised.__cause__)
    with pytest.raises(ValueError, match="has no result: it is raised"):
        recorded[0].result  # noqa: B018


class OwnError(Exception):
    def __init__(self, code: int, detail: str) -> None:
        Exception.__init__(self, code, detail)


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def test_results_of_every_structure_are_replayed(tmp_path: Path) -> None:
    functions: list[tuple[Any, Any, Any]] = [
        (tf.numpy_function, lambda: b"text", tf.string),
        (tf.numpy_function, lambda: np.array(["a", "bc"]), tf.string),
        (tf.numpy_function, lambda: [np.float32(1), 2], [f32, tf.int64]),
        (tf.numpy_function, lambda: None, []),
        (tf.py_function, lambda: tf.constant([1.0]) * 2, f32),
        (tf.py_function, lambda: {"p": Pair(1.0, (2.0, b"c"))}, {"p": Pair(f32, (f32, tf.string))}),
        (tf.py_function, lambda: Point(tf.constant(1), [2.0]), Point(tf.int32, [f32])),
        (tf.py_function, lambda: tf.ragged.constant([[1], [2, 3]]), tf.RaggedTensorSpec([2, None], tf.int32)),
        (tf.py_function, lambda: tf.SparseTensor([[1]], [2.0], [3]), tf.SparseTensorSpec([3], f32)),
        (tf.numpy_function, lambda: np.ones((2, 2), tf.bfloat16.as_numpy_dtype), tf.bfloat16),
    ]

    def program() -> list[str]:
        return [repr(family(function, [], tout)) for family, function, tout in functions]

    with tf.debugging.record(tmp_path / "run"):
        before = program()
    with tf.debugging.replay(tmp_path / "run"):
        assert program() == before


def test_ragged_and_sparse_arguments_are_compared(tmp_path: Path) -> None:
    def count(rows: Any, cells: Any) -> Any:
        return rows.flat_values.shape[0] + cells.values.shape[0]

    def program(last: int) -> int:
        rows, cells = tf.ragged.constant([[1], [2, last]]), tf.SparseTensor([[1]], [2.0], [3])
        return int(tf.py_function(count, [rows, cells], tf.int32))

    with tf.debugging.record(tmp_path / "run"):
        assert program(3) == 3 + 1
    with tf.debugging.replay(tmp_path / "run"):
        assert program(3) == 4
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"argument 0\.parts\[0\]\[2\] differs.*\n.*3\)\n.*4\)"),
    ):
        program(4)


def test_only_the_named_functions_are_recorded_and_replayed(tmp_path: Path) -> None:
    ran: list[str] = []

    def quiet(x: Any) -> Any:
        ran.append("quiet")
        return x

    def noisy(x: Any) -> Any:
        ran.append("noisy")
        return x

    def program() -> None:
        for function in (quiet, noisy):
            tf.numpy_function(function, [1.0], f32)

    names = [f"test_only_the_named_functions_are_recorded_and_replayed.<locals>.{name}" for name in ("quiet", "noisy")]
    with tf.debugging.record(tmp_path / "one", functions=names[:1]) as recording:
        program()
    assert recording.calls == 1
    with tf.debugging.record(tmp_path / "both"):
        program()
    del ran[:]
    with tf.debugging.replay(tmp_path / "both", functions=names[1:]):
        program()
    assert ran == ["quiet"]


def test_recordings_nest_and_a_replay_can_be_recorded(tmp_path: Path) -> None:
    counter = Counter()
    with tf.debugging.record(tmp_path / "a"), tf.debugging.record(tmp_path / "b"):
        tf.numpy_function(counter.add, [2.0], f64)
    with tf.debugging.replay(tmp_path / "a"), tf.debugging.record(tmp_path / "c"):
        tf.numpy_function(counter.add, [2.0], f64)
    assert counter.total == 2.0
    calls = [tf.debugging.replay(tmp_path / name).call("Counter.add", 0) for name in "abc"]
    assert [call.result for call in calls] == [2.0, 2.0, 2.0]


def test_a_function_that_moved_in_its_file_is_the_same(tmp_path: Path) -> None:
    def load(blank: int) -> Any:
        names: dict[str, Any] = {}
        exec(compile("\n" * blank + "def f(x):\n return x + 1\n", "prog.py", "exec"), names)
        return names["f"]

    with tf.debugging.record(tmp_path / "run"):
        tf.numpy_function(load(3), [1.0], f32)
    with tf.debugging.replay(tmp_path / "run"):
        assert tf.numpy_function(load(9), [1.0], f32).numpy() == 2.0
    with tf.debugging.record(tmp_path / "two"):
        tf.numpy_function(load(3), [1.0], f32)
        tf.numpy_function(load(5), [1.0], f32)
    with tf.debugging.replay(tmp_path / "two"):
        tf.numpy_function(load(5), [1.0], f32)
    with (
        tf.debugging.replay(tmp_path / "two"),
        pytest.raises(tf.debugging.ReplayDifference, match="several functions"),
    ):
        tf.numpy_function(load(9), [1.0], f32)


def test_an_object_that_is_no_data_is_compared_by_its_class_and_never_replayed(tmp_path: Path) -> None:
    class Config:
        pass

    class Other:
        pass

    def use(x: Any, config: Any) -> Any:
        return x

    def program(config: Any) -> None:
        tf.numpy_function(use, [1.0], f32, kwargs={"config": config})

    with tf.debugging.record(tmp_path / "run"):
        program(Config())
    with tf.debugging.replay(tmp_path / "run"):
        program(Config())
    with tf.debugging.replay(tmp_path / "run"), pytest.raises(tf.debugging.ReplayDifference, match="argument 'config'"):
        program(Other())


def test_a_function_that_was_traced_and_hot_before_the_block_is_observed(tmp_path: Path) -> None:
    counter = Counter()

    @tf.function
    def hot(x: Any) -> Any:
        return tf.numpy_function(counter.add, [x], f64) + 1.0

    for _ in range(40):
        hot(tf.constant(0.0, f64))
    with tf.debugging.record(tmp_path / "run") as recording:
        before = [float(hot(tf.constant(float(i), f64))) for i in range(5)]
    hot(tf.constant(100.0, f64))
    assert recording.calls == 5
    with tf.debugging.replay(tmp_path / "run"):
        assert [float(hot(tf.constant(float(i), f64))) for i in range(5)] == before
    assert float(hot(tf.constant(0.0, f64))) == 111.0


def test_an_object_whose_methods_fail_does_not_fail_the_program(tmp_path: Path) -> None:
    class Hostile(dict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise RuntimeError("no items")

    class Table:
        @property
        def __array__(self) -> Any:
            raise RuntimeError("no array")

    def program() -> Any:
        return tf.numpy_function(lambda x, table: x, [1.0], f32, kwargs={"table": Table()}).numpy()

    with tf.debugging.record(tmp_path / "run"):
        program()
        with pytest.raises(tf.errors.InternalError, match="Unsupported object type"):
            tf.numpy_function(lambda: Hostile(a=1), [], f32)
    assert [len(f) for f in tf.debugging.replay(tmp_path / "run").functions] == [1, 1]
    with tf.debugging.replay(tmp_path / "run"):
        assert program() == 1.0


# ---------------------------------------------------------------- threads


def test_calls_of_eight_threads_are_recorded_whole_and_replayed(tmp_path: Path) -> None:
    def work(x: Any) -> Any:
        return x * 2

    def program() -> list[float]:
        results: dict[tuple[int, int], float] = {}

        def run(k: int) -> None:
            for i in range(40):
                results[k, i] = float(tf.numpy_function(work, [np.full(100, 100.0 * k + i)], f64)[0])

        threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(50)
        return [results[key] for key in sorted(results)]

    with tf.debugging.record(tmp_path / "run"):
        before = program()
    (function,) = tf.debugging.replay(tmp_path / "run").functions
    assert [call.number for call in function] == list(range(320))
    assert all(call.result[0] == 2 * call.args[0][0] for call in function)
    with tf.debugging.replay(tmp_path / "run") as replaying:
        assert program() == before
    assert replaying.left == {}


def test_concurrent_calls_are_matched_by_their_arguments(tmp_path: Path) -> None:
    meet = threading.Barrier(4)

    def slow(x: Any) -> Any:
        meet.wait(20)
        return 10 * x

    def program(order: list[float]) -> dict[float, float]:
        results: dict[float, float] = {}

        def one(x: float) -> None:
            results[x] = float(tf.numpy_function(slow, [x], f32))

        threads = [threading.Thread(target=one, args=(x,)) for x in order]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        return results

    with tf.debugging.record(tmp_path / "run"):
        before = program([1.0, 2.0, 3.0, 4.0])
    assert before == {x: 10 * x for x in (1.0, 2.0, 3.0, 4.0)}
    with tf.debugging.replay(tmp_path / "run"):
        assert program([4.0, 3.0, 2.0, 1.0]) == before


def test_equal_concurrent_calls_are_matched_in_order_and_sequential_ones_always(tmp_path: Path) -> None:
    counter = Counter()
    with tf.debugging.record(tmp_path / "run"):
        for x in (1.0, 2.0, 1.0):
            tf.numpy_function(counter.add, [x], f64)
        other = threading.Thread(target=lambda: tf.numpy_function(counter.add, [1.0], f64))
        other.start()
        other.join()
    with tf.debugging.replay(tmp_path / "run"):  # two threads: by digest, then by order
        totals = [float(tf.numpy_function(counter.add, [x], f64)) for x in (2.0, 1.0, 1.0, 1.0)]
    assert totals == [3.0, 1.0, 4.0, 5.0]
    with tf.debugging.record(tmp_path / "sequential"):
        for x in (1.0, 2.0):
            tf.numpy_function(counter.add, [x], f64)
    with tf.debugging.replay(tmp_path / "sequential"), pytest.raises(tf.debugging.ReplayDifference, match="call 0 of"):
        tf.numpy_function(counter.add, [2.0], f64)


# ---------------------------------------------------------------- functions against their recording


def test_a_function_is_checked_against_its_recording(tmp_path: Path) -> None:
    def scaled(x: Any, k: Any) -> Any:
        if k > 3:
            raise ValueError(f"{k} is large")
        return {"y": x * tf.cast(k, f64), "k": k}

    with tf.debugging.record(tmp_path / "run"):
        for k in range(5):
            try:
                tf.py_function(scaled, [np.arange(3.0), k], {"y": f64, "k": tf.int32})
            except ValueError:
                assert k == 4
    recording = tf.debugging.replay(tmp_path / "run")
    assert recording.check(scaled) == 5
    name = recording.functions[0].name

    def other(x: Any, k: Any) -> Any:
        return {"y": x * tf.cast(k, f64) if k < 2 else x * 2.5, "k": k}

    with pytest.raises(tf.debugging.ReplayDifference, match=r"call 2 of .*: result\['y'\]\[1\] differs") as caught:
        recording.check(other, name)
    assert (caught.value.call, caught.value.recorded, caught.value.got) == (2, 2.0, 2.5)
    with pytest.raises(tf.debugging.ReplayDifference, match="raised ValueError: 4 is large, and now returns"):
        recording.call(name, 4).check(lambda x, k: x)
    with pytest.raises(tf.debugging.ReplayDifference, match="and now raises TypeError: other"):
        recording.call(name, 4).check(lambda x, k: (_ for _ in ()).throw(TypeError("other")))
    with pytest.raises(tf.debugging.ReplayDifference, match="returned, and now raises TypeError: other"):
        recording.call(name, 0).check(lambda x, k: (_ for _ in ()).throw(TypeError("other")))
    with pytest.raises(ValueError, match="4 is large"):
        recording.call(name, 4).run(scaled)
    with pytest.raises(LookupError, match="no call 5 of"):
        recording.call(name, 5)
    with pytest.raises(LookupError, match=r"no function 'absent'; it has .*scaled \(test_replay.py:\d+\)"):
        recording.check(scaled, "absent")


def test_a_recorded_function_is_a_sequence_of_calls(tmp_path: Path) -> None:
    with tf.debugging.record(tmp_path / "run"):
        for i in range(5):
            tf.numpy_function(Counter().add, [np.full(100, float(i))], f64, name=f"op{i % 2}")
    (function,) = tf.debugging.replay(tmp_path / "run").functions
    assert len(function) == 5
    assert function[-1].number == 4
    assert [call.args[0][0] for call in function[1:3]] == [1.0, 2.0]
    assert [call.result for call in function] == [0.0, 100.0, 200.0, 300.0, 400.0]
    assert function[0].nbytes > 800
    assert repr(function).endswith("5 calls, 0 raised")
    assert "call 0 of Counter.add" in repr(function[0])
