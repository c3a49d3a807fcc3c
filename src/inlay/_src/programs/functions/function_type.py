"""`FunctionType`: the types of a traced function's parameters, results and captures; and `AtomicFunction`."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.func_graph import FuncGraph
from inlay._src.programs.functions import signature_text
from inlay._src.programs.functions.arguments import TracingTypeArgument


class Literal:
    """The type of an argument that is no tensor: its value.

    Args:
      value: the value.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Parameter(inspect.Parameter):
    """A parameter with the type that arguments must have.

    Attributes:
      type_constraint: a spec, a `Literal`, what `__tf_tracing_type__` gave, or a nest of them.
      optional: whether a call may leave it out.
    """

    def __init__(self, name: str, kind: Any, type_constraint: Any) -> None:
        super().__init__(name, kind)
        self.type_constraint, self.optional = type_constraint, False

    def __str__(self) -> str:
        return f"{self.name}: {signature_text.type_text(self.type_constraint)}"


@export("types.experimental.FunctionType")
class FunctionType(inspect.Signature):
    """The signature of one trace of a function: `ConcreteFunction.function_type`.

    Args:
      positional, keyword: name -> type of the arguments.
      captures: (number, spec) of what it uses from outside.
      output: the specs of the results, nested like them.

    Attributes:
      captures: number -> spec of what it uses from outside.
      output: the specs of the results, nested like them.
    """

    def __init__(
        self,
        positional: Mapping[str, Any],
        keyword: Mapping[str, Any],
        captures: Sequence[tuple[int, TypeSpec]],
        output: Any,
    ) -> None:
        for named in (positional, keyword):
            if not isinstance(named, Mapping):
                raise TypeError(f"FunctionType() takes parameters by name, got {named!r}")
        by_kind = ((Parameter.POSITIONAL_OR_KEYWORD, positional), (Parameter.KEYWORD_ONLY, keyword))
        if not isinstance(captures, (Mapping, Sequence)):
            raise TypeError(f"`captures` must be a list of pairs of a number and a spec, got {captures!r}")
        super().__init__([Parameter(n, kind, _constraint(v)) for kind, named in by_kind for n, v in named.items()])
        self.captures: OrderedDict[int, TypeSpec] = OrderedDict(captures)
        self.output = output
        self._texts = (
            signature_text.line({**positional, **keyword}, output),
            signature_text.page(positional, keyword, output, captures),
        )

    @property
    def flat_inputs(self) -> list[TypeSpec]:
        """The specs of the tensors that it takes."""
        return [s for p in self.parameters.values() for s in _specs(p.type_constraint)]  # type: ignore[attr-defined]

    @property
    def flat_captures(self) -> list[TypeSpec]:
        """The specs of the tensors that it uses from outside."""
        return list(self.captures.values())

    @property
    def flat_outputs(self) -> list[TypeSpec]:
        """The specs of the tensors that it gives."""
        return _specs(self.output)

    def __str__(self) -> str:
        return self._texts[0]

    def __repr__(self) -> str:
        return self._texts[1]


@export("types.experimental.AtomicFunction")
class AtomicFunction:
    """A traced graph that is called with all that it takes: `ConcreteFunction.inference_fn`.

    Args:
      concrete: the traced function.
    """

    def __init__(self, concrete: Any) -> None:
        if not hasattr(concrete, "call_flat"):
            raise TypeError(f"`concrete` must be a traced function, got {concrete!r}")
        self._concrete = concrete

    @property
    def name(self) -> bytes:
        """The graph's name."""
        return self._concrete.name  # type: ignore[no-any-return]

    @property
    def graph(self) -> FuncGraph:
        """The traced graph."""
        return self._concrete.graph  # type: ignore[no-any-return]

    @property
    def function_type(self) -> FunctionType:
        """The types of its parameters, results and captures."""
        return self._concrete.function_type  # type: ignore[no-any-return]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it with arguments like those that were traced.

        Raises:
          ValueError: if it uses tensors from outside.
          TypeError: for other arguments.
        """
        if self._concrete.captured_inputs:
            raise ValueError("The FunctionType defines captured inputs. Use call_with_captures instead.")
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args: Sequence[Any], kwargs: Mapping[str, Any], captures: Sequence[Any]) -> Any:
        """Calls it, with other tensors in place of those from outside.

        Args:
          args, kwargs: arguments like those that were traced.
          captures: one tensor for each of `ConcreteFunction.captured_inputs`.

        Raises:
          ValueError: for another number of captures.
          TypeError: for other arguments.
        """
        return self._concrete.call_flat(self._concrete.bound(args, kwargs), captures)

    def call_flat(self, *args: Any) -> list[Any]:
        """Calls it with flat tensors, captures last; gives the flat results."""
        count = len(self.graph.inputs)
        return nest.flatten(self._concrete.call_flat(args[:count], args[count:]))

    def __repr__(self) -> str:
        return f"<AtomicFunction {self.name.decode()}{self.function_type}>"


def _constraint(value: Any) -> Any:
    """A nest of specs and Python values as a nest of types."""

    def typed(leaf: Any) -> Any:
        if isinstance(leaf, TracingTypeArgument):
            return leaf.type
        return leaf if isinstance(leaf, (TypeSpec, Composite)) else Literal(leaf)

    return nest.map_structure(typed, value)


def _specs(types: Any) -> list[TypeSpec]:
    return [s for s in nest.flatten(types) if isinstance(s, TypeSpec)]


def of_captures(tensors: Sequence[Any]) -> list[tuple[int, TypeSpec]]:
    """(number, spec) of tensors."""
    return [(id(t), TensorSpec(t.shape, t.dtype)) for t in tensors]
