"""Modules that define public names are loaded by one thread at a time, and never by half when a process forks."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inlay._src.base import export

MODULE = """
import tests_probe_of_loading as probe
try:
    probe.together.wait(1)
    probe.overlaps.append(__name__)
except probe.threading.BrokenBarrierError:
    pass
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names = ["tests_loaded_first", "tests_loaded_second"]
    probe = "import threading\ntogether = threading.Barrier(2)\noverlaps = []\n"
    (tmp_path / "tests_probe_of_loading.py").write_text(probe)
    for name in names:
        (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return names


def test_two_threads_never_load_at_once(modules: list[str]) -> None:
    threads = [threading.Thread(target=export._load, args=(name,)) for name in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sys.modules["tests_probe_of_loading"].overlaps == []
    assert set(modules) <= set(sys.modules)


FORK = """
import os, threading
from inlay import export

entered, leave = threading.Event(), threading.Event()

def hold():
    with export._LOADING:
        entered.set()
        leave.wait(30)

thread = threading.Thread(target=hold)
thread.start()
assert entered.wait(30)
threading.Timer(0.2, leave.set).start()
pid = os.fork()
if pid == 0:
    os._exit(0 if leave.is_set() and export._LOADING.acquire(timeout=5) else 1)
thread.join(30)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


def test_a_fork_waits_for_a_thread_that_loads() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=50)
