"""What sessions and runs may be told: every option is accepted, those with meaning have it."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        (v1.ConfigProto(), {"allow_soft_placement": False, "log_device_placement": False}),
        (v1.ConfigProto(intra_op_parallelism_threads=3), {"intra_op_parallelism_threads": 3}),
        (v1.GPUOptions(allow_growth=True), {"allow_growth": True}),
        (v1.RunOptions(), {"timeout_in_ms": 0, "trace_level": 0}),
        (v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), {"trace_level": 3}),
    ],
)
def test_fields_and_their_defaults(config: Any, fields: dict[str, Any]) -> None:
    assert {name: getattr(config, name) for name in fields} == fields


def test_any_option_can_be_set_also_inside_one_that_was_not() -> None:
    config = v1.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    assert config.gpu_options.allow_growth is True
    assert config.gpu_options.per_process_gpu_memory_fraction == 0.4


def test_options_print_what_was_set() -> None:
    assert repr(v1.GPUOptions(allow_growth=True)) == "allow_growth: true\n"


@pytest.mark.parametrize("target", ["", "local", None])
def test_this_process_is_the_only_target(target: Any) -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        with v1.Session(target) as session:
            assert session.run(x) == 1.0


@pytest.mark.parametrize("target", ["nonsense", "nonsense://somewhere"])
def test_a_target_of_no_kind_is_refused(target: str) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=f'No session factory registered .*target: "{target}"'):
        v1.Session(target)


def test_a_target_is_text() -> None:
    with pytest.raises(TypeError, match="`target` must be a string, but got <class 'int'>"):
        v1.Session(3)


@pytest.mark.parametrize("graph", [3, "graph"])
def test_what_is_no_graph_is_refused(graph: Any) -> None:
    with pytest.raises(TypeError, match="must be a tf.Graph"):
        v1.Session(graph=graph)


@pytest.mark.parametrize("level", [None, v1.OptimizerOptions.OFF, v1.OptimizerOptions.ON_1, v1.OptimizerOptions.ON_2])
def test_every_level_of_compilation_gives_the_same_values(level: Any) -> None:
    config = v1.ConfigProto()
    if level is not None:
        config = v1.ConfigProto(
            graph_options=v1.GraphOptions(optimizer_options=v1.OptimizerOptions(global_jit_level=level))
        )
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        x = v1.placeholder(tf.float32, [3])
        y = tf.reduce_sum(tf.sin(x) * 2.0 + x**2)
        np.testing.assert_allclose(session.run(y, {x: [0.0, 1.0, 2.0]}), 8.5015366, rtol=1e-6)


def test_the_log_of_placement_names_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(log_device_placement=True)) as session:
        x = v1.placeholder(tf.float32, [], name="x")
        session.run(tf.sin(x, name="curve") + 1.0, {x: 0.0})
    said = capsys.readouterr().err
    assert "curve: (Sin): /" in said and "CPU:0" in said


def test_soft_placement_lets_an_absent_device_be_the_cpu() -> None:
    def run(soft: bool) -> Any:
        with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(allow_soft_placement=soft)) as session:
            x = v1.placeholder(tf.float32, [])
            with tf.device("/GPU:7"):
                y = x * 2.0
            return session.run(y, {x: 1.0})

    assert run(True) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:7"):
        run(False)


def test_metadata_stays_empty_unless_a_trace_is_asked_for() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        found = v1.RunMetadata()
        assert session.run(tf.constant(1), None, v1.RunOptions(), found) == 1
        assert repr(found) == "" and not found.HasField("step_stats")


def test_the_graph_of_a_session_has_shapes_where_they_are_asked_for() -> None:
    with tf.Graph().as_default():
        tf.constant([[1, 2]])
        options = v1.GraphOptions(infer_shapes=True)
        with v1.Session(config=v1.ConfigProto(graph_options=options)) as with_shapes, v1.Session() as without:
            assert "_output_shapes" in with_shapes.graph_def.node[0].attr
            assert "_output_shapes" not in without.graph_def.node[0].attr


def test_a_second_interactive_session_is_told(caplog: Any) -> None:
    with contextlib.closing(v1.InteractiveSession()):
        assert not caplog.records
        with contextlib.closing(v1.InteractiveSession()):
            assert "An interactive session is already active" in caplog.text
    caplog.clear()
    v1.InteractiveSession().close()
    assert not caplog.records
