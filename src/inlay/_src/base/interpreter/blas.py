"""BLAS on one thread while the blocks of an op are on threads of their own.

A product of matrices on several of BLAS's threads waits for the slowest at each step, and other products wait for it.
Beside a busy process it takes ten times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.interpreter.forking import in_child, new_lock

_lock = new_lock()
_users = 0
_before: list[tuple[Any, int]] = []


@functools.cache
def _libraries() -> list[Any]:
    """The BLAS libraries in this process that a number of threads can be set for."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return []
    return ThreadpoolController().select(user_api="blas").lib_controllers  # type: ignore[no-any-return]


@contextmanager
def one_thread() -> Iterator[bool]:
    """A context in which BLAS computes on the thread that calls it; its value is False if that cannot be had.

    The number of BLAS's threads belongs to the process. The first user to enter sets it to one, and the last one to
    leave restores it; `_users` counts them, under `_lock`.
    """
    global _users
    with _lock:
        if not _users:
            _before[:] = [(library, library.num_threads) for library in _libraries()]
            for library, threads in _before:
                if threads != 1:
                    library.set_num_threads(1)
        _users += 1
    try:
        yield bool(_before)
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _restore()


def _restore() -> None:
    for library, threads in _before:
        if threads != 1:
            library.set_num_threads(threads)


def _after_fork() -> None:
    """A forked child has none of the parent's users, whichever threads they were on."""
    global _users
    if _users:
        _users = 0
        _restore()


in_child(_after_fork)
