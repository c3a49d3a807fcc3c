"""A deterministic scheduler: threads of which one runs at a time, and a random choice who goes on at each point.

    task ── point() ──▶ goes on, or is preempted: at so many of all points, which the seed chooses
         ── wait(condition, seconds) ──▶ another one goes on until the condition holds, or the clock was set forward

Points are the lines of the modules under test, which are traced, and all operations of the stand-ins for locks,
sockets, epoll, threads and the clock. The clock is set forward only if nobody can go on; if that does not help either,
the schedule hangs. A schedule is repeated by its seed.
"""

from __future__ import annotations

import array
import errno
import gc
import os
import random
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

MOST_POINTS, MOST_SECONDS = 200_000, 3600.0
"""A schedule that takes more of them goes on for ever."""


class Aborted(BaseException):
    """The schedule is over: its threads end."""


class Killed(Aborted):
    """The simulated process was killed."""


class Hang(Exception):
    """Nobody can go on."""


class Task:
    """A thread of a schedule.

    Attributes:
      name: for messages.
      condition: when it can go on; None is at once.
      until: when it goes on in any case.
      done: whether it has ended.
    """

    def __init__(self, name: str, target: Callable[[], Any], traced: bool) -> None:
        self.name, self.target, self.traced = name, target, traced
        self.condition: Callable[[], bool] | None = None
        self.until: float | None = None
        self.done = False
        self.gate = threading.Lock()
        self.gate.acquire()


class Scheduler:
    """The threads of one schedule, and its clock.

    Args:
      seed: chooses.
      traced: file names of the modules whose lines are points.
      points: about how many points a schedule has: preemptions are spread over them.

    Attributes:
      now: the clock.
      points: how many points there were.
      faults: exceptions that ended a thread, and hangs.
    """

    def __init__(self, seed: int, traced: frozenset[str], points: int = 1500) -> None:
        self.random = random.Random(seed)
        self._traced = traced
        self._preempted = {self.random.randrange(points) for _ in range(self.random.randrange(1, 12))}
        self.tasks: list[Task] = []
        self.current: Task | None = None
        self.now, self.points = 1000.0, 0
        self.faults: list[str] = []
        self.aborted = self._choosing = False
        self._over = threading.Lock()

    def spawn(self, name: str, target: Callable[[], Any], traced: bool = True) -> Task:
        """A new thread, which can go on."""
        task = Task(name, target, traced)
        self.tasks.append(task)
        threading.Thread(target=self._main, args=(task,), name=name, daemon=True).start()
        return task

    def run(self) -> None:
        """Runs the schedule to its end. Garbage is collected afterwards: finalizers would be points of chance."""
        enabled = gc.isenabled()
        gc.disable()
        try:
            self._over.acquire()
            self._pass_on(None)
            self._over.acquire()
        finally:
            if enabled:
                gc.enable()

    def _main(self, task: Task) -> None:
        task.gate.acquire()
        try:
            if not self.aborted:
                if task.traced:
                    sys.settrace(self._trace)
                task.target()
        except Aborted:
            pass
        except BaseException as error:
            self.faults.append(f"{task.name} ended by {type(error).__name__}: {error}")
        finally:
            sys.settrace(None)
            task.done = True
            self._pass_on(None)

    def _trace(self, frame: Any, event: str, arg: Any) -> Any:
        return self._line if frame.f_code.co_filename in self._traced else None

    def _line(self, frame: Any, event: str, arg: Any) -> Any:
        if event == "line" and not self._choosing:
            self.point()
        return self._line

    def point(self) -> None:
        """Another thread may go on here."""
        if self.aborted:
            raise Aborted
        self.points += 1
        if self.points > MOST_POINTS:
            self._hang("goes on for ever")
        if self.points in self._preempted:
            self._switch()

    def wait(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        """Lets others go on until a condition holds, or a time is over; whether it holds."""
        if self.aborted:
            raise Aborted
        self._choosing = True
        try:
            if condition():
                return True
        finally:
            self._choosing = False
        task = self.current
        assert task is not None and not self._choosing
        task.condition, task.until = condition, None if seconds is None else self.now + seconds
        self._switch()
        task.condition = task.until = None
        self._choosing = True
        try:
            return condition()
        finally:
            self._choosing = False

    def _switch(self) -> None:
        task = self.current
        assert task is not None
        self._pass_on(task)
        if self.aborted:
            raise Aborted

    def _pass_on(self, task: Task | None) -> None:
        """Lets a thread go on, this one or another; None is one that has ended."""
        try:
            self._choosing = True  # conditions may run lines that are traced
            following = self._chosen(task)
        except Hang as hang:
            if not self.aborted:
                self._abort(str(hang))
            following = None
        finally:
            self._choosing = False
        if self.aborted:  # one after the other ends
            following = next((other for other in self.tasks if not other.done), None)
        self.current = following
        if following is task and task is not None:
            return
        if following is None:
            self._over.release()
        else:
            following.gate.release()
        if task is not None:
            task.gate.acquire()

    def _chosen(self, task: Task | None) -> Task | None:
        living = [other for other in self.tasks if not other.done]
        if not living or self.aborted:
            return None
        able = [other for other in living if other.condition is None or other.condition()]
        if task is not None and len(able) > 1 and task in able:
            able.remove(task)
        if able:
            return self.random.choice(able)
        timed = [other.until for other in living if other.until is not None]
        if not timed or self.now > MOST_SECONDS:
            raise Hang(f"hangs: {', '.join(other.name for other in living)}")
        self.now = min(timed)
        return self.random.choice([other for other in living if other.until == self.now])

    def _abort(self, why: str) -> None:
        self.faults.append(why)
        self.aborted = True

    def _hang(self, why: str) -> None:
        self._abort(why)
        raise Aborted


# ---------------------------------------------------------------- stand-ins


class ScheduledLock:
    """A lock."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._held = scheduler, False

    def __enter__(self) -> None:
        self._scheduler.point()
        self._scheduler.wait(lambda: not self._held)
        self._held = True

    def __exit__(self, *_: object) -> None:
        self._held = False
        if not self._scheduler.aborted:
            self._scheduler.point()

    def locked(self) -> bool:
        """Whether somebody holds it."""
        return self._held


class SentDescriptor:
    """A descriptor on its way, which is closed if nobody receives it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)

    def received(self) -> int:
        """The receiver's descriptor."""
        return os.dup(self._descriptor)

    def __del__(self) -> None:
        os.close(self._descriptor)


class Channel:
    """One direction of a pair of sockets of whole packets.

    Attributes:
      packets: what was sent and not received, each with its descriptor.
      closed: whether no more comes.
      shut: whether no more can be sent.
    """

    def __init__(self, room: int) -> None:
        self.packets: deque[tuple[bytes, SentDescriptor | None]] = deque()
        self.closed = self.shut = False
        self.room = room


class ScheduledSocket:
    """An end of a channel; several may read it.

    Args:
      scheduler: of the schedule.
      channel: what it is an end of.
      dead: whether the simulated process that holds it was killed.
    """

    NUMBERS = 1_000_000

    def __init__(self, scheduler: Scheduler, channel: Channel, dead: Callable[[], bool] = lambda: False) -> None:
        self._scheduler, self.channel, self._dead = scheduler, channel, dead
        ScheduledSocket.NUMBERS += 1
        self._number = ScheduledSocket.NUMBERS

    def fileno(self) -> int:
        """A number that no descriptor has."""
        return self._number

    def _waited(self, condition: Callable[[], bool]) -> None:
        self._scheduler.wait(lambda: condition() or self._dead())
        if self._dead():
            raise Killed

    def send(self, data: bytes, flags: int = 0, descriptor: int = -1) -> None:
        """Sends a packet."""
        self._scheduler.point()
        self._waited(lambda: True)
        channel = self.channel
        if channel.shut:
            raise BrokenPipeError
        if len(channel.packets) >= channel.room:
            if flags:
                raise BlockingIOError
            self._waited(lambda: len(channel.packets) < channel.room or channel.shut)
        channel.packets.append((data, None if descriptor < 0 else SentDescriptor(descriptor)))

    def sendmsg(self, buffers: list[bytes], ancillary: list[Any], flags: int = 0) -> None:
        """Sends a packet with a descriptor."""
        ((_, _, descriptors),) = ancillary
        self.send(buffers[0], flags, descriptors[0])

    def recvmsg_into(self, buffers: list[bytearray], room: int, flags: int) -> tuple[int, list[Any], int, None]:
        """Receives a packet."""
        self._scheduler.point()
        self._waited(lambda: True)
        channel = self.channel
        if not channel.packets and not channel.closed:
            if flags & 0x40:  # MSG_DONTWAIT
                raise BlockingIOError
            self._waited(lambda: bool(channel.packets) or channel.closed)
        if not channel.packets:
            return 0, [], 0, None
        data, descriptor = channel.packets.popleft()
        buffers[0][: len(data)] = data
        ancillary = [] if descriptor is None else [(0, 0, array.array("i", [descriptor.received()]))]
        return len(data), ancillary, 0, None

    def shutdown(self, how: int) -> None:
        """Nothing more comes, or can be sent."""
        self.channel.shut = self.channel.closed = True

    def close(self) -> None:
        """Nothing."""


class ScheduledEpoll:
    """Polls sockets, and events of `ScheduledOs`."""

    def __init__(self, scheduler: Scheduler, system: ScheduledOs) -> None:
        self._scheduler, self._system = scheduler, system
        self._registered: dict[int, int] = {}
        self.closed = False
        ScheduledSocket.NUMBERS += 1
        self._number = ScheduledSocket.NUMBERS
        system.polled[self._number] = self

    def fileno(self) -> int:
        """A number that no descriptor has."""
        return self._number

    def register(self, number: int, events: int) -> None:
        """As that of `select.epoll`."""
        if number in self._registered:
            raise FileExistsError(errno.EEXIST, "registered twice")
        self._registered[number] = events

    def modify(self, number: int, events: int) -> None:
        """As that of `select.epoll`."""
        if number not in self._registered:
            raise FileNotFoundError(errno.ENOENT, "not registered")
        self._registered[number] = events

    def unregister(self, number: int) -> None:
        """As that of `select.epoll`."""
        if number not in self._registered:
            raise FileNotFoundError(errno.ENOENT, "not registered")
        del self._registered[number]

    def readable(self) -> list[int]:
        """The descriptors that can be read, of those that are polled."""
        registered = sorted(self._registered.items())
        return [number for number, events in registered if events and self._system.readable(number)]

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        """As that of `select.epoll`."""
        self._scheduler.point()
        self._scheduler.wait(lambda: bool(self.readable()), timeout)
        return [(number, 1) for number in self.readable()]

    def close(self) -> None:
        """As that of `select.epoll`."""
        self.closed = True


class ScheduledOs:
    """What the modules under test take of `os`, `select`, `time` and `threading`."""

    EPOLLIN = EFD_NONBLOCK = EFD_CLOEXEC = 1

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._events: dict[int, int] = {}
        self.sockets: dict[int, ScheduledSocket] = {}
        self.polled: dict[int, ScheduledEpoll] = {}

    def epoll(self) -> ScheduledEpoll:
        """`select.epoll`."""
        return ScheduledEpoll(self._scheduler, self)

    def readable(self, number: int) -> bool:
        """Whether a descriptor can be read."""
        if number in self._events:
            return self._events[number] > 0
        if number in self.polled:
            return bool(self.polled[number].readable())
        channel = self.sockets[number].channel
        return bool(channel.packets) or channel.closed

    def eventfd(self, value: int, flags: int) -> int:
        """`os.eventfd`."""
        number = -1 - len(self._events)
        self._events[number] = value
        return number

    def eventfd_read(self, number: int) -> int:
        """`os.eventfd_read`."""
        value, self._events[number] = self._events[number], 0
        return value

    def eventfd_write(self, number: int, value: int) -> None:
        """`os.eventfd_write`."""
        if number in self._events:
            self._events[number] += value
        else:  # the pool of another test is collected now
            os.eventfd_write(number, value)

    def close(self, number: int) -> None:
        """`os.close`."""

    def monotonic(self) -> float:
        """`time.monotonic`."""
        return self._scheduler.now

    perf_counter = monotonic

    def sleep(self, seconds: float) -> None:
        """`time.sleep`."""
        self._scheduler.wait(lambda: False, seconds)

    def Thread(self, target: Callable[[], Any], name: str, daemon: bool) -> Any:
        """`threading.Thread`."""
        return _ScheduledThread(self._scheduler, name, target)

    def current_thread(self) -> Any:
        """`threading.current_thread`."""
        return self._scheduler.current


class _ScheduledThread:
    def __init__(self, scheduler: Scheduler, name: str, target: Callable[[], Any]) -> None:
        self._scheduler, self._name, self._target = scheduler, name, target

    def start(self) -> None:
        self._task = self._scheduler.spawn(self._name, self._target)

    def join(self, seconds: float | None = None) -> None:
        self._scheduler.wait(lambda: self._task.done, seconds)
