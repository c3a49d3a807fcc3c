"""Which exceptions are errors of the library itself, and the place that each comes from.

An exception is internal if no statement `raise` made it and its last frame outside of other packages is one of ours:
an attribute, key or index that is not there, a name without a value, too deep a recursion, arithmetic that fails, an
`assert`, a type that an operation of Python or NumPy does not take, an array asked whether it is true. An OpError that
such an exception became on its way out is internal too, and so is a message that names one. What the caller's own
functions and objects raise is not, and neither is a call that does not fit the signature of the function called.
"""

from __future__ import annotations

import dis
import os
import re
import sysconfig
import types
from collections.abc import Callable, Iterable
from pathlib import Path

import inlay
from inlay import errors

LIBRARY = str(Path(inlay.__file__).parent) + os.sep
ACCIDENTS: tuple[type[BaseException], ...] = (
    AttributeError,
    LookupError,
    NameError,
    RecursionError,
    ArithmeticError,
    AssertionError,
    TypeError,
    StopIteration,
)
CALLERS = re.compile(r"\bUsers?[A-Z_]\w*|\busers_\w+|__\w+__")
"""Names of the caller's classes and functions: a message with one says what is wrong with it."""
_TRUTH = re.compile(r"truth value of an? (array|empty array)")
_TOLD = re.compile(
    r"\b(Attribute|Key|Index|Recursion|UnboundLocal|Name|Assertion|ZeroDivision)Error\b|object has no attribute|"
    r"local variable|'NoneType' object|list index out of range"
)
_NUMBERS = ("__bool__", "__int__", "__float__", "__complex__", "__index__", "__len__", "__iter__")
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep


def frames_of(error: BaseException) -> list[types.TracebackType]:
    """The frames that an exception passed, the outermost first."""
    frames, at = [], error.__traceback__
    while at is not None:
        frames.append(at)
        at = at.tb_next
    return frames


def is_ours(frame: types.TracebackType) -> bool:
    """Whether a frame is of the library or of source that it generates, which has a name in angle brackets."""
    name = frame.tb_frame.f_code.co_filename
    return name.startswith((LIBRARY, "<inlay"))


_ASSERTION = ("LOAD_COMMON_CONSTANT", "AssertionError")
"""The instruction that loads the error of an `assert` from Python 3.14 on."""


def is_foreign(frame: types.TracebackType) -> bool:
    """Whether a frame is of another package or of the standard library."""
    name = frame.tb_frame.f_code.co_filename
    installed = f"{os.sep}site-packages{os.sep}" in name or name.startswith(
        (_STANDARD, "<frozen", "<__array_function__")
    )
    return installed and not is_ours(frame)


def is_raised(frame: types.TracebackType) -> bool:
    """Whether a statement `raise` is what a frame was at; an `assert` is none."""
    code = frame.tb_frame.f_code
    if dis.opname[code.co_code[frame.tb_lasti]] != "RAISE_VARARGS":
        return False
    lines = {
        i.positions.lineno
        for i in dis.get_instructions(code)
        if i.positions and (i.opname == "LOAD_ASSERTION_ERROR" or (i.opname, i.argrepr) == _ASSERTION)
    }
    return frame.tb_lineno not in lines


def last_of_ours(error: BaseException) -> types.TracebackType | None:
    """The frame of ours that an exception came out of, with nothing but other packages below; None if there is none."""
    for frame in reversed(frames_of(error)):
        if frame.tb_frame.f_code.co_name in _NUMBERS and is_ours(frame):
            continue  # a tensor is no number, as NumPy says: who asked?
        if is_ours(frame):
            return frame
        if not is_foreign(frame):
            return None
    return None


def origin(error: BaseException) -> BaseException:
    """What an exception that wraps another one wraps."""
    seen = {id(error)}
    while isinstance(error, errors.OpError) and error.__cause__ is not None and id(error.__cause__) not in seen:
        if isinstance(error.__cause__, KeyError) and not isinstance(error, errors.UnknownError):
            break  # what is not there, as the error says in words of its own
        error = error.__cause__
        seen.add(id(error))
    return error


def place(frame: types.TracebackType) -> str:
    """A frame's file, line and function."""
    code = frame.tb_frame.f_code
    return f"{code.co_filename.removeprefix(LIBRARY)}:{frame.tb_lineno} {code.co_name}"


def cause_of(error: BaseException, called: Callable[..., object] | None = None, passed: Iterable[object] = ()) -> str:
    """The place and the class of an error of the library itself; "" if an exception is none.

    Args:
      error: what a call raised.
      called: what was called, whose own signature may refuse the arguments.
      passed: the arguments: callables among them may refuse what the library passes to them.
    """
    root = origin(error)
    frame = last_of_ours(root)
    if frame is None:
        return ""
    text = str(root)
    if isinstance(root, ACCIDENTS) or _TRUTH.search(text):
        if is_raised(frame) or _is_of_the_caller(root, text, called, passed) or _calls_one_of_c(frame, root, passed):
            return ""
        if frames_of(root)[-1] is not frame and isinstance(root, TypeError):
            return ""  # another package says what it does not take
        return f"{type(root).__name__} at {place(frame)}"
    if is_raised(frame) and (told := _TOLD.search(str(error))) and not CALLERS.search(str(error)):
        return f"{type(error).__name__} tells of {told[0]!r} at {place(frame)}"
    return ""


def _is_of_the_caller(
    root: BaseException, text: str, called: Callable[..., object] | None, passed: Iterable[object]
) -> bool:
    """Whether an exception is about what the caller passed: a class of his, or arguments that a signature refuses.

    A callable of C has no frame of its own that raises; its message begins with its name.
    """
    if not isinstance(root, TypeError):
        return False
    if CALLERS.search(text) or text.startswith("Can't instantiate abstract class"):
        return True
    names = [getattr(function, "__name__", "") for function in passed if callable(function)]
    if text.startswith((*[f"{name}() " for name in names if name], "Can't instantiate abstract class")):
        return True
    name = getattr(called, "__name__", "")
    if name == "__call__":
        name = "call"  # of a layer, which has the signature
    return bool(name) and re.search(rf"\b{re.escape(name)}\(\) (missing|takes|got)", text) is not None


def _calls_one_of_c(frame: types.TracebackType, root: BaseException, passed: Iterable[object]) -> bool:
    """Whether an exception came out of a call of a callable of C that the caller passed, such as `len` or `np.float32`.

    It has no frame of its own. The frame of ours that calls it holds it in a variable.
    """
    code = frame.tb_frame.f_code
    if frames_of(root)[-1] is not frame or not dis.opname[code.co_code[frame.tb_lasti]].startswith("CALL"):
        return False
    held = frame.tb_frame.f_locals.values()
    return any(isinstance(f, (type, types.BuiltinFunctionType)) and any(f is v for v in held) for f in passed)
