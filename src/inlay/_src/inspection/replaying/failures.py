"""Exceptions of host functions as data: class, message, arguments and the text of the traceback; and back.

An exception is rebuilt without a call of the user's code: its class is looked up among the loaded modules, and
instantiated without `__init__`. A class that is not loaded is replaced by `RuntimeError`, whose message names it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping
from typing import Any

from inlay._src.base import errors, tracebacks
from inlay._src.inspection.replaying.values import Opaque

_LONGEST = 1 << 16
"""Characters of a message or a traceback; of a longer one the end is left."""


def as_data(error: BaseException) -> dict[str, Any]:
    """An exception as a mapping of texts, and of its arguments."""
    try:
        message = str(error)
    except Exception:
        message = "<unprintable>"
    return {
        "module": type(error).__module__,
        "class": type(error).__qualname__,
        "message": message[-_LONGEST:],
        "args": tuple(error.args),
        "fields": {name: value for name, value in errors.fields_of(error).items() if value is not None},
        "traceback": tracebacks.text_of(error)[-_LONGEST:],
    }


def title(data: Mapping[str, Any]) -> str:
    """The class and the message, as the last line of a traceback has them."""
    message = data["message"]
    return f"{data['class']}: {message}" if message else str(data["class"])


def is_recorded(error: BaseException, data: Mapping[str, Any]) -> bool:
    """Whether an exception has the class and the message of a recorded one."""
    again = as_data(error)
    return all(again[name] == data[name] for name in ("module", "class", "message"))


def rebuilt(data: Mapping[str, Any]) -> BaseException:
    """The exception of a recording, whose cause has the text of the recorded traceback."""
    error = _instance(data)
    error.__cause__ = tracebacks.RemoteTraceback(data["traceback"])
    return error


def _instance(data: Mapping[str, Any]) -> BaseException:
    cls: Any = builtins if data["module"] == "builtins" else sys.modules.get(data["module"])
    for name in data["class"].split("."):
        cls = getattr(cls, name, None)
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        return RuntimeError(f"{title(data)} (no class {data['module']}.{data['class']} is loaded)")
    message = data["message"]
    builtin: Any = next(base for base in cls.__mro__ if errors.is_builtin(base))
    if issubclass(cls, errors.OpError):
        failure: Any = builtin.__new__(cls)
        errors.OpError.__init__(failure, None, None, message)
        return failure  # type: ignore[no-any-return]
    args = (message,) if any(isinstance(arg, Opaque) for arg in data["args"]) else data["args"]
    try:
        error: BaseException = builtin.__new__(cls, *args)
        errors.set_fields(error, {k: v for k, v in data["fields"].items() if v.__class__ is not Opaque})
        if str(error) == message:
            return error
    except Exception:  # a class whose `__str__` reads attributes that `__init__` sets
        pass
    error = builtin.__new__(cls)
    error.args = (message,)
    return error
