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
    """An iterable over the elements that measures each stage.

    Iterate it, `stats = ds.stats()`, then `for x in stats: ...`; `print(stats)` prints a table. For each stage it has
    the number of elements, the time that consumers waited for it, the times that it waited for its input and for
    demand, and the time in the user's function. It names the bottleneck and the choice of AUTOTUNE. Other iterations
    of the dataset are not measured.
    """
    return Stats(self._node, self._options)


def as_jax_iterator(self: Pipeline, device: Any = None) -> Iterator[Any]:
    """An eager iterator whose elements are nests of JAX arrays on a device; the next element is transferred ahead.

    Args:
      device: a JAX device; None is the default device.

    Raises:
      TypeError: if a component is a string, or neither a dense nor a ragged nor a sparse tensor.
      ImportError: if JAX is not installed.
    """
    leaves = self._node.element.leaves
    if any(getattr(s.dtype, "name", "") == "string" for s in leaves):
        raise TypeError(f"JAX has no strings: {self._node.element.spec!r}; map the elements to numbers before")
    xla.jax()
    return _ahead(OwnedIterator(self._node, self._options, Element.arrays), device)


def as_torch_dataset(self: Pipeline) -> Any:
    """The dataset as a PyTorch `IterableDataset`: every element is a nest of tensors, strings as bytes.

    In a `DataLoader` with several workers, each worker yields the elements whose index modulo the number of workers is
    its own; workers must be started by a fork.

    Raises:
      ImportError: if PyTorch is not installed.
    """
    try:
        torch_data = importlib.import_module("torch.utils.data")
    except ModuleNotFoundError as error:
        raise ImportError("as_torch_dataset() needs PyTorch: pip install 'inlay[torch]'") from error
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
    """An adapter of the dataset for `fit`, `evaluate` and `predict` of Keras 3 on JAX, PyTorch or NumPy.

    Elements are batches: x, (x, y), or (x, y, sample weights). Every epoch begins a new iteration; without
    `steps_per_epoch` an epoch is one pass.

    Args:
      class_weight: class -> the weight of rows of that class; `fit` ignores its own for adapters.

    Returns:
      A `DataAdapter` of Keras.

    Raises:
      ImportError: if Keras 3 is not installed.
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
