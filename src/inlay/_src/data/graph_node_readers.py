"""Reads nodes of messages that are datasets: the inverse of `graph_nodes`, also for messages of TensorFlow.

Every dataset is a tensor of the graph: a node `DatasetFromGraph`, whose `Task` has the transformation and those below
it. A reader of such a tensor takes over its transformation, so that a pipeline is one chain of nodes again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.base.types.structured import from_data
from inlay._src.core.graph import static_value_of
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor
from inlay._src.data import graph_ops, reading, reducing
from inlay._src.data.element import Element, row_spec
from inlay._src.data.external_state import ExternalStatePolicy
from inlay._src.data.graph_nodes import COMPOSES, DATASET, USES, Use
from inlay._src.data.graph_ops import Task
from inlay._src.data.graph_rows import BY_KIND, CAPTURES, Row, each_row
from inlay._src.data.iterator_state import IteratorKey
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Node
from inlay._src.data.options import AutoShardPolicy, Options
from inlay._src.data.shuffling import seeds_read
from inlay._src.data.spec import DatasetSpec, GivenNode
from inlay._src.data.ways import Placing
from inlay._src.ops.seeds import RandomState
from inlay._src.programs.graph_def import reading as nodes
from inlay._src.programs.graph_def.program_readers import CALLING
from inlay._src.programs.graph_def.reading import READERS, TOLD, GraphReader

_SAME = ("TakeDataset", "SkipDataset", "RepeatDataset", "PrefetchDataset", "ShardDataset", "OptionsDataset")
"""Ops of TensorFlow that give the elements which they are given, and have no function."""
_SEEDED = ("ShuffleDataset", "RandomDataset")
"""Ops of TensorFlow that take seeds, which a node of inlay says itself."""


class _Message:
    """A node that is a dataset, or does something with one.

    Args:
      site: where it is read.
      node: it.
      datasets: the number of inputs that are datasets; these come first.

    Attributes:
      said: its attribute `DATASET`; None if TensorFlow wrote the node.
      inputs: the datasets that it reads.
      tensors: its other inputs; constants that only it uses are eager.
      options: those of the datasets.
    """

    def __init__(self, site: GraphReader, node: nodes.NodeMessage, datasets: int) -> None:
        self.site, self.node = site, node
        self.said: Any = _said(node.message)
        self.options = Options()
        self.inputs = [self._dataset(i) for i in range(datasets)]
        written = self.said is not None and node.message.op in _SEEDED
        count = len(node.inputs) - 2 if written else len(node.inputs)
        self.tensors = [self._value(t) for t in node.inputs[datasets:count]]
        self._put_states()

    def _dataset(self, at: int) -> Node:
        """The dataset that an input is."""
        tensor = self.node.inputs[at]
        if tensor.dtype is not dtypes.variant:
            raise ValueError(f"input {at}: expected a dataset, got {tensor.dtype.name}")
        if tensor.op.opdef is graph_ops.DATASET:
            task: Task = tensor.op.graph.referred(tensor.op.attrs["task"])
            self.options = self.options.merge(task._options)
            return task._node
        if self.said is None:
            return GivenNode(self._given_spec(), tensor)
        spec = self.said.get("given", {}).get(str(at))
        if spec is None:
            raise ValueError(f"nothing says what the elements of input {at} are")
        return GivenNode(from_data(spec), tensor)

    def _given_spec(self) -> Any:
        """The elements of a dataset that is an argument, in a node that TensorFlow wrote."""
        attrs = self.node.attrs
        if self.node.message.op in _SAME:
            return self.element().spec
        if self.node.message.op == "BatchDatasetV2":
            return nest.map_structure(row_spec, self.element().spec)
        names = self.functions()
        if len(names) != 1:
            raise ValueError("its input is a dataset that is an argument, and nothing says what its elements are")
        parameters = self.site.functions(names[0]).parameters
        own = parameters[: len(parameters) - len(attrs.get("Targuments", ()))]
        return _flat([TensorSpec(t.shape, t.dtype) for t in own])

    def _value(self, tensor: Any) -> Any:
        if tensor.op.graph is self.site.graph:
            return tensor
        value = static_value_of(tensor)
        if value is None:
            raise ValueError("an input that stands for data is computed")
        return EagerTensor(value if value.ndim or tensor.dtype is dtypes.string else value[()], tensor.dtype)

    def _put_states(self) -> None:
        """Puts the states of generators where they were among the tensors."""
        states = {} if self.said is None else self.said.get("states", {})
        for at, (name, key, high, seeded) in sorted(states.items(), key=lambda item: int(item[0])):
            if not all(type(n) is int and 0 <= n < 1 << 64 for n in (key, high)):
                raise ValueError("the state of a generator is malformed")
            state = RandomState(str(name), (key, high) if seeded else None)
            self.tensors.insert(int(at), EagerTensor(state, dtypes.resource))

    def element(self) -> Element:
        """The elements of the dataset that it is."""
        if self.said is None:
            return _element_of(self.node)
        element = Element(from_data(self.said["element"]))
        kinds = self.node.attrs.get("output_types", self.node.attrs.get("Toutput_types"))
        if tuple(leaf.dtype for leaf in element.leaves) != tuple(kinds):
            raise ValueError(f"its elements are {element.spec!r}, and its attributes say otherwise")
        return element

    def functions(self) -> list[str]:
        """The names of its functions."""
        attrs = self.node.attrs
        if "functions" in attrs:
            return [f.name for f in attrs["functions"]]
        return [attrs[name].name for name in ("f", "predicate") if name in attrs]

    # ---- fields

    def field(self, data: Any) -> Any:
        """A field from JSON."""
        return from_data(data, self._other)

    def _other(self, data: list[Any]) -> Any:
        kind, *said = data
        if kind == "element":
            return Element(from_data(said[0]))
        if kind == "seeds":
            return seeds_read(said[:2], bool(said[2]))
        if kind == "input":
            return self.inputs[said[0]]
        if kind == "function":
            at, label, spec, captures = said
            return self.mapped(
                self.functions()[at], Element(from_data(spec)), [self.tensors[i] for i in captures], label
            )
        if kind == "file_reader":
            function, keywords = reading.FILE_READERS[str(said[0])], from_data(said[1])
            return functools.partial(function, **keywords) if keywords else function
        if kind == "body":
            return self._body(str(said[0]))
        raise ValueError(f"{kind!r} is not a kind of field")

    def _body(self, name: str) -> Any:
        function = None if self.site.hosts is None else self.site.hosts(name)
        if function is None or not callable(function):
            raise ValueError(f"the function '{name}' did not travel")
        return function

    def mapped(self, name: str, element: Element | None, captures: Sequence[Any], label: str) -> Mapped:
        """A traced function of the library.

        Args:
          name: its name.
          element: the structure of its results; None takes them as they are.
          captures: the tensors that its last parameters receive.
          label: its name in messages.

        Raises:
          ValueError: if the function is not of these types.
        """
        program = self.site.functions(name)
        results = [TensorSpec(t.shape, t.dtype) for t in program.graph.outputs]
        element = Element(_flat(results)) if element is None else element
        if [leaf.dtype for leaf in element.leaves] != [s.dtype for s in results]:
            raise ValueError(f"function '{name}' gives {len(results)} results, and others than the node says")
        last = program.parameters[len(program.parameters) - len(captures) :]
        if [t.dtype for t in captures] != [p.dtype for p in last]:
            raise ValueError(f"function '{name}' got captures of other dtypes than it declares")
        return Mapped.of_program(program, element, tuple(captures), str(label))

    def function(self, count: int = 0, element: Element | None = None) -> Mapped:
        """The function of a node that TensorFlow wrote.

        Args:
          count: the number of its last inputs that are no captures.
          element: the structure of the results; None takes them as they are.
        """
        (name,) = self.functions()
        return self.mapped(name, element, self.tensors[: len(self.tensors) - count], name)

    def function_of_datasets(self, count: int = 0) -> Mapped:
        """The same for a function that returns datasets."""
        return self.function(count, Element(DatasetSpec(self.element().spec)))

    def components(self) -> Any:
        """The specs of the tensors, as the structure of elements of which only the components are known."""
        return _flat([TensorSpec(t.shape, t.dtype) for t in self.tensors])


def _said(message: Any) -> Any:
    """The attribute `DATASET` of a node; None if it has none."""
    text = message.attr[DATASET].s if DATASET in message.attr else b""
    said = json.loads(text) if text else None
    if said is not None and not isinstance(said, dict):
        raise ValueError(f"attribute '{DATASET}' is malformed")
    return said


def _flat(specs: Sequence[Any]) -> Any:
    """The structure of elements of which only the components are known."""
    return specs[0] if len(specs) == 1 else tuple(specs)


def _element_of(node: nodes.NodeMessage) -> Element:
    """The elements that the attributes of a node tell."""
    kinds = node.attrs.get("output_types", node.attrs.get("Toutput_types"))
    return Element(_flat([TensorSpec(s, d) for s, d in zip(node.attrs["output_shapes"], kinds, strict=True)]))


# ---------------------------------------------------------------- datasets


def _written_here(row: Row, message: _Message) -> Node:
    """A node that this library wrote."""
    node: Any = row.kind.__new__(row.kind)
    count = None if row.inputs is None else row.inputs
    Node.__init__(node, message.element(), message.inputs[:count], message.tensors)
    _check_tensors(row, message.tensors)
    fields = message.said["fields"]
    for name, kinds in row.fields.items():
        if kinds is Placing:
            value: Any = Placing(fields[name][1], node.mapped, row.kind.stage)
        else:
            value = message.field(fields[name])
        if not isinstance(value, kinds):
            raise ValueError(f"the field '{name}' is a {type(value).__name__}")
        setattr(node, name, value)
    for name, first in row.caches.items():
        setattr(node, name, first())
    return node  # type: ignore[no-any-return]


def _composed(node: Node, message: _Message) -> Node:
    """A node, or that of which it is the last part; see `Row.composed`."""
    own = message.said.get(COMPOSES)
    if own is None:
        return node
    rows = {row.own: row for row in BY_KIND.values()}
    if own not in rows or (recomposed := rows[own].recomposed) is None:
        raise ValueError(f"{own!r} is not a dataset that is written as several nodes")
    return recomposed(node)


def _check_tensors(row: Row, tensors: Sequence[Any]) -> None:
    """Refuses tensors that a transformation does not take."""
    kinds = row.tensors.split()
    fixed = [k for k in kinds if k != CAPTURES]
    types = [t.dtype.name for t in tensors]
    if types[: len(fixed)] != fixed or (len(types) > len(fixed) and CAPTURES not in kinds):
        raise ValueError(f"expected inputs ({', '.join(kinds)}), got ({', '.join(types)})")


def _dataset(row: Row) -> Callable[[GraphReader, nodes.NodeMessage], Operation]:
    def read(site: GraphReader, node: nodes.NodeMessage) -> Operation:
        single = sum(a.dtype is dtypes.variant and not a.number for a in node.declaration.inputs)
        count = single + node.attrs.get("N", 0)
        below = sum(kinds is Node for kinds in row.fields.values())
        if row.inputs is not None and count != row.inputs + below:
            raise ValueError(f"expected {row.inputs} datasets, got {count}")
        message = _Message(site, node, count)
        try:
            dataset = (
                _foreign(row, message) if message.said is None else _composed(_written_here(row, message), message)
            )
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError("the dataset is malformed") from error
        return _added(site, node, dataset, message.options)

    return read


def _added(site: GraphReader, node: nodes.NodeMessage, dataset: Node, options: Options) -> Operation:
    task = Task(dataset, options, reducing._bound)
    return graph_ops.add_task(site.graph, graph_ops.DATASET, task, (), (dtypes.variant,), ((),), node.name)


def _foreign(row: Row, message: _Message) -> Node:
    """A node that TensorFlow wrote."""
    if row.read is not None:
        return row.read(message)
    kind: Any = row.kind
    if row.fields.keys() == {"mapped"}:
        return kind(*message.inputs, message.function())  # type: ignore[no-any-return]
    if row.fields.keys() - {"seeds"}:
        raise ValueError(f"{row.op} is read where this library wrote it only")
    return kind(*message.inputs, *message.tensors)  # type: ignore[no-any-return]


def _optioned(site: GraphReader, node: nodes.NodeMessage) -> Operation:
    """A dataset with options. Those in TensorFlow's own message change no elements."""
    message = _Message(site, node, 1)
    chosen = message.options
    if message.said is not None:
        chosen = Options()
        try:
            _set_options(chosen, message.said["options"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"its options are malformed: {error}") from error
    return _added(site, node, message.inputs[0], chosen)


_ENUMS: Mapping[str, Any] = {kind.__name__: kind for kind in (AutoShardPolicy, ExternalStatePolicy)}


def _set_options(chosen: Any, data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        if isinstance(value, dict):
            _set_options(getattr(chosen, name), value)
        elif isinstance(value, list) and value[:1] == ["enum"]:
            setattr(chosen, name, _ENUMS[value[1]][value[2]])
        else:
            setattr(chosen, name, from_data(value))


def _add_reader(row: Row) -> None:
    """Reads dataset nodes of a class, which `graph_form` declares."""
    read = _dataset(row)
    for op in filter(None, (row.own, row.op)):
        READERS[op] = CALLING[op] = read
        TOLD.add(op)


each_row(_add_reader)
READERS.update(dict.fromkeys(("OptionsDataset", "ModelDataset", "RewriteDataset"), _optioned))


# ---------------------------------------------------------------- what graphs do with datasets


def _used(use: Use) -> Callable[[GraphReader, nodes.NodeMessage], Operation]:
    def read(site: GraphReader, node: nodes.NodeMessage) -> Operation:
        message = _Message(site, node, 1)
        run, also, inputs = use.run, (), message.tensors
        if use.steps:
            try:
                step = message.field(message.said["step"])
            except (KeyError, IndexError, TypeError) as error:
                raise ValueError(f"its function is malformed: {error}") from error
            if not isinstance(step, Mapped):
                raise ValueError("its function is none")
            run, also = functools.partial(use.run, step), step.captures
            inputs = inputs[: len(inputs) - len(also)]
        task = Task(message.inputs[0], message.options, run, also)
        if "output_types" in node.attrs:
            kinds, dims = node.attrs["output_types"], [s._dims for s in node.attrs["output_shapes"]]
        else:
            kinds = [a.dtype for a in node.declaration.outputs]
            dims = [()] * len(kinds)
        return graph_ops.add_task(site.graph, use.opdef, task, inputs, kinds, dims, node.name)

    return read


def add_use(use: Use) -> None:
    """Reads nodes that do something with a dataset."""
    for op in filter(None, (use.own, use.op)):
        READERS[op] = CALLING[op] = _used(use)
        TOLD.add(op)


for _use in USES:
    add_use(_use)


def _iterator(site: GraphReader, node: nodes.NodeMessage) -> Operation:
    """The handle of an iterator."""
    said = _said(node.message)
    element = _element_of(node) if said is None else Element(from_data(said.get("element")))
    key = IteratorKey(node.attrs["shared_name"] or graph_ops.ITERATOR, element)
    attrs = {"handle": site.graph.resources.add(key, key.name), "dtype": dtypes.resource}
    return site.graph.add(OPS["IteratorV2"], (), attrs, (dtypes.resource,), ((),), node.name)


def _next(site: GraphReader, node: nodes.NodeMessage) -> Operation:
    """The next element of an iterator."""
    kinds = node.attrs["output_types"]
    attrs = {"output_types": kinds, "num": len(kinds)}
    dims = [s._dims for s in node.attrs["output_shapes"]]
    return site.graph.add(OPS["IteratorGetNext"], tuple(node.inputs), attrs, kinds, dims, node.name)


def _from_handle(site: GraphReader, node: nodes.NodeMessage) -> Operation:
    said = {name: tuple(node.attrs[name]) for name in ("output_types", "output_shapes")}
    return nodes.build_exactly(site, OPS["IteratorFromStringHandleV2"], node.inputs, said, node.name)


READERS.update({"IteratorV2": _iterator, "IteratorGetNext": _next, "IteratorToStringHandle": nodes.plain})
READERS["IteratorFromStringHandleV2"] = _from_handle
