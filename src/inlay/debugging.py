"""`tf.debugging`: keeping runs on the caller's thread, so that breakpoints, prints and stepping work."""

from __future__ import annotations

from inlay.run import takeover

__all__ = ["run_inline"]


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
