"""A run that several threads and executors work on: the steps that may begin, and the waiting threads.

    ready ──take──▶ run here ──────────────────────────▶ finish ──▶ more are ready
              └───▶ begin elsewhere ──▶ flying ──▶ landed ─▶ end here ─▶ finish

The thread that takes steps for an executor starts them: all that may start now and have the same executor in one
request, a wave. A thread that is free when calls have ended finishes those steps, all that there are. One that has
nothing to do waits for `turn`, or receives the ends of a wave itself, if its executor lets it: then nobody has to be
woken for them.
`work_stealing` has the rules for stateful steps; one that an executor runs counts as blocked from the start, as it
keeps no thread of the run.
"""

from __future__ import annotations

import contextvars
import functools
import heapq
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from inlay._src.base.interpreter import debugger
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.conditions import Condition, new_condition
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.core.executor import Batch
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference
from inlay._src.engine.run.scheduling.history import History


class StealableRun(Protocol):
    """The run of a plan, as threads and executors share it: its steps, their calls, the cells, and its caller."""

    steps: Sequence[Step]
    calls: Sequence[StepCall]
    cells: list[Any]
    history: History
    caller: int
    context: contextvars.Context

    def cancel_waiting(self) -> None:
        """Cancels the futures that steps of the run wait for."""


class Shared:
    """The state of a shared run: the steps that may start. All fields are guarded by `turn`."""

    def __init__(self, run: StealableRun, base: int) -> None:
        self.run: StealableRun = run
        self.base: int = base
        steps = run.steps
        self.turn: Condition = new_condition()
        self.pending: dict[int, int] = {}
        self.followers: dict[int, list[int]] = {}
        for k in range(base + 1, len(steps)):
            ahead = [w for w in steps[k].waits if w >= base]
            self.pending[k] = len(ahead)
            for w in ahead:
                self.followers.setdefault(w, []).append(k)
        # Steps that may begin, as heaps: those that are kept in order, and the others.
        self.in_order: list[int] = []
        self.free: list[int] = []
        for k, n in self.pending.items():  # in order: what is appended makes a heap
            if not n:
                self._is_ready(k)
        self.unstarted: deque[int] = deque(k for k in range(base + 1, len(steps)) if steps[k].stateful)
        # Host step on a thread of the run -> looks that found it running. A run shared before its first step has
        # learned that its steps block.
        self.running: dict[int, int] = {base: 1} if base >= 0 else {}
        self.threads: dict[int, int] = {base: run.caller} if base >= 0 else {}  # host step -> thread it runs on
        self.left: int = len(steps) - max(base, 0)
        self.error: BaseException | None = None
        self.helpers: int = 0
        self.waiting: int = 0  # threads in `turn.wait`; it is notified only for them
        self.seen: int = self.left  # what was left at the last look
        # Steps that an executor runs, each with its wave and its position there.
        self.flying: dict[int, tuple[reference.Wave, int]] = {}
        self.reading: Batch | None = None  # the calls of a wave whose ends a thread receives
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
                reference.run_step(steps[self.base], self.run.calls[self.base], cells)
            with self.turn:
                self._finish([self.base])
        self.work()
        self._check()

    def _check(self) -> None:
        if self.error is not None:
            raise self.error

    def abandon(self, error: BaseException) -> None:
        """The run ended early: nothing further starts."""
        with PutOff():
            with self.turn:
                if self.error is None:
                    self.error = error
                waves = {wave for wave, _ in self.flying.values()}
                self._wake(everyone=True)
            for wave in waves:
                wave.batch.cancel()
            self.run.cancel_waiting()

    # ---- everyone who works

    def over(self) -> bool:
        """Whether nothing further will start."""
        return self.error is not None or not self.left

    def work(self) -> None:
        """Runs ready steps until none is left."""
        finished: Sequence[int] = ()
        while True:
            with self.turn:
                self._finish(finished)
                finished, reads = (), True
                while not (taken := self._take()):
                    if self.over():
                        return
                    reads = self._wait(reads)
                flights = [flight for k in taken if (flight := self.flying.pop(k, None)) is not None]
            try:
                if self._run(taken, flights):
                    finished = taken
            except BaseException as error:
                with self.turn:
                    for k in taken:
                        self._stopped(k)
                self.abandon(error)
                return

    def _wait(self, reads: bool) -> bool:
        """Waits for something to do; the caller holds `turn`.

        Args:
          reads: whether to receive the ends of a wave meanwhile, if that is possible.

        Returns:
          The same for the next time: before this thread waits, it has to look once more for something to do.
        """
        if reads and self.reading is None and self.flying:
            batch = next(iter(self.flying.values()))[0].batch
            if batch.readable:
                self.reading = batch
                try:
                    return self.turn.released(batch.read)
                finally:
                    self.reading = None
        self.waiting += 1
        try:
            self.turn.wait()
        finally:
            self.waiting -= 1
        return True

    def _wake(self, everyone: bool = False) -> None:
        """There may be something to do for a thread that waits, or for all; the caller holds `turn`."""
        if self.reading is not None:
            self.reading.interrupt()
        if self.waiting and (everyone or self.reading is None):
            self.turn.notify(self.waiting if everyone else 1)

    def _run(self, taken: Sequence[int], flights: Sequence[tuple[reference.Wave, int]]) -> bool:
        """Runs a step, begins those that an executor runs, or ends those that it ran; whether they are over."""
        steps, calls, cells = self.run.steps, self.run.calls, self.run.cells
        if flights:
            for k, (wave, position) in zip(taken, flights, strict=True):
                wave.land(position, steps[k], calls[k], cells)
            return True
        first = taken[0]
        if not calls[first].starts:
            reference.run_step(steps[first], calls[first], cells)
            return True
        wave = reference.Wave([steps[k] for k in taken], [calls[k] for k in taken], cells)
        try:
            with self.turn:
                self.flying.update({k: (wave, position) for position, k in enumerate(taken)})
                error = self.error
            if error is not None:
                wave.batch.cancel()
            wave.batch.listen(functools.partial(self._land, taken))
        except BaseException:  # Ctrl-C, before `abandon` knows of them
            wave.batch.cancel()
            raise
        return False

    def _land(self, wave: Sequence[int], positions: Sequence[int]) -> None:
        """An executor is done with steps of a wave: any thread that works or waits for this run lands them."""
        with self.turn:
            self.landed += [wave[position] for position in positions]
            self._wake()

    def _take(self) -> Sequence[int]:
        """The steps to begin or end next, or the one to run; none if there is none now."""
        if self.over():
            return ()
        if self.landed:
            landed, self.landed = self.landed, []
            return landed
        k = self._first_ready()
        if k is None:
            return ()
        self._begins(k)
        call = self.run.calls[k]
        if not call.starts:
            return (k,)
        wave = [k]
        while (k := self._first_ready(call.executor)) is not None:
            self._begins(k)
            wave.append(k)
        return wave

    def _begins(self, k: int) -> None:
        """A step begins, which was ready."""
        steps = self.run.steps
        if steps[k].host and not self.run.calls[k].starts:
            self.running[k] = 2 if k in self.run.history.slow else 0
            self.threads[k] = threading.get_ident()
        if steps[k].stateful:
            if self.unstarted[0] == k:
                self.unstarted.popleft()
            else:
                self.unstarted.remove(k)  # sorted: the others stay in creation order
            self.out_of_order = False
            self.allowance = max(0, self.allowance - 1)

    @property
    def ready(self) -> list[int]:
        """The steps that may begin as far as the values are concerned that they take."""
        return [*self.in_order, *self.free]

    def _is_ready(self, k: int) -> None:
        heapq.heappush(self.in_order if self.run.steps[k].stateful else self.free, k)

    def _first_ready(self, executor: Any = None) -> int | None:
        """The first step that may begin now, if it has this executor or none is given; it is ready no more.

        Of the steps that are kept in order only the first can be one: the others wait for it, or for what it waits for.
        """
        steps, in_order, free = self.run.steps, self.in_order, self.free
        debugged = bool(self.threads) and self._debugged()
        may = in_order[:1] if in_order and not (debugged and steps[in_order[0]].host) and self._may_start() else []
        if free:
            may += [k for k in free if not steps[k].host] if debugged else free[:1]
        if not may and self.flying and not self.running:
            may = [*in_order[:1], *free[:1]]  # all that run are elsewhere: it waits for one of them
        if not may:
            return None
        first = min(may)
        if executor is not None and self.run.calls[first].executor is not executor:
            return None
        heap = self.in_order if steps[first].stateful else self.free
        if heap[0] == first:
            return heapq.heappop(heap)
        heap.remove(first)
        heapq.heapify(heap)
        return first

    def _debugged(self) -> bool:
        return any(debugger.holds(t) for t in self.threads.values())

    def _may_start(self) -> bool:
        """Whether the first step that is kept in order may start."""
        if self.running and not self.allowance:
            steps, slow = self.run.steps, self.run.history.slow
            if any(steps[r].stateful and r not in slow for r in self.running if r < len(steps)):
                return False
        return self.in_order[0] == self.unstarted[0] or self.out_of_order

    def _finish(self, finished: Sequence[int]) -> None:
        for k in finished:
            self._stopped(k)
            self.left -= 1
            for f in self.followers.get(k, ()):
                self.pending[f] -= 1
                if not self.pending[f]:
                    self._is_ready(f)
        if finished:
            self._wake(everyone=True)

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
            self.run.history.slow.update(k for k, looks in self.running.items() if looks >= 2)
            stateful = [k for k in self.running if k < len(steps) and steps[k].stateful]
            blocked = all(self.running[k] >= 2 for k in stateful)
            startable = len(self.free)
            if blocked and self.in_order and not startable:
                if stateful:
                    self.allowance = len(stateful)
                if self.unstarted and self.unstarted[0] != self.in_order[0]:
                    self.out_of_order = True
                startable = min(len(self.in_order), max(1, self.allowance))
            work = startable + bool(self.landed)
            wanted = min(work, max(1, self.helpers)) - self.waiting - (self.reading is not None)
            moved = self.run.history.starts and self.left != self.seen
            if moved:
                wanted = 0  # what executors run needs no thread each: those that are there go on
            self.seen = self.left
            if startable or (work and self.waiting):
                self._wake(everyone=True)
        self.add_helpers(wanted)
        return bool(work) and not moved

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
