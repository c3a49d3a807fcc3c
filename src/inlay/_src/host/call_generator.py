"""`rng=`: a NumPy generator for each call of a host function, as an argument that is built from a tensor.

    py_function(f, [x], tf.float32, rng=7)   ─▶   f(x, rng=np.random.default_rng((7, number of the call)))

The call has one more input, the numbered seed (`ops.numbered_seeds`), and its template builds a generator from it. The
numbers therefore reach executors, the recordings of tapes and saved functions as any input does.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inlay._src.base.types.template import Hole, Template
from inlay._src.core.eager import emit
from inlay._src.core.site import of_function
from inlay._src.core.tensor import Tensor
from inlay._src.host.inputs import CallInputs
from inlay._src.ops.numbered_seeds import generator_of, numbered, seed_tensor

NAME = "rng"


class CallGenerator:
    """The composite that represents the generator of a call in a template; its one component is the numbered seed."""

    __slots__ = ()
    _type_spec = "the generator of the call"  # what `Template.key` asks for

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return generator_of(components[0])


def check(func: Any, kwargs: Mapping[str, Any] | None, api: str) -> None:
    """Refuses a function that cannot take the generator of a call.

    Raises:
      TypeError: if it has no parameter of that name, or `kwargs` has one too.
    """
    if kwargs and NAME in kwargs:
        raise TypeError(f"{api}: both rng= and kwargs= give {of_function(func)} an argument {NAME!r}; leave one out")
    if not _takes(func):
        raise TypeError(
            f"{api}: rng= passes a NumPy generator as the keyword argument {NAME!r}, and {of_function(func)} has no "
            "parameter of that name; add one"
        )


def with_generator(inputs: CallInputs, seed: Any, api: str, number: bool = True) -> CallInputs:
    """The inputs of a call with a generator as one more keyword argument.

    Args:
      inputs: the inputs that the caller gave.
      seed: the value of `rng=`.
      api: the public name, for messages.
      number: whether the generator depends on the number of the call; False makes it depend on the seed alone.
    """
    words: Tensor | Any = seed_tensor(seed, api)
    if number:
        words = numbered(words, inputs.graph)
    flat, template = inputs.values, inputs.template
    positional, keyword = (tuple(map(Hole, range(len(flat)))), {}) if template is None else template.structure
    generator = Hole(len(flat), 1, CallGenerator())
    template = Template((positional, {**keyword, NAME: generator}))
    return replace(inputs, values=[*flat, words], template=template, graph=inputs.graph or emit.graph_of([words]))


def without_generator(template: Template | None) -> Template | None:
    """The template of a shape rule or a gradient: neither draws random numbers, so neither takes the generator."""
    if template is None:
        return None
    positional, keyword = template.structure
    if not _is_generator(keyword.get(NAME)):
        return template
    return Template((positional, {name: part for name, part in keyword.items() if name != NAME}))


def signature_without(signature: inspect.Signature) -> inspect.Signature:
    """The signature that callers of a function with `rng=` see: parameters behind the generator are keyword-only."""
    named = inspect.Parameter.KEYWORD_ONLY
    parameters, behind = [], False
    for parameter in signature.parameters.values():
        if parameter.name == NAME:
            behind = True
        elif behind and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            parameters.append(parameter.replace(kind=named))
        elif not behind or parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            parameters.append(parameter)
    return signature.replace(parameters=parameters)


def _is_generator(part: Any) -> bool:
    return part.__class__ is Hole and isinstance(part.composite, CallGenerator)


def _takes(func: Any) -> bool:
    """Whether a function takes the generator as a keyword argument; True if it has no signature."""
    try:
        parameters = inspect.signature(func).parameters
    except (TypeError, ValueError):
        return True
    own = parameters.get(NAME)
    named = own is not None and own.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return named or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
