"""Fast paths that failed: the slower path that defines the result took over.

A fast path that fails at writing, compiling or running while the slower one succeeds is a defect of inlay, which costs
time and hides others. Its handler calls `fall_back`, the only function that may drop such an error. An error that the
slower path raises as well is the program's, not the fast path's.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import NamedTuple

from inlay._src.base.export import export
from inlay._src.base.tracebacks import FOLDER

_LIBRARIES = frozenset({"numpy", "jax", "scipy", "ml_dtypes"}) | sys.stdlib_module_names


class Fallback(NamedTuple):
    """A row of `debugging.fallbacks`: a fast path, how often it failed, and its last error."""

    name: str
    failures: int
    last: str


class FastPathError(AssertionError):
    """A fast path failed while `settings.strict` holds."""


class _FallbackSettings:
    """Attributes: strict: whether `fall_back` raises; the test suite sets it."""

    strict: bool = False


settings = _FallbackSettings()
_counts: Counter[str] = Counter()
_errors: dict[str, str] = {}


def fall_back(name: str, error: BaseException) -> None:
    """Counts a failure of a fast path, in whose place the caller goes on by the slower path.

    An error that passed through a function of the user's is not counted: the slower path calls that function too.

    Args:
      name: the fast path, as `engine.run.registry` names it.
      error: the error that ended it.

    Raises:
      FastPathError: from `error`, if `settings.strict`.
    """
    if _passed_through_user_code(error):
        return
    _counts[name] += 1
    _errors[name] = f"{type(error).__name__}: {error}"
    if settings.strict:
        raise FastPathError(f"{name} failed; without `settings.strict` the slower path would take over") from error


def _passed_through_user_code(error: BaseException) -> bool:
    """Whether a frame of the traceback is neither this library's nor one of the libraries that it calls."""
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        root = str(frame.f_globals.get("__name__")).partition(".")[0]
        if not frame.f_code.co_filename.startswith(FOLDER) and root not in _LIBRARIES:
            return True
        trace = trace.tb_next
    return False


@export("debugging.fallbacks")
def fallbacks() -> list[Fallback]:
    """The fast paths that failed in this process, and in whose place a slower path with the same result ran.

    An empty list is normal. An entry is a defect of this library that costs time only: please report it.

    Returns:
      Named tuples `(name, failures, last)`, sorted by name: the fast path, the number of its failures, its last error.
    """
    return [Fallback(name, count, _errors[name]) for name, count in sorted(_counts.items())]
