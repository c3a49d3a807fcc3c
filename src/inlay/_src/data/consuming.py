"""The ways out of a dataset that other libraries read from: measured, with progress, for JAX, for PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import nest
from inlay._src.data.element import Element
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.keras_adapter import adapter_of
from inlay._src.data.measuring import Stats
from inlay._src.data.node import Iteration
from inlay._src.data.pipeline import Pipeline


def stats(self: Pipeline) -> Stats:
    """The elements, measured while they are iterated.

    `stats = ds.stats()`, then `for x in stats: ...`; `print(stats)` is a table that says of each stage how many
    elements it gave, how long others waited for it, how long it waited for its input and for the wish for its
    output, and how long the user's function took; it names the bottleneck, and what AUTOTUNE picked. A dataset
    that is iterated otherwise is not measured.
    """
    return Stats(self._node, self._options)


def as_jax_iterator(self: Pipeline, device: Any = None) -> Iterator[Any]:
    """Iterates eagerly: every element is a nest of JAX arrays on a device, the next one on its way meanwhile.

    Args:
      device: a device of JAX's; None is its default one.

    Raises:
      TypeError: if a component is a string, or neither a tensor nor ragged nor sparse.
      ImportError: without JAX.
    """
    leaves = self._node.element.leaves
    if any(getattr(s.dtype, "name", "") == "string" for s in leaves):
        raise TypeError(f"JAX has no strings: {self._node.element.spec!r}; map the elements to numbers before")
    xla.jax()
    return _ahead(OwnedIterator(self._node, self._options, Element.arrays), device)


def as_torch_dataset(self: Pipeline) -> Any:
    """The dataset as a PyTorch `IterableDataset`: every element is a nest of tensors, strings as bytes.

    In a `DataLoader` with several workers, each worker gives every element whose index belongs to it, so that all
    together give each once; workers must be started by a fork.

    Raises:
      ImportError: without PyTorch.
    """
    torch_data = importlib.import_module("torch.utils.data")
    from_numpy = importlib.import_module("torch").from_numpy
    node, options = self._node, self._options

    class TorchView(torch_data.IterableDataset):  # type: ignore[misc,name-defined]
        """A dataset as PyTorch reads it."""

        def __iter__(self) -> Iterator[Any]:
            worker = torch_data.get_worker_info()
            number, count = (0, 1) if worker is None else (worker.id, worker.num_workers)
            for index, element in enumerate(OwnedIterator(node, options, Element.arrays)):
                if index % count == number:
                    yield nest.map_structure(lambda v: _tensor(v, from_numpy), element)

    return TorchView()


def as_keras_adapter(self: Pipeline, class_weight: Mapping[int, float] | None = None) -> Any:
    """The dataset as `fit`, `evaluate` and `predict` of Keras 3 take it, on JAX, PyTorch or NumPy.

    Its elements are batches: x, (x, y), or (x, y, weights of the rows). Every epoch begins it again; without
    `steps_per_epoch` an epoch ends with it.

    Args:
      class_weight: class -> the weight of rows whose y it is; `fit` does not use its own for adapters.

    Returns:
      An object of Keras's class `DataAdapter`.

    Raises:
      ImportError: without Keras 3.
    """
    return adapter_of(self, class_weight)


def _ahead(arrays: Iterator[Any], device: Any) -> Iterator[Any]:
    """Elements on a device, of which the next is sent before one is given."""
    waiting: list[Any] = []
    for element in arrays:
        waiting.append(nest.map_structure(lambda v: xla.sent_ahead(v, device), element))
        if len(waiting) == 2:
            yield waiting.pop(0)
    yield from waiting


@export("data.progress")
def progress(dataset: Any, **kwargs: Any) -> Iterator[Any]:
    """Iterates a dataset and shows how far it is: `for x in tf.data.progress(ds): ...`. Needs the extra `progress`.

    Args:
      dataset: a dataset; where its cardinality is known, the bar has an end.
      **kwargs: those of `tqdm.tqdm`, such as `desc` and `file`.

    Raises:
      ImportError: without tqdm.
    """
    try:
        tqdm = importlib.import_module("tqdm")
    except ModuleNotFoundError as error:
        raise ImportError("tf.data.progress needs tqdm: pip install 'inlay[progress]'") from error
    count = dataset._node.cardinality(Iteration(dataset._options))
    arguments = {"total": count if count >= 0 else None, "unit": " elements", **kwargs}
    with tqdm.tqdm(**arguments) as bar:
        for element in dataset:
            yield element
            bar.update()


def _tensor(value: Any, from_numpy: Any) -> Any:
    """An array of numbers as another library's tensor, in memory of its own; any other value unchanged."""
    return from_numpy(np.array(value)) if np.asarray(value).dtype.kind in "biufc" else value
