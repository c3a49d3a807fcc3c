"""Loading a saved model of TensorFlow into this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.base.files.allowance import allowance
from inlay._src.core import context
from inlay._src.programs.graph_def.host_functions import Hosts
from inlay._src.programs.graph_def.reading import ForeignCalls
from inlay._src.saved.container import GRAPH
from inlay._src.saved.loaded import LoadedObject, Signatures
from inlay._src.saved.tensorflow_models.model import TensorFlowModel
from inlay._src.saved.tensorflow_models.object_graph import ObjectGraph


def loaded_model(model: TensorFlowModel, trust: Any, host_functions: Mapping[str, Callable[..., Any]]) -> Any:
    """The object of a model; see `saved_model.load`.

    Raises:
      ValueError: if a name in `host_functions` is not that of a call of the model.
    """
    graph, foreign = context.home(), ForeignCalls(host_functions)
    state = context.State(graph, "" if graph is None else context.current().scope)
    with context.using(state), model.folder.guard(GRAPH), allowance(model.size):
        hosts = Hosts(model.library, trust)
        root = ObjectGraph(model, hosts, foreign, graph).root()
        if isinstance(root, LoadedObject):
            vars(root).setdefault("signatures", Signatures({}))
            vars(root)["tensorflow_version"] = model.meta.meta_info_def.tensorflow_version
            vars(root)["tensorflow_git_version"] = model.meta.meta_info_def.tensorflow_git_version
    unused = sorted(set(host_functions) - foreign.used)
    if unused:
        raise ValueError(
            f"host_functions= names {', '.join(map(repr, unused))}, and {model.folder.path} has no such call of Python"
        )
    return root
