"""Tables in saved models: their description, and the table of a description.

A table that was filled from a file is filled from the model's copy of it; of any other one keys and values are saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, BinaryIO

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.ops.hash_tables.table_ops import WHOLE_LINE, TextFile
from inlay._src.ops.hash_tables.table_state import TableSpec, TableState
from inlay._src.training.checkpoint_files import CheckpointFile


def as_data(table: TableState, number: int, file: str | None, values: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """The description of a table.

    Args:
      table: the table.
      number: that of the object.
      file: the model's copy of the file that it was filled from, if it was.
      values: takes the arrays that go into the checkpoint, by their keys.

    Raises:
      FailedPreconditionError: if it is static and was not filled.
    """
    spec = table.spec
    said: dict[str, Any] = {
        "table": spec.kind,
        "name": table.name,
        "types": [spec.key_dtype.name, spec.value_dtype.name],
        "shapes": [list(spec.key_dims), list(spec.value_dims)],
    }
    if file is not None:
        return {**said, "file": file, "read": list(table.source[1:])}
    keys, held = table.export()
    said["keys"], said["values"] = f"tables/{number}/keys", f"tables/{number}/values"
    values[said["keys"]], values[said["values"]] = (keys, spec.key_dtype), (held, spec.value_dtype)
    if spec.reserved:
        said["reserved"] = f"tables/{number}/reserved"
        every = np.array(list(spec.reserved), object if spec.key_dtype is dtypes.string else spec.key_dtype.np)
        values[said["reserved"]] = every, spec.key_dtype
    return said


Words = Callable[[str], AbstractContextManager[tuple[str, BinaryIO]]]
"""Opens a file of a model by its path there: gives the full path, and the verified bytes."""


def from_data(said: Mapping[str, Any], words: Words, reader: CheckpointFile) -> TableState:
    """The table of a description.

    Args:
      said: the result of `as_data`.
      words: opens the file that it was filled from.
      reader: of its checkpoint.
    """
    key_dtype, value_dtype = map(dtypes.as_dtype, said["types"])
    key_dims, value_dims = (tuple(map(int, dims)) for dims in said["shapes"])
    reserved = {}
    if "reserved" in said:
        read = reader.read(said["reserved"])
        if read.shape != (2, *key_dims) or not read.size:
            raise ValueError(f"the reserved keys have the shape {read.shape}")
        every = read.tolist()
        keys = [tuple(k) if isinstance(k, list) else k for k in every]
        reserved = dict(zip(keys, ("empty_key", "deleted_key"), strict=True))
    spec = TableSpec(str(said["table"]), key_dtype, value_dtype, key_dims, value_dims, reserved)
    state = TableState(spec, str(said["name"]))
    if "file" in said:
        key_index, value_index, vocab_size, delimiter, offset = said["read"]
        if not isinstance(delimiter, str) or not delimiter or min(int(key_index), int(value_index)) < WHOLE_LINE:
            raise ValueError(f"the columns of its file are {key_index!r} and {value_index!r}, parted by {delimiter!r}")
        with words(str(said["file"])) as (path, file):
            TextFile(path, int(key_index), int(value_index), int(vocab_size), delimiter, int(offset)).fill(state, file)
    else:
        state.fill(reader.read(said["keys"]), reader.read(said["values"]))
    return state
