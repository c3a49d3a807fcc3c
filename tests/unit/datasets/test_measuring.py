"""What stages cost, what AUTOTUNE picks, and the ways out to other libraries."""

from __future__ import annotations

import io
import os
import re
import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.data.tuning import Tuned, _Trial
from inlay._src.data.working import Failure, Inline, Way, Work

Dataset = tf.data.Dataset


def sleeping(seconds: float) -> Any:
    def sleep(x: Any) -> Any:
        time.sleep(seconds)
        return x

    return lambda x: tf.numpy_function(sleep, [x], tf.int64)


def test_the_stage_that_takes_longest_is_the_bottleneck() -> None:
    stats = Dataset.range(20).map(lambda x: x + 1).map(sleeping(0.01)).batch(2).stats()
    assert [len(v) for v in stats] == [2] * 10
    assert [(s.name, s.elements) for s in stats.stages] == [("Batch", 10), ("Map", 20), ("Map", 20), ("Range", 20)]
    slow = stats.stages[1]
    assert stats.bottleneck is slow
    assert slow.function is not None
    assert slow.function >= 0.2
    assert stats.stages[0].input >= slow.itself
    assert "bottleneck: Map" in str(stats)


def test_time_until_the_next_wish_is_told() -> None:
    stats = Dataset.range(5).stats()
    for _ in stats:
        time.sleep(0.01)
    assert stats.stages[0].output >= 0.05


def test_the_function_of_a_parallel_stage_is_measured_where_it_runs() -> None:
    stats = Dataset.range(16).map(sleeping(0.01), num_parallel_calls=8).stats()
    assert [int(v) for v in stats] == list(range(16))
    stage = stats.stages[0]
    assert stage.function is not None
    assert stage.function >= 0.16
    assert "ParallelMap: threads(8)" in str(stats)


def test_nothing_is_measured_unless_it_is_asked_for() -> None:
    dataset = Dataset.range(5).map(lambda x: x)
    stats = dataset.stats()
    assert len(list(dataset)) == 5
    assert [s.elements for s in stats.stages] == [0, 0]
    assert "bottleneck" not in str(stats)


def test_an_error_names_stages_as_without_measuring() -> None:
    def fail(x: Any) -> Any:
        raise ValueError("boo")

    stats = Dataset.range(5).map(lambda x: tf.numpy_function(fail, [x], tf.int64)).prefetch(1).stats()
    with pytest.raises(ValueError, match="Iterator::Root::Prefetch::Map: ValueError: boo"):
        list(stats)


# ---------------------------------------------------------------- AUTOTUNE


class Costing(Way):
    """A way in which an element costs so much by a clock that the test moves."""

    def __init__(self, label: str, seconds: float, clock: list[float]) -> None:
        self.label, self._seconds, self._clock = label, seconds, clock

    def begin(self, work: Work, landed: Any) -> None:
        self._clock[0] += self._seconds
        work.results = [self.label]
        landed.put(work)


class Landing:
    def put(self, item: Any) -> None:
        """Nothing waits here."""


@pytest.mark.parametrize(
    ("inline", "threads", "processes", "expected"),
    [
        (10e-6, 1e-6, 1e-6, "inline"),  # too quick to be worth a try
        (1e-3, 0.4e-3, 0.1e-3, "threads"),  # threads gain enough: no processes are started
        (1e-3, 1.1e-3, 0.4e-3, "processes"),
        (1e-3, 1.1e-3, 1.2e-3, "inline"),
        (1e-3, 0.95e-3, None, "inline"),  # not enough to be taken instead
    ],
)
def test_autotune_picks_what_costs_least(
    monkeypatch: pytest.MonkeyPatch, inline: float, threads: float, processes: float | None, expected: str
) -> None:
    clock = [0.0]
    monkeypatch.setattr("inlay._src.data.tuning.time.perf_counter", lambda: clock[0])
    monkeypatch.setattr("inlay._src.data.working.time.perf_counter", lambda: clock[0])

    def run(values: Any, index: int) -> Any:
        clock[0] += inline
        return "inline"

    elsewhere = None if processes is None else lambda: Costing("processes", processes, clock)
    tuned = Tuned(run, lambda calls: Costing("threads", threads, clock), elsewhere, 2)
    found = []
    for index in range(600):
        work = Work((index,), [[index]])
        tuned.begin(work, Landing())
        tuned.end(work, Landing())
        found += work.results
    assert found[-1] == expected
    assert not any(isinstance(r, Failure) for r in found)
    assert f"AUTOTUNE picked {expected}" in tuned.label


def test_autotune_measures_on_elements_that_are_wanted() -> None:
    called: list[int] = []

    def note(x: Any) -> Any:
        called.append(int(x))
        time.sleep(0.001)
        return x

    dataset = Dataset.range(120).map(lambda x: tf.numpy_function(note, [x], tf.int64), num_parallel_calls=-1)
    assert [int(v) for v in dataset] == list(range(120))
    assert sorted(called) == list(range(120))


@pytest.mark.parametrize("how", [{"num_parallel_calls": tf.data.AUTOTUNE}, {"executor": "auto"}])
def test_what_autotune_measured_and_picked_is_said_in_the_statistics(how: dict[str, Any]) -> None:
    stats = Dataset.range(200).map(sleeping(0.001), **how).stats()
    assert [int(v) for v in stats] == list(range(200))
    said = r"ParallelMap: AUTOTUNE picked (inline|threads\(\d+\)) \(inline \d+ us, threads\(\d+\) \d+ us per element"
    reason = "; threads gain little, and the function may have effects or captures what stays here"
    assert re.search(said + rf"({reason})?\)", str(stats))


def test_autotune_that_is_not_enabled_runs_inline() -> None:
    options = tf.data.Options()
    options.autotune.enabled = False
    dataset = Dataset.range(3).map(lambda x: x, num_parallel_calls=tf.data.AUTOTUNE).with_options(options)
    iterator: Any = iter(dataset)
    assert isinstance(iterator._cursor._way, Inline)


def _leaving(function: Any, **how: Any) -> bool:
    """Whether AUTOTUNE may take a function to other processes."""
    iterator: Any = iter(Dataset.range(3).map(function, **how))
    leave = iterator._cursor._way._elsewhere
    return leave is not None and leave() is not None


def test_autotune_leaves_the_process_with_stateless_functions_alone() -> None:
    def body(stateful: bool) -> Any:
        return lambda x: tf.numpy_function(lambda v: v, [x], tf.int64, stateful=stateful)

    total, lock = tf.Variable(0, dtype=tf.int64), threading.Lock()
    locked = lambda x: tf.numpy_function(lambda v: v if lock else v, [x], tf.int64, stateful=False)  # noqa: E731
    assert _leaving(body(stateful=False), executor="auto")
    assert _leaving(lambda x: tf.random.uniform([]) + tf.cast(x, tf.float32), executor="auto")
    assert not _leaving(body(stateful=True), executor="auto")
    assert _leaving(body(stateful=False), num_parallel_calls=tf.data.AUTOTUNE)
    assert not _leaving(body(stateful=True), num_parallel_calls=tf.data.AUTOTUNE)
    assert not _leaving(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)  # no host function: none is slow
    assert not _leaving(lambda x: x + total, executor="auto")  # what is captured stays here
    assert not _leaving(locked, executor="auto")
    assert not _leaving(locked, num_parallel_calls=tf.data.AUTOTUNE)


def test_autotune_takes_python_elsewhere_and_says_why() -> None:
    way: Any = Tuned(lambda values, index: values, lambda calls: Inline(lambda values, index: values), None, 2)
    for cost in (0.0002, 0.0002):  # one core computes at a time
        trial = _Trial(Inline(lambda values, index: values), 0)
        trial._spans, trial.elements = [(0.0, cost)], 1
        way._next(trial)
    assert "AUTOTUNE picked inline" in way.label
    assert "threads gain little, and the function may have effects" in way.label


def test_a_function_with_effects_keeps_them_under_autotune() -> None:
    seen: list[int] = []

    def note(x: Any) -> Any:
        seen.append(int(x))
        time.sleep(0.0005)  # long enough for other processes to be tried
        return x

    dataset = Dataset.range(100).map(lambda x: tf.numpy_function(note, [x], tf.int64), executor="auto")
    assert [int(v) for v in dataset] == list(range(100))
    assert sorted(seen) == list(range(100))


def test_what_a_function_captures_elsewhere_is_that_of_the_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "thread_element_seconds": 0.0,
        "process_element_seconds": 0.0,
        "strategy_gain": 1e9,  # the last that was tried is picked: processes
        "trial_elements": 4,
        "trial_least_elements": 2,
    }.items():
        monkeypatch.setattr(TUNING, name, value)
    monkeypatch.setattr(Tuned, "_gains_little", lambda self: True)

    def process(v: Any) -> Any:
        return np.array([v, os.getpid()])

    @tf.function
    def values(captured: Any) -> Any:
        dataset = Dataset.range(120).map(
            lambda x: tf.numpy_function(process, [x * 0 + captured], tf.int64, stateful=False), executor="auto"
        )
        rows = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for row in dataset:
            rows = rows.write(rows.size(), row)
        return rows.stack()

    for number in (1, 10):
        captured, places = values(tf.constant(number, tf.int64)).numpy().T
        assert captured.tolist() == [number] * 120
        assert set(places) - {os.getpid()}, "no element left the process"


# ---------------------------------------------------------------- ways out


def test_progress_shows_how_far_it_is() -> None:
    pytest.importorskip("tqdm")
    shown = io.StringIO()
    assert [int(v) for v in tf.data.progress(Dataset.range(10), file=shown, mininterval=0)] == list(range(10))
    assert "10/10" in shown.getvalue()


def test_jax_gets_arrays_of_its_own_one_ahead() -> None:
    jax = pytest.importorskip("jax")
    read: list[int] = []

    def note(x: Any) -> Any:
        read.append(int(x))
        return np.full(3, x, np.float32)

    dataset = Dataset.range(4).map(lambda x: {"x": tf.numpy_function(note, [x], tf.float32)})
    iterator = dataset.as_jax_iterator(jax.local_devices(backend="cpu")[0])
    first = next(iterator)
    assert isinstance(first["x"], jax.Array)
    assert read == [0, 1]
    assert [v["x"].tolist() for v in iterator] == [[float(i)] * 3 for i in (1, 2, 3)]


def test_jax_has_no_strings() -> None:
    pytest.importorskip("jax")
    with pytest.raises(TypeError, match="JAX has no strings"):
        Dataset.from_tensors("text").as_jax_iterator()


def test_torch_reads_each_element_once() -> None:
    torch = pytest.importorskip("torch")
    view = Dataset.range(10).map(lambda x: (x, tf.cast(x, tf.float32))).as_torch_dataset()
    found = list(torch.utils.data.DataLoader(view, batch_size=4))
    assert [part.tolist() for part in found[0]] == [[0, 1, 2, 3], [0.0, 1.0, 2.0, 3.0]]
    assert sum(len(part[0]) for part in found) == 10
