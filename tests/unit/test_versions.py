"""The script that runs the suite on other Pythons and on the lowest versions."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scripts import test_on_versions as script

PROJECT: dict[str, Any] = tomllib.loads(script.PROJECT.read_text(encoding="utf-8"))["project"]
OWN = "{}.{}".format(*sys.version_info)


def test_the_lowest_versions_are_the_bounds_of_what_users_install() -> None:
    project = {
        "name": "inlay",
        "dependencies": ["numpy>=2.0", "google-re2>=1.1"],
        "optional-dependencies": {
            "all": ["inlay[jax]"],
            "jax": ["jax>=0.8", "numpy>=2.0"],
            "dev": ["pytest"],
        },
    }
    assert script.lowest(project) == ["google-re2==1.1", "jax==0.8", "numpy==2.0"]
    with pytest.raises(ValueError, match="'numpy' is not of the form name>=version"):
        script.lowest({**project, "dependencies": ["numpy"]})


def test_every_requirement_of_the_project_has_a_lower_bound() -> None:
    names = [pin.partition("==")[0] for pin in script.lowest(PROJECT)]
    assert len(names) == len(set(names))
    assert {"numpy", "ml_dtypes", "jax", "scipy"} <= set(names)


def test_the_window_begins_where_the_package_says() -> None:
    assert PROJECT["requires-python"] == f">={script.versions(PROJECT)[0]}"


def test_interpreters_are_found_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.interpreters(["3.11", "3.12"], []) == {}
    there = tmp_path / "python3.11"
    there.symlink_to(sys.executable)
    assert script.interpreters(["3.11", "3.12"], []) == {"3.11": str(there)}
    assert script.interpreters([], [sys.executable]) == {OWN: sys.executable}


def test_what_was_not_tested_is_told_and_a_failure_is_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "interpreters", lambda stated, named: {"3.12": "p312"})
    monkeypatch.setattr(script, "environment", lambda name, interpreter, pins: tmp_path / name)
    codes = {"3.12": 0, script.LOWEST: 1}
    monkeypatch.setattr(
        subprocess, "run", lambda command, cwd: subprocess.CompletedProcess(command, codes[Path(command[0]).name])
    )
    assert script.main(["--", "-x"]) == 1
    told = capsys.readouterr().out
    assert "3.11: not tested: no interpreter\n" in told
    assert "3.12: passed\nlowest: failed: pytest gave 1\n" in told
    assert script.main(["--only", "3.12"]) == 0
