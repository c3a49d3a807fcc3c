"""Variables in parts in the checkpoints of a `Saver`: the parts of a whole are one value, under the name of the whole.

So a variable that was saved in two parts is restored in three, or in one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.ops.variables.partitioned import PartitionedVariable
from inlay._src.ops.variables.save_slice import SaveSliceInfo
from inlay._src.ops.variables.variable import Variable
from inlay._src.training import checkpoint_files
from inlay._src.training.checkpoint_files import CheckpointFile


class Whole:
    """One value of a checkpoint: that of a variable, or of the parts that make one up.

    Args:
      variables: the variable, or the parts.

    Attributes:
      variables: as given.
      name, dtype, shape: of the whole.
    """

    __slots__ = ("_slices", "dtype", "name", "shape", "variables")

    def __init__(self, variables: Sequence[Variable]) -> None:
        first = variables[0]
        info = slice_of(first) if _covered(variables) else None
        self.variables, self.dtype = variables, first.dtype
        self.name: str = first.name if info is None else str(info.full_name)
        self.shape: TensorShape = first.shape if info is None else shapes.as_shape(info.full_shape)
        self._slices = None if info is None else [_cut(slice_of(v)) for v in variables]

    def joined(self, values: Sequence[Any]) -> Any:
        """The value of the whole.

        Args:
          values: those of `variables`.
        """
        if self._slices is None:
            return values[0]
        whole = np.empty(self.shape.as_list(), self.dtype.np)  # type: ignore[arg-type]
        for cut, value in zip(self._slices, values, strict=True):
            whole[cut] = value
        return whole

    def cut(self, value: Any) -> list[tuple[Variable, Any]]:
        """The variables, each with its part of the value of the whole, an array or a tensor."""
        if self._slices is None:
            return [(self.variables[0], value)]
        return [(v, value[cut]) for v, cut in zip(self.variables, self._slices, strict=True)]

    def read(self, reader: CheckpointFile, key: str, reshape: bool) -> list[tuple[Variable, Any]]:
        """The variables with their values of a checkpoint.

        Args:
          reader: the checkpoint.
          key: the name of the whole there.
          reshape: whether a value of another shape but the same size is accepted.

        Raises:
          NotFoundError, InvalidArgumentError: if there is none, or none that fits.
        """
        alone = [v.name.removesuffix(":0") for v in self.variables]
        if self._slices is None or (key not in reader and all(name in reader for name in alone)):
            keys = [key] if self._slices is None else alone
            return [(v, _value(reader, k, v, reshape)) for k, v in zip(keys, self.variables, strict=True)]
        return self.cut(_value(reader, key, self, reshape))


def wholes(var_list: Any) -> dict[str, Whole]:
    """Name -> what is kept under it. Parts are joined if all of them are there, and kept alone otherwise.

    Args:
      var_list: variables, partitioned ones and parts among them, or a dict of name -> one of these or a list of parts.

    Raises:
      ValueError: if two have the same name, or a list is not all parts of one variable.
      TypeError: if something is no variable.
    """
    by_name = isinstance(var_list, Mapping)
    groups: dict[str, list[Variable]] = {}
    for name, variable in var_list.items() if by_name else [(None, v) for v in _by_parts(var_list)]:
        parts = [variable] if isinstance(variable, Variable) else variable
        if not isinstance(parts, (PartitionedVariable, list, tuple)) or not all(isinstance(v, Variable) for v in parts):
            raise TypeError(f"Variable to save is not a Variable: {variable!r}")
        if not parts or (len(parts) > 1 and not _covered(list(parts))):
            raise ValueError(f"{name or variable!r}: a list of variables must be all parts of one, got {variable!r}")
        key = name or (parts.name if isinstance(parts, PartitionedVariable) else _own_name(parts))
        if key in groups:
            raise ValueError(f"At least two variables have the same name: {key}")
        groups[key] = list(parts)
    return {name: Whole(variables) for name, variables in groups.items()}


def _by_parts(variables: Iterable[Any]) -> list[Any]:
    """Variables, with the parts of one whole in a list of their own if they make it up."""
    groups: dict[Any, list[Any]] = {}
    for variable in variables:
        info = slice_of(variable)
        groups.setdefault(id(variable) if info is None else info.full_name, []).append(variable)
    out: list[Any] = []
    for group in groups.values():
        out += [group] if slice_of(group[0]) is not None and _covered(group) else group
    return out


def _own_name(parts: Sequence[Variable]) -> str:
    info = slice_of(parts[0])
    return str(info.full_name) if info is not None and _covered(parts) else parts[0].name.removesuffix(":0")


def slice_of(variable: Any) -> SaveSliceInfo | None:
    """Where a part lies in its whole; None for a variable that is no part."""
    return getattr(variable, "_save_slice_info", None)


def _covered(parts: Sequence[Variable]) -> bool:
    """Whether variables are the parts of a whole, all of them."""
    infos = [slice_of(v) for v in parts]
    if any(info is None for info in infos):
        return False
    sizes = sum(math.prod(info.var_shape) for info in infos if info is not None)
    return sizes == math.prod(infos[0].full_shape)  # type: ignore[union-attr]


def _cut(info: SaveSliceInfo | None) -> tuple[slice, ...]:
    assert info is not None
    return tuple([slice(at, at + size) for at, size in zip(info.var_offset, info.var_shape, strict=True)])


def _value(reader: CheckpointFile, key: str, variable: Variable | Whole, reshape: bool) -> Any:
    if reshape and key in reader and variable.shape.is_fully_defined():
        dims = variable.shape.as_list()
        if reader.shape(key) != dims and np.prod(reader.shape(key)) == np.prod(dims):  # type: ignore[arg-type]
            return reader.read(key).reshape(dims)
    return checkpoint_files.fitting(reader, key, variable)
