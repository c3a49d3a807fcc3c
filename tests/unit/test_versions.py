"""The script that runs the suite on other Pythons and on the lowest versions."""

from __future__ import annotations

import os
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
        "dependencies": ["numpy>=2.0", "google-re2>=1.1; python_version < '3.15'"],
        "optional-dependencies": {
            "all": ["inlay[jax]"],
            "jax": ["jax>=0.8", "numpy>=2.0"],
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
    assert script.interpreters(["3.11", "3.12"], []) == {"3.11": script.Interpreter(str(there))}
    assert script.interpreters([], [sys.executable]) == {OWN: script.Interpreter(sys.executable)}


def test_a_launcher_on_the_path_that_starts_no_interpreter_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    launcher = tmp_path / "python3.12"
    launcher.write_text("#!/bin/sh\necho python3.12: command not found >&2\nexit 127\n")
    launcher.chmod(0o755)
    assert script.interpreters(["3.12"], []) == {}
    with pytest.raises(subprocess.CalledProcessError):
        script.interpreters([], [str(launcher)])


@pytest.mark.parametrize(
    ("version", "user", "reason"),
    [
        ("3.11", 0, "no interpreter"),
        ("3.14", 1000, "no interpreter; Debian sid has one, which root can install with debootstrap"),
        ("3.14", 0, "no interpreter; Debian sid has one: apt install debootstrap"),
    ],
)
def test_the_reason_is_named_for_which_debian_gives_no_interpreter(
    version: str, user: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(script, "PLACE", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(script.UnavailableError) as raised:
        script.of_debian(version)
    assert str(raised.value) == reason


def test_a_debian_that_cannot_be_had_is_a_reason_and_one_that_can_is_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    debootstrap = tmp_path / "debootstrap"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(script, "PLACE", tmp_path / "versions")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    debootstrap.write_text("#!/bin/sh\necho E: no route to the archive\nexit 1\n")
    debootstrap.chmod(0o755)
    with pytest.raises(script.UnavailableError, match="debootstrap gave 1: E: no route to the archive"):
        script.of_debian("3.14")
    debootstrap.write_text("#!/bin/sh\nexit 0\n")
    python = script.of_debian("3.14")
    assert python.path == "/usr/bin/python3.14"
    assert f"sh {tmp_path}/versions/debian-3.14/root {script.ROOT} " in Path(*python.enter).read_text()
    debootstrap.write_text("#!/bin/sh\nexit 1\n")
    assert script.of_debian("3.14") == python  # it is kept


def test_what_was_not_tested_is_told_and_a_failure_is_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "interpreters", lambda stated, named: {"3.12": script.Interpreter("p312", ("enter",))})
    monkeypatch.setattr(script, "environment", lambda name, interpreter, pins: tmp_path / name / "bin" / "python")
    monkeypatch.setattr(script, "RELEASES", {})
    codes = {"3.12": 0, script.LOWEST: 1}
    commands = []

    def run(command: list[str], *, env: dict[str, str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        assert env["PATH"].startswith(f"{Path(command[1]).parent}:")
        return subprocess.CompletedProcess(command, codes[Path(command[1]).parts[-3]])

    monkeypatch.setattr(subprocess, "run", run)
    assert script.main(["--", "-x"]) == 1
    assert commands[0] == ["enter", str(tmp_path / "3.12" / "bin" / "python"), "-m", "pytest", "-x"]
    told = capsys.readouterr().out
    assert "3.11: not tested: no interpreter\n" in told
    assert "3.12: passed after 0 s\nlowest: failed: pytest gave 1 after 0 s\n" in told
    assert script.main(["--only", "3.12"]) == 0
