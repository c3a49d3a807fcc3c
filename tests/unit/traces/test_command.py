"""`inlay profile`: a program under the recorder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from inlay._src.tools.commands.profiling import profile

PROGRAM = """
import sys
import time
import tensorflow as tf

def waits(x):
    time.sleep(0.002)
    return x + 1

f = tf.function(lambda x: tf.numpy_function(waits, [x], tf.int64))
print(int(sum(f(tf.constant(k, tf.int64)) for k in range(5))), *sys.argv[1:])
sys.exit(3)
"""


def test_a_program_is_profiled_and_keeps_its_output_and_status(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    trace = tmp_path / "run.json"
    command = [sys.executable, "-m", "inlay", "profile", "--trace", str(trace), str(script), "--steps", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "15 --steps 2\n"), done.stderr
    assert "waits (train.py:6)" in done.stderr.replace(f"{tmp_path}{os.sep}", "")
    assert "tf.Threads(): it waits, and several calls can wait at once" in done.stderr
    events = json.loads(trace.read_text())["traceEvents"]
    assert len([event for event in events if event.get("cat") == "host"]) == 5


def test_the_figures_are_written_as_json(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    command = [sys.executable, "-m", "inlay", "profile", "--json", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    figures = json.loads(done.stdout.partition("\n")[2])
    (row,) = figures["functions"]
    assert (row["name"], row["calls"]) == ("waits", 5)
    assert row["own"] >= 0.01
    assert profile.examples
