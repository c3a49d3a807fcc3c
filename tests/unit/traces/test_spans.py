"""The span recorder: its ring, its threads, its switch, and the clocks of other processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.span_chunks import Activity, Chunk, ClockBounds, Span
from inlay._src.base.spans import Recorder, now, this_process

SUBJECT = Activity("subject", "user")


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder()
    recorder.start(100)
    recorder._began = 0  # the tests have times of their own
    yield recorder
    if recorder.is_open:
        recorder.stop()


def test_spans_come_back_by_their_begin_with_thread_and_process(recorder: Recorder) -> None:
    recorder.add(SUBJECT, 20, 30)
    thread = threading.Thread(target=lambda: recorder.add(SUBJECT, 10, 40, {"flow": 7}), name="other")
    thread.start()
    thread.join()
    first, second = recorder.stop()
    assert (first.begin, first.end, first.details, first.thread[1]) == (10, 40, {"flow": 7}, "other")
    assert (second.begin, second.process.pid, dict(second.details)) == (20, os.getpid(), {})


def test_the_oldest_spans_make_room_and_are_counted(recorder: Recorder) -> None:
    for start in range(3 * 4096):
        recorder.add(SUBJECT, start, start + 1)
    assert len(recorder.snapshot()) + recorder.dropped == 3 * 4096
    assert recorder.dropped >= 2 * 4096
    assert recorder.snapshot()[-1].begin == 3 * 4096 - 1


def test_nothing_is_recorded_after_the_end_or_in_a_new_recording_of_the_old_one(recorder: Recorder) -> None:
    recorder.add(SUBJECT, 1, 2)
    assert len(recorder.stop()) == 1
    recorder.add_run([SUBJECT], [0, 5])  # a run that ends late
    recorder.start(10)
    assert recorder.stop() == []


def test_a_paused_recording_keeps_its_ring(recorder: Recorder) -> None:
    switches: list[bool] = []
    recorder.on_switch(lambda: switches.append(recorder.on))
    recorder.add(SUBJECT, 1, 2)
    recorder.pause()
    recorder.resume()
    assert len(recorder.stop()) == 1
    assert switches == [False, True, False]


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([-1, 5, 1, 8, 2, 9, 0, 9], [(1, 5, 8), (2, 8, 9), (0, 5, 9)]),
        ([-1, 0, -3, 2, 3, 4, 2, 6, 0, 7], [(3, 2, 4), (2, 2, 6), (0, 0, 7)]),  # step 2 has a step of its own
        ([-1, 0, -3, 2, 3, 4, 0, 9], [(3, 2, 4), (2, 2, 9), (0, 0, 9)]),  # and failed
        ([], []),
    ],
)
def test_stamps_are_read_as_nested_spans(stamps: list[int], expected: list[tuple[int, int, int]]) -> None:
    activities = [Activity(str(k), "step") for k in range(4)]
    chunk = Chunk((1, "main"), activities, array("q", stamps), {}, stamped=True)
    spans = [(int(s.activity.name), s.begin, s.end) for s in chunk.spans(this_process())]
    assert sorted(spans) == sorted(expected)


def test_short_runs_of_a_plan_share_a_chunk() -> None:
    recorder = Recorder()
    recorder.start()
    first, second = [Activity("first", "run")], [Activity("second", "run"), SUBJECT]
    begin = now()
    for k in range(1000):
        recorder.add_run(first, [-1, begin + k, 0, begin + k + 1])
        recorder.add_run(second, [-1, begin + k, 1, begin + k + 1, 0, begin + k + 2])
    assert len(recorder._ring) == 2
    names = [span.activity.name for span in recorder.stop()]
    assert (names.count("first"), names.count("second"), names.count("subject")) == (1000, 1000, 1000)


def test_calls_of_another_process_share_a_chunk_and_their_subjects() -> None:
    recorder = Recorder()
    recorder.start()
    process, begin = this_process()._replace(pid=1, name="worker"), now()
    for k in range(1000):
        times = array("q", [begin + k, begin + k + 1])
        details, columns = ({0: {"lost": "killed"}} if k == 500 else {}), ({"flow": array("q", [k])} if k % 2 else {})
        recorder.receive([Chunk((1, "main"), [Activity("body", "host")], times, details, columns=columns)], process)
        stamps = array("q", [-1, begin + k, 1, begin + k + 1, 0, begin + k + 2])
        recorder.receive([Chunk((1, "main"), [Activity("part", "run"), SUBJECT], stamps, {}, stamped=True)], process)
    assert len(recorder._ring) == 2
    assert len({id(activity) for chunk in recorder._ring for activity in chunk.activities}) == 3
    spans = recorder.stop()
    bodies = [span for span in spans if span.activity.name == "body"]
    expected = [{"flow": k} if k % 2 else {"lost": "killed"} if k == 500 else {} for k in range(1000)]
    assert [dict(span.details) for span in bodies] == expected
    assert len(spans) == 3000


def test_a_chunk_that_was_read_stays_as_it_is() -> None:
    recorder = Recorder()
    recorder.start()
    activities, begin = [SUBJECT], now()
    recorder.add_run(activities, [-1, begin, 0, begin + 1])
    (chunk,) = recorder.take()
    recorder.add_run(activities, [-1, begin, 0, begin + 1])
    assert (len(chunk), len(recorder.stop())) == (2, 1)


def test_a_rare_run_does_not_go_with_an_old_chunk() -> None:
    recorder = Recorder()
    recorder.start(400)
    rare, often, begin = [Activity("rare", "run")], [Activity("often", "run")], now()
    for k in range(210):
        if k in (0, 190):
            recorder.add_run(rare, [-1, begin + k, 0, begin + k])
        recorder.add_run(often, [-1, begin + k, 0, begin + k])
    spans = recorder.stop()
    assert [span.begin for span in spans if span.activity.name == "rare"] == [begin + 190]


@given(st.integers(40, 400), st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=200))
def test_the_spans_that_stay_are_about_the_newest(capacity: int, runs: list[tuple[int, int]]) -> None:
    """Spans are lost only beyond the capacity, and no recent one, however runs share chunks."""
    recorder = Recorder()
    recorder.start(capacity)
    plans = [[Activity(str(k), "run"), SUBJECT] for k in range(4)]
    begin, entries = now(), list[int]()
    for plan, steps in runs:
        begin += 10
        recorder.add_run(plans[plan], [-1, begin, *(v for k in range(steps) for v in (1, begin + k)), 0, begin + 9])
        entries += [begin] * (2 + steps)
    dropped = recorder.dropped
    present = {span.begin for span in recorder.stop() if span.activity.category == "run"}
    assert dropped <= max(0, len(entries) - capacity + capacity // 16 + 7)
    assert set(entries[-(capacity // 2) :]) <= present
    assert present <= set(entries)


@given(st.integers(-(10**12), 10**12), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1))
def test_the_offset_of_a_clock_is_right_within_its_stated_error(offset: int, delays: list[tuple[int, int]]) -> None:
    bounds = ClockBounds()
    moment = 10**13
    for there, back in delays:
        begin, end = moment + there, moment + there + 100  # on our clock
        bounds.add(moment, begin - offset, end - offset, end + back)
        moment += 10**7
    assert abs(bounds.offset - offset) <= bounds.error
    assert bounds.error <= min(there for there, _ in delays) + min(back for _, back in delays) + 1


def test_spans_of_another_machine_are_put_on_this_clock(recorder: Recorder) -> None:
    process = this_process()._replace(pid=1, clock="another", name="/job:worker/task:1")
    chunk = Chunk((1, "main"), [SUBJECT], array("q", [1_000, 1_100]), {})
    sent = now()
    recorder.receive([chunk], process, (sent, 1_000, 1_100, sent + 300))
    (span,) = recorder.stop()
    assert sent <= span.begin <= span.end <= sent + 300
    assert span.process.error == 100


def test_every_round_trip_to_a_clock_aligns_all_of_its_spans(recorder: Recorder) -> None:
    """A later one, or one of another process of the machine, narrows the bounds of the spans that came before."""
    process = this_process()._replace(pid=1, clock="another", name="task")
    sent = now()
    for pid, slow in ((1, 9_000), (2, 100)):
        chunk = Chunk((1, "main"), [SUBJECT], array("q", [1_000, 1_100]), {})
        recorder.receive([chunk], process._replace(pid=pid), (sent, 1_000, 1_100, sent + 100 + slow))
    spans = recorder.stop()
    assert {(s.process.offset, s.process.error) for s in spans} == {(sent - 1_000 + 50, 50)}


def test_spans_that_a_process_hands_on_keep_their_process_and_both_errors(recorder: Recorder) -> None:
    farthest = this_process()._replace(pid=2, clock="the farthest", name="worker")
    between = Recorder()
    between.start()
    chunk = Chunk((1, "main"), [SUBJECT], array("q", [5_000, 5_100]), {})
    sent = now()
    between.receive([chunk], farthest, (sent, 5_000, 5_100, sent + 300))
    chunks = between.take()
    between.stop()
    # here the clock of `between` is another one, which is 7,000 ahead
    (handed,) = chunks
    assert handed.process is not None
    handed.process = handed.process._replace(clock="between", offset=handed.process.offset + 7_000)
    later = now()
    process = this_process()._replace(pid=3, clock="between", name="task")
    recorder.receive(chunks, process, (later, later + 7_000, later + 7_100, later + 140))
    (span,) = recorder.stop()
    assert (span.process.pid, span.process.name) == (2, "worker")
    assert span.process.error == 100 + 20
    assert sent - 20 <= span.begin <= span.end <= sent + 300 + 20


FORKS = """
import os
import inlay as tf

def additions(trace):
    return len([span for span in trace.spans if span.activity.name == "AddV2"])

with tf.profiler.trace() as recorded:
    pid = os.fork()
    if not pid:
        tf.add(1, 2)
        with tf.profiler.trace() as own:
            tf.add(1, 2)
        os._exit(additions(own))
    _, status = os.waitpid(pid, 0)
    tf.add(1, 2)
print(os.waitstatus_to_exitcode(status), additions(recorded))
"""


def test_a_forked_child_records_nothing_of_its_parent() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60)
    assert done.stdout == "1 1\n", done.stderr


def test_threads_lose_nothing_while_the_ring_is_read() -> None:
    recorder = Recorder()
    recorder.start()
    count, threads = 5_000, 8

    def work(number: int) -> None:
        for k in range(count):
            recorder.add(SUBJECT, number, k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    chunks: list[Chunk] = []
    while any(worker.is_alive() for worker in workers):
        chunks += recorder.take()
    chunks += recorder.take()
    seen = [(s.begin, s.end) for chunk in chunks for s in chunk.spans(this_process())]
    assert len(seen) == count * threads
    assert set(seen) == {(number, k) for number in range(threads) for k in range(count)}


def runs(spans: list[Span], category: str) -> list[str]:
    return [span.activity.name for span in spans if span.activity.category == category]


def test_a_traced_plan_gives_what_it_gave_before_and_after() -> None:
    @tf.function
    def body(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.numpy_function(lambda v: v * 2, [x], tf.float32) + 1.0
            x.set_shape([2])
        return x

    x = tf.constant([1.0, 2.0])
    expected = body(x).numpy()
    for _ in range(8):
        np.testing.assert_array_equal(body(x), expected)
        with tf.profiler.trace() as recorded:
            np.testing.assert_array_equal(body(x), expected)
        assert len(runs(list(recorded.spans), "host")) == 3
        assert runs(list(recorded.spans), "run") == ["body"]


def test_a_run_that_fails_leaves_its_spans() -> None:
    def fail(x: Any) -> Any:
        raise ValueError("no")

    body = tf.function(lambda x: tf.numpy_function(fail, [x + 1.0], tf.float32))
    with tf.profiler.trace() as recorded:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
                body(tf.constant(1.0))
    assert len(runs(list(recorded.spans), "run")) == 3
    assert len(runs(list(recorded.spans), "host")) == 3


def test_spans_lie_within_those_around_them() -> None:
    @tf.function
    def body(x: Any) -> Any:
        return tf.cond(x > 0, lambda: tf.py_function(lambda v: v * 2 + 1, [x], tf.float32), lambda: x)

    with tf.profiler.trace() as recorded:
        body(tf.constant(3.0))
    by_name = {span.activity.name: span for span in recorded.spans}
    (host,) = [span for span in recorded.spans if span.activity.category == "host"]
    for inner, outer in (("Mul", host), ("AddV2", host), (host, "cond"), ("cond", "body")):
        inside, around = (s if isinstance(s, Span) else by_name[s] for s in (inner, outer))
        assert around.begin <= inside.begin <= inside.end <= around.end


def test_a_rate_records_windows() -> None:
    with pytest.raises(ValueError, match="rate must be more than 0 and at most 1, got 0"):
        tf.profiler.trace(rate=0)
    f = tf.function(lambda x: x + 1.0)
    for _ in range(10):
        f(tf.constant(1.0))
    with tf.profiler.trace(rate=0.5) as recorded:
        begin = now()
        while now() - begin < 1_000_000_000:  # some windows, on a busy machine too
            f(tf.constant(1.0))
    moments = [span.begin for span in recorded.spans if span.activity.category == "run"]
    assert moments
    assert max(after - before for before, after in zip(moments, moments[1:], strict=False)) > 20_000_000


def test_a_finalizer_may_record_while_the_ring_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    recorder.start()
    recorder._began = 0

    class Records(list[Any]):
        """A thread's list whose reading ends the life of something that records."""

        def __getitem__(self, key: Any) -> Any:
            recorder.add(SUBJECT, 3, 4)
            recorder.add_run([SUBJECT], [0, 5])
            recorder.snapshot()
            return super().__getitem__(key)

    recorder.add(SUBJECT, 1, 2)
    buffer = recorder._buffers[0]
    buffer.items = Records(buffer.items)
    assert len(recorder.snapshot()) == 2  # the span and the run; the span of the finalizer is read the next time
    buffer.items = list(buffer.items)
    assert len(recorder.stop()) == 3


def test_what_an_earlier_recording_left_is_not_in_a_new_one(recorder: Recorder) -> None:
    before = now()
    recorder.stop()
    recorder.start()
    recorder.add_run([SUBJECT], [-1, before, 0, before + 1])
    late = Chunk((1, "main"), [SUBJECT], array("q", [before, before + 1]), {})
    recorder.receive([late], this_process()._replace(pid=1))
    recorder.receive([late], this_process()._replace(pid=2, clock="another"), (before, 1, 2, now()))
    recorder.add_run([SUBJECT], [-1, now(), 0, now()])
    assert len(recorder.stop()) == 1


def test_a_path_that_cannot_be_written_is_refused_before_the_block(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), tf.profiler.trace(tmp_path / "missing" / "run.json"):
        pytest.fail("the block ran")
    with pytest.raises(IsADirectoryError), tf.profiler.trace(tmp_path):
        pytest.fail("the block ran")
    with tf.profiler.trace() as recorded:
        tf.square(tf.constant(1.0))
    assert len(recorded.spans) == 1


def test_a_trace_has_the_spans_so_far_within_its_block() -> None:
    with tf.profiler.trace() as recorded:
        tf.square(tf.constant(1.0))
        assert [span.activity.name for span in recorded.spans] == ["Square"]
        assert "Square" in str(recorded.summary())
        tf.exp(tf.constant(1.0))
    assert [span.activity.name for span in recorded.spans] == ["Square", "Exp"]
