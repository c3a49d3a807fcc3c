"""Reports of programs that stand still: the environment variable INLAY_STALL_SECONDS.

If it is set when the first run starts, every run is armed as those are that may be taken over, and a thread looks at
them. When no step of any run has ended for so many seconds it prints, once, to standard error: the steps that the runs
wait for with their functions, what the workers of executors do, and the stack of each thread.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inlay._src.base.interpreter import debugger
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.core.executor import Executor
from inlay._src.engine.run.scheduling import work_stealing

VARIABLE = "INLAY_STALL_SECONDS"
STEPS_TOLD = 20
"""Steps of a run that are reported of each kind."""

watched: float = 0.0
"""The seconds after which runs that stand still are reported; 0 if they are not watched."""
_known = False
_lock = new_lock()


def watch() -> None:
    """Begins to watch, if the environment asks for it, at the first call in a process.

    Raises:
      ValueError: if the variable is no positive number.
    """
    global watched, _known
    if _known:
        return
    text = os.environ.get(VARIABLE, "")
    with _lock:
        if _known:
            return
        if text:
            watched = _positive(text)
            _start()
        _known = True


def _start() -> None:
    threading.Thread(target=_look_on, args=(watched,), name="inlay-stalls", daemon=True).start()


def _positive(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ValueError(f"the environment variable {VARIABLE} must be a positive number of seconds, got {text!r}")
    return seconds


def _look_on(seconds: float) -> None:
    before: list[Any] = []
    since, reported = time.monotonic(), False
    while True:
        time.sleep(min(seconds / 8, 1.0))
        now = _standing()
        if not now or now != before:
            before, since, reported = now, time.monotonic(), False
        elif not reported and time.monotonic() - since >= seconds:
            reported = True
            print(report(seconds), file=sys.stderr, flush=True)


def _standing() -> list[Any]:
    """Where each run stands. Keeps no reference to one, and two of them that follow one another are not the same."""
    return [
        (weakref.ref(run), run.cursor, None if run.shared is None else run.shared.left)
        for run in list(work_stealing.MONITOR.armed.values())
    ]


def report(seconds: float) -> str:
    """The unfinished steps of all runs, the calls of workers, and the stacks of threads."""
    runs = list(work_stealing.MONITOR.armed.values())
    lines = [f"inlay: no step of any run has ended for {seconds:g} s ({VARIABLE})"]
    executors: dict[int, Executor] = {}
    for number, run in enumerate(runs, 1):
        lines.append(f"run {number} of {len(runs)}:")
        for what, steps in _unfinished(run):
            lines += [f"  {_described(run, k)}: {what}" for k in steps[:STEPS_TOLD]]
            if len(steps) > STEPS_TOLD:
                lines.append(f"  and {len(steps) - STEPS_TOLD} more: {what}")
            executors |= {id(e): e for k in steps if (e := run.calls[k].executor) is not None}
    for executor in executors.values():
        lines.append(f"executor {executor!r}:")
        lines += [f"  {line}" for line in executor.pending()]
    return "\n".join([*lines, *_stacks()])


def _unfinished(run: work_stealing.Armed) -> Iterator[tuple[str, Sequence[int]]]:
    """The unfinished steps of a run: pairs of a state and the steps in it."""
    shared = run.shared
    if shared is None:
        if 0 <= run.cursor < len(run.steps):
            where = run.calls[run.cursor].executor
            yield f"runs on thread {run.caller}" if where is None else f"runs in {where!r}", [run.cursor]
        return
    with shared.turn:
        flying = sorted(shared.flying)
        running = sorted(set(shared.running) - shared.flying.keys())
        ready, pending = sorted(shared.ready), sorted(k for k, count in shared.pending.items() if count)
        threads = dict(shared.threads)
    for k in flying:
        yield f"runs in {run.calls[k].executor!r}", [k]
    for k in running:
        yield f"runs on thread {threads.get(k, '?')}", [k]
    yield "may begin", ready
    unfinished = {*flying, *running, *ready, *pending}
    for k in pending[:STEPS_TOLD]:
        ahead = ", ".join(repr(run.steps[w].name) for w in run.steps[k].waits if w in unfinished)
        yield f"waits for {ahead}", [k]
    yield "wait for others", pending[STEPS_TOLD:]


def _described(run: work_stealing.Armed, k: int) -> str:
    """A step, its function and where it was defined."""
    step, label = run.steps[k], run.calls[k].label
    function = f" of function {label}" if label else ""
    return f"op '{step.name}' ({step.op}){function}, defined at {step.site}"


def _stacks() -> Iterable[str]:
    """Where each thread is, innermost call last."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in debugger.frames().items():
        if ident == threading.get_ident():
            continue
        yield f"thread {ident} ({names.get(ident, 'not of Python')}):"
        yield "".join(traceback.format_stack(frame)).rstrip()


def _after_fork() -> None:
    """A forked child has none of the parent's threads."""
    if watched:
        _start()


in_child(_after_fork)
