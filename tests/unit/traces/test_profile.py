"""Profiles, and the graphs between `trace_on` and `trace_export`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.protos.event import Event
from inlay._src.base.protos.profile import XSpace

profiler = tf.profiler.experimental


def spans(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.glob("plugins/profile/*/*.trace.json.gz")
    events = json.loads(gzip.decompress(file.read_bytes()))["traceEvents"]
    return [event for event in events if event.get("cat") in ("user", "python")]


def test_a_profile_has_the_spans_of_the_program(tmp_path: Path) -> None:
    with profiler.Trace("before"):
        pass
    with profiler.Profile(tmp_path):
        for step in range(2):
            with profiler.Trace("train", step_num=step) as span:
                span.set_metadata(loss=0.5)
    names = [(s["name"], s["args"]) for s in spans(tmp_path)]
    assert names == [("train", {"step_num": "0", "loss": "0.5"}), ("train", {"step_num": "1", "loss": "0.5"})]
    (planes,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    space = XSpace.FromString(planes.read_bytes())
    (line,) = space.planes[0].lines
    assert [space.planes[0].event_metadata[e.metadata_id].name for e in line.events] == ["train", "train"]
    assert all(e.duration_ps > 0 for e in line.events)


def test_calls_of_python_are_recorded_if_they_are_asked_for(tmp_path: Path) -> None:
    def called() -> None:
        pass

    profiler.start(tmp_path, profiler.ProfilerOptions(python_tracer_level=1))
    called()
    profiler.stop()
    assert any("called" in s["name"] for s in spans(tmp_path))


def test_one_profile_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    profiler.start(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
        profiler.start(tmp_path)
    profiler.stop(save=False)
    assert list(tmp_path.iterdir()) == []


def test_graphs_of_functions_are_recorded(tmp_path: Path) -> None:
    @tf.function
    def doubled(x: Any) -> Any:
        return x * 2.0

    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.summary.trace_on(graph=True, profiler=True, profiler_outdir=str(tmp_path / "profile"))
    doubled(tf.constant(1.0))
    with writer.as_default():
        tf.summary.trace_export("functions", step=3)
    writer.close()
    (file,) = tmp_path.glob("events*")
    events = [Event.FromString(r) for r in tf.compat.v1.io.tf_record_iterator(str(file))]
    (value,) = [v for e in events for v in e.summary.value]
    assert value.tag == "functions" and value.metadata.plugin_data.plugin_name == "graph_run_metadata"
    (function,) = tf.compat.v1.RunMetadata.FromString(value.tensor.string_val[0]).function_graphs
    assert "Mul" in {node.op for node in function.pre_optimization_graph.node}
    assert list((tmp_path / "profile").glob("plugins/profile/*/*.xplane.pb"))


def test_nothing_is_collected_where_a_profile_is_refused(tmp_path: Path) -> None:
    with profiler.Profile(tmp_path / "first"):
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path / "second"))
        with pytest.raises(ValueError, match="Must enable trace before export"):
            tf.summary.trace_export("x", step=0)
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path / "second"))
    tf.summary.trace_off()
    assert list((tmp_path / "second").glob("plugins/profile/*/*.xplane.pb"))


def test_tracing_is_begun_before_it_is_ended() -> None:
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("x", step=0)
    with pytest.raises(ValueError, match="profiler_outdir"):
        tf.summary.trace_on(profiler=True)
    tf.summary.trace_on()
    tf.summary.trace_off()
    tf.summary.trace_off()


def test_a_folder_that_cannot_be_made_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        profiler.start(tmp_path / "file" / "logs")
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()
