"""What helps to look into a process: what its caches hold, runs on the caller's thread so that stepping works."""

from __future__ import annotations

from inlay.export import export
from inlay.interpreter.caches import CacheInfo, listed
from inlay.run import takeover


@export("debugging.caches")
def caches() -> list[CacheInfo]:
    """What the process keeps so that it need not be made again: one entry per cache, by name.

    Each cache is bounded; its oldest entry makes room for a new one.

    Returns:
      Named tuples `(name, size, most)`: how many entries there are, and how many there may be.
    """
    return listed()


@export("debugging.run_inline")
class run_inline:
    """Keeps every run on its caller's thread, step after step: `tf.debugging.run_inline()`.

    Independent functions of one run then no longer go on while another blocks. Called alone it holds until
    `run_inline(False)`; as a context manager it holds for the block.

    Args:
      on: whether runs stay inline.
    """

    def __init__(self, on: bool = True) -> None:
        self._before = takeover.set_inline(on)

    def __enter__(self) -> run_inline:
        return self

    def __exit__(self, *_: object) -> None:
        takeover.set_inline(self._before)
