"""`test.check_function`: a function is called in many ways, and each promise of its declaration is checked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.core import context
from inlay._src.host.record import CallOptions
from inlay._src.inspection.checking import (
    declaration,
    derivatives,
    memory,
    purity,
    surroundings,
    threads,
    travel,
    ways,
)
from inlay._src.inspection.checking.observations import Check, Observations, Skipped, observations_of
from inlay._src.inspection.checking.report import Finding, Report
from inlay._src.inspection.checking.subject import subject_of

CHECKS: dict[str, Check] = {
    declaration.NAME: declaration.check,
    memory.INPUTS: memory.check_inputs,
    memory.ALIASES: memory.check_aliases,
    purity.REPETITION: purity.check_repetition,
    purity.STATE: purity.check_state,
    surroundings.READS: surroundings.check_reads,
    surroundings.SURROUNDINGS: surroundings.check_surroundings,
    derivatives.NAME: derivatives.check,
    ways.NAME: ways.check,
    travel.NAME: travel.check,
    threads.NAME: threads.check,
}
"""The checks by name, in the order in which they run."""


@export("test.check_function")
def check_function(
    f: Any,
    samples: Sequence[Any] | None = None,
    Tout: Any = None,
    *,
    api: str = "py_function",
    kwargs: Mapping[str, Any] | None = None,
    output_shapes: Any = None,
    grad: Callable[..., Any] | None = None,
    stateful: bool = True,
    copy: bool = True,
    executor: Any = None,
    rng: Any = None,
    skip: Collection[str] = (),
) -> Report:
    """Checks a host function against its declaration, with the inputs of some calls.

    ```python
    def halved(x):
        x /= 2  # writes into its input
        return x

    print(tf.test.check_function(halved, [np.float32([1, 2])], tf.float32, api="numpy_function"))
    ```

    The function is called some dozens of times: eagerly, in a session, in a `tf.function`, in a dataset, and in eight
    threads. It is also called in a worker process if it is declared `stateful=False` or if its executor is in another
    process. The checks are:

    - `declaration`: dtypes, shapes and structure of the results, also with NaN in an input.
    - `inputs`: no write into an input.
    - `aliases`: no result that shares memory with an input, a global variable or an earlier result.
    - `repetition`, `state`: with `stateful=False`, equal results of equal calls, and no write into globals, closures,
      defaults, attributes and generators. For every function: no change of settings of the process.
    - `reads`, `surroundings`: with `stateful=False` or in other processes, no read of a global that other functions
      write, and no dependence on environment variables and the current folder.
    - `gradients`: the tape's derivatives to second order against finite differences.
    - `agreement`: equal bits in every way to call it.
    - `travel`: the function can be sent where its executor runs it.
    - `threads`: equal bits in eight threads, which change at lines that seeds decide.

    Args:
      f: the function; or a function that `@tf.py_function(...)` or `@tf.numpy_function(...)` decorated, which has a
        declaration; or, without `Tout`, a function of tensors that calls host functions itself.
      samples: the inputs of each call: a tuple of inputs, or the only input. None takes the `sample=` of a decorated
        function.
      Tout: the declared result, as in `py_function`.
      api: "py_function" or "numpy_function": the kind of values that `f` receives.
      kwargs, output_shapes, grad, stateful, copy, executor, rng: the declaration, as in `py_function`. A worker process
        of this machine stands in for executor="ray".
      skip: the names of checks to leave out.

    Returns:
      A report. It is true if there are no findings; `report.raise_if_found()` raises it as an AssertionError.

    Raises:
      TypeError: if `f` is no function, the samples are no list, or a decorated function is declared again.
      ValueError: if there is no sample, or `api` or a name in `skip` is unknown.
    """
    unknown = sorted(set(skip) - set(CHECKS))
    if unknown:
        raise ValueError(f"check_function: unknown checks in skip: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    options = CallOptions(kwargs, output_shapes, None, stateful, grad, copy, executor, rng)
    defaults = CallOptions()
    changed = {name: value for name, value in {**_fields(options), "Tout": Tout}.items()
             if value is not getattr(defaults, name, None)}  # fmt: skip
    with warnings.catch_warnings(), context.using(context.EAGER):
        warnings.simplefilter("ignore")  # such as that of a lost gradient, which a check reports
        return _report(observations_of(subject_of(f, samples, Tout, api, options, changed)), skip)


def _report(observations: Observations, skip: Collection[str]) -> Report:
    findings: list[Finding] = []
    passed: list[str] = []
    skipped = {name: "left out by skip=" for name in CHECKS if name in skip}
    for name, check in CHECKS.items():
        if name in skipped:
            continue
        try:
            seen = list(check(observations))
        except Skipped as reason:
            skipped[name] = str(reason)
            continue
        findings += seen
        if not seen:
            passed.append(name)
    about = observations.subject.description
    return Report(
        about,
        tuple(findings),
        tuple(passed),
        skipped,
        tuple(_notes(observations)),
        tuple(travel.captures(observations)),
    )


def _fields(options: CallOptions) -> dict[str, Any]:
    names = ("kwargs", "output_shapes", "stateful", "grad", "copy", "executor", "rng")
    return {name: getattr(options, name) for name in names}


def _notes(observations: Observations) -> list[str]:
    notes = []
    if not observations.subject.leaves_the_process and (reason := travel.obstacle(observations)) is not None:
        notes.append(f"it cannot be sent to another process: {reason}")
    if observations.subject.options.executor == "ray":
        notes.append("no call was made on a Ray cluster; a worker process of this machine took its place")
    if not observations.subject.pure and not observations.repeatable:
        notes.append("equal calls give different results, as a stateful function may")
    return notes
