"""The script that walks a newcomer's paths."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import first_contact as script


def test_the_program_is_the_one_of_the_readme() -> None:
    source, output = script.program((script.ROOT / "README.md").read_text(encoding="utf-8"))
    assert "tf.py_function(" in source and "Session()" in source
    assert output.startswith("x=1.0: y=1.000000")


def test_an_example_that_prints_something_else_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "program", lambda readme: ("print(1)\n", "1\n"))
    script.run_example(Path(sys.executable), tmp_path)
    monkeypatch.setattr(script, "program", lambda readme: ("print(1)\n", "2\n"))
    with pytest.raises(script.FailedError, match="mine.py printed\n1\ninstead of\n2\n"):
        script.run_example(Path(sys.executable), tmp_path)


def test_a_failed_step_is_the_exit_status(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def fail(place: Path) -> None:
        assert not list(place.iterdir())
        script.timed("a step", lambda: script.run("sh", "-c", "echo no network; exit 3", folder=place))

    monkeypatch.setattr(script, "from_a_clone", fail)
    assert script.main([]) == 1
    assert "no network" in capfd.readouterr().err
