"""The hook that writes when steps ran."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import inlay as tf
from inlay._src.tools.unmodified import names

v1 = tf.compat.v1


def test_every_other_run_is_written_for_a_viewer_but_not_the_first_one(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        train = tf.group(v1.assign_add(step, 1, name="count"))
        hook = v1.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            written = []
            for _ in range(5):
                session.run(train)
                written.append(sorted(path.name for path in tmp_path.glob("timeline-*.json")))
    assert written[0] == [] and written[1] == written[2] == ["timeline-2.json"]
    assert written[3] == written[4] == ["timeline-2.json", "timeline-4.json"]
    events = json.loads((tmp_path / "timeline-4.json").read_text())["traceEvents"]
    assert events[1]["args"] == {"name": "/job:localhost/replica:0/task:0/device:CPU:0 Compute"}
    (counted,) = [event for event in events if event["ph"] == "X" and event["args"]["name"] == "count"]
    assert counted["name"] == "AssignAddVariableOp" and counted["dur"] > 0 and counted["ts"] > 0


@pytest.mark.parametrize(("steps", "seconds"), [(None, None), (1, 1.0)])
def test_it_is_told_steps_or_seconds(steps: int | None, seconds: float | None) -> None:
    with pytest.raises(ValueError, match="every_secs"):
        v1.train.ProfilerHook(save_steps=steps, save_secs=seconds)


def test_programs_find_the_timeline_where_tensorflow_has_it() -> None:
    places = names.spaces("tensorflow.python.client.timeline", True)
    assert isinstance(places, list)
    kind = names.find("Timeline", places)
    report = v1.RunMetadata()
    report.step_stats.dev_stats.add(device="/cpu:0").node_stats.add(node_name="RecvTensor", all_start_micros=12)
    events = json.loads(kind(report.step_stats).generate_chrome_trace_format(show_memory=True))["traceEvents"]
    assert [event["args"]["name"] for event in events] == [
        "Allocators",
        "/cpu:0 Compute",
        "/cpu:0 Tensors",
        "RecvTensor",
    ]
    assert (events[-1]["name"], events[-1]["ts"]) == ("RecvTensor", 12)
    assert names.find("StepStatsAnalysis", places).__name__ == "StepStatsAnalysis"
