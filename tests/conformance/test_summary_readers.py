"""TensorBoard reads event files of ours, with its own reader, as it reads those that TensorFlow wrote.

It runs in an environment of its own, and is skipped where that is not there:

    python -m venv benchmarks/.envs/readers && benchmarks/.envs/readers/bin/pip install tensorboard netron
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from tests.recorded.summaries import program

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "benchmarks" / ".envs" / "readers" / "bin" / "python"
RECORDED = ROOT / "tests" / "recorded" / "summaries"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PYTHON.exists(), reason=f"no environment {PYTHON}")]

# What TensorBoard found in each file: its tags, the plugins that show them, the steps, and the nodes of the graph.
READ = """
import json, sys
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.util import tensor_util

def read(path):
    all_of_them = dict.fromkeys(event_accumulator.DEFAULT_SIZE_GUIDANCE, 0)
    found = event_accumulator.EventAccumulator(path, size_guidance=all_of_them)
    found.Reload()
    tags = found.Tags()
    told = {"tags": {kind: sorted(t) if isinstance(t, list) else t for kind, t in tags.items()}}
    told["scalars"] = {t: [[e.step, e.value] for e in found.Scalars(t)] for t in tags["scalars"]}
    told["histograms"] = {t: [[e.step, str(e.histogram_value)] for e in found.Histograms(t)]
                          for t in tags["histograms"]}
    told["images"] = {t: [[e.step, e.width, e.height] for e in found.Images(t)] for t in tags["images"]}
    told["audio"] = {t: [[e.step, e.sample_rate, e.length_frames] for e in found.Audio(t)] for t in tags["audio"]}
    told["tensors"] = {t: [[e.step, list(tensor_util.make_ndarray(e.tensor_proto).shape)] for e in found.Tensors(t)]
                       for t in tags["tensors"]}
    plugins = {t: found.summary_metadata[t] for t in tags["tensors"] if t in found.summary_metadata}
    told["plugins"] = {t: [m.plugin_data.plugin_name, m.data_class, m.summary_description] for t, m in plugins.items()}
    told["nodes"] = sorted(n.name for n in found.Graph().node) if tags["graph"] else []
    return told

print(json.dumps([read(path) for path in sys.argv[1:]]))
"""


def read(paths: list[Path]) -> list[dict[str, Any]]:
    """What TensorBoard found in event files."""
    done = subprocess.run([PYTHON, "-c", READ, *map(str, paths)], capture_output=True, text=True, timeout=55)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_tensorboard_finds_in_our_files_what_it_finds_in_those_of_tensorflow(tmp_path: Path) -> None:
    program.write(tf, tf.compat.v1, str(tmp_path))
    ours = [next((tmp_path / name).iterdir()) for name in program.FOLDERS]
    theirs = [tmp_path / f"{name}.tfevents" for name in program.FOLDERS]  # the word that TensorBoard looks for
    for name, copy in zip(program.FOLDERS, theirs, strict=True):
        shutil.copy(RECORDED / f"{name}.events", copy)
    found = read([*ours, *theirs])
    for name, mine, other in zip(program.FOLDERS, found[:4], found[4:], strict=True):
        nodes, wanted = mine.pop("nodes"), other.pop("nodes")
        for tag, events in other.pop("scalars").items():
            assert mine["scalars"][tag] == [[step, pytest.approx(value, rel=1e-5)] for step, value in events], tag
        del mine["scalars"]
        assert mine == other, name
        assert bool(nodes) == bool(wanted)
        assert {"x", "net/loss", "net/values", "signed"} <= set(nodes) or not wanted
    assert found[0]["tags"]["histograms"] == ["net/counts", "net/values", "nothing"]
    assert found[2]["plugins"]["net/loss"][0] == "scalars"
