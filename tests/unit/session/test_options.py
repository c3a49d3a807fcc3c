"""What a session and a run may be told; time limits around a run."""

from __future__ import annotations

import contextvars
import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.plan import optimizer_options
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.programs.session.deadline import with_deadline

v1 = tf.compat.v1
LATE = tf.errors.DeadlineExceededError


# ---------------------------------------------------------------- options


def test_options_have_tensorflows_defaults() -> None:
    config = v1.ConfigProto(inter_op_parallelism_threads=3)
    assert (config.allow_soft_placement, config.log_device_placement) == (False, False)
    assert (config.intra_op_parallelism_threads, config.inter_op_parallelism_threads) == (0, 3)
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    assert config.gpu_options.allow_growth is True
    assert "per_process_gpu_memory_fraction: 0.5" in repr(config)
    assert (v1.RunOptions().timeout_in_ms, v1.RunOptions(timeout_in_ms=5).timeout_in_ms) == (0, 5)
    assert v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE).trace_level == 3


def test_special_names_are_no_options() -> None:
    for made in (v1.ConfigProto(), v1.RunOptions(), v1.RunMetadata(), tf.GPUOptions(), tf.OptimizerOptions()):
        with pytest.raises(AttributeError):
            made.__len__()
        assert not hasattr(made, "__array__")


def test_a_session_runs_with_every_option_that_is_accepted() -> None:
    config = v1.ConfigProto(
        allow_soft_placement=True,
        gpu_options=tf.GPUOptions(allow_growth=True),
        graph_options=v1.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)),
        device_count={"GPU": 0},
    )
    metadata = v1.RunMetadata()
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        x = tf.constant([1.0, 2.0])
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        assert session.run(x * 2.0, options=options, run_metadata=metadata).tolist() == [2.0, 4.0]


# ---------------------------------------------------------------- time limits of a run


@pytest.mark.parametrize("runs", [1, 5])
def test_a_run_within_its_time_gives_what_it_gives_without(runs: int) -> None:
    options = v1.RunOptions(timeout_in_ms=20_000)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        y = tf.numpy_function(lambda v: v[::-1].copy(), [x], tf.float32) + 1.0
        for k in range(runs):
            fed = np.float32([k, 2 * k])
            want = session.run({"y": y, "x": [x]}, {x: fed})
            got = session.run({"y": y, "x": [x]}, {x: fed}, options=options)
            np.testing.assert_array_equal(got["y"], want["y"])
            np.testing.assert_array_equal(got["x"][0], fed)


def test_errors_within_the_time_are_those_of_a_run_without() -> None:
    def fail(x: Any) -> Any:
        raise KeyError("boo")

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        y = tf.numpy_function(fail, [x], tf.float32)
        for options in (None, v1.RunOptions(timeout_in_ms=20_000)):
            with pytest.raises(KeyError, match="boo") as caught:
                session.run(y, {x: 1.0}, options=options)
            assert isinstance(caught.value, tf.errors.UnknownError)
            with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value for placeholder"):
                session.run(y, options=options)


def test_after_a_run_that_was_late_the_session_goes_on() -> None:
    gate = threading.Event()

    def wait(x: Any) -> Any:
        if x < 0:
            gate.wait(20)
        return x

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        count = v1.get_variable("count", initializer=0.0)
        waited = tf.numpy_function(wait, [x], tf.float32)
        with tf.control_dependencies([waited]):
            counted = v1.assign_add(count, 1.0)
        session.run(count.initializer)
        began = time.monotonic()
        with pytest.raises(LATE, match=r"did not end within 0\.1 s"):
            session.run(counted, {x: -1.0}, options=v1.RunOptions(timeout_in_ms=100))
        assert time.monotonic() - began < 10
        gate.set()
        assert session.run(counted, {x: 1.0}, options=v1.RunOptions(timeout_in_ms=20_000)) == 1.0
        assert session.run(count) == 1.0, "nothing further started in the run that was late"


# ---------------------------------------------------------------- time limits of any job


def test_a_job_in_time_returns_its_value_and_raises_its_error() -> None:
    assert with_deadline(lambda: {"a": 1}, 20, work_stealing.Stop()) == {"a": 1}
    with pytest.raises(ZeroDivisionError):
        with_deadline(lambda: 1 // 0, 20, work_stealing.Stop())
    with pytest.raises(SystemExit):
        with_deadline(lambda: (_ for _ in ()).throw(SystemExit(3)), 20, work_stealing.Stop())


def test_a_job_sees_the_context_of_its_caller() -> None:
    variable = contextvars.ContextVar("variable", default="outside")
    variable.set("inside")
    assert with_deadline(variable.get, 20, work_stealing.Stop()) == "inside"

    def change() -> None:
        variable.set("changed")

    with_deadline(change, 20, work_stealing.Stop())
    assert variable.get() == "inside"


def test_jobs_run_beside_one_another_and_nested() -> None:
    def nested(depth: int) -> int:
        return 0 if depth == 0 else 1 + with_deadline(lambda: nested(depth - 1), 20, work_stealing.Stop())

    assert nested(20) == 20
    over = threading.Event()
    with pytest.raises(LATE):
        with_deadline(lambda: with_deadline(over.wait, 20, work_stealing.Stop()), 0.02, work_stealing.Stop())
    over.set()


def test_a_session_without_a_configuration_has_the_options_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizer_options, "_options", dict(optimizer_options._options))
    with tf.Graph().as_default():
        assert tf.compat.v1.Session()._config is None
        tf.config.optimizer.set_experimental_options({"min_graph_nodes": -1, "layout_optimizer": True})
        rewriting = tf.compat.v1.Session()._config.graph_options.rewrite_options
        assert (rewriting.min_graph_nodes, rewriting.layout_optimizer) == (-1, 1)
