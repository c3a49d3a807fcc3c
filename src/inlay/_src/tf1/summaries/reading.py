"""Event files read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.records import tf_record_iterator


@export("train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of a file, one after the other, the one that says the version first.

    Args:
      path: the file.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: at a record that is damaged, cut short, or no event.
    """
    return _events(tf_record_iterator(path), path)


def _events(records: Any, path: Any) -> Iterator[Any]:
    from inlay._src.base.protos.event import Event
    from inlay._src.base.protos.schema import parsed

    with closing(records):
        for record in records:
            try:
                yield parsed(Event, record)
            except ValueError as error:
                raise errors.DataLossError(None, None, f"{path}: {error}") from None
