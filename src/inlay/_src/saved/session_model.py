"""The graph of a session that inlay saved, as a model of TensorFlow whose files are those of a manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.saved.saver_nodes import SavedVariable, add_saver
from inlay._src.saved.stored_values import stored_values
from inlay._src.saved.tensorflow_models.model import ASSETS, VARIABLES, TensorFlowModel
from inlay._src.training.checkpoint_files import CheckpointFile


class SessionModel(TensorFlowModel):
    """The graph of a session that inlay saved.

    Args:
      container: the files of the model.
      meta: its `MetaGraphDef`. A graph of an earlier version gets nodes that restore its variables.
      has_bodies: whether it has Python functions, which were all allowed to run.
    """

    def __init__(self, container: Any, meta: Any, has_bodies: bool) -> None:
        super().__init__(container.path, meta=meta)
        self._container, self.folder, self.has_bodies = container, container, has_bodies
        if self.has_variables and not meta.saver_def.restore_op_name:
            with self.variables() as values:
                add_saver(meta, [v for v in _variables(meta.graph_def) if v.key in values])

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        size: int = self._container.size
        return size

    @property
    def has_variables(self) -> bool:
        """Whether there is a checkpoint."""
        return any(name.startswith(VARIABLES) for name in self._container.files)

    @contextmanager
    def variables(self) -> Iterator[CheckpointFile]:
        """The checkpoint with the values of its variables."""
        with stored_values(self._container) as values:
            yield values

    def asset(self, name: str) -> str:
        """The path of a file of the model, whose bytes were verified.

        Raises:
          DataLossError: if the manifest does not list it.
        """
        self._container.open_verified(f"{ASSETS}/{name}").close()
        return os.path.join(self._container.path, ASSETS, name)


def _variables(graph_def: Any) -> Iterator[SavedVariable]:
    """The variables of a graph."""
    for node in graph_def.node:
        if node.op.rpartition(">")[2] == "VarHandleOp":
            key = node.attr["shared_name"].s.decode("utf-8", "replace")
            yield SavedVariable(key, node.name, dtypes.as_dtype(node.attr["dtype"].type))
