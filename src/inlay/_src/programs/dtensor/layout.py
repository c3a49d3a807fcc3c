"""`Layout`: the axis of the mesh that each axis of the tensor is sharded along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.attributes import text, whole
from inlay._src.core.values import check_rank
from inlay._src.programs.dtensor.mesh import Mesh

UNSHARDED: str = export("experimental.dtensor.UNSHARDED")("unsharded")
MATCH: str = export("experimental.dtensor.MATCH")("match")


@export("experimental.dtensor.Layout")
class Layout:
    """The layout of a tensor on a mesh; immutable.

    Args:
      sharding_specs: per axis of the tensor, the name of the mesh's axis that it is cut along, `UNSHARDED`, or
        `MATCH`, which `relayout` replaces by what the tensor has.
      mesh: the mesh.

    Raises:
      ValueError: for a name that is no axis of the mesh, or that comes twice.
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        if isinstance(sharding_specs, str):
            raise TypeError(f"sharding_specs must be a list of names, got {sharding_specs!r}")
        self._specs, self._mesh = tuple(sharding_specs), mesh
        cut = [s for s in self._specs if s not in (UNSHARDED, MATCH)]
        for name in cut:
            if not mesh.contains_dim(name):
                raise ValueError(f"{name}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
            if cut.count(name) > 1:
                raise ValueError(
                    f"Mesh dimension {name} was repeated in sharding specification {list(self._specs)}. Mesh "
                    "dimensions must be unique in a layout."
                )

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """A layout in which every device has the whole tensor.

        Args:
          mesh: the mesh.
          rank: the tensor's rank.
        """
        return cls([UNSHARDED] * _checked(rank), mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """A layout that cuts one axis of a tensor.

        Args:
          mesh: the mesh.
          batch_dim: the mesh's axis.
          rank: the tensor's rank.
          axis: the tensor's axis.
        """
        return cls([batch_dim if i == axis else UNSHARDED for i in range(_checked(rank))], mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """A layout that cuts the last axis of a tensor.

        Args:
          mesh: the mesh.
          inner_dim: the mesh's axis.
          rank: the tensor's rank.
        """
        return cls.batch_sharded(mesh, inner_dim, rank, axis=_checked(rank) - 1)

    @property
    def sharding_specs(self) -> list[str]:
        """Per axis of the tensor, the name of the mesh's axis, or `UNSHARDED`."""
        return list(self._specs)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def rank(self) -> int:
        """The rank of the tensors that it is for."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """The sizes of the mesh's axes."""
        return self._mesh.shape()

    def num_shards(self, idx: int) -> int:
        """The number of shards of an axis of the tensor.

        Args:
          idx: the axis.
        """
        return 1 if self._specs[idx] == UNSHARDED else self._mesh.dim_size(self._specs[idx])

    def is_fully_replicated(self) -> bool:
        """Whether every device has the whole tensor."""
        return all(self.num_shards(i) == 1 for i in range(self.rank))

    def is_batch_parallel(self) -> bool:
        """Whether no axis but the first is cut."""
        return all(s == UNSHARDED for s in self._specs[1:])

    def delete(self, dims: Sequence[int]) -> Layout:
        """The layout without some axes of the tensor.

        Args:
          dims: the axes.
        """
        return Layout([s for i, s in enumerate(self._specs) if i not in dims], self._mesh)

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Per device, which part along each axis of the tensor it has."""
        return [
            tuple(0 if s == UNSHARDED else where[s] for s in self._specs)
            for where in self._mesh.local_device_locations()
        ]

    def local_shape_from_global_shape(self, global_shape: Any) -> TensorShape:
        """The shape of a part of a tensor.

        Args:
          global_shape: the tensor's shape.
        """
        dims = shapes.as_shape(global_shape).as_list()
        return TensorShape([None if d is None else d // self.num_shards(i) for i, d in enumerate(dims)])

    def global_shape_from_local_shape(self, local_shape: Any) -> TensorShape:
        """The shape of a tensor whose parts have a shape.

        Args:
          local_shape: the parts' shape.
        """
        dims = shapes.as_shape(local_shape).as_list()
        return TensorShape([None if d is None else d * self.num_shards(i) for i, d in enumerate(dims)])

    def check_fits(self, dims: Sequence[int]) -> None:
        """Raises InvalidArgumentError if a tensor of a shape cannot lie so."""
        if len(dims) != self.rank:
            raise errors.InvalidArgumentError(
                None, None, f"matching rank required: {self!r} is for rank {self.rank}, the tensor has {list(dims)}"
            )
        for axis, size in enumerate(dims):
            if size % self.num_shards(axis):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"dimension {axis} of {list(dims)} must be divisible by the {self.num_shards(axis)} shards of "
                    f"mesh dimension {self._specs[axis]!r}",
                )

    def parts(self, dims: Sequence[int]) -> Iterator[tuple[slice, ...]]:
        """Per device, the part that it has of a tensor of a shape, as an index."""
        sizes = [size // self.num_shards(axis) for axis, size in enumerate(dims)]
        for offsets in self.offset_to_shard():
            yield tuple(slice(o * size, (o + 1) * size) for o, size in zip(offsets, sizes, strict=True))

    def to_string(self) -> str:
        """Its text, which `from_string` reads."""
        return f"sharding_specs:{''.join(f'{s},' for s in self._specs)} mesh:{self._mesh.to_string()}"

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """The layout of a text.

        Args:
          layout_str: as `to_string` writes it.

        Raises:
          TypeError: if it is no text.
          ValueError: if it is another text.
        """
        specs, colon, mesh = text(layout_str, "layout_str").partition(" mesh:")
        if not colon or not specs.startswith("sharding_specs:"):
            raise ValueError(f"a layout is written sharding_specs:..., mesh:..., got {layout_str!r}")
        names = specs.removeprefix("sharding_specs:").split(",")
        return cls([n for n in names if n], Mesh.from_string(mesh))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"


def _checked(rank: Any) -> int:
    number = whole(rank, "rank")
    check_rank(number)
    return number
