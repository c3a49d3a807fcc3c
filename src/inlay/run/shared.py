"""A run that several threads and executors work on: which step may begin, and who waits.

    ready ──take──▶ run here ──────────────────────────▶ finish ──▶ more are ready
              └───▶ begin elsewhere ──▶ flying ──▶ landed ─▶ end here ─▶ finish

Steps that an executor runs are begun by whoever takes them, and ended by whoever is free when their futures are done.
The rules for stateful steps are told in `run.takeover`; one that an executor runs counts as blocked from the start, as
it keeps no thread of the run.
"""

from __future__ import annotations

import heapq
import threading
from typing import TYPE_CHECKING, Any

from inlay.interpreter import debugger
from inlay.interpreter import threads as parked
from inlay.plan.step_call import Started
from inlay.run import serial

if TYPE_CHECKING:
    from inlay.run.takeover import Armed


class Shared:
    """A run that was taken over: who may start what. All fields are guarded by `turn`."""

    def __init__(self, run: Armed, base: int) -> None:
        self.run: Armed = run
        self.base: int = base
        steps = run.steps
        self.turn: threading.Condition = threading.Condition()
        self.pending: dict[int, int] = {}
        self.followers: dict[int, list[int]] = {}
        for k in range(base + 1, len(steps)):
            ahead = [w for w in steps[k].waits if w >= base]
            self.pending[k] = len(ahead)
            for w in ahead:
                self.followers.setdefault(w, []).append(k)
        self.ready: list[int] = [k for k, n in self.pending.items() if n == 0]
        heapq.heapify(self.ready)
        self.unstarted: list[int] = [k for k in range(base + 1, len(steps)) if steps[k].stateful]
        # Host step on a thread of the run -> looks that found it running. A run shared before its first step has
        # learned that its steps block.
        self.running: dict[int, int] = {base: 1} if base >= 0 else {}
        self.threads: dict[int, int] = {base: run.caller} if base >= 0 else {}  # host step -> thread it runs on
        self.left: int = len(steps) - max(base, 0)
        self.error: BaseException | None = None
        self.helpers: int = 0
        self.waiting: int = 0
        self.seen: int = self.left  # what was left at the last look
        self.flying: dict[int, tuple[Started, list[Any]]] = {}  # step that an executor runs -> what was begun, inputs
        self.landed: list[int] = []  # those of them that have ended
        self.allowance: int = 0  # stateful steps that may start beside blocked ones
        self.out_of_order: bool = False

    # ---- the caller

    def join(self, cursor: int) -> None:
        """The caller's part: finish or run step `base`, then work with the helpers."""
        steps, cells = self.run.steps, self.run.cells
        if 0 <= self.base < len(steps):
            if cursor == self.base:
                self._check()
                serial.run_step(steps[self.base], self.run.calls[self.base], cells)
            with self.turn:
                self._finish(self.base)
        self.work()
        self._check()

    def _check(self) -> None:
        with self.turn:
            error = self.error
        if error is not None:
            raise error

    def abandon(self, error: BaseException) -> None:
        """The run ended early: nothing further starts."""
        with self.turn:
            if self.error is None:
                self.error = error
            flying = list(self.flying.values())
            self.turn.notify_all()
        for started, _ in flying:
            started.future.cancel()
        self.run.cancel_waiting()

    # ---- everyone who works

    def over(self) -> bool:
        """Whether nothing further will start."""
        with self.turn:
            return self.error is not None or not self.left

    def work(self) -> None:
        """Runs ready steps until none is left."""
        while True:
            with self.turn:
                while (k := self._take()) is None:
                    if self.over():
                        return
                    self.waiting += 1
                    self.turn.wait()
                    self.waiting -= 1
            try:
                over = self._run(k)
            except BaseException as error:
                with self.turn:
                    self._stopped(k)
                self.abandon(error)
                return
            if over:
                with self.turn:
                    self._finish(k)

    def _run(self, k: int) -> bool:
        """Runs a step, begins one that an executor runs, or ends one that it ran; whether the step is over."""
        step, call, cells = self.run.steps[k], self.run.calls[k], self.run.cells
        if k in self.flying:
            started, inputs = self.flying.pop(k)
            serial.store(step, serial.results(step, call, inputs, started.results), cells)
            return True
        if not call.starts:
            serial.run_step(step, call, cells)
            return True
        inputs = [cells[i] for i in step.ins]
        started = call.start(inputs)
        with self.turn:
            self.flying[k] = started, inputs
            error = self.error
        if error is not None:
            started.future.cancel()
        started.future.add_done_callback(lambda _: self._land(k))
        return False

    def _land(self, k: int) -> None:
        """An executor is done with a step: whoever works for this run, or waits, ends it."""
        with self.turn:
            self.landed.append(k)
            self.turn.notify()

    def _take(self) -> int | None:
        """The step to begin, run or end next, or None if there is none now."""
        if self.over():
            return None
        if self.landed:
            return self.landed.pop(0)
        steps = self.run.steps
        held: list[int] = []
        found = None
        debugged = self._debugged()
        while self.ready:
            k = heapq.heappop(self.ready)
            if not (debugged and steps[k].host) and (not steps[k].stateful or self._may_start(k)):
                found = k
                break
            held.append(k)
        if found is None and held and self.flying and not self.running:
            found = held.pop(0)  # all that run are elsewhere: what comes first waits for one of them
        for k in held:
            heapq.heappush(self.ready, k)
        if found is None:
            return None
        if steps[found].host and not self.run.calls[found].starts:
            self.running[found] = 2 if found in self.run.learned.slow else 0
            self.threads[found] = threading.get_ident()
        if steps[found].stateful:
            self.unstarted.remove(found)  # sorted: it stays a list in creation order
            self.out_of_order = False
            self.allowance = max(0, self.allowance - 1)
        return found

    def _debugged(self) -> bool:
        return any(debugger.holds(t) for t in self.threads.values())

    def _may_start(self, k: int) -> bool:
        steps = self.run.steps
        slow = self.run.learned.slow
        others = any(steps[r].stateful and r not in slow for r in self.running if r < len(steps))
        if others and not self.allowance:
            return False
        return k == self.unstarted[0] or self.out_of_order

    def _finish(self, k: int) -> None:
        self._stopped(k)
        self.left -= 1
        for f in self.followers.get(k, ()):
            self.pending[f] -= 1
            if not self.pending[f]:
                heapq.heappush(self.ready, f)
        self.turn.notify_all()

    def _stopped(self, k: int) -> None:
        self.running.pop(k, None)
        self.threads.pop(k, None)
        if k < len(self.run.steps) and self.run.steps[k].stateful:
            self.allowance = 0  # what was allowed because this one blocked

    # ---- the monitor

    def look(self) -> bool:
        """One look: notes what is blocked, allows more to start, adds helpers; whether there was something to start."""
        steps = self.run.steps
        with self.turn:
            if self.over() or self._debugged():
                return False
            for k in self.running:
                self.running[k] += 1
            self.run.learned.slow.update(k for k, looks in self.running.items() if looks >= 2)
            stateful = [k for k in self.running if k < len(steps) and steps[k].stateful]
            blocked = all(self.running[k] >= 2 for k in stateful)
            startable = [k for k in self.ready if not steps[k].stateful]
            if blocked and self.ready and not startable:
                if stateful:
                    self.allowance = len(stateful)
                if self.unstarted and self.unstarted[0] not in self.ready:
                    self.out_of_order = True
                startable = [k for k in self.ready if steps[k].stateful][: max(1, self.allowance)]
            work = len(startable) + bool(self.landed)
            wanted = min(work, max(1, self.helpers)) - self.waiting
            if self.run.learned.starts and self.left != self.seen:
                wanted = 0  # what executors run needs no thread each: those that are there go on
            self.seen = self.left
            if work:
                self.turn.notify_all()
        self.add_helpers(wanted)
        return bool(work)

    def add_helpers(self, count: int) -> None:
        """Lets `count` more threads work, or as many as can be had."""
        for _ in range(count):
            try:
                parked.HELPERS.submit(self._help)
            except RuntimeError:  # no more threads now: those that are there go on, and the next look tries again
                return
            with self.turn:
                self.helpers += 1

    def _help(self) -> None:
        self.run.context.copy().run(self.work)
