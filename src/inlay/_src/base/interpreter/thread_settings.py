"""The numbers of threads that a program asks for."""

from __future__ import annotations

from inlay._src.base.export import export
from inlay._src.base.interpreter import threads


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number of threads for one op over large arrays; 0: one per core that this process may use."""
    return threads._asked


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads work on one op over large arrays.

    Args:
      num_threads: the caller's counted; 0 is one per core that this process may use.

    Raises:
      ValueError: for what is no such number.
    """
    if isinstance(num_threads, bool) or not isinstance(num_threads, int) or num_threads < 0:
        raise ValueError(f"set_intra_op_parallelism_threads: a number of threads, 0 or more, not {num_threads!r}")
    threads._asked = num_threads


_inter_op = 0


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number that `set_inter_op_parallelism_threads` was given, 0 without one."""
    return _inter_op


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted: ops run one after the other, and beside those that block, so there is no number to set."""
    global _inter_op
    _inter_op = num_threads
