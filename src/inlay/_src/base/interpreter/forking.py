"""Locks that a forked child may take, whichever thread of the parent held them.

A fork copies locks as they are, but only the thread that forked: one that another thread held would never be released
in the child. There all locks made here are free again, except a re-entrant one that the forking thread itself holds
(it forked while it traced a function, say) and will release.

The state behind a lock was caught between two statements of another thread. The holders are written for that: they put
whole values in place, or something that nobody finds yet.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Lock = TypeVar("Lock")

_LOCKS: weakref.WeakSet[Any] = weakref.WeakSet()


def in_child(action: Callable[[], None]) -> None:
    """Lets a forked child begin with `action`, on systems that fork; actions run in the order they were given."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def free_in_child(lock: Lock) -> Lock:
    """Has a lock free in a forked child, unless it is re-entrant and the thread that forked holds it; returns it."""
    _LOCKS.add(lock)
    return lock


def new_lock() -> threading.Lock:
    """A lock that is free in a forked child."""
    return free_in_child(threading.Lock())


def new_rlock() -> threading.RLock:
    """A re-entrant lock that is free in a forked child, unless the thread that forked holds it."""
    return free_in_child(threading.RLock())


def _free_locks() -> None:
    for lock in list(_LOCKS):
        mine = getattr(lock, "_is_owned", None)
        if mine is None or not mine():
            lock._at_fork_reinit()


in_child(_free_locks)
