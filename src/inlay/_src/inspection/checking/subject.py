"""`Subject`: a function, its declaration and its samples, and the ways to call it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inlay._src.base.misuse import repr_of
from inlay._src.base.types.nest import Composite
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.site import of_function
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import api as family
from inlay._src.host.executors.selection import resolve_executor
from inlay._src.host.record import CallOptions, Mode
from inlay._src.inspection.checking.tracing import line, shown

MODES = {"py_function": Mode.EAGER, "numpy_function": Mode.NUMPY}


class Sample(tuple[Any, ...]):
    """The positional inputs of one call: eager tensors, ragged and sparse tensors."""

    __slots__ = ()


@dataclass(slots=True)
class Recorded:
    """The arguments and the result of an observed call.

    Attributes:
      args, kwargs: the arguments, the objects themselves.
      copies: all arguments as they were when the call began, those by name last.
      returned: the object that it returned; None before it returns.
      raised: whether the function itself raised.
    """

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    copies: tuple[Any, ...] = ()
    returned: Any = None
    raised: bool = False

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments, those by name last."""
        return (*self.args, *self.kwargs.values())

    def arguments_again(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as they were, for another call: arrays are copies, tensors the same objects."""
        fresh = [
            np.array(copy) if isinstance(value, np.ndarray) else value
            for value, copy in zip(self.values, self.copies, strict=True)
        ]
        count = len(self.args)
        return fresh[:count], dict(zip(self.kwargs, fresh[count:], strict=True))


@dataclass(slots=True)
class Subject:
    """A function under check.

    Attributes:
      function: the function as the user wrote it.
      api: "py_function", "numpy_function", or "" for a function of tensors that calls host functions itself.
      tout: its declared result; None for a function of tensors.
      options: the further arguments of its declaration.
      samples: the inputs of its calls.
      name: the name of its op, or None.
    """

    function: Callable[..., Any]
    api: str
    tout: Any
    options: CallOptions
    samples: list[Sample]
    name: str | None = None
    label: str = field(init=False)

    def __post_init__(self) -> None:
        code = code_of(self.function)
        name = getattr(self.function, "__qualname__", None) or of_function(self.function)
        self.label = name if code is None else f"{name} ({shown(code.co_filename, code.co_firstlineno)})"

    @property
    def pure(self) -> bool:
        """Whether the declaration promises that calls may be merged, repeated and dropped."""
        return bool(self.api) and not self.options.stateful

    @property
    def leaves_the_process(self) -> bool:
        """Whether the declared executor runs the function in another process."""
        wanted = self.options.executor
        if wanted is None or wanted in ("inline", "threads"):
            return False
        if wanted in ("processes", "ray"):
            return True
        executor = resolve_executor(wanted, "check_function")
        return executor is not None and not executor.here

    @property
    def differentiable(self) -> bool:
        """Whether the declaration promises a gradient."""
        return not self.api or self.api == "py_function" or self.options.grad is not None

    @property
    def where(self) -> str:
        """The line where the function is defined."""
        code = code_of(self.function)
        if code is None:
            return self.label
        return line(code, None)

    @property
    def description(self) -> str:
        """The function and its declaration, for the head of a report."""
        count = len(self.samples)
        samples = "1 sample" if count == 1 else f"{count} samples"
        if not self.api:
            return f"{self.label}, a function of tensors, {samples}"
        promise = "" if self.options.stateful else ", stateful=False"
        return f"{self.label} as {self.api}{promise}, {samples}"

    @property
    def called(self) -> Callable[..., Any]:
        """The function that a call runs: a function with `rng=` gets the same generator at each call."""
        if self.options.rng is None:
            return self.function
        return functools.partial(_with_generator, self.function, self.options.rng)

    def call(self, inputs: Sequence[Any], function: Callable[..., Any] | None = None, executor: Any = None) -> Any:
        """Makes the call, in the context that is in force.

        Args:
          inputs: the positional inputs: tensors of either kind, composites.
          function: the callable to run instead of the function.
          executor: the executor; None runs it in place.
        """
        function = self.called if function is None else function
        if not self.api:
            return function(*inputs, **(self.options.kwargs or {}))
        options = replace(self.options, executor=executor, rng=None)
        return family.stage(self.api, MODES[self.api], function, list(inputs), self.tout, self.name, options)

    def observed(self, recorded: Recorded) -> Callable[..., Any]:
        """The function with a record of its arguments and its result."""
        function = self.called

        @functools.wraps(self.function)
        def observe(*args: Any, **kwargs: Any) -> Any:
            recorded.args, recorded.kwargs = args, kwargs
            recorded.copies = tuple(map(copied, recorded.values))
            try:
                recorded.returned = function(*args, **kwargs)
            except BaseException:
                recorded.raised = True
                raise
            return recorded.returned

        return observe


def _with_generator(function: Callable[..., Any], seed: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, rng=np.random.default_rng((*np.ravel(seed).tolist(), 0)), **kwargs)


def copied(value: Any) -> Any:
    """A copy of an argument, to compare with later: of arrays and tensors their elements, else the object itself."""
    if isinstance(value, (np.ndarray, EagerTensor)):
        return np.array(value)
    return value


def code_of(function: Any) -> Any:
    """The code of a function, a method, a partial or a wrapper; None if Python has none of it."""
    for _ in range(20):
        if hasattr(function, "__code__"):
            return function.__code__
        inner = next((f for n in ("__wrapped__", "func", "__func__") if (f := getattr(function, n, None))), None)
        if inner is None:
            return getattr(vars(type(function)).get("__call__"), "__code__", None)
        function = inner
    return None


def subject_of(
    function: Any, samples: Any, tout: Any, api: str, options: CallOptions, declared: Mapping[str, Any]
) -> Subject:
    """The subject of a check.

    Args:
      function: a function, or one that `@tf.py_function` or `@tf.numpy_function` decorated.
      samples: the inputs of its calls.
      tout, api, options: the declaration.
      declared: the arguments of the declaration that were given.

    Raises:
      TypeError: if a declaration is given for a decorated function, or the samples are no list.
      ValueError: if there is no sample, or the API is unknown.
    """
    own = family.declaration_of(function)
    if own is not None:
        if declared:
            raise TypeError(
                f"check_function: {own.func.__qualname__} is decorated and has its own declaration; leave out "
                f"{', '.join(declared)}"
            )
        subject = Subject(own.func, own.api, own.tout, own.options, [], own.name)
    elif not callable(function):
        raise TypeError(f"check_function checks a function, got {repr_of(function)}")
    elif tout is None:
        subject = Subject(function, "", None, options, [])
    elif api not in MODES:
        raise ValueError(f"check_function: api must be one of {', '.join(map(repr, MODES))}, got {api!r}")
    else:
        subject = Subject(function, api, tout, options, [])
    subject.samples = _samples(samples, subject.options.sample)
    return subject


def _samples(samples: Any, inferred: Sequence[Any] | None) -> list[Sample]:
    if samples is None and inferred is not None:
        samples = [tuple(inferred)]
    if samples is None or isinstance(samples, (str, bytes, Mapping)) or not isinstance(samples, Iterable):
        raise TypeError(
            f"check_function: samples must be a list with a tuple of inputs for each call, got {repr_of(samples)}"
        )
    rows = [_sample(row) for row in samples]
    if not rows:
        raise ValueError("check_function: there is no sample; give the inputs of one call or more: samples=[(x, y), …]")
    return rows


def _sample(row: Any) -> Sample:
    inputs = row if isinstance(row, tuple) and not hasattr(row, "_fields") else (row,)
    return Sample(value if isinstance(value, Composite) else convert_to_tensor(value) for value in inputs)
