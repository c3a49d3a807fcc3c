"""`Mesh`: logical devices of the CPU in a grid whose axes have names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.core import device
from inlay._src.core.eager.attributes import text
from inlay._src.core.tensor import EagerTensor, constant_eager

TASK = "/job:localhost/replica:0/task:0"


class MeshDimension(NamedTuple):
    """An axis of a mesh.

    Attributes:
      name: its name in layouts.
      size: the number of devices along it.
    """

    name: str
    size: int


@export("experimental.dtensor.Mesh")
class Mesh:
    """A grid of devices; immutable.

    Args:
      dim_names: the names of its axes.
      global_device_ids: the numbers of the devices, as an array of its shape.
      local_device_ids: the numbers of the devices of this process: all of them.
      local_devices: the names of these, in the same order.
      mesh_name: its name.
      global_devices: names of devices of several processes; must be empty or those of this one.
      use_xla_spmd: must be False.

    Raises:
      ValueError: if the devices do not fill the grid, or lie in other processes.
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: Any,
        local_device_ids: Sequence[int],
        local_devices: Sequence[Any],
        mesh_name: str = "",
        global_devices: Sequence[Any] | None = None,
        use_xla_spmd: bool = False,
    ) -> None:
        ids = np.asarray(global_device_ids)
        names = [_full_name(d) for d in local_devices]
        if len(dim_names) != ids.ndim or len(set(dim_names)) != ids.ndim:
            raise ValueError(f"a mesh of shape {list(ids.shape)} needs as many distinct names of axes, got {dim_names}")
        if ids.size != len(names) or ids.reshape(-1).tolist() != list(local_device_ids):
            raise ValueError(
                f"global_device_ids {ids.tolist()} and local_device_ids {list(local_device_ids)} differ, or are not as "
                f"many as the {len(names)} devices: a mesh lies in one process here"
            )
        if use_xla_spmd or (global_devices and [_full_name(d) for d in global_devices] != names):
            raise ValueError("a mesh lies in one process here: use_xla_spmd and global_devices are not supported")
        self._ids, self._devices, self._name = ids, tuple(names), mesh_name
        self._dims = tuple(map(MeshDimension, dim_names, ids.shape))

    @property
    def dim_names(self) -> list[str]:
        """The names of the axes."""
        return [d.name for d in self._dims]

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def size(self) -> int:
        """The number of devices."""
        return len(self._devices)

    @property
    def strides(self) -> list[int]:
        """The distance in the list of devices between neighbors along each axis."""
        sizes = self.shape()
        return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return [d.size for d in self._dims]

    def dim_size(self, dim_name: str) -> int:
        """The size of an axis.

        Args:
          dim_name: its name.

        Raises:
          ValueError: if there is none of that name.
        """
        return self[dim_name].size

    def contains_dim(self, dim_name: str) -> bool:
        """Whether it has an axis of that name."""
        return dim_name in self.dim_names

    def __getitem__(self, dim_name: str) -> MeshDimension:
        for dim in self._dims:
            if dim.name == dim_name:
                return dim
        names = ",".join(self.dim_names)
        raise ValueError(f"Dimension {dim_name} does not exist in mesh. Available dimensions: {names}")

    def device_type(self) -> str:
        """The type of the devices: CPU."""
        return "CPU"

    def local_devices(self) -> list[str]:
        """The full names of the devices."""
        return list(self._devices)

    def num_local_devices(self) -> int:
        """The number of devices."""
        return self.size

    def local_device_ids(self) -> list[int]:
        """The numbers of the devices, in their order."""
        return self._ids.reshape(-1).tolist()  # type: ignore[no-any-return]

    def global_device_ids(self) -> np.ndarray:
        """The numbers of the devices, as an array of the mesh's shape."""
        return self._ids.copy()

    def coords(self, device_idx: int) -> EagerTensor:
        """Where a device lies in the grid, as a tensor of one index per axis.

        Args:
          device_idx: its place in the list of devices.
        """
        return constant_eager(self.device_location(device_idx), None)

    def device_location(self, device_id: int) -> list[int]:
        """Where a device lies in the grid: one index per axis.

        Args:
          device_id: its place in the list of devices.
        """
        return [int(i) for i in np.unravel_index(device_id, self.shape())]

    def local_device_locations(self) -> list[dict[str, int]]:
        """Per device, axis -> where it lies along it."""
        return [dict(zip(self.dim_names, self.device_location(i), strict=True)) for i in range(self.size)]

    def is_remote(self) -> bool:
        """Whether its devices lie in another process: they do not."""
        return False

    def to_string(self) -> str:
        """Its text, which `from_string` reads."""
        dims = ",".join(f"{d.name}={d.size}" for d in self._dims)
        ids = ",".join(map(str, self.local_device_ids()))
        return f"{self._name}|{dims}|{ids}|{ids}|{','.join(self._devices)}"

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh of a text.

        Args:
          mesh_str: as `to_string` writes it.

        Raises:
          TypeError: if it is no text.
          ValueError: if it is another text.
        """
        parts = text(mesh_str, "mesh_str").split("|")
        if len(parts) != 5:
            raise ValueError(f"a mesh is written name|axes|ids|ids|devices, got {mesh_str!r}")
        name, dims, ids, local, devices = parts
        pairs = [d.split("=") for d in dims.split(",") if d]
        grid = np.array([int(i) for i in ids.split(",")]).reshape([int(size) for _, size in pairs])
        return cls([n for n, _ in pairs], grid, [int(i) for i in local.split(",")], devices.split(","), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"


def _full_name(name: Any) -> str:
    """`/job:localhost/replica:0/task:0/device:CPU:1` of a name or DeviceSpec.

    Raises:
      ValueError: if it is no logical device of the CPU.
    """
    label = name if isinstance(name, str) else name.to_string()
    local = f"/device:{label}" if label.startswith("CPU:") else "/device:" + label.rpartition("/device:")[2]
    if local not in device.cpu_names():
        raise ValueError(
            f"{label} is not one of the CPU's logical devices {list(device.cpu_names())}, of which meshes are made: "
            "tf.config.set_logical_device_configuration gives the CPU several"
        )
    return TASK + local


@export("experimental.dtensor.create_mesh")
def create_mesh(
    mesh_dims: Sequence[tuple[str, int]] | Mapping[str, int] | None = None,
    mesh_name: str = "",
    devices: Sequence[Any] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of logical devices of the CPU.

    Args:
      mesh_dims: the name and the size of each axis; None is one axis "x" over all devices.
      mesh_name: its name.
      devices: names of devices, in row-major order; None takes all.
      device_type: "CPU" or None.
      use_xla_spmd: must be False.

    Raises:
      ValueError: if there are not as many devices as places in the grid.
    """
    device.note_started()
    if devices is None:
        devices = device.cpu_names() if (device_type or "CPU").upper() == "CPU" else ()
    dims = [("x", len(devices))] if mesh_dims is None else list(dict(mesh_dims).items())
    if mesh_dims is not None and len(dims) != len(mesh_dims):
        raise ValueError(f"the axes of a mesh need distinct names, got {list(mesh_dims)}")
    sizes = [size for _, size in dims]
    if math.prod(sizes) != len(devices):
        raise ValueError(f"length of devices ({len(devices)}) must be equal to total size of the mesh of shape {sizes}")
    ids = np.arange(len(devices)).reshape(sizes)
    return Mesh([n for n, _ in dims], ids, range(len(devices)), devices, mesh_name, use_xla_spmd=use_xla_spmd)
