"""The functions that are converted, and their calls in converted code.

Converted: the user's own Python functions, methods, lambdas and callable objects, when they are called. Run as they
are: this library, NumPy, the standard library and other well-known packages, classes, generators, coroutines,
functions without source, and what `do_not_convert` marks. The body of a host function is never converted: a function
defined inside converted code carries its original, which is what the host calls.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.tracebacks import FOLDER
from inlay._src.core.site import ORIGINAL, as_written, of_function
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.control import operators
from inlay._src.programs.control.function_parameters import CONVERTS
from inlay._src.programs.control.variables import UndefinedReturnValue
from inlay._src.programs.conversion.marks import CONVERTED, UNCONVERTED, Refusal, is_marked, mark

_STANDARD = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_SITES = tuple({sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")})
# Packages whose functions expect values, or are graph-aware on their own.
_LEFT_ALONE = frozenset(
    "absl cloudpickle hypothesis jax jaxlib keras malt matplotlib ml_dtypes numpy pandas PIL pytest ray scipy sklearn "
    "torch _pytest".split()
)
_INSPECT = 0x20 | 0x80 | 0x200  # code flags: generator, coroutine, async generator


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Marks a function that AutoGraph leaves as it is; usable as a decorator.

    Args:
      func: the function; left out, a decorator is returned.

    Returns:
      A function that does what `func` does, and is never converted.
    """
    if func is None:
        return do_not_convert
    original = as_written(func)

    @functools.wraps(original, updated=())
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **kwargs)

    mark(unconverted, UNCONVERTED)  # type: ignore[arg-type]
    return unconverted


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its control flow on tensors converted, and that of the functions it calls.

    Args:
      function: any callable; it is converted when the result is first called.
    """
    if is_marked(function, CONVERTED, UNCONVERTED):
        return function

    def converted(*args: Any, **kwargs: Any) -> Any:
        return call(function, args, kwargs, requested=True)

    return converted


def converted_call(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None, scope: Any = None) -> Any:
    """A call in converted code.

    Args:
      f: the callable.
      args, kwargs: its arguments.
      scope: the `FunctionScope` of the caller.
    """
    overload = operators.BUILTINS.get(id(f))
    if overload is not None:
        return overload(*args, **kwargs or {})
    if f in _FRAME_READERS and f.__class__ in (type, types.BuiltinFunctionType):
        return _in_frame(f, args, scope)
    return call(f, args, kwargs or {})


class UnsupportedStatementError(errors.OperatorNotAllowedInGraphError, NotImplementedError):
    """A tensor met a statement that AutoGraph does not convert, such as a loop with an `else`."""


def call(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], requested: bool = False) -> Any:
    """Calls `f`, converted if it is a function of the user's.

    Args:
      f: the callable.
      args, kwargs: its arguments.
      requested: whether the user asked for this function itself, whatever package it lives in.
    """
    if isinstance(f, functools.partial):
        return call(f.func, (*f.args, *args), {**f.keywords, **kwargs}, requested)
    target, arguments = _function_of(f, args)
    if target is None or _runs_as_is(target, requested):
        parameter = getattr(target, CONVERTS, None)
        if target is None or parameter is None:
            return f(*args, **kwargs)
        arguments, kwargs = _with_converted(parameter, arguments, kwargs)
        return target(*arguments, **kwargs)
    from inlay._src.programs.conversion import transpile

    converted = transpile.converted(target, Namespace)
    if not isinstance(converted, Refusal):
        return converted(*arguments, **kwargs)
    try:
        return f(*args, **kwargs)
    except errors.OperatorNotAllowedInGraphError as error:
        raise (UnsupportedStatementError if converted.unsupported else errors.OperatorNotAllowedInGraphError)(
            f"{error}\nAutoGraph could not convert {of_function(target)}, so it ran as it is: {converted.reason}"
        ) from error


def _with_converted(
    parameter: tuple[int, str], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments of a call, the function among them converted.

    Args:
      parameter: as `function_parameters.converts` declares it.
      args, kwargs: the arguments.
    """
    place, name = parameter
    if callable(kwargs.get(name)):
        return args, {**kwargs, name: convert(kwargs[name])}
    if place < len(args) and callable(args[place]):
        return (*args[:place], convert(args[place]), *args[place + 1 :]), kwargs
    return args, kwargs


def source_of(function: types.FunctionType) -> str:
    """The converted source of a function, for people.

    Raises:
      ValueError: if it cannot be converted.
    """
    from inlay._src.programs.conversion import transpile

    source = transpile.source_of(function, Namespace)
    if isinstance(source, Refusal):
        raise ValueError(f"AutoGraph cannot convert {function!r}: {source.reason}")
    return source


def _function_of(f: Any, args: tuple[Any, ...]) -> tuple[types.FunctionType | None, tuple[Any, ...]]:
    """The Python function behind a callable, and its arguments; None if there is none to convert."""
    if isinstance(f, types.FunctionType):
        return f, args
    if isinstance(f, types.MethodType):
        inner = f.__func__
        return (inner, (f.__self__, *args)) if isinstance(inner, types.FunctionType) else (None, args)
    if isinstance(f, type):
        return None, args
    method = inspect.getattr_static(type(f), "__call__", None)
    return (method, (f, *args)) if isinstance(method, types.FunctionType) else (None, args)


def _runs_as_is(function: types.FunctionType, requested: bool) -> bool:
    if is_marked(function, CONVERTED, UNCONVERTED):
        return True
    code = function.__code__
    if code.co_flags & _INSPECT or code.co_filename.startswith(FOLDER):
        return True
    return not requested and _is_library(function)


def _is_library(function: types.FunctionType) -> bool:
    package = str(function.__globals__.get("__name__", "")).partition(".")[0]
    filename = function.__code__.co_filename
    if package in _LEFT_ALONE or filename.startswith("<frozen "):
        return True
    return filename.startswith(_STANDARD) and not filename.startswith(_SITES)


# ---- calls that look at the frame they are made from

_FRAME_READERS: tuple[Any, ...] = (builtins.super, builtins.locals, builtins.globals, builtins.eval)


def _in_frame(f: Any, args: tuple[Any, ...], scope: Any) -> Any:
    """`super()`, `locals()`, `globals()` and `eval` as if called by the user's function."""
    if scope is None or (args and f is not builtins.eval):
        return f(*args)
    frame = _frame_of(scope, innermost=f is not builtins.super)
    if f is builtins.globals:
        return frame.f_globals
    if f is builtins.locals:
        return {n: v for n, v in frame.f_locals.items() if n not in ("ag__", scope.name)}
    if f is builtins.eval:
        namespaces = dict(enumerate(args))
        return eval(args[0], namespaces.get(1, frame.f_globals), namespaces.get(2, frame.f_locals))
    return super(frame.f_locals["__class__"], frame.f_locals[frame.f_code.co_varnames[0]])


def _frame_of(scope: Any, innermost: bool) -> types.FrameType:
    frame: types.FrameType | None = sys._getframe(1)
    match = None
    while frame is not None:
        if frame.f_locals.get(scope.name) is scope:
            match = frame
            if innermost:
                break
        frame = frame.f_back
    assert match is not None, "converted code runs inside the scope it made"
    return match


# ---- what converted functions are made of


class FunctionScope:
    """The running of one converted function.

    Attributes:
      name: the variable of converted code that holds it.
    """

    __slots__ = ("function", "name")

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        self.function, self.name = function_name, scope_name

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def ret(self, value: Any, did_return: Any) -> Any:
        """The result of the function.

        Args:
          value: the value of the `return` that ran.
          did_return: whether one ran: a tensor if that is known only when the graph runs.

        Raises:
          ValueError: if some runs would return a value and others none.
        """
        if value is None or isinstance(value, UndefinedReturnValue):
            return None
        if isinstance(did_return, SymbolicTensor):
            raise ValueError(
                "A value must also be returned from the else branch. If a value is returned from one branch of a "
                "conditional, the else branch must also have a return: "
                f"'{self.function}' ends without a `return` in some runs; add one at its end."
            )
        return value


def with_function_scope(thunk: Callable[[FunctionScope], Any], scope_name: str, options: Any) -> Any:
    """The body of a converted lambda."""
    return thunk(FunctionScope("<lambda>", scope_name, options))


class Namespace:
    """The namespace `ag__` of converted code.

    Attributes:
      codes: the original code of the functions defined inside, by number; None where it could not be distinguished.
    """

    FunctionScope: type[FunctionScope]
    converted_call: Callable[..., Any]
    with_function_scope: Callable[..., Any]

    def __init__(self, codes: tuple[types.CodeType | None, ...], standard: Any) -> None:
        self.codes, self.STD = codes, standard
        self.FunctionScope, self.with_function_scope, self.converted_call = (
            FunctionScope,
            with_function_scope,
            converted_call,
        )
        for name in operators.__all__:
            setattr(self, name, getattr(operators, name))

    def defined(self, index: int) -> Callable[[Any], Any]:
        """Marks function number `index`, defined inside converted code, as converted already."""

        def note(function: Any) -> Any:
            mark(function, CONVERTED)
            code = self.codes[index]
            original = None if code is None else _as_written(function, code)
            if original is not None:
                setattr(function, ORIGINAL, (function.__code__, original))
            return function

        return note


def _as_written(function: types.FunctionType, code: types.CodeType) -> types.FunctionType | None:
    """The function of the original code that shares a converted function's variables."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if any(name not in cells for name in code.co_freevars):
        return None
    original = types.FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )
    original.__kwdefaults__ = function.__kwdefaults__
    original.__annotations__ = function.__annotations__
    original.__doc__ = function.__doc__
    return original
