"""The checkpoint of a saved model with a manifest: a tensor bundle, or the `.npz` file of earlier versions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from inlay._src.saved.container import Container
from inlay._src.training import npz_checkpoint
from inlay._src.training.checkpoint_files import CheckpointFile
from inlay._src.training.tensor_bundle import TensorBundleReader

VARIABLES = "variables/variables"
CAPTURED = "captured/"
"""The prefix of the keys of variables that no attribute leads to."""


@contextmanager
def stored_values(container: Container) -> Iterator[CheckpointFile]:
    """The values of a model's variables. Each file is read through the descriptor whose bytes were verified.

    Args:
      container: the files of the model.

    Raises:
      DataLossError: if they are damaged.
    """
    prefix, former = os.path.join(container.path, VARIABLES), f"{VARIABLES}{npz_checkpoint.SUFFIX}"
    if former in container.files:
        with container.verified(former) as file, npz_checkpoint.NpzReader(prefix, file) as values:
            yield values
        return

    def opened(path: str) -> BinaryIO:
        return container.open_verified(os.path.relpath(path, container.path))

    with TensorBundleReader(prefix, opened) as bundle:
        yield bundle
