"""Tables in saved models: what is said of one, and one made again.

A table that was filled from a file is filled from the model's copy of it; of any other one keys and values are saved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from inlay.hash_tables.table import Table
from inlay.hash_tables.table_ops import TextFile
from inlay.hash_tables.table_state import TableSpec, TableState
from inlay.training.bundle import Reader
from inlay.types import dtypes


def as_data(table: TableState, number: int, values: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """What is said of a table.

    Args:
      table: the table.
      number: that of the object.
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
    if table.source is not None:
        file = f"assets/{number}/{os.path.basename(table.source.path)}"
        return {**said, "file": file, "read": list(table.source[1:])}
    keys, held = table.export()
    said["keys"], said["values"] = f"tables/{number}/keys", f"tables/{number}/values"
    values[said["keys"]], values[said["values"]] = (keys, spec.key_dtype), (held, spec.value_dtype)
    if spec.reserved:
        said["reserved"] = f"tables/{number}/reserved"
        every = np.array(list(spec.reserved), object if spec.key_dtype is dtypes.string else spec.key_dtype.np)
        values[said["reserved"]] = every, spec.key_dtype
    return said


def from_data(said: Mapping[str, Any], folder: str, reader: Reader) -> Table:
    """The table of which `as_data` said this.

    Args:
      said: what it said.
      folder: that of the model.
      reader: of its checkpoint.
    """
    key_dtype, value_dtype = map(dtypes.as_dtype, said["types"])
    key_dims, value_dims = (tuple(map(int, dims)) for dims in said["shapes"])
    reserved = {}
    if "reserved" in said:
        every = reader.read(said["reserved"]).tolist()
        keys = [tuple(k) if isinstance(k, list) else k for k in every]
        reserved = dict(zip(keys, ("empty_key", "deleted_key"), strict=True))
    spec = TableSpec(str(said["table"]), key_dtype, value_dtype, key_dims, value_dims, reserved)
    made = TableState(spec, str(said["name"]))
    if "file" in said:
        source = TextFile(os.path.join(folder, said["file"]), *said["read"])
        source.fill(made)
    else:
        made.fill(reader.read(said["keys"]), reader.read(said["values"]))
    return Table.of_state(made)
