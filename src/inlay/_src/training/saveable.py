"""Objects of users' own in checkpoints: they say what is kept of them, and take it back (1.x).

Source: `SaveableObject` of TensorFlow's `training/saving/saveable_object.py`. Such an object has `specs`, each with a
`name`, its key in the checkpoint, and a `tensor`, or a function that gives one; and `restore(tensors, shapes)`, which
assigns the tensors of the specs and returns an operation. An object may hand out several of them:
`_gather_saveables_for_checkpoint()` gives them by name, or functions that make them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.placeholders import placeholder
from inlay._src.training.checkpoint_files import CheckpointFile


def hands_out(value: Any) -> bool:
    """Whether a value hands out saveable objects."""
    return hasattr(value, "_gather_saveables_for_checkpoint") and not isinstance(value, type)


def saveables_of(value: Any) -> list[Any]:
    """The saveable objects that a value is or hands out; none if it is no such value."""
    if hands_out(value):
        return [
            saveable() if callable(saveable) else saveable
            for saveable in value._gather_saveables_for_checkpoint().values()
        ]
    return [value] if hasattr(value, "specs") and hasattr(value, "restore") else []


def saveables_under(value: Any, keys: Mapping[str, str]) -> list[Any]:
    """The saveable objects that a value hands out, each kept under the key that is given for its name."""
    factories = value._gather_saveables_for_checkpoint()
    return [
        factories[name](key) if callable(factories[name]) else factories[name]
        for name, key in keys.items()
        if name in factories
    ]


class Saveables:
    """Saveable objects.

    Args:
      make: gives the objects.
    """

    def __init__(self, make: Callable[[], Sequence[Any]]) -> None:
        self._make = make
        self._saveables: list[_Saveable] = []

    @property
    def graph(self) -> Graph | None:
        """The graph of what they keep; None if that is eager."""
        return next((each.graph for each in self._saveables or self._now() if each.graph is not None), None)

    def _now(self) -> list[_Saveable]:
        """The objects; eager ones are asked for anew: they hold what was the value when they were made."""
        if all(each.graph is None for each in self._saveables):
            self._saveables = [_Saveable(saveable) for saveable in self._make()]
        return self._saveables

    def objects(self) -> list[Any]:
        """The objects."""
        return list(self._make())

    def built(self) -> list[str]:
        """The objects of a graph as names of its tensors and operations, one JSON text each; eager ones have none."""
        graph_objects = [each for each in self._now() if each.graph is not None]
        return [json.dumps(each.built()) for each in graph_objects]

    @staticmethod
    def read_from(graph: Graph, texts: Sequence[str], prefix: str) -> Saveables:
        """The objects that `built` described, in a graph that was read.

        Args:
          graph: the graph.
          texts: the results of `built`.
          prefix: the prefix that the names of the nodes received when they were read.

        Raises:
          ValueError, KeyError: if a text is malformed, or names what the graph does not have.
        """
        return Saveables(lambda: [_InGraph(graph, json.loads(text), prefix) for text in texts])

    def saved(self, session: Any) -> dict[str, tuple[Any, DType]]:
        """Key -> value and dtype of all that is kept."""
        return {name: value for each in self._now() for name, value in each.saved(session).items()}

    def read(self, reader: CheckpointFile) -> Callable[[Any], None]:
        """A function that assigns the checkpoint's values to the objects in a session.

        Raises:
          NotFoundError: if the checkpoint lacks one.
        """
        readings = [(each, each.read(reader)) for each in self._now()]

        def assign(session: Any) -> None:
            for each, values in readings:
                each.assign(values, session)

        return assign


class _Spec(NamedTuple):
    """The key of a saved tensor, and the tensor."""

    name: str
    tensor: Any


class _InGraph:
    """A saveable object of a graph that was read: its operation is there."""

    def __init__(self, graph: Graph, said: Mapping[str, Any], prefix: str) -> None:
        rows = [(str(key), *(graph.as_graph_element(f"{prefix}{n}") for n in names)) for key, *names in said["specs"]]
        self.specs = [_Spec(key, tensor) for key, tensor, _ in rows]
        self.feeds = [feed for _, _, feed in rows]
        self.operation: Any = graph.as_graph_element(f"{prefix}{said['restore']}")

    def restore(self, tensors: Sequence[Any], shapes: Any) -> Any:
        """The operation that restores it, which takes what is fed into placeholders of the graph."""
        return self.operation


class _Saveable:
    """One saveable object, with the tensors of its specs.

    Attributes:
      graph: that of the tensors; None if they are eager.
    """

    def __init__(self, saveable: Any) -> None:
        self._object = saveable
        self._tensors: list[Any] = [
            convert_to_tensor(spec.tensor() if callable(spec.tensor) else spec.tensor) for spec in saveable.specs
        ]
        self.graph: Graph | None = next((t.graph for t in self._tensors if isinstance(t, SymbolicTensor)), None)
        self._feeds: list[Any] = getattr(saveable, "feeds", [])
        self._operation: Any = getattr(saveable, "operation", None)

    def _build(self, graph: Graph) -> None:
        """Adds the operation that restores the object, and what it is fed, to its graph."""
        if self._operation is None:
            with graph.as_default():
                self._feeds = [placeholder(t.dtype, t.shape) for t in self._tensors]
                self._operation = self._object.restore(self._feeds, None)

    def built(self) -> dict[str, Any]:
        """Its keys, tensors, placeholders and the operation that restores it, by name."""
        assert self.graph is not None
        self._build(self.graph)
        rows = zip(self._object.specs, self._tensors, self._feeds, strict=True)
        return {"specs": [[s.name, t.name, g.name] for s, t, g in rows], "restore": self._operation.name}

    def saved(self, session: Any) -> dict[str, tuple[Any, DType]]:
        values = self._tensors if self.graph is None else session.run(self._tensors)
        every = zip(self._object.specs, values, self._tensors, strict=True)
        return {spec.name: (np.asarray(value), tensor.dtype) for spec, value, tensor in every}

    def read(self, reader: CheckpointFile) -> list[Any]:
        return [reader.read(spec.name) for spec in self._object.specs]

    def assign(self, values: Sequence[Any], session: Any) -> None:
        if self.graph is None:
            with context.using(context.State()):
                pairs = zip(values, self._tensors, strict=True)
                self._object.restore([convert_to_tensor(v, t.dtype) for v, t in pairs], None)
            return
        self._build(self.graph)
        session.run(self._operation, dict(zip(self._feeds, values, strict=True)))
