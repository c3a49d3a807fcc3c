"""Functions of elements: traced once into a program that runs as one plan per element.

The result of the function is the new element: a nest of tensors (a list counts as a tuple, as the family returns
lists) or of datasets. A dataset that it makes travels as its node and the values of the tensors that the node uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.types import nest
from inlay._src.base.types.nest import composite_of
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.site import of_function, without_folder
from inlay._src.data.draws import draws_of, with_draws
from inlay._src.data.element import NOTHING, SEQUENCES, Element, Values, component_value
from inlay._src.data.node import Iteration, Node
from inlay._src.data.numbering import Numbers
from inlay._src.data.spec import Bound
from inlay._src.ops.seeds import RandomState
from inlay._src.programs.control.tracing import Tracing
from inlay._src.programs.conversion import convert
from inlay._src.programs.graph_def.pickles import StandIn, Within
from inlay._src.programs.program import Program


class Mapped:
    """A function of elements, traced.

    Args:
      function: the user's function; it takes the components of an element as separate arguments if that is a tuple.
      takes: the spec of what it is given.
      what: the transformation, for messages.
      results: converts its argument and its result to the new element; None takes the result.

    Attributes:
      element: the structure of its results.
      program: the program that runs.
      captures: the tensors outside that it uses.
      plain: whether it makes no datasets.
    """

    __slots__ = ("_datasets", "captures", "element", "label", "plain", "program")

    def __init__(
        self, function: Callable[..., Any], takes: Element, what: str, results: Callable[[Any, Any], Any] | None = None
    ) -> None:
        self.label: str = of_function(function)
        state = context.current()
        tracing = Tracing(f"{what}_{getattr(function, '__name__', 'function')}", state.graph, state.tapes)
        inputs = tracing.inputs(takes.parameters())
        element = takes.symbols(inputs)
        with tracing.building():
            result = convert(function)(*arguments(element))
            if results is not None:
                result = results(element, result)
            flat = _Results(what)
            spec = flat.part(tuple(result) if isinstance(result, list) else result)
        tracing.finish(flat.tensors)
        self.element: Element = Element(spec)
        self.program: Program = Program(tracing.graph)
        self.captures: tuple[Any, ...] = tuple(self.program.captures)
        self._datasets = flat.datasets
        self.plain: bool = all(node is None for node in flat.datasets)

    @classmethod
    def of_program(cls, program: Program, element: Element, captures: tuple[Any, ...], label: str) -> Mapped:
        """A function that is traced already; datasets that it makes are tensors among its results.

        Args:
          program: takes the components of an element, then what it captures.
          element: the structure of its results.
          captures: the tensors outside that it uses.
          label: its name in messages.
        """
        mapped = cls.__new__(cls)
        mapped.program, mapped.element, mapped.captures, mapped.label = program, element, captures, label
        mapped._datasets, mapped.plain = [None] * len(element.leaves), True
        return mapped

    def __getstate__(self) -> Any:
        """Its fields; a function that was traced in another one may capture tensors of that one's graph."""
        state = {name: getattr(self, name) for name in Mapped.__slots__}
        captures = tuple(map(StandIn.of, self.captures))
        state["label"] = without_folder(self.label)
        return None, {**state, "program": Within(self.program), "captures": captures}

    def opened(self, iteration: Iteration) -> Callable[..., Values]:
        """The function in one iteration, with the values that captured tensors have there.

        It is called in the state `RUNNING`, with the values of an element and, if random numbers depend on it, the
        element's number, see `numbers`; without one elements are counted.
        """
        captured = iteration.values(self.captures)
        run = self._run(self.program, captured)
        if self.plain:
            return run
        return lambda values, index=None: self._with_datasets(run(values, index), iteration)

    @staticmethod
    def _run(program: Program, captured: Sequence[Any]) -> Callable[..., Values]:
        draws = draws_of(program, captured)
        return with_draws(program, captured, draws) if draws else program.repeated(captured)

    def numbers(self, node: Node, iteration: Iteration) -> Numbers:
        """The numbers of the elements of a new cursor of a node that runs it: from 0 on if it draws nothing, also for
        the generators of host functions, which are those of the element in its dataset."""
        states = [value for value in iteration.values(self.captures) if isinstance(value, RandomState)]
        draws = any(not state.kept and not state.counts for state in states)
        return iteration.numbering.opened(node) if draws else Numbers()

    @property
    def takes(self) -> int:
        """The number of parameters that receive the components of an element; captured tensors follow them."""
        return len(self.program.parameters) - len(self.captures)

    @property
    def datasets(self) -> list[Node]:
        """The datasets that it makes."""
        return [node for node in self._datasets if node is not None]

    @property
    def begins(self) -> bool:
        """Whether an executor runs host functions of it, so that an execution can be begun without a thread."""
        return self.program.begins

    def begun(self, iteration: Iteration) -> tuple[Callable[[int, Values], Any], Callable[[Values], Values]]:
        """A function that begins an execution, and one that converts the results of the program to values."""
        captured, begin = iteration.values(self.captures), self.program.begin
        draws = draws_of(self.program, captured)
        finish = (lambda results: results) if self.plain else (lambda results: self._with_datasets(results, iteration))

        def begun(index: int, values: Values) -> Any:
            last = list(captured)
            for draw in draws:
                last[draw.at] = draw.state(index)
            return begin([*values, *last])

        return begun, finish

    def _with_datasets(self, results: Values, iteration: Iteration) -> Values:
        out, at = [], 0
        for node in self._datasets:
            if node is None:
                out.append(results[at])
                at += 1
            else:
                used = node.used()
                bound = dict(zip(map(id, used), results[at : at + len(used)], strict=True))
                out.append(Bound(node, iteration.within(bound)))
                at += len(used)
        return out


def arguments(element: Any) -> Sequence[Any]:
    """The arguments of a function of an element: the components of a tuple one by one."""
    return element if in_parts(element) else (element,)


def in_parts(element: Any) -> bool:
    """Whether a function takes the components of an element, or of its spec, as separate arguments."""
    return isinstance(element, tuple) and not hasattr(element, "_fields")


class _Results:
    """The flattened result of a function.

    Attributes:
      tensors: the results of the program.
      datasets: for each component, the node of the dataset that it is, or None for a tensor.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.tensors: list[Any] = []
        self.datasets: list[Any] = []

    def part(self, value: Any) -> Any:
        """The spec of a part. Lists are values: one that is returned as a whole was made a tuple before."""
        value = component_value(value)
        if nest.is_nested(value) and not isinstance(value, SEQUENCES):
            return nest._like(value, [self.part(child) for _, child in nest._items(value)])
        if value is None:
            return NOTHING
        if isinstance(value, Operation):
            raise TypeError(
                f"Unsupported return value from function passed to {self._what}: {value!r}. Return tensors, or nests "
                "of them."
            )
        if hasattr(value, "_dataset_spec"):
            node = value._node
            self.datasets.append(node)
            self.tensors.extend(node.used())
            return value._dataset_spec()
        composite = composite_of(value)
        if composite is not None and hasattr(composite, "_type_spec"):
            components = composite._components()
            self.tensors.extend(components)
            self.datasets.extend([None] * len(components))
            return composite._type_spec
        try:
            tensor = convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self._what}: {value!r}: {error}"
            ) from error
        self.tensors.append(tensor)
        self.datasets.append(None)
        return TensorSpec(tensor.shape, tensor.dtype)
