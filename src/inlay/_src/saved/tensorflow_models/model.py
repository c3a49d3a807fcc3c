"""A saved model of TensorFlow, read without running anything of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from inlay._src.base.files.allowance import allowance
from inlay._src.saved.container import GRAPH, MANIFEST, MOST_GRAPH, MissingModelError
from inlay._src.saved.folder import ModelFolder
from inlay._src.training import tensor_bundle
from inlay._src.training.checkpoint_files import CheckpointFile
from inlay._src.training.tensor_bundle import TensorBundleReader

TEXT = "saved_model.pbtxt"
VARIABLES, ASSETS = "variables/variables", "assets"


def is_tensorflow_model(path: str) -> bool:
    """Whether a folder holds a saved model's graph."""
    return any(os.path.isfile(os.path.join(path, name)) for name in (GRAPH, TEXT))


def has_no_manifest(path: str) -> bool:
    """Whether a folder holds a saved model without a manifest: one that TensorFlow wrote."""
    return not os.path.lexists(os.path.join(path, MANIFEST)) and is_tensorflow_model(path)


class TensorFlowModel:
    """A saved model of TensorFlow.

    Args:
      path: its folder.
      tags: the labels of the graph that is meant; None takes the only one.
      meta: the `MetaGraphDef` of it, where it was read already.

    Attributes:
      folder: its files.
      meta: the `MetaGraphDef`.
      objects: its `SavedObjectGraph`; without nodes if it is of 1.x.
      has_bodies: whether it holds the Python functions that it calls, which were allowed to run.

    Raises:
      NotFoundError: if there is no model.
      DataLossError: if it is damaged.
      ValueError: if it has no graph of these labels.
    """

    has_bodies = False

    def __init__(self, path: str, tags: Any = None, meta: Any = None) -> None:
        self.folder = ModelFolder(path)
        self.meta: Any = self._chosen(_graphs(self.folder, self.size), tags) if meta is None else meta
        self.objects: Any = self.meta.object_graph_def

    @property
    def size(self) -> int:
        """The bytes of its graph and of its variables."""
        return _size(self.folder.path)

    def _chosen(self, graphs: Sequence[Any], tags: Any) -> Any:
        """The graph of these labels."""
        wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
        for meta in graphs:
            if wanted == set(meta.meta_info_def.tags) or (wanted is None and len(graphs) == 1):
                return meta
        every = ", ".join(str(sorted(meta.meta_info_def.tags)) for meta in graphs)
        if wanted is None:
            raise ValueError(
                f"Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than "
                f"one MetaGraph: {self.folder.path} has {every}"
            )
        raise NoSuchGraphError(
            f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel, with available tags "
            f"{every}. To inspect available tag-sets in the SavedModel, use `inlay show {self.folder.path}`"
        )

    @property
    def library(self) -> Iterable[Any]:
        """The functions, as `FunctionDef`s."""
        return self.meta.graph_def.library.function  # type: ignore[no-any-return]

    @property
    def signatures(self) -> Mapping[str, Any]:
        """Name -> `SignatureDef`, without those that load the model."""
        return {n: s for n, s in self.meta.signature_def.items() if not n.startswith("__saved_model")}

    @property
    def has_variables(self) -> bool:
        """Whether there is a checkpoint."""
        return os.path.lexists(os.path.join(self.folder.path, VARIABLES + tensor_bundle.INDEX))

    @contextmanager
    def variables(self) -> Iterator[CheckpointFile]:
        """The checkpoint with the values of its variables."""
        with TensorBundleReader(os.path.join(self.folder.path, VARIABLES), self._opened) as reader:
            yield reader

    def _opened(self, path: str) -> BinaryIO:
        return self.folder.open(os.path.relpath(path, self.folder.path))

    def asset(self, name: str) -> str:
        """The path of a file of the model, which may be missing.

        Raises:
          DataLossError: if it is none within the folder.
        """
        with contextlib.suppress(FileNotFoundError):
            self.folder.open(f"{ASSETS}/{name}").close()
        return os.path.join(self.folder.path, ASSETS, name)


def _size(path: str) -> int:
    prefix = os.path.join(path, VARIABLES)
    paths = [os.path.join(path, name) for name in (GRAPH, TEXT)]
    paths += [prefix + tensor_bundle.INDEX, *tensor_bundle.data_files(prefix)]
    return sum(os.lstat(path).st_size for path in paths if os.path.lexists(path))


def graphs_of(path: str) -> list[TensorFlowModel]:
    """Every graph of a saved model of TensorFlow.

    Args:
      path: its folder.

    Raises:
      NotFoundError, DataLossError: see `TensorFlowModel`.
    """
    folder = ModelFolder(path)
    return [TensorFlowModel(path, meta=meta) for meta in _graphs(folder, _size(path))]


def _graphs(folder: ModelFolder, size: int) -> Sequence[Any]:
    """The `MetaGraphDef`s of a model whose graph and variables have this many bytes."""
    if not is_tensorflow_model(folder.path):
        raise MissingModelError(None, None, f"SavedModel file does not exist at: {folder.path} (it has no {GRAPH})")
    with allowance(size):
        graphs = list(_message(folder).meta_graphs)
    if not graphs:
        raise folder.damaged(GRAPH, "it has no graph")
    return graphs


def _message(folder: ModelFolder) -> Any:
    from inlay._src.base.protos.saved_model import SavedModel
    from inlay._src.base.protos.schema import parsed, parsed_text

    if os.path.lexists(os.path.join(folder.path, GRAPH)):
        data = folder.whole(GRAPH, MOST_GRAPH)
        with folder.guard(GRAPH):
            return parsed(SavedModel, data)
    data = folder.whole(TEXT, MOST_GRAPH)
    with folder.guard(TEXT):
        return parsed_text(SavedModel, data.decode())


class NoSuchGraphError(RuntimeError, ValueError):
    """A model has no graph of these labels: RuntimeError is TensorFlow's class for it."""
