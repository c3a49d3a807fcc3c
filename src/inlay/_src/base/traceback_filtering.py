"""The public switch of `base.tracebacks`, which `base.export` itself needs."""

from __future__ import annotations

from inlay._src.base.export import export
from inlay._src.base.tracebacks import settings


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Keeps the frames of the library in tracebacks; so does the environment variable INLAY_FULL_TRACEBACK=1.

    For a report of a defect of the library.
    """
    settings.filtered = False


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Drops the library's frames from tracebacks, as from the start: the last frame is the caller's."""
    settings.filtered = True


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether the library's frames are dropped from tracebacks.

    Returns:
      True from the start, unless the environment variable INLAY_FULL_TRACEBACK is set.
    """
    return settings.filtered
