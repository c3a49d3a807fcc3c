"""Models without a manifest that an enemy wrote are refused in words, or load and do no harm."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from tests.unit.saved import hostile_tensorflow_cases
from tests.unit.saved.hostile_tensorflow_models import GOLDEN

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_of_a_hostile_model_without_a_manifest_is_run(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "tensorflow_models" / "dense", tmp_path / "base")
    shutil.copytree(GOLDEN / "session_models" / "asset_table", tmp_path / "base_of_a_session")
    cases = hostile_tensorflow_cases.written(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.saved.reading_hostile", str(tmp_path)],
        input=json.dumps([asdict(case) for case in cases]), cwd=ROOT, capture_output=True, text=True, timeout=55,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    faults = []
    for case in cases:
        loaded = found[case.name]["load"]
        if (loaded["error"] is None) != (not case.said) or not re.search(case.said, loaded["said"]):
            faults.append(f"{case.name}: expected {case.said!r}, got {loaded['error']}: {loaded['said'][:300]!r}")
        if loaded["error"] is not None and case.name not in loaded["said"]:
            faults.append(f"{case.name}: the error does not name the model: {loaded['said'][:300]!r}")
        for reader, told in found[case.name].items():
            if told["events"]:
                faults.append(f"{case.name}, {reader}: {told['events']}")
            if not told["ours"]:
                faults.append(f"{case.name}, {reader}: {told['error']}: {told['said']}")
    assert not faults, "\n".join(faults)
    assert not (tmp_path / "mark").exists()
    assert len(cases) == len(found) >= 70
