"""The inputs of one call, flattened once, where the call enters the family.

    py_function(f, [x, ragged], Tout, kwargs={"k": [y], "n": 3})
      values     x, values, row_splits, y                       tensors, and values that become tensors
      template   ([Hole(0), Hole(1, 2, ragged)], {"k": [Hole(3)], "n": Plain(3)})

A `CallInputs` record holds both. Specialized eager calls, graph nodes, tapes and gradients read it; none of them
flattens the inputs again.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inlay._src.base import errors
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import nest
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.template import Template, flatten_arguments, flatten_nested_arguments
from inlay._src.core import context
from inlay._src.core.eager import emit
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.site import of_function
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.core.values import NoTensorError


@dataclass(slots=True)
class CallInputs:
    """The inputs of one call.

    Attributes:
      args: the positional inputs, a list or tuple.
      kwargs: the keyword arguments.
      values: the flat inputs; those of `args` come first.
      template: the arguments of the function with holes for the flat inputs; None if each positional input is one
        value and there are no keyword arguments.
      graph: the graph that the call belongs to: the one in force, or that of a symbolic input; None for an eager call.
    """

    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    values: Sequence[Any]
    template: Template | None
    graph: Graph | None

    def tensors(self, scope: str) -> list[Tensor]:
        """The flat inputs as tensors; `scope` begins the names of constants.

        Raises:
          ValueError, TypeError: if an input has no tensor, with its number; in a graph, the error is both.
        """
        tensors: list[Tensor] = []
        for i, value in enumerate(self.values):
            if isinstance(value, Tensor):
                tensors.append(value)
                continue
            try:
                tensors.append(convert_to_tensor(value, name=f"{scope}/input_{i}"))
            except (ValueError, TypeError) as error:
                error_class = ValueError if isinstance(error, ValueError) else TypeError
                raise (error_class if context.executing_eagerly() else NoTensorError)(
                    f"{error} (input {i} of the function)"
                ) from error
        return tensors

    def refuse_composites(self, api: str) -> None:
        """Refuses ragged and sparse inputs of a function that receives NumPy arrays.

        Raises:
          TypeError: if an input is a composite, with its class.
        """
        for hole in self.template.holes() if self.template is not None else ():
            if hole.composite is not None:
                raise TypeError(
                    f"{api} cannot take a {type(hole.composite).__name__}, which is not a NumPy array: use "
                    "py_function, or pass its parts (values, row_splits; to_tensor())"
                )


def flatten_inputs(inp: Any, kwargs: Mapping[str, Any] | None, api: str) -> CallInputs:
    """The inputs of `py_function` and `numpy_function`.

    Each positional input is a tensor or a composite. In `kwargs`, tensors, arrays and composites anywhere in a nest are
    inputs; all other objects are passed to the function as they are.

    Args:
      inp: the positional inputs, any iterable.
      kwargs: the keyword arguments.
      api: the public name, for messages.

    Raises:
      TypeError: if `inp` is no list of inputs, or `kwargs` no mapping from names.
    """
    args = input_list(inp, api)
    _check_kwargs(kwargs, api)
    if not kwargs and not any([isinstance(v, Composite) for v in args]):
        return _record(args, {}, args, None)
    values, structure = flatten_arguments(args, kwargs or {}, Tensor)
    return _record(args, kwargs or {}, values, Template(structure))


def flatten_nested_inputs(args: Sequence[Any], kwargs: Mapping[str, Any]) -> CallInputs:
    """The inputs of `contrib.framework.py_func`: lists are nests too, and every leaf is an input.

    Args:
      args: a list or tuple of nests.
      kwargs: a dict of nests.
    """
    if not kwargs and not any(nest.is_nested(v) or isinstance(v, Composite) for v in args):
        return _record(args, kwargs, list(args), None)
    values, structure = flatten_nested_arguments(args, kwargs)
    return _record(args, kwargs, values, Template(structure))


def _record(
    args: Sequence[Any], kwargs: Mapping[str, Any], values: Sequence[Any], template: Template | None
) -> CallInputs:
    return CallInputs(args, kwargs, values, template, context.current().graph or emit.graph_of(values))


def input_list(inp: Any, api: str) -> Sequence[Any]:
    """`inp` as a list or tuple of inputs.

    Raises:
      TypeError: if it is no list of inputs; the message says what to write instead.
    """
    if inp.__class__ is list or inp.__class__ is tuple:
        return inp  # type: ignore[no-any-return]
    if isinstance(inp, Mapping):
        raise TypeError(
            f"{api}: `inp` is a {type(inp).__name__}, whose keys would be passed and values lost; pass "
            "kwargs=... for named arguments, or a list of inputs (inlay explain inp)"
        )
    if isinstance(inp, (set, frozenset)):
        raise TypeError(f"{api}: `inp` is a {type(inp).__name__}, which has no order; pass a list of inputs")
    if isinstance(inp, (str, bytes)):
        raise TypeError(f"{api}: `inp` is text, which would be passed letter by letter; pass [text]")
    if isinstance(inp, SymbolicTensor):
        iter(inp)
    try:
        return list(inp)
    except TypeError:
        raise TypeError(
            f"'{type(inp).__name__}' object is not iterable: {api} needs `inp` to be a list of inputs; "
            f"write [{repr_of(inp)}] for one input (inlay explain inp)"
        ) from None


def _check_kwargs(kwargs: Any, api: str) -> None:
    """Refuses `kwargs` that cannot be keyword arguments.

    Raises:
      TypeError: if it is no mapping from names.
    """
    if kwargs is not None and not (isinstance(kwargs, Mapping) and all(isinstance(k, str) for k in kwargs)):
        raise TypeError(f"{api}: `kwargs` must be a dict from argument names to values, got {repr_of(kwargs)}")


def check_arity(func: Any, count: int, keywords: Mapping[str, Any] | None = None) -> None:
    """Refuses a plain function that cannot take `count` positional and these keyword arguments, before it is called.

    Raises:
      InvalidArgumentError (also a TypeError): with Python's own wording.
    """
    code = getattr(func, "__code__", None)
    least = 0
    if not keywords:
        if code is None or getattr(func, "__self__", None) is not None or code.co_flags & inspect.CO_VARARGS:
            return
        least = code.co_argcount - len(func.__defaults__ or ())
        if least <= count <= code.co_argcount and code.co_kwonlyargcount <= len(func.__kwdefaults__ or {}):
            return
    try:
        inspect.signature(func).bind(*range(count), **(keywords or {}))
    except ValueError:  # it has no signature
        return
    except TypeError as error:
        text, where = f"{getattr(func, '__qualname__', func)}()", f"its {count} inputs"
        if keywords:
            text, where = f"{text}: {error}", f"{where} and kwargs {sorted(keywords)}"
        elif missing := code.co_varnames[count:least]:  # type: ignore[union-attr]
            listed, several = ", ".join(map(repr, missing)), "s" if len(missing) > 1 else ""
            text += f" missing {len(missing)} required positional argument{several}: {listed}"
        elif count > code.co_argcount:  # type: ignore[union-attr]
            text += f" takes {code.co_argcount} positional arguments but {count} were given"  # type: ignore[union-attr]
        else:
            text += " has keyword-only arguments without defaults; pass them through kwargs="
        raise errors.wrap(TypeError(text), f"  checking function {of_function(func)} against {where}") from None
