"""What type checkers read of functions whose result follows from how they are called: path -> declarations.

Only the public stubs have them; the functions themselves are one each.
"""

from __future__ import annotations

VARIABLES = {
    "_P": '_P = _ParamSpec("_P")\n',
    "_Q": '_Q = _ParamSpec("_Q")\n',
    "_R": '_R = _TypeVar("_R")\n',
    "_S": '_S = _TypeVar("_S")\n',
    "_Loop": '_Loop = _TypeVar("_Loop", bound=builtins.tuple[_Tensor, ...])\n',
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
_DTYPE = "_DType | str | type"
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

_TENSORS = "_Callable[..., _Tensor]"
_BRANCHES = ({"true_fn": _TENSORS, "false_fn": _TENSORS}, "_Tensor")
_BATCH = (({"tensors": "_Tensor"}, "_Tensor"), ({"tensors": "dict[str, _Tensor]"}, "dict[str, _Tensor]"))
_JOINED = (
    ({"tensors_list": "list[_Tensor]"}, "_Tensor"),
    ({"tensors_list": "list[dict[str, _Tensor]]"}, "dict[str, _Tensor]"),
)
_PARTS = (
    ({"*result_type": "_Literal['RaggedTensor']"}, "_RaggedTensor"),
    ({"result_type": "_Literal['SparseTensor']"}, "_SparseTensor"),
)

_FLAG = (({}, "_FlagHolder[_Any]"),)
_NOTHING = (({}, "None"),)
_VALIDATOR = (({}, "_Callable[[_R], _R]"),)

FORMS: dict[str, tuple[tuple[dict[str, str], str], ...]] = {
    "compat.v1.flags.DEFINE": _FLAG,
    "compat.v1.flags.DEFINE_alias": _FLAG,
    "compat.v1.flags.DEFINE_enum": _FLAG,
    "compat.v1.flags.DEFINE_enum_class": _FLAG,
    "compat.v1.flags.DEFINE_flag": _FLAG,
    "compat.v1.flags.DEFINE_list": _FLAG,
    "compat.v1.flags.DEFINE_multi": _FLAG,
    "compat.v1.flags.DEFINE_multi_enum": _FLAG,
    "compat.v1.flags.DEFINE_multi_enum_class": _FLAG,
    "compat.v1.flags.DEFINE_multi_float": _FLAG,
    "compat.v1.flags.DEFINE_multi_integer": _FLAG,
    "compat.v1.flags.DEFINE_multi_string": _FLAG,
    "compat.v1.flags.DEFINE_spaceseplist": _FLAG,
    "compat.v1.flags.DEFINE_bool": _FLAG,
    "compat.v1.flags.DEFINE_boolean": _FLAG,
    "compat.v1.flags.DEFINE_float": _FLAG,
    "compat.v1.flags.DEFINE_integer": _FLAG,
    "compat.v1.flags.DEFINE_string": _FLAG,
    "compat.v1.flags.mark_bool_flags_as_mutual_exclusive": _NOTHING,
    "compat.v1.flags.mark_flag_as_required": _NOTHING,
    "compat.v1.flags.mark_flags_as_mutual_exclusive": _NOTHING,
    "compat.v1.flags.mark_flags_as_required": _NOTHING,
    "compat.v1.flags.register_multi_flags_validator": _NOTHING,
    "compat.v1.flags.register_validator": _NOTHING,
    "compat.v1.flags.multi_flags_validator": _VALIDATOR,
    "compat.v1.flags.validator": _VALIDATOR,
    "autograph.experimental.do_not_convert": (
        ({"func": "_Callable[_P, _R]"}, "_Callable[_P, _R]"),
        ({"func": "None"}, "_Callable[[_Callable[_P, _R]], _Callable[_P, _R]]"),
    ),
    "cond": (_BRANCHES,),
    "compat.v1.cond": (_BRANCHES,),
    "custom_gradient": (({"f": "_Callable[_P, builtins.tuple[_Tensor, _Any]]"}, "_Callable[_P, _Tensor]"),),
    "compat.v1.nn.embedding_lookup": (({}, "_Tensor"),),
    "compat.v1.nn.nce_loss": (({}, "_Tensor"),),
    "compat.v1.nn.sampled_softmax_loss": (({}, "_Tensor"),),
    "compat.v1.nn.softmax_cross_entropy_with_logits": (({}, "_Tensor"),),
    "compat.v1.strings.split": _PARTS,
    "data.experimental.get_single_element": (({"dataset": "_Dataset[_R]"}, "_R"),),
    "contrib.eager.Iterator": (({"dataset": "_Dataset[_R]"}, "_OwnedIterator[_R]"),),
    "contrib.eager.run_all_tests_in_graph_and_eager_modes": (({"cls": "type[_R]"}, "type[_R]"),),
    "contrib.framework.py_func": (({"*output_types": _DTYPE}, "_Tensor"),),
    "contrib.framework.smart_cond": (_BRANCHES,),
    "contrib.layers.utils.smart_cond": (({"fn1": _TENSORS, "fn2": _TENSORS}, "_Tensor"),),
    "contrib.layers.utils.static_cond": (({"fn1": "_Callable[[], _R]", "fn2": "_Callable[[], _R]"}, "_R"),),
    "experimental.dtensor.call_with_layout": (({"fn": _TENSORS}, "_Tensor"),),
    "experimental.numpy.average": (
        ({"*returned": "_Literal[True]"}, "builtins.tuple[_Tensor, _Tensor]"),
        ({"returned": "_Literal[False]"}, "_Tensor"),
    ),
    "experimental.numpy.issubdtype": (({}, "builtins.bool"),),
    "experimental.numpy.linspace": (
        ({"*retstep": "_Literal[True]"}, "builtins.tuple[_Tensor, _Tensor]"),
        ({"retstep": "_Literal[False]"}, "_Tensor"),
    ),
    "experimental.numpy.where": (({"x": "None", "y": "None"}, "list[_Tensor]"), ({}, "_Tensor")),
    "foldl": (({"fn": _TENSORS}, "_Tensor"),),
    "foldr": (({"fn": _TENSORS}, "_Tensor"),),
    "linalg.adjoint": (({"matrix": "_LinearOperator"}, "_LinearOperator"), ({}, "_Tensor")),
    "linalg.eigh_tridiagonal": (
        ({"eigvals_only": "_Literal[True]"}, "_Tensor"),
        ({"*eigvals_only": "_Literal[False]"}, "builtins.tuple[_Tensor, _Tensor]"),
    ),
    "map_fn": (({"fn": _TENSORS, "dtype": f"{_DTYPE} | None", "fn_output_signature": f"{_DTYPE} | None"}, "_Tensor"),),
    "py_func": (
        ({"Tout": _DTYPE}, "_Tensor"),
        ({"Tout": _DTYPES}, "list[_Tensor] | _Any"),
    ),
    "scan": (({"fn": _TENSORS}, "_Tensor"),),
    "sparse_add": (({"a": "_SparseTensor", "b": "_SparseTensor"}, "_SparseTensor"), ({}, "_Tensor")),
    "sparse.add": (({"a": "_SparseTensor", "b": "_SparseTensor"}, "_SparseTensor"), ({}, "_Tensor")),
    "string_split": _PARTS,
    "svd": (
        ({"compute_uv": "_Literal[True]"}, "builtins.tuple[_Tensor, _Tensor, _Tensor]"),
        ({"*compute_uv": "_Literal[False]"}, "_Tensor"),
    ),
    "train.batch": _BATCH,
    "train.batch_join": _JOINED,
    "train.maybe_batch": _BATCH,
    "train.maybe_batch_join": _JOINED,
    "train.maybe_shuffle_batch": _BATCH,
    "train.maybe_shuffle_batch_join": _JOINED,
    "train.shuffle_batch": _BATCH,
    "train.shuffle_batch_join": _JOINED,
    "vectorized_map": (({"fn": _TENSORS}, "_Tensor"),),
    "while_loop": (
        ({"loop_vars": "list[_Tensor]"}, "list[_Tensor]"),
        ({"loop_vars": "_Loop"}, "_Loop"),
    ),
}
"""Path -> forms of a call: the types of some parameters, and the result then.

A star in front of a parameter stands for one that a call has to name. A last form, with the function's own types, is
added unless one of the forms accepts every call.
"""
