"""Structured values of TensorFlow's messages: the arguments, results and parameters of functions.

Format: TensorFlow's `struct.proto`, `nested_structure_coder.py`, and `_serialize` of each class of specs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.export import lookup
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.base.types.structured import named_tuple, spec_class
from inlay._src.base.types.template import Hole, Template
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops.serialized import array_in
from inlay._src.ops.variables import VariableSpec
from inlay._src.programs.graph_def.attributes import dtype_of, shape_in, shape_message

MOST_NESTED = 64
"""The limit on nested values in a structure."""


def _public(name: str) -> Callable[..., Any]:
    """A public class of specs, whose module is loaded when a spec is made: few models have ragged or sparse values."""
    return lambda *state: lookup(name)(*state)


_CLASSES: Mapping[int, tuple[str, Callable[..., Any]]] = {
    1: ("SparseTensorSpec", _public("SparseTensorSpec")),
    2: ("IndexedSlicesSpec", _public("IndexedSlicesSpec")),
    3: (
        "RaggedTensorSpec",
        lambda shape, dtype, rank, splits, *_: lookup("RaggedTensorSpec")(shape, dtype, rank, splits),
    ),
    9: ("VariableSpec", lambda shape, dtype, trainable, *alias: VariableSpec(shape, dtype, trainable)),
}
"""Number of a class of specs -> its name, and the function that makes one of what its message says."""
_LOADED_LATER = {5: "DatasetSpec", 6: "IteratorSpec", 7: "OptionalSpec", 10: "RowPartitionSpec"}
"""The same for classes whose constructors take what the message says."""


def structure_in(message: Any, depth: int = 0) -> Any:
    """The value of a `StructuredValue`.

    Raises:
      ValueError: if it makes no sense.
      UnimplementedError: for a spec of a class that is not here.
    """
    if depth > MOST_NESTED:
        raise ValueError(f"a structure is nested more than {MOST_NESTED} deep")
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    value = getattr(message, kind)
    read = _KINDS.get(kind)
    return value if read is None else read(value, depth + 1)


def _list(message: Any, depth: int) -> list[Any]:
    return [structure_in(item, depth) for item in message.values]


def _dict(message: Any, depth: int) -> dict[str, Any]:
    return {key: structure_in(message.fields[key], depth) for key in sorted(message.fields)}


def _named_tuple(message: Any, depth: int) -> Any:
    fields = tuple(pair.key for pair in message.values)
    return named_tuple(message.name, fields)(*(structure_in(pair.value, depth) for pair in message.values))


def _tensor_spec(message: Any, depth: int) -> TensorSpec:
    return TensorSpec(shape_in(message.shape), dtype_of(message.dtype), message.name or None)


def _type_spec(message: Any, depth: int) -> Any:
    number, state = message.type_spec_class, structure_in(message.type_state, depth)
    if number in _LOADED_LATER:
        name = _LOADED_LATER[number]
        make: Callable[..., Any] = spec_class(name)
    elif number in _CLASSES:
        name, make = _CLASSES[number]
    else:
        raise errors.UnimplementedError(
            None, None, f"a value is described by a {message.type_spec_class_name or number}, a class that is not here"
        )
    try:
        return make(*state)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a {name} of {state!r:.120} makes no sense: {error}") from None


def _tensor(message: Any, depth: int) -> Any:
    value, dtype = array_in(message)
    return convert_to_tensor(value, dtype)


_KINDS: Mapping[str, Callable[[Any, int], Any]] = {
    "tensor_shape_value": lambda message, depth: shape_in(message),
    "tensor_dtype_value": lambda number, depth: dtype_of(number),
    "tensor_spec_value": _tensor_spec,
    "bounded_tensor_spec_value": _tensor_spec,
    "type_spec_value": _type_spec,
    "list_value": _list,
    "tuple_value": lambda message, depth: tuple(_list(message, depth)),
    "dict_value": _dict,
    "named_tuple_value": _named_tuple,
    "tensor_value": _tensor,
    "numpy_value": lambda message, depth: array_in(message)[0],
}


# ---------------------------------------------------------------- arguments, results, parameters


def arguments_in(message: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The (positional, keyword) arguments that a trace was made for, with specs for tensors."""
    value = structure_in(message)
    positional, keyword = value
    if not isinstance(positional, (tuple, list)) or not isinstance(keyword, dict):
        raise ValueError(f"the arguments of a trace are {value!r:.120}")
    return tuple(positional), keyword


class TraceResults(NamedTuple):
    """The results of a trace.

    Attributes:
      template: a nest with holes for tensors.
      specs: the spec of each tensor.
    """

    template: Template
    specs: Sequence[Any]


def results_in(message: Any) -> TraceResults:
    """The results of a trace."""
    specs: list[Any] = []

    def holed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: holed(child) for key, child in value.items()}
        if isinstance(value, (list, tuple)):
            children = [holed(child) for child in value]
            return type(value)(*children) if hasattr(value, "_fields") else type(value)(children)
        if not isinstance(value, (TensorSpec, Composite)):
            return value
        parts = [value] if isinstance(value, TensorSpec) else value._components()
        hole = Hole(len(specs), len(parts), None if isinstance(value, TensorSpec) else value)
        specs.extend(parts)
        return hole

    return TraceResults(Template(holed(structure_in(message))), specs)


class Parameters(NamedTuple):
    """The parameters of a function.

    Attributes:
      signature: them; None if they are not stated.
      input_signature: the declared specs, or None.
    """

    signature: inspect.Signature | None
    input_signature: tuple[Any, ...] | None


def parameters_in(message: Any) -> Parameters:
    """The parameters of a function of Python, from its `FunctionSpec`."""
    declared = structure_in(message.input_signature)
    spec = structure_in(message.fullargspec)
    if not hasattr(spec, "_fields"):
        return Parameters(None, None if declared is None else tuple(declared))
    names, defaults = list(spec.args or ()), list(spec.defaults or ())
    if message.is_method:
        del names[:1]
    keyword_defaults: Mapping[str, Any] = spec.kwonlydefaults or {}
    padded = [inspect.Parameter.empty] * (len(names) - len(defaults)) + defaults[max(0, len(defaults) - len(names)) :]
    kinds = inspect.Parameter
    parameters = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=d) for n, d in zip(names, padded, strict=True)]
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    for name in sorted(spec.kwonlyargs or ()):  # as the traces have them
        parameters.append(kinds(name, kinds.KEYWORD_ONLY, default=keyword_defaults.get(name, kinds.empty)))
    if spec.varkw:
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return Parameters(_signature(parameters), None if declared is None else tuple(declared))


def _signature(parameters: Sequence[inspect.Parameter]) -> inspect.Signature | None:
    try:
        return inspect.Signature(parameters)
    except ValueError:  # a default before a parameter without one: a partial function was saved
        return None


# ---------------------------------------------------------------- writing


def put_structure(message: Any, value: Any) -> None:
    """Writes a nest of numbers, text, dtypes, shapes, specs and tensors as a `StructuredValue`.

    Raises:
      TypeError: for another value.
    """
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(shape_message(value))
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        put_spec(message.tensor_spec_value, value)
    elif isinstance(value, TypeSpec):
        _put_type_spec(message.type_spec_value, value)
    else:
        _put_nest(message, value)


def put_spec(message: Any, spec: TensorSpec) -> None:
    """Writes the spec of a tensor."""
    message.name = spec.name or ""
    message.shape.CopyFrom(shape_message(spec.shape))
    message.dtype = spec.dtype.as_datatype_enum


def _put_type_spec(message: Any, spec: TypeSpec) -> None:
    name = type(spec).__name__
    number = next((n for n, (label, _) in _CLASSES.items() if label == name), None)
    if number is None:
        raise TypeError(f"a {name} has no form in TensorFlow's messages")
    message.type_spec_class, message.type_spec_class_name = number, name
    message.num_flat_components = len(spec._components()) if isinstance(spec, Composite) else 1
    state = spec._serialize()
    put_structure(message.type_state, (*state, None) if name == "VariableSpec" else state)


def _put_nest(message: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        message.dict_value.SetInParent()
        for key, child in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} of a dict is no text")
            put_structure(message.dict_value.fields[key], child)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for name, child in zip(value._fields, value, strict=True):
            pair = message.named_tuple_value.values.add(key=name)
            put_structure(pair.value, child)
    elif isinstance(value, (list, tuple)):
        target = message.list_value if isinstance(value, list) else message.tuple_value
        target.SetInParent()
        for child in value:
            put_structure(target.values.add(), child)
    else:
        raise TypeError(f"{value!r} has no form in TensorFlow's messages")


def put_parameters(message: Any, parameters: inspect.Signature | None, input_signature: Any) -> None:
    """Writes the parameters of a function as a `FunctionSpec`.

    Raises:
      TypeError: if a default has no form.
    """
    kinds = inspect.Parameter
    every = [] if parameters is None else list(parameters.parameters.values())
    named = [p for p in every if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    keywords = [p for p in every if p.kind is kinds.KEYWORD_ONLY]
    defaults = tuple(p.default for p in named if p.default is not kinds.empty)
    keyword_defaults = {p.name: p.default for p in keywords if p.default is not kinds.empty}
    spec = inspect.FullArgSpec(
        [p.name for p in named],
        next((p.name for p in every if p.kind is kinds.VAR_POSITIONAL), None if parameters is not None else "args"),
        next((p.name for p in every if p.kind is kinds.VAR_KEYWORD), None if parameters is not None else "kwargs"),
        defaults or None,
        [p.name for p in keywords],
        keyword_defaults or None,
        {},
    )
    put_structure(message.fullargspec, spec)
    put_structure(message.input_signature, input_signature)


def no_parameters() -> Any:
    """The parameters of a function that takes nothing."""
    return inspect.FullArgSpec([], None, None, None, [], None, {})


def count_of(structure: Any) -> int:
    """The number of tensors that a nest of specs stands for."""
    if isinstance(structure, Mapping):
        return sum(map(count_of, structure.values()))
    if isinstance(structure, (list, tuple)):
        return sum(map(count_of, structure))
    if isinstance(structure, TensorSpec):
        return 1
    return len(structure._components()) if isinstance(structure, Composite) else 0
