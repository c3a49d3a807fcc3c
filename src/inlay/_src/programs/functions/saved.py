"""Traced functions as data and back: signatures and structures of what is saved, and `LoadedFunction`.

The graphs themselves are saved as FunctionDefs. This module saves the rest: the mapping from the arguments of a call to
their inputs, and from their outputs to the result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TypeSpec
from inlay._src.base.types.structured import as_data, from_data
from inlay._src.base.types.template import Hole, Template
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.serialized import array_of, message_of
from inlay._src.programs.control.tracing import Traced
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.arguments import BoundArguments
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function, TracingOptions

_KINDS = {str(kind): kind for kind in inspect._ParameterKind}  # type: ignore[attr-defined]


# ---------------------------------------------------------------- as data


def concrete_as_data(concrete: ConcreteFunction) -> dict[str, Any]:
    """The signature of a traced function as data: its arguments and its result.

    Raises:
      TypeError: if it was traced for an argument that is no data.
    """
    signature = _encoded(concrete.structured_input_signature, f"an argument of {concrete.program.name}")
    return {
        "signature": signature,
        "labels": list(concrete._labels),
        "inputs": len(concrete.program.graph.inputs),
        "outputs": as_data(concrete._template.structure, _hole),
    }


def _encoded(value: Any, what: str, tensor: Callable[[Any], Any] = lambda leaf: None) -> Any:
    """An argument, or a default, as data; `tensor` gives what stands for a tensor in it, or None."""

    def other(leaf: Any) -> Any:
        data = tensor(leaf)
        if data is not None:
            return data
        if isinstance(leaf, TypeSpec):
            kind = getattr(leaf, "value_type", None)
            raise TypeError(
                f"{what} is {leaf!r}, of a class that a saved model could not name: give the extension type "
                f"{getattr(kind, '__name__', kind)} a `__name__ = 'project.Type'` in its body"
            )
        raise TypeError(
            f"{what} is {leaf!r}, which cannot be saved: only numbers, text, dtypes, shapes, specs and nests of them "
            "can. Pass such a value, or save a function that closes over the object"
        )

    return as_data(value, other)


def default_tensors(function: Any) -> dict[str, EagerTensor]:
    """The parameters of a function whose defaults are tensors, and the tensors; none of a concrete function."""
    signature = getattr(function, "_python_signature", None)
    parameters = () if signature is None else signature.parameters.values()
    defaults = {
        p.name: convert_to_tensor(p.default)
        for p in parameters
        if isinstance(p.default, (EagerTensor, np.ndarray, np.generic))
    }
    return {name: tensor for name, tensor in defaults.items() if isinstance(tensor, EagerTensor)}


def _tensor(leaf: Any) -> Any:
    """The data of a tensor with a value or of an array; None for another leaf."""
    if isinstance(leaf, (np.ndarray, np.generic)):
        leaf = convert_to_tensor(leaf)
    if not isinstance(leaf, EagerTensor) or leaf.dtype not in dtypes.DENSE:
        return None
    return ["tensor", message_of(np.asarray(leaf._value), leaf.dtype).hex()]


def _untensor(data: list[Any]) -> EagerTensor:
    kind, message = data
    if kind != "tensor":
        raise ValueError(f"{kind!r} cannot be part of a default")
    value, dtype = array_of(bytes.fromhex(message))
    return EagerTensor(value if value.ndim else value[()], dtype)


def _hole(leaf: Any) -> Any:
    if not isinstance(leaf, Hole):
        raise TypeError(f"a result holds {leaf!r}, which cannot be saved")
    if leaf.composite is None:
        return ["hole", leaf.index]
    composite = leaf.composite
    return [
        "hole",
        leaf.index,
        leaf.count,
        as_data(composite if isinstance(composite, TypeSpec) else composite._type_spec),
    ]


def _unhole(data: list[Any]) -> Hole:
    if data[0] != "hole":
        raise ValueError(f"{data[0]!r} cannot be part of a result")
    index, *rest = data[1:]
    return Hole(index) if not rest else Hole(index, rest[0], from_data(rest[1]))


def function_as_data(function: Function) -> dict[str, Any]:
    """The signature of a function as data, for all calls.

    Raises:
      TypeError: if a default of a parameter is no data.
    """
    signature = function._python_signature
    parameters = None
    if signature is not None:
        parameters = [
            [
                p.name,
                str(p.kind),
                *([] if p.default is p.empty else [_encoded(p.default, f"the default of {p.name!r}", _tensor)]),
            ]
            for p in signature.parameters.values()
        ]
    return {
        "name": function._name,
        "parameters": parameters,
        "input_signature": as_data(function._options.input_signature),
    }


def concretes_of(function: Function) -> list[ConcreteFunction]:
    """The traces of a function that need no other graph; one is made of a declared signature."""
    if function._signature is not None and not function._traced:
        function.get_concrete_function()
    concretes: dict[int, ConcreteFunction] = {}
    for traced in function._traced.values():
        outer = traced.graph.outer
        within = outer is not None and outer.building_function
        if not within or not any(isinstance(t, SymbolicTensor) for t in traced.captured_inputs):
            concretes[id(traced)] = traced
    return list(concretes.values())


# ---------------------------------------------------------------- back


def concrete_from_data(graph: FuncGraph, said: Mapping[str, Any], bound: BoundArguments) -> ConcreteFunction:
    """A traced function.

    Args:
      graph: its graph, with inputs, captures and outputs.
      said: the data of `concrete_as_data`.
      bound: the arguments that it was traced for.

    Raises:
      ValueError: if these do not fit.
    """
    structure = from_data(said["outputs"], _unhole)
    template = Template(structure)
    count = sum(hole.count for hole in template.holes())
    if count != len(graph.outputs) or len(bound.tensors) != len(graph.inputs):
        raise ValueError(
            f"{graph.name} has {len(graph.inputs)} inputs and {len(graph.outputs)} outputs, expected "
            f"{len(bound.tensors)} and {count}"
        )
    return ConcreteFunction(Traced(graph, template), bound)


def bound_from_data(said: Mapping[str, Any], function: LoadedFunction | None) -> BoundArguments:
    """The arguments that a saved trace was made for.

    Args:
      said: the data of `concrete_as_data`.
      function: the function that it is a trace of; None if it stands alone.

    Raises:
      ValueError, TypeError: if they make no sense.
    """
    positional, keyword = from_data(said["signature"])
    if function is not None:
        return function._bind(tuple(positional), dict(keyword))
    return arguments.bind(tuple(positional), said["labels"], dict(keyword), None)


class LoadedFunction(Function):
    """A function of a saved model: it has the traces that were saved, and can make no others.

    Args:
      name: its name.
      parameters: its parameters; None if they are not known.
      input_signature: the declared specs, or None.
    """

    def __init__(
        self, name: str, parameters: inspect.Signature | None, input_signature: tuple[Any, ...] | None
    ) -> None:
        self._absent: list[str] = []
        super().__init__(_stub(name, parameters), TracingOptions(input_signature, False, None, False), name)

    @classmethod
    def from_data(cls, said: Mapping[str, Any]) -> LoadedFunction:
        """A function without traces, from the data of `function_as_data`."""
        declared = from_data(said["input_signature"])
        parameters = None if said["parameters"] is None else _parameters(said["parameters"])
        return cls(str(said["name"]), parameters, None if declared is None else tuple(declared))

    def add(self, concrete: ConcreteFunction, bound: BoundArguments) -> None:
        """Takes in a trace, made for these arguments."""
        self._traced[bound.key] = concrete

    def add_absent(self, why: str) -> None:
        """Notes a trace that the model has and that cannot be made here."""
        self._absent.append(why)

    def _mode(self) -> Any:
        return None  # the traces serve everywhere

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the trace that was saved for such arguments.

        Raises:
          ValueError: if there is none.
        """
        try:
            return super().__call__(*args, **kwargs)
        except _NoTrace:
            for concrete in self._concretes():
                if _accepts(concrete, args, kwargs):
                    return concrete(*args, **kwargs)
            raise ValueError(self._refusal(args, kwargs)) from None

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The saved trace for these arguments; the only one if none are given."""
        every = self._concretes()
        if not args and not kwargs and len(every) == 1:
            return every[0]
        try:
            return super().get_concrete_function(*args, **kwargs)
        except _NoTrace:
            raise ValueError(self._refusal(args, kwargs)) from None

    def _concretes(self) -> list[ConcreteFunction]:
        return list({id(concrete): concrete for concrete in self._traced.values()}.values())

    def _traced_once(self, bound: BoundArguments) -> Any:
        raise _NoTrace

    def _refusal(self, args: Any, kwargs: Any) -> str:
        every = self._concretes()
        signatures = "\n".join(f"  {c.pretty_printed_signature(verbose=False)}" for c in every)
        absent = "".join(f"\n  {why}" for why in self._absent)
        return (
            f"Could not find matching concrete function to call loaded from the SavedModel. {self._name} got "
            f"positional arguments {args} and keyword arguments {kwargs}. "
            + (
                f"It was saved with:\n{signatures}"
                if every
                else "Found zero restored functions for it: it was saved without a trace. Call it once before saving."
                if not absent
                else ""
            )
            + (f"\nThe model has traces that cannot be made here:{absent}" if absent else "")
        )


class _NoTrace(Exception):
    """No saved trace serves a call."""


def _accepts(concrete: ConcreteFunction, args: Any, kwargs: Any) -> bool:
    """Whether a trace takes these arguments once Python numbers and lists among them are made tensors."""
    try:
        arguments.bind_traced(args, kwargs, concrete._labels, concrete.structured_input_signature)
    except (TypeError, ValueError):
        return False
    return True


def _parameters(said: Any) -> inspect.Signature:
    listed: list[inspect.Parameter] = []
    for label, kind, *default in said:
        value = from_data(default[0], _untensor) if default else inspect.Parameter.empty
        listed.append(inspect.Parameter(label, _KINDS[kind], default=value))
    return inspect.Signature(listed)


def _stub(name: str, parameters: inspect.Signature | None) -> Callable[..., Any]:
    """Stands for the Python function that was traced."""

    def stub(*args: Any, **kwargs: Any) -> Any:
        raise _NoTrace

    stub.__name__ = stub.__qualname__ = name
    if parameters is not None:
        stub.__signature__ = parameters  # type: ignore[attr-defined]
    return stub


def signature_function(concrete: ConcreteFunction, names: Sequence[str]) -> Callable[..., Any]:
    """A function of keyword arguments that returns a dict, to be traced again as a signature of a model."""

    def call(**inputs: Any) -> dict[str, Any]:
        result = concrete.call_flat([inputs[name] for name in names])
        return named_results(result)

    return call


def named_results(result: Any) -> dict[str, Any]:
    """A result as a dict by names: its own keys, or `output_0` and on.

    Raises:
      ValueError: if a result is no tensor, or a key no text.
    """
    if isinstance(result, Mapping):
        if not all(isinstance(key, str) for key in result):
            raise ValueError(f"the keys of what a signature returns must be texts, got {list(result)}")
        return _tensors_only(dict(result))
    items = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
    return _tensors_only({f"output_{i}": item for i, item in enumerate(items)})


def _tensors_only(named: dict[str, Any]) -> dict[str, Any]:
    for name, value in named.items():
        if not isinstance(value, (Tensor, TypeSpec, Composite)):
            raise ValueError(f"a signature returns tensors, got a non-Tensor value for {name!r}: {value!r}")
    return named
