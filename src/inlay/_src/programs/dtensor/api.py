"""Functions of `tf.experimental.dtensor`: tensors laid over a mesh, cut and put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core import device
from inlay._src.core.device_spec import DeviceSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.programs.dtensor.layout import MATCH, Layout
from inlay._src.programs.dtensor.mesh import TASK
from inlay._src.programs.dtensor.tensor import DEVICE, DTensor, components_as_tensors, laid
from inlay._src.programs.dtensor.variable import DVariable


@export("experimental.dtensor.copy_to_mesh")
def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> DTensor:
    """A value on a mesh.

    Args:
      tensor: a tensor, or what one can be made of.
      layout: the requested layout.
      source_layout: accepted.

    Raises:
      InvalidArgumentError: if its shape does not fit the layout.
    """
    return relayout(tensor, layout)


@export("experimental.dtensor.relayout")
def relayout(tensor: Any, layout: Layout, name: str | None = None) -> DTensor:
    """A tensor with another layout; its value stays.

    Args:
      tensor: a tensor on a mesh, or any value.
      layout: the requested layout; `MATCH` keeps how an axis is cut.
      name: ignored.

    Raises:
      InvalidArgumentError: if its shape does not fit the layout.
    """
    value: Any = convert_to_tensor(tensor)
    if not hasattr(layout, "sharding_specs"):
        raise errors.InvalidArgumentError(None, None, f"expected a Layout, got {layout!r}")
    specs = layout.sharding_specs
    if MATCH in specs:
        if not isinstance(value, DTensor) or value.layout.rank != layout.rank:
            raise errors.InvalidArgumentError(None, None, f"{layout!r} matches a tensor on a mesh, got {value!r}")
        specs = [own if s == MATCH else s for s, own in zip(specs, value.layout.sharding_specs, strict=True)]
    return laid(value, Layout(specs, layout.mesh))


@export("experimental.dtensor.relayout_like")
def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> DTensor:
    """A tensor with the layout of another one.

    Args:
      tensor: a tensor on a mesh, or any value.
      layout_tensor: a tensor on a mesh.
      name: ignored.
    """
    layout: Any = fetch_layout(layout_tensor)
    return relayout(tensor, layout)


@export("experimental.dtensor.pack")
def pack(tensors: Sequence[Any], layout: Layout) -> DTensor:
    """A tensor on a mesh from the part of every device.

    Args:
      tensors: per device of the mesh, in its order, the part.
      layout: the layout of the result.

    Raises:
      InvalidArgumentError: if they are not as many as devices, or parts that the layout says are the same differ.
      UnimplementedError: if their shapes differ.
      InternalError: if their types differ.
    """
    parts: list[Any] = [convert_to_tensor(t) for t in tensors]
    if len(parts) != layout.mesh.size:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"DTensorPack on {layout.mesh.size} devices expected as many inputs, got {len(parts)}",
        )
    if any(p.shape != parts[0].shape for p in parts):
        raise errors.UnimplementedError(
            None, None, "Components of a PackedTensor must currently all have the same shape"
        )
    if any(p.dtype is not parts[0].dtype for p in parts):
        raise errors.InternalError(None, None, "Components of a PackedTensor must all have the same dtype")
    sizes = parts[0]._value.shape
    if len(sizes) != layout.rank:
        layout.check_fits(sizes)
    dims = [size * layout.num_shards(axis) for axis, size in enumerate(sizes)]
    layout.check_fits(dims)
    whole = np.empty(dims, parts[0]._value.dtype)
    places = list(layout.parts(dims))
    for place, part in zip(places, parts, strict=True):
        whole[place] = part._value
    for at, (place, part) in enumerate(zip(places, parts, strict=True)):
        if np.asarray(whole[place]).tobytes() != np.asarray(part._value).tobytes() and whole.dtype != object:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{layout!r} has one part on several devices, but that of device {at} differs: {part!r}",
            )
    return DTensor(whole if dims else whole[()], parts[0].dtype, layout)


@export("experimental.dtensor.unpack")
def unpack(tensor: Any) -> list[EagerTensor]:
    """The part of every device, in the mesh's order.

    Args:
      tensor: a tensor on a mesh.

    Raises:
      InvalidArgumentError: if it lies on none.
    """
    value = tensor.value() if isinstance(tensor, DVariable) else tensor
    if not isinstance(value, DTensor):
        where = getattr(value, "device", type(value).__name__)
        raise errors.InvalidArgumentError(
            None,
            None,
            f"DTensorUnpack expects a tensor placed on the DTensor device: {DEVICE}, but input was placed on: {where}",
        )
    return components_as_tensors(value)


@export("experimental.dtensor.is_dtensor")
def is_dtensor(tensor: Any) -> bool:
    """Whether a value is a tensor or variable on a mesh."""
    return isinstance(tensor, (DTensor, DVariable))


@export("experimental.dtensor.fetch_layout")
def fetch_layout(tensor: Any) -> Layout | None:
    """The layout of a tensor or variable on a mesh; None for what is no tensor.

    Raises:
      InvalidArgumentError: for a tensor that lies on no mesh.
    """
    if isinstance(tensor, (DTensor, DVariable)):
        return tensor.layout
    if not isinstance(tensor, EagerTensor):
        return None
    raise errors.InvalidArgumentError(None, None, "FetchLayout expects a tensor placed on the layout device.")


@export("experimental.dtensor.check_layout")
def check_layout(tensor: Any, layout: Layout) -> None:
    """Checks the layout of a tensor.

    Args:
      tensor: a tensor on a mesh.
      layout: the expected value.

    Raises:
      ValueError: if it has another one.
    """
    own = fetch_layout(tensor)
    if own != layout:
        raise ValueError(f"Layout of tensor: {own}, did not match expected layout: {layout}")


@export("experimental.dtensor.call_with_layout")
def call_with_layout(fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any) -> Any:
    """The result of a function, laid over a mesh. Random numbers do not depend on the layout.

    Args:
      fn: a function of tensors.
      layout: of every tensor that it returns; None leaves them.
      args, kwargs: its arguments.

    Raises:
      InvalidArgumentError: if the shape of a result does not fit.
    """
    result = fn(*args, **kwargs)
    if layout is None:
        return result
    return nest.map_structure(lambda t: relayout(t, layout) if isinstance(t, EagerTensor) else t, result)


# ---------------------------------------------------------------- the one process


@export("experimental.dtensor.device_name")
def device_name() -> str:
    """The name of the device on which tensors on a mesh say that they lie."""
    return DEVICE


@export("experimental.dtensor.client_id")
def client_id() -> int:
    """The number of this process: 0."""
    return 0


@export("experimental.dtensor.num_clients")
def num_clients() -> int:
    """The number of processes: 1."""
    return 1


@export("experimental.dtensor.preferred_device_type")
def preferred_device_type() -> str:
    """The type of the devices that meshes are made of."""
    return "CPU"


@export("experimental.dtensor.local_devices")
def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """The devices of this process.

    Args:
      device_type: "CPU"; there are none of another type on a mesh.
      for_client_id: 0 or None.
    """
    device.note_started()
    there = device.cpu_names() if device_type.upper() == "CPU" and not for_client_id else ()
    return [DeviceSpec.from_string(TASK + name) for name in there]


@export("experimental.dtensor.num_local_devices")
def num_local_devices(device_type: str) -> int:
    """The number of `local_devices`.

    Args:
      device_type: "CPU"; there are none of another type on a mesh.
    """
    return len(local_devices(device_type))


@export("experimental.dtensor.num_global_devices")
def num_global_devices(device_type: str) -> int:
    """The number of devices of all processes: those of this one.

    Args:
      device_type: "CPU"; there are none of another type on a mesh.
    """
    return num_local_devices(device_type)
