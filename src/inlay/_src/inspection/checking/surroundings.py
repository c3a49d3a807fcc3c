"""Reads besides the inputs: globals that change, environment variables, the current folder."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from inlay._src.core import context
from inlay._src.inspection.checking.comparison import Values, difference, same, values_of
from inlay._src.inspection.checking.observations import Observations, SampleCalls, Skipped
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.tracing import is_users, line
from inlay._src.inspection.checking.writers import writers_of

READS, SURROUNDINGS = "reads", "surroundings"
_ANYTHING = "the function is declared stateful and stays in this process"


def check_reads(observations: Observations) -> Iterator[Finding]:
    """No global that the function reads is written by other functions of its module."""
    _require_promise(observations)
    seen: set[str] = set()
    own = {function.__code__.co_firstlineno for function in observations.reach.functions}
    for read in observations.reach.globals:
        if read.name in seen or not is_users(read.function.__code__.co_filename):
            continue
        seen.add(read.name)
        writers = writers_of(read.name, read.function)
        if writers and read.function.__code__.co_firstlineno in own:
            names = ", ".join(sorted({writer.function for writer in writers}))
            yield Finding(
                READS,
                f"it reads global '{read.name}', which {names} writes",
                writers[0].where,
                f"Pass {read.name} as an input. A result that was folded, merged or cached, and the copy of the "
                "function in a worker process, keep the value of the first call.",
            )


def _require_promise(observations: Observations) -> None:
    if not observations.subject.pure and not observations.subject.leaves_the_process:
        raise Skipped(_ANYTHING)


def check_surroundings(observations: Observations) -> Iterator[Finding]:
    """The results are the same in another folder, and with other values of the environment variables that it reads."""
    _require_promise(observations)
    expected = observations.expected()
    for name, where in _variables_read(observations).items():
        before = os.environ.get(name)
        for value in _other_values(before):
            with _environment(name, value):
                text = _differs(observations, expected)
            if text is not None:
                seen = f"with {name}={value!r} instead of {before!r} {text}"
                remedy = f"Read {name} outside, and pass its value as an input: a worker keeps its own environment."
                yield Finding(SURROUNDINGS, seen, where, remedy)
                break
    with _other_folder():
        text = _differs(observations, expected)
    if text is not None:
        remedy = "Pass absolute paths: a worker may have another current folder."
        yield Finding(SURROUNDINGS, f"in another current folder {text}", observations.subject.where, remedy)


def _differs(observations: Observations, expected: list[Values]) -> str | None:
    for call, values in zip(observations.good, expected, strict=True):
        try:
            got = _values(observations, call)
        except Exception as error:
            return f"sample {call.index} raises {type(error).__name__}: {str(error).splitlines()[0]}"
        if not same(got, values):
            return f"{difference(got, values)} (sample {call.index})"
    return None


def _values(observations: Observations, call: SampleCalls) -> Values:
    with context.using(context.EAGER):
        return values_of(observations.subject.call(call.sample))


def _other_values(value: str | None) -> list[str]:
    """Values that a program could have instead of one; numbers stay numbers."""
    try:
        return [str(int(value or "0") + 7)]
    except ValueError:
        return [f"{value}-other"]


def _variables_read(observations: Observations) -> dict[str, str]:
    """The environment variables that the user's code reads, with the lines that do."""
    reads: dict[str, str] = {}
    kind: Any = type(os.environ)

    class Noting(kind):  # type: ignore[misc]
        def __getitem__(self, key: str) -> str:
            frame = sys._getframe(1)
            while frame.f_back is not None and os.path.basename(frame.f_code.co_filename) in _ENVIRONMENT_FILES:
                frame = frame.f_back
            if isinstance(key, str) and is_users(frame.f_code.co_filename):
                reads.setdefault(key, line(frame.f_code, frame.f_lineno))
            value: str = kind.__getitem__(self, key)
            return value

    os.environ.__class__ = Noting
    try:
        for call in observations.good:
            _ignoring_errors(partial(_values, observations, call))
    finally:
        os.environ.__class__ = kind
    return reads


_ENVIRONMENT_FILES = ("os.py", "_collections_abc.py", "<frozen os>", "<frozen _collections_abc>")


def _ignoring_errors(run: Callable[[], Any]) -> None:
    try:
        run()
    except Exception:  # the comparison with other values shows it
        pass


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def _other_folder() -> Iterator[None]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
