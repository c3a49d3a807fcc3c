"""The worker's answers, the ways of timing, and what the ledger says of a checkout."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import ledger, timing, worker
from benchmarks.cases import shapes


class Kept:
    """What a case keeps while it is built."""


def a_worker(**cases: Callable[[Any], Any]) -> worker.Worker:
    figures = {"sum": lambda module, **arguments: {"name": module.__name__, "sum": sum(arguments.values())}}
    return worker.Worker(SimpleNamespace(load=lambda: sys, CASES=cases, FIGURES=figures))


def test_a_case_is_built_once_and_timed_as_often_as_asked() -> None:
    built, asked = [], []

    def case(module: Any) -> Any:
        built.append(module)
        return lambda calls: asked.append(calls) or 0.5

    answer = a_worker(case=case).answer
    assert [answer({"case": "case", "calls": n}) for n in (1, 7)] == [{"seconds": 0.5}] * 2
    assert built == [sys] and asked == [1, 7]


def test_what_a_released_case_kept_is_freed() -> None:
    kept: list[Any] = []

    def case(_: Any) -> Any:
        value = Kept()
        value.itself = value  # type: ignore[attr-defined]  # only the garbage collector frees it
        kept.append(weakref.ref(value))
        return lambda calls, value=value: 0.0

    one = a_worker(case=case)
    one.answer({"case": "case", "calls": 1})
    gc.collect()
    assert kept[0]() is not None
    assert one.answer({"release": "case"}) == {"released": "case"} and kept[0]() is None
    assert one.answer({"release": "never built"}) == {"released": "never built"}
    one.answer({"case": "case", "calls": 1})
    assert len(kept) == 2


def test_figures_modules_and_absent_cases() -> None:
    answer = a_worker().answer
    assert answer({"figures": "sum", "arguments": {"a": 1, "b": 2}}) == {"figures": {"name": "sys", "sum": 3}}
    assert answer({"modules": ["sys", "no_such_module"]}) == {"loaded": ["sys"]}
    assert answer({"case": "none", "calls": 1}) == {"absent": "none"}


def test_versions_name_what_is_absent() -> None:
    found = worker.versions(["numpy", "no-such-distribution"])
    assert found["python"].startswith("3.") and found["no-such-distribution"] == "absent" and found["numpy"] > "1"


def test_a_loop_makes_as_many_calls_as_asked() -> None:
    calls: list[None] = []
    assert timing.loop(lambda: calls.append(None))(5) > 0
    assert len(calls) == 5


def test_what_is_prepared_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])

    def prepare() -> Callable[[], None]:
        clock[0] += 100.0
        return lambda: clock.__setitem__(0, clock[0] + 1.0)

    assert timing.staged(prepare)(3) == 3.0


def test_no_two_shapes_are_equal_and_none_is_large() -> None:
    arrays = shapes.distinct()
    found = [next(arrays).shape for _ in range(2000)]
    assert len(set(found)) == 2000
    again = shapes.distinct()
    assert found[:50] == [next(again).shape for _ in range(50)]  # every process sees the same order
    assert all(next(arrays).size <= shapes.MOST_ELEMENTS for _ in range(200))


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("src/a.py", "benchmarks/README.md", "docs/page.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one\n")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "One")):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    monkeypatch.setattr(ledger, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "changed, dirty",
    [("src/a.py", True), ("src/new.py", True), ("benchmarks/README.md", False), ("docs/page.md", False)],
)
def test_figures_are_doubtful_where_the_sources_differ(repository: Path, changed: str, dirty: bool) -> None:
    assert ledger.commit()["dirty"] is False and len(ledger.commit()["commit"]) == 40
    (repository / changed).write_text("two\n")
    assert ledger.commit()["dirty"] is dirty


def test_without_git_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ledger, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert ledger.commit() == {"commit": "unknown", "dirty": False}
