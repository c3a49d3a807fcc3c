"""A session that is in force without a `with` statement."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.graph import Graph
from inlay._src.programs.session.session import Session


@export("InteractiveSession")
class InteractiveSession(Session):
    """A session that is the default one, with its graph, until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        if any(isinstance(session, InteractiveSession) for session in graphs.DEFAULT_SESSION.stack):
            messages.error(
                "An interactive session is already active: it keeps its variables and its place as the default session "
                "until `close()` is called. `with tf.compat.v1.Session()` closes a session at its end."
            )
        self._before = context.get()
        context.set_state(context.State(graph=self._graph))
        graphs.DEFAULT_SESSION.stack.append(self)

    def close(self) -> None:
        """Frees the session and restores what was the default before."""
        if self in graphs.DEFAULT_SESSION.stack:
            graphs.DEFAULT_SESSION.stack.remove(self)
            context.set_state(self._before)
        super().close()
