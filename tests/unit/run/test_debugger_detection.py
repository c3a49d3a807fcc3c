"""`run.debugger`: asked about a thread from any thread, whatever the garbage collector does meanwhile."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import types

import pytest

from inlay._src.base.interpreter import debugger

PROGRAM = """
    import bdb, gc, sys, threading, weakref
    from inlay._src.base.interpreter import debugger

    class Node: pass

    def ask():
        for _ in range(500):
            node = Node()
            node.itself = node  # only the collector finds it, and then calls what is written in Python
            weakref.finalize(node, sum, range(100))
            debugger.holds(threading.get_ident())

    gc.set_threshold(1)
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(gc.isenabled())
"""


def test_threads_that_ask_while_garbage_is_collected_do_not_wait_for_ever() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "True"


def test_a_debugger_that_is_being_imported_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watcher of runs looks for debuggers while a function may be loading one."""
    monkeypatch.setitem(sys.modules, "bdb", types.ModuleType("bdb"))
    assert not debugger.holds(threading.get_ident())
