"""Models of an enemy are refused by every reader with an error of ours, and nothing of them is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.unit.saved import hostile_models

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_of_a_hostile_model_is_run(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    cases = hostile_models.written(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.saved.reading_hostile", str(tmp_path)],
        input=json.dumps([asdict(case) for case in cases]), cwd=ROOT, capture_output=True, text=True, timeout=55,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    trusted = found.pop("a bomb that is trusted")["load"]
    assert any("pickle.find_class" in event for event in trusted["events"]), "the hook sees what goes off"
    assert any("os.system" in event for event in trusted["events"]) and (tmp_path / "mark").exists()
    faults = []
    for case in cases:
        loaded = found[case.name]["load"]
        if (loaded["error"] is None) != (not case.said) or not re.search(case.said, loaded["said"]):
            faults.append(f"{case.name}: expected {case.said!r}, got {loaded['error']}: {loaded['said'][:300]!r}")
        for reader, told in found[case.name].items():
            if told["events"]:
                faults.append(f"{case.name}, {reader}: {told['events']}")
            if not told["ours"]:
                faults.append(f"{case.name}, {reader}: {told['error']}: {told['said']}")
    assert not faults, "\n".join(faults)
    assert len(cases) == len(found) >= 105
