"""The exception tree, and how a user's exception becomes one of inlay's without losing its own class.

    OpError (Exception)
      CancelledError 1   UnknownError 2          InvalidArgumentError 3   DeadlineExceededError 4
      NotFoundError 5    AlreadyExistsError 6    PermissionDeniedError 7  ResourceExhaustedError 8
      FailedPreconditionError 9   AbortedError 10   OutOfRangeError 11   UnimplementedError 12
      InternalError 13   UnavailableError 14     DataLossError 15         UnauthenticatedError 16
    OperatorNotAllowedInGraphError (TypeError)
    InaccessibleTensorError (ValueError, TypeError)
    LostGradientWarning (UserWarning)

`wrap` keeps both classes of an error: a function's exception arrives as an instance of TensorFlow's class *and* of the
original class, so `except ValueError` and `except tf.errors.InvalidArgumentError` both work.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from inlay._src.base import tracebacks
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.terminal import escaped, tamed

OK = export("errors.OK")(0)
CANCELLED = export("errors.CANCELLED")(1)
UNKNOWN = export("errors.UNKNOWN")(2)
INVALID_ARGUMENT = export("errors.INVALID_ARGUMENT")(3)
DEADLINE_EXCEEDED = export("errors.DEADLINE_EXCEEDED")(4)
NOT_FOUND = export("errors.NOT_FOUND")(5)
ALREADY_EXISTS = export("errors.ALREADY_EXISTS")(6)
PERMISSION_DENIED = export("errors.PERMISSION_DENIED")(7)
RESOURCE_EXHAUSTED = export("errors.RESOURCE_EXHAUSTED")(8)
FAILED_PRECONDITION = export("errors.FAILED_PRECONDITION")(9)
ABORTED = export("errors.ABORTED")(10)
OUT_OF_RANGE = export("errors.OUT_OF_RANGE")(11)
UNIMPLEMENTED = export("errors.UNIMPLEMENTED")(12)
INTERNAL = export("errors.INTERNAL")(13)
UNAVAILABLE = export("errors.UNAVAILABLE")(14)
DATA_LOSS = export("errors.DATA_LOSS")(15)
UNAUTHENTICATED = export("errors.UNAUTHENTICATED")(16)
CODE_NAMES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
"""The names of the codes, by code."""


@export("errors.OpError", "compat.v1.OpError")
class OpError(Exception):
    """An error of an op.

    Args:
      node_def: the failing node's definition, or None.
      op: the failing `Operation`, or None (always None for eager calls, as in TensorFlow).
      message: the text.
      error_code: the canonical code; defaults to the class's own.
    """

    code = UNKNOWN
    # What a subclass of the user's has that does not call our __init__.
    _node_def: Any = None
    _op: Any = None
    _message = ""
    _error_code: int | None = None
    original_class: type[BaseException] | None = None

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "", error_code: int | None = None) -> None:
        Exception.__init__(self, message)
        self.args: tuple[Any, ...] = (message,)
        self._node_def, self._op, self._message = node_def, op, message
        self._error_code = error_code

    @property
    def message(self) -> str:
        """The text of the error."""
        return self._message

    @property
    def experimental_payloads(self) -> dict[bytes, bytes]:
        """Further details of a remote peer; empty, as everything runs here."""
        return {}

    @property
    def op(self) -> Any:
        """The operation that failed, or None if it is in no graph."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The failing node as a message, or None."""
        return getattr(self._op, "node_def", None) if self._node_def is None else self._node_def

    @property
    def error_code(self) -> int:
        """The canonical code of the error, for instance 3 for `InvalidArgumentError`."""
        return type(self).code if self._error_code is None else self._error_code

    def __str__(self) -> str:
        return escaped(self._message)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._message.splitlines()[0] if self._message else ''!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        original = self.original_class or type(self)
        importable = original if _importable(original) else None
        return _rebuild, (_ours(type(self)), importable, self._message, self._error_code, _picklable_fields(self))


@export("errors.CancelledError")
class CancelledError(OpError):
    """The run was cancelled, for instance by closing its session."""

    code = CANCELLED


@export("errors.UnknownError")
class UnknownError(OpError):
    """A function raised an exception with no nearer class."""

    code = UNKNOWN


@export("errors.InvalidArgumentError")
class InvalidArgumentError(OpError):
    """An argument or a result is not what was declared."""

    code = INVALID_ARGUMENT


@export("errors.DeadlineExceededError")
class DeadlineExceededError(OpError):
    """A time limit passed."""

    code = DEADLINE_EXCEEDED


@export("errors.NotFoundError")
class NotFoundError(OpError):
    """A file, key or function does not exist."""

    code = NOT_FOUND


@export("errors.AlreadyExistsError")
class AlreadyExistsError(OpError):
    """The object to create exists already."""

    code = ALREADY_EXISTS


@export("errors.PermissionDeniedError")
class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = PERMISSION_DENIED


@export("errors.ResourceExhaustedError")
class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    code = RESOURCE_EXHAUSTED


@export("errors.FailedPreconditionError")
class FailedPreconditionError(OpError):
    """The state does not allow the operation: an uninitialized variable, for instance."""

    code = FAILED_PRECONDITION


@export("errors.AbortedError")
class AbortedError(OpError):
    """The operation was aborted."""

    code = ABORTED


@export("errors.OutOfRangeError")
class OutOfRangeError(OpError):
    """Reading went past the end of a sequence."""

    code = OUT_OF_RANGE


@export("errors.UnimplementedError")
class UnimplementedError(OpError):
    """The operation is not implemented."""

    code = UNIMPLEMENTED


@export("errors.InternalError")
class InternalError(OpError):
    """Something that should hold does not."""

    code = INTERNAL


@export("errors.UnavailableError")
class UnavailableError(OpError):
    """A worker cannot be reached."""

    code = UNAVAILABLE


@export("errors.DataLossError")
class DataLossError(OpError):
    """Stored data is damaged."""

    code = DATA_LOSS


@export("errors.UnauthenticatedError")
class UnauthenticatedError(OpError):
    """The request carries no valid credentials."""

    code = UNAUTHENTICATED


@export("errors.OperatorNotAllowedInGraphError")
class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used where Python needs a value."""


@export("errors.InaccessibleTensorError")
class InaccessibleTensorError(ValueError, TypeError):
    """A tensor cannot be reached from here: another graph's, or one that may not be fetched.

    Also a TypeError, which is what TensorFlow raises when an operator finds it rather than a function.
    """


@export("errors.LostGradientWarning")
class LostGradientWarning(UserWarning):
    """The body of a `py_function` left the framework, so its gradient is zero."""


# What a raised class becomes. First match wins.
_MAPPING: tuple[tuple[type[BaseException], type[OpError]], ...] = (
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (StopAsyncIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)
# Exceptions that steer Python: an instance of them escaping from a run could end somebody's loop.
_STEERING: tuple[type[BaseException], ...] = (StopIteration, StopAsyncIteration, GeneratorExit, BaseExceptionGroup)
# Never wrapped: they are the user's wish to stop.
PASS_THROUGH = (KeyboardInterrupt, SystemExit)


def mapped_class(error: BaseException) -> type[OpError]:
    """TensorFlow's class for an exception that a function raised."""
    if isinstance(error, OpError):
        return _ours(type(error))
    if isinstance(error, _cancellation()):
        return CancelledError
    return next((ours for theirs, ours in _MAPPING if isinstance(error, theirs)), UnknownError)


def _cancellation() -> tuple[type[BaseException], ...]:
    """Whether a call was cancelled, once there can be one: importing asyncio costs a third of `import numpy`."""
    loaded = map(sys.modules.get, ("asyncio.exceptions", "concurrent.futures"))
    return tuple([module.CancelledError for module in loaded if module is not None])


_CLASSES = frozenset({OpError, *OpError.__subclasses__()})


def _ours(cls: type[BaseException]) -> type[OpError]:
    """The class of this module that `cls` is or derives from."""
    return next(c for c in cls.__mro__ if c in _CLASSES)


def is_builtin(cls: type) -> bool:
    """Whether a class is made by C code: its `__new__` needs nothing of the user's."""
    return not cls.__flags__ & _HEAP_TYPE


def _combined(pair: tuple[type[OpError], type[BaseException]]) -> type[OpError] | None:
    """A class that is both, named like ours; None where Python cannot combine them."""
    ours, original = pair
    if issubclass(original, (*_STEERING, *_cancellation())) or issubclass(ours, original):
        return None
    bases = (original,) if issubclass(original, ours) else (ours, original)
    space = {"__module__": ours.__module__, "__doc__": ours.__doc__, "__str__": OpError.__str__}
    try:
        return type(ours.__name__, bases, space | {"__repr__": OpError.__repr__, "__reduce__": OpError.__reduce__})
    except Exception:  # incompatible memory layouts, or a class that refuses to be derived from
        return None


_COMBINED: BoundedCache[tuple[type[OpError], type[BaseException]], type[OpError] | None] = BoundedCache(
    "classes of errors", 256, _combined
)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by Python code


def built(
    ours: type[OpError],
    original: type[BaseException] | None,
    message: str,
    error_code: int | None,
    node_def: Any = None,
    op: Any = None,
) -> OpError:
    """An error of both classes if Python can combine them, else of inlay's, without a call of the user's `__init__`."""
    both = _COMBINED[ours, original] if original is not None else None  # type: ignore[arg-type]
    if both is not None:
        # The user's own __new__ and __init__ may want arguments; the built-in class below them needs none.
        builtin = next(c for c in both.__mro__ if is_builtin(c))
        for maker in (builtin, Exception):
            try:
                error: OpError = maker.__new__(both)  # type: ignore[call-overload]
                OpError.__init__(error, node_def, op, message, error_code)
            except Exception:
                continue
            error.original_class = original
            return error
    return ours(node_def, op, message, error_code)


def _importable(cls: type) -> bool:
    """Whether pickle can find a class by its name."""
    attribute: Any = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        attribute = getattr(attribute, name, None)
    return attribute is cls


def _rebuild(
    ours: type[OpError], original: type[BaseException] | None, message: str, code: int, fields: dict[str, Any]
) -> OpError:
    error = built(ours, original, message, code)
    set_fields(error, fields)
    return error


_C_FIELDS = (
    "errno", "strerror", "filename", "filename2", "encoding", "object", "start", "end", "reason", "name",
    "path", "msg", "value", "lineno", "offset", "text", "obj",
)  # fmt: skip


def fields_of(error: BaseException) -> dict[str, Any]:
    """The fields of an exception besides its arguments: errno and its like, attributes, slots."""
    slots = [n for c in type(error).__mro__ for n in _slot_names(c) if not n.startswith("_")]
    fields = {}
    for name in (*_C_FIELDS, *slots):
        if name not in vars(error):
            try:
                fields[name] = getattr(error, name)
            except Exception:
                continue
    fields.update((k, v) for k, v in vars(error).items() if not k.startswith("_") and k != "original_class")
    return {k: v for k, v in fields.items() if not isinstance(v, TracebackType)}


def _slot_names(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _picklable_fields(error: BaseException) -> dict[str, Any]:
    import pickle

    fields = {}
    for name, value in fields_of(error).items():
        try:
            pickle.dumps(value)
        except Exception:
            continue
        fields[name] = value
    return fields


def set_fields(error: BaseException, fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        try:
            setattr(error, name, value)
        except Exception:
            continue


def refused(ours: type[OpError], original: type[BaseException] | None, message: str) -> OpError:
    """The error that one of inlay's checks raises.

    Args:
      ours: TensorFlow's class for it.
      original: the class of Python's that it is an instance of as well, or None.
      message: the text.
    """
    return built(ours, original, message if original is None else f"{original.__name__}: {message}", None)


def said_by(error: BaseException) -> str:
    """The text of an error, as part of a message of `refused`: that names the class of Python's itself."""
    return str(error).removeprefix("TypeError: ") if isinstance(error, OpError) else str(error)


def of_kernel(error: BaseException, message: str) -> OpError:
    """A kernel's exception as TensorFlow's class for it; for a missing package an ImportError as well."""
    tamed(error)
    return built(mapped_class(error), ImportError if isinstance(error, ImportError) else None, message, None)


def framed(error: BaseException, before: str, after: str) -> OpError:
    """An error with more text around it: of the same classes, with the same fields and cause.

    Args:
      error: any exception; one that is none of TensorFlow's becomes one as by `wrap`.
      before: the beginning of the message.
      after: a line, or lines, that it ends with.
    """
    wrapped = error if isinstance(error, OpError) else wrap(error, "")
    message = f"{before}{wrapped.message.rstrip()}\n{after}"
    framed_error = built(
        _ours(type(wrapped)), wrapped.original_class, message, wrapped._error_code, wrapped.node_def, wrapped.op
    )
    set_fields(framed_error, {k: v for k, v in fields_of(wrapped).items() if v is not None})
    cause = wrapped.__cause__  # not the error itself: the new one has its classes, text and frames
    if isinstance(cause, tracebacks.RemoteTraceback) and tracebacks.HEADING in wrapped.message:
        cause = None  # the message has its text
    framed_error.__cause__ = cause
    return framed_error.with_traceback(error.__traceback__)


def wrap(error: BaseException, where: str, *, node_def: Any = None, op: Any = None) -> OpError:
    """The error that reaches the caller when a function raised `error`.

    Args:
      error: the exception; it becomes `__cause__`, or its cause does if it is itself an error that this made.
      where: lines that say which op and function, where they were defined and what the inputs were.
      node_def, op: the failing node, when the call is in a graph.

    Returns:
      An error of TensorFlow's class that is also an instance of `type(error)` where Python allows it.
    """
    if isinstance(error, OpError):
        text = error.message or _safe_str(error)
        head, _, body = text.partition("\n")
        first = f"{type(error).__name__}: {head}"
    else:
        first = f"{type(error).__name__}: {_safe_str(error)}"
        body = f"\n{tracebacks.text_of(error)}"
    message = f"{first}\n{where}\n{body}".rstrip("\n").replace("\0", "\\0")
    ours = mapped_class(error)
    original = error.original_class or type(error) if isinstance(error, OpError) else type(error)
    code = error.error_code if isinstance(error, OpError) else None
    wrapped = built(ours, original, message, code, node_def, op)
    if not isinstance(error, OpError):
        set_fields(wrapped, {k: v for k, v in fields_of(error).items() if v is not None})
    if isinstance(error.__cause__, tracebacks.RemoteTraceback):
        error.__cause__ = None  # the message has its text
    # An error of inlay's own class adds nothing to the new one, which has its classes, text and frames.
    repeated = isinstance(error, OpError) and (type(error) in _CLASSES or error.original_class is not None)
    wrapped.__cause__ = (error.__cause__ if repeated else None) or error
    return wrapped.with_traceback(error.__traceback__)


def _safe_str(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "<unprintable>"


@export("errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of a canonical error code (1 to 16)."""
    for cls in OpError.__subclasses__():
        if cls.code == error_code:
            return cls
    raise KeyError(f"{error_code} is not an error code; codes are 1 to 16")


@export("errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The canonical error code of a class."""
    return cls.code
