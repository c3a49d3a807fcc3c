"""The ways to call a function give equal bits: eager, session, traced function, dataset, worker process."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types.nest import Composite
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.data.dataset import Dataset
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.inspection.checking.comparison import Values, alike, difference, flat_tensors, same, values_of
from inlay._src.inspection.checking.observations import Observations, SampleCalls, Skipped
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.subject import Subject
from inlay._src.ops.placeholders import placeholder
from inlay._src.programs.functions.function import function as traced
from inlay._src.programs.session.session import Session

NAME = "agreement"
_RUNS = 3  # of a session: the first ones interpret the plan, later ones run what was written for it


def check(observations: Observations) -> Iterator[Finding]:
    """Every way gives the bits of the eager call; a function that varies by right gives the same dtypes and ranks."""
    if not observations.good:
        raise Skipped("no call returns what is declared")
    expected: list[Values] = [call.results[1] for call in observations.good]  # type: ignore[misc]
    agree = same if observations.repeatable else alike
    for way in _ways(observations):
        calls, wanted = (observations.good[::-1], expected[::-1]) if way.reverse else (observations.good, expected)
        for call, values in zip(calls, wanted, strict=True):
            try:
                runs = way.results(call)
            except Exception as error:
                yield _finding(
                    observations, f"{way.name}: sample {call.index} raises {type(error).__name__}: {_line(error)}"
                )
                break
            wrong = next((got for got in runs if not agree(got, values)), None)
            if wrong is not None:
                text = difference(wrong, values, "in the eager call it is")
                yield _finding(observations, f"{way.name}: {text} (sample {call.index}){way.remark}")
                break


def _finding(observations: Observations, seen: str) -> Finding:
    return Finding(
        NAME,
        seen,
        observations.subject.where,
        "Make the result depend on the inputs only: not on earlier calls, the kind of the tensors, the thread, the "
        "process or the order of a set.",
    )


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


class _CallWay(NamedTuple):
    """One way to call.

    Attributes:
      name: its name in messages.
      results: the results of some calls with a sample.
      reverse: whether the last sample comes first.
      remark: an explanation of a difference.
    """

    name: str
    results: Callable[[SampleCalls], list[Values]]
    reverse: bool = False
    remark: str = ""


def _ways(observations: Observations) -> Iterator[_CallWay]:
    subject = observations.subject
    yield _CallWay("session", functools.partial(_in_session, subject))
    step = traced(subject.call)
    yield _CallWay("tf.function", lambda call: _eagerly(lambda: [values_of(step(call.sample)) for _ in range(2)]))
    yield _CallWay("dataset map", functools.partial(_in_dataset, subject))
    if not subject.api:
        return
    if subject.options.executor not in (None, "inline", "ray") and not subject.leaves_the_process:
        yield _CallWay(f"executor={subject.options.executor!r}", functools.partial(_on, subject, None, None))
    if (subject.pure or subject.leaves_the_process) and observations.cold is not None:
        cold = pickle.loads(observations.cold)  # as it was before the first call
        executor = subject.options.executor
        on = executor if subject.leaves_the_process and not isinstance(executor, str) else worker()
        remark = "; the worker got the function as it was before the first call, and the last sample first"
        yield _CallWay("worker process", functools.partial(_on, subject, cold, on), True, remark)


def _eagerly(run: Callable[[], list[Values]]) -> list[Values]:
    with context.using(context.EAGER):
        return run()


def _on(subject: Subject, function: Any, executor: Any, call: SampleCalls) -> list[Values]:
    executor = subject.options.executor if executor is None else executor
    return _eagerly(lambda: [values_of(subject.call(call.sample, function, executor))])


def _in_session(subject: Subject, call: SampleCalls) -> list[Values]:
    with Graph().as_default() as graph:
        holes = [v if isinstance(v, Composite) else placeholder(v.dtype, v.shape) for v in call.sample]
        result = subject.call(holes)
        fetches: Any = flat_tensors(result) if not isinstance(result, Operation) else [result]
        feeds = {h: v.numpy() for h, v in zip(holes, call.sample, strict=True) if not isinstance(h, Composite)}
        with Session(graph=graph) as session:
            return [values_of(session.run(fetches, feeds)) for _ in range(_RUNS)]


def _in_dataset(subject: Subject, call: SampleCalls) -> list[Values]:
    def element(*inputs: Any) -> Any:
        result = subject.call(inputs if call.sample else ())
        return tuple(flat_tensors(result)) or 0

    def run() -> list[Values]:
        source: Sequence[Any] = tuple(call.sample)
        data = Dataset.from_tensors(source) if source else Dataset.range(1)
        elements = [values_of(row) for row in data.map(element)]
        return elements if call.results[1] else [[]]  # a dataset has no elements without values

    return _eagerly(run)


@functools.cache
def worker() -> Processes:
    """The pool of one worker process that all checks share."""
    return Processes(workers=1)
