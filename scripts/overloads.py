"""What type checkers read of functions whose result follows from how they are called: path -> declarations.

Only the public stubs have them; the functions themselves are one each.
"""

from __future__ import annotations

VARIABLES = {
    "_P": '_P = _ParamSpec("_P")\n',
    "_Q": '_Q = _ParamSpec("_Q")\n',
    "_R": '_R = _TypeVar("_R")\n',
    "_S": '_S = _TypeVar("_S")\n',
}
"""Type variables of the declarations, and how a stub makes each."""

_TRACED = """class _Function(_Generic[_P, _R]):
    python_function: _Callable[_P, _R]
    input_signature: _Any
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @_overload
    def __get__(self, instance: None, owner: _Any = None) -> _Function[_P, _R]: ...
    @_overload
    def __get__(self: _Function[_Concatenate[_S, _Q], _R], instance: _S, owner: _Any = None) -> _Function[_Q, _R]: ...
    def get_concrete_function(self, *args: _Any, **kwargs: _Any) -> _ConcreteFunction: ...
    def experimental_get_tracing_count(self) -> int: ...
"""
_TRACING = """
    autograph: builtins.bool = True, jit_compile: builtins.bool | None = None, reduce_retracing: builtins.bool = False,
    experimental_implements: _Any = None, experimental_autograph_options: _Any = None,
    experimental_attributes: _Any = None, experimental_relax_shapes: _Any = None, experimental_compile: _Any = None,
    experimental_follow_type_hints: _Any = None,
"""
_DTYPE = "DType | str | type"
_DTYPES = f"list[{_DTYPE}] | builtins.tuple[{_DTYPE}, ...]"
_MADE = "_Callable[..., _Any]"


def _forms(name: str, rest: str) -> str:
    """A function of the family: one output, several, a decorator of either, and whatever a nest of types gives."""
    text = ""
    for kind, result in ((_DTYPE, "_Tensor"), (_DTYPES, "list[_Tensor]")):
        text += f"@_overload\ndef {name}(func: {_MADE}, inp: _Any, Tout: {kind}, {rest}) -> {result}: ...\n"
        text += (
            f"@_overload\ndef {name}(func: None = None, inp: None = None, *, Tout: {kind}, {rest.replace('*, ', '')}) "
            f"-> _Callable[[{_MADE}], _Callable[..., {result}]]: ...\n"
        )
    nested = "func: _Any = None, inp: _Any = None, Tout: _Any = None"
    return text + f"@_overload\ndef {name}({nested}, {rest}) -> _Any: ...\n"


_KEYWORDS = (
    "kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, "
)
_GRAD = "grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None"

OVERLOADS: dict[str, str] = {
    "py_function": _forms(
        "py_function", f"name: str | None = None, *, {_KEYWORDS}stateful: builtins.bool = True, {_GRAD}"
    ),
    "numpy_function": _forms(
        "numpy_function",
        f"stateful: builtins.bool = True, name: str | None = None, *, {_KEYWORDS}{_GRAD}",
    ),
    "function": (
        f"{_TRACED}@_overload\ndef function(\n    func: _Callable[_P, _R], input_signature: _Any = None,{_TRACING}"
        f") -> _Function[_P, _R]: ...\n@_overload\ndef function(\n    func: None = None, input_signature: _Any = None,"
        f"{_TRACING}) -> _Callable[[_Callable[_P, _R]], _Function[_P, _R]]: ...\n"
    ),
}
