"""Loading a saved model of TensorFlow into this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.base.files.allowance import allowance
from inlay._src.core import context
from inlay._src.programs.graph_def.foreign import ForeignModel
from inlay._src.programs.graph_def.host_functions import Hosts
from inlay._src.saved.container import GRAPH
from inlay._src.saved.loaded import LoadedObject, Signatures
from inlay._src.saved.tensorflow_models.model import TensorFlowModel
from inlay._src.saved.tensorflow_models.object_graph import ObjectGraph
from inlay._src.saved.tensorflow_models.session_graph import loaded_eagerly, loaded_into


def loaded_model(
    model: TensorFlowModel, trust: Any, host_functions: Mapping[str, Callable[..., Any]]
) -> tuple[Any, dict[str, Any]]:
    """The object of a model; see `saved_model.load`.

    Returns:
      The object, and the functions that the model has besides, by alias.

    Raises:
      ValueError: if a name in `host_functions` is not that of a call of the model.
    """
    graph = context.home()
    state = context.State(graph, "" if graph is None else context.current().scope)
    aliases: dict[str, Any] = {}
    with context.using(state), model.folder.guard(GRAPH), allowance(model.size):
        hosts = Hosts(model.library, trust)
        if model.objects.nodes:
            objects = ObjectGraph(model, hosts, host_functions, graph)
            foreign, root, aliases = objects.foreign, objects.root(), objects.aliases()
        else:
            foreign = ForeignModel(host_functions)
            root = loaded_eagerly(model, hosts, foreign)
        if isinstance(root, LoadedObject):
            vars(root).setdefault("signatures", Signatures({}))
            vars(root)["tensorflow_version"] = model.meta.meta_info_def.tensorflow_version
            vars(root)["tensorflow_git_version"] = model.meta.meta_info_def.tensorflow_git_version
    _check_used(model, foreign)
    return root, aliases


def load_into_session(
    sess: Any, model: TensorFlowModel, hosts: Hosts, foreign: ForeignModel, import_scope: str
) -> None:
    """Adds a model to the graph of a session; see `compat.v1.saved_model.load`.

    Args:
      sess: the session.
      model: the model.
      hosts: its Python functions, which may run.
      foreign: the functions for its calls of Python that it does not hold.
      import_scope: a prefix for the names of its nodes.
    """
    with model.folder.guard(GRAPH), allowance(model.size):
        loaded_into(sess, model, hosts, foreign, import_scope)
    _check_used(model, foreign)


def _check_used(model: TensorFlowModel, foreign: ForeignModel) -> None:
    unused = sorted(set(foreign.host_functions) - foreign.used)
    if unused:
        raise ValueError(
            f"host_functions= names {', '.join(map(repr, unused))}, and {model.folder.path} has no such call of Python"
        )
