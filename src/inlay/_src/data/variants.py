"""Datasets as tensors, and on devices, by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.core.device import parts_of
from inlay._src.core.tensor import Tensor
from inlay._src.data.dataset import Dataset
from inlay._src.data.spec import DatasetSpec
from inlay._src.data.ways import AUTOTUNE


@export("data.experimental.to_variant")
def to_variant(dataset: Dataset) -> Tensor:
    """A dataset as a tensor.

    Args:
      dataset: the dataset.

    Returns:
      A variant scalar.
    """
    return dataset._variant_tensor


@export("data.experimental.from_variant")
def from_variant(variant: Any, structure: Any) -> Dataset:
    """The dataset that a tensor stands for.

    Args:
      variant: a variant scalar, such as `to_variant` gives.
      structure: the `element_spec` of its elements, as `get_structure` returns it.
    """
    return DatasetSpec(structure)._of_tensor(variant)  # type: ignore[no-any-return]


@export("data.experimental.copy_to_device")
def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Callable[[Dataset], Dataset]:
    """A transformation whose elements lie on a device: a CPU, where they are already.

    Args:
      target_device: the device.
      source_device: where the elements are made.

    Raises:
      UnimplementedError: for an accelerator: `Dataset.as_jax_iterator(device=...)` gives elements there.
    """
    _check_cpu(target_device, "copy_to_device")
    _check_cpu(source_device, "copy_to_device")
    return lambda dataset: dataset


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device: Any, buffer_size: int | None = None) -> Callable[[Dataset], Dataset]:
    """A transformation that makes elements ahead, on a device: a CPU.

    Args:
      device: the device.
      buffer_size: the number of elements; None chooses.

    Raises:
      UnimplementedError: for an accelerator: `Dataset.as_jax_iterator(device=...)` gives elements there, one ahead.
    """
    _check_cpu(device, "prefetch_to_device")
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def _check_cpu(device: Any, what: str) -> None:
    kind = parts_of(device if isinstance(device, str) else device.to_string()).get("device", "CPU")
    if kind != "CPU":
        raise errors.UnimplementedError(
            None, None, f"data.experimental.{what} to {device}: the elements of datasets are made on the CPU; "
            "Dataset.as_jax_iterator(device=...) gives them on a device, one ahead"
        )  # fmt: skip
