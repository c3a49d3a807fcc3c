"""Datasets as Keras 3 reads them: `model.fit` takes an object of its class `DataAdapter` as it is."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from inlay._src.base.types import nest
from inlay._src.core.context import EAGER, using


def adapter_of(dataset: Any, class_weight: Mapping[int, float] | None) -> Any:
    """See `Dataset.as_keras_adapter`."""
    try:
        base = importlib.import_module("keras.src.trainers.data_adapters.data_adapter").DataAdapter
    except ImportError as error:
        raise ImportError("as_keras_adapter() needs Keras 3: pip install keras") from error
    weights = None if class_weight is None else {int(label): float(w) for label, w in class_weight.items()}

    class Adapter(base):  # type: ignore[misc,valid-type]
        """A dataset as Keras reads it: once from its beginning in every epoch."""

        def get_numpy_iterator(self) -> Iterator[Any]:
            with using(EAGER):
                elements = dataset.as_numpy_iterator()
            return elements if weights is None else (_weighted(e, weights) for e in elements)

        get_jax_iterator = get_numpy_iterator

        def get_torch_dataloader(self) -> Any:
            data = importlib.import_module("torch.utils.data")
            adapter = self

            class LoaderView(data.IterableDataset):  # type: ignore[misc,name-defined]
                """The same as PyTorch reads it."""

                def __iter__(self) -> Iterator[Any]:
                    return adapter.get_numpy_iterator()

            return data.DataLoader(LoaderView(), batch_size=None)

        def get_tf_dataset(self) -> Any:
            raise NotImplementedError(
                "Keras runs on TensorFlow, which reads its own datasets only: set KERAS_BACKEND to jax, torch or numpy"
            )

        @property
        def num_batches(self) -> int | None:
            with using(EAGER):
                count = int(dataset.cardinality())
            return None if count < 0 else count

        @property
        def batch_size(self) -> int | None:
            shape = getattr(nest.flatten(dataset.element_spec)[0], "shape", None)
            return shape[0] if shape is not None and shape.rank else None

        @property
        def has_partial_batch(self) -> None:
            return None

        @property
        def partial_batch_size(self) -> None:
            return None

        def __repr__(self) -> str:
            return f"<Keras adapter of {dataset!r}>"

    return Adapter()


def _weighted(element: Any, weights: Mapping[int, float]) -> Any:
    """An element (x, y) with the weight of each row behind, by its class.

    Raises:
      ValueError: if the element has another form.
    """
    if not isinstance(element, tuple) or len(element) != 2:
        said = f"a tuple of {len(element)}" if isinstance(element, tuple) else f"a {type(element).__name__}"
        raise ValueError(f"class_weight= gives weights to elements (x, y): an element is {said}")
    labels = np.asarray(element[1])
    if labels.ndim > 1:
        labels = np.argmax(labels, -1) if labels.shape[-1] != 1 else labels[..., 0]
    flat = np.round(labels).astype(np.int64).reshape(-1).tolist()
    return *element, np.array([weights.get(label, 1.0) for label in flat], np.float32).reshape(labels.shape)
