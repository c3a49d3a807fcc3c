"""The outcome of a remote call as bytes: its result, or its failure.

there   perform(body, arguments) ─▶ run ─▶ ("result", value) | ("failure", exception, traceback) ─▶ bytes
here    opened(bytes) ─▶ the value, or the exception raised with the traceback as its cause

A transport that sends large arrays by other means passes a list, which collects them beside the bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors, tracebacks
from inlay._src.core.executor import Call
from inlay._src.host import bodies
from inlay._src.host.executors.exceptions import Raised


def packed(call: Call, beside: list[Any] | None = None) -> bytes:
    """The arguments of a call as bytes; large arrays are put into `beside`, if it is given.

    Raises:
      InvalidArgumentError, TypeError: naming the argument that cannot be sent.
    """
    try:
        return bodies.dumps((call.args, call.kwargs), beside)
    except Exception as error:
        raise unsent(call, error) from error


def unsent(call: Call, error: BaseException) -> BaseException:
    """The error for arguments that do not pickle."""
    for name, value in (*enumerate(call.args), *call.kwargs.items()):
        try:
            bodies.dumps(value)
        except Exception as failure:
            text = (
                f"argument {name!r} of {call.label}, a {type(value).__name__}, cannot be sent elsewhere: {failure} "
                "(inlay explain cannot-send)"
            )
            return errors.refused(errors.InvalidArgumentError, TypeError, text)
    return errors.refused(errors.InvalidArgumentError, TypeError, f"the arguments of {call.label}: {error}")


def perform(
    body: bodies.Body, arguments: bytes, keep: bool, beside: Sequence[Any] = (), collected: list[Any] | None = None
) -> bytes:
    """Runs a call in the worker. It never raises: an exception is the outcome.

    Args:
      body, arguments, keep: the call.
      beside: the large arrays of the arguments.
      collected: takes those of the result.
    """
    try:
        function = bodies.function_of(body)
        args, kwargs = pickle.loads(arguments, buffers=beside)
        return packed_result(run(function, args, kwargs, keep), body.label, collected)
    except BaseException as error:
        return packed_failure(error)


def run(function: Callable[..., Any], args: Any, kwargs: Any, keep: bool) -> Any:
    """Calls a function, or its `kept`."""
    return function.kept(*args, **kwargs) if keep else function(*args, **kwargs)  # type: ignore[attr-defined]


def packed_result(value: Any, label: str, beside: list[Any] | None = None) -> bytes:
    """A result as bytes; large arrays are put into `beside`, if it is given.

    Raises:
      InvalidArgumentError, TypeError: if it does not pickle.
    """
    try:
        return bodies.dumps(("result", value), beside)
    except Exception as error:
        raise unreturned(value, label, error) from error


def unreturned(value: Any, label: str, error: BaseException) -> BaseException:
    """The error for a result that does not pickle."""
    text = f"the result of {label}, a {type(value).__name__}, cannot be sent back: {error} (inlay explain cannot-send)"
    return errors.refused(errors.InvalidArgumentError, TypeError, text)


def packed_failure(error: BaseException) -> bytes:
    """An exception as bytes, with the text of its traceback."""
    return bodies.dumps(("failure", Raised(error), tracebacks.text_of(error, sources=True)))


def opened(data: bytes, beside: Sequence[Any] = ()) -> Any:
    """The value of an outcome, with the large arrays that were put beside it.

    Raises:
      BaseException: the failure that it tells.
    """
    kind, value, *more = pickle.loads(data, buffers=beside)
    if kind == "result":
        return value
    value.__cause__ = tracebacks.RemoteTraceback(more[0])
    raise value
