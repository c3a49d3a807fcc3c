"""The signature that a `function` declares: its fit to the parameters, and what their defaults add to it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import nest
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec, TypeSpec, spec_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops.variables import Variable, VariableSpec


def check_declared(specs: Sequence[Any], signature: inspect.Signature) -> None:
    """Refuses a declared signature that is none, or does not fit the parameters of a function.

    Raises:
      TypeError: saying what is missing or too much.
    """
    wrong = [s for s in nest.flatten(specs) if not isinstance(s, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{wrong} with types {[type(w) for w in wrong]}."
        )
    parameters, positional = _declarable(signature)
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a default value"
            )
    for p in positional[len(specs) :]:
        if p.default is p.empty:
            raise TypeError(f"input_signature missing type constraint for {p.name}")
    more = len(specs) - len(positional)
    if more > 0 and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise TypeError(f"input_signature contains {more} extra type constraints.")


def _declarable(signature: inspect.Signature) -> tuple[list[inspect.Parameter], list[inspect.Parameter]]:
    """The parameters that a declared signature is about, and those of them that take positional arguments."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":  # a method, in the body of its class
        del parameters[0]
    return parameters, [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def completed(specs: Sequence[Any], signature: inspect.Signature | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The specs of all positional and all keyword-only parameters of a function with a declared signature.

    The default of a parameter that is not declared declares it: a tensor by its spec, another value as a literal, which
    is the only value that calls may pass.

    Args:
      specs: the declared signature.
      signature: the function's own; None if it is unknown.
    """
    if signature is None:
        return tuple(specs), {}
    parameters, positional = _declarable(signature)
    rest = (_of_default(p.default) for p in positional[len(specs) :])
    return (*specs, *rest), {p.name: _of_default(p.default) for p in parameters if p.kind is p.KEYWORD_ONLY}


def visible(specs: Sequence[Any], declared: Sequence[Any]) -> tuple[Any, ...]:
    """A declared signature with the specs of tensors that follow it directly, as `Function.input_signature` has it.

    Args:
      specs: the positional specs of `completed`.
      declared: the declared signature.
    """
    follow = itertools.takewhile(_is_spec_of_tensor, specs[len(declared) :])
    return (*declared, *follow)


def _is_spec_of_tensor(spec: Any) -> bool:
    return isinstance(spec, TypeSpec) and not isinstance(spec, VariableSpec)


def _of_default(default: Any) -> Any:
    def declared(leaf: Any) -> Any:
        if isinstance(leaf, Variable):
            return VariableSpec.from_value(leaf)
        if isinstance(leaf, (Tensor, Composite)):
            return spec_of(leaf)
        if isinstance(leaf, (np.ndarray, np.generic)):
            tensor = convert_to_tensor(leaf)
            return TensorSpec(tensor.shape, tensor.dtype)
        return leaf

    return nest.map_structure(declared, default)
