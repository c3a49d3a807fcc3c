"""A session that is in force without a `with` statement."""

from __future__ import annotations

from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.programs.session.session import Session


@export("InteractiveSession")
class InteractiveSession(Session):
    """A session that is the default one, with its graph, until it is closed."""

    _active_session_count: ClassVar[int] = 0
    _places_pruned_graph = True

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        if InteractiveSession._active_session_count > 0:
            messages.error(
                "An interactive session is already active. This can cause out-of-memory errors or some other "
                "unexpected errors (due to the unpredictable timing of garbage collection) in some cases. You must "
                "explicitly call `InteractiveSession.close()` to release resources held by the other session(s). "
                "Please use `tf.Session()` if you intend to productionize."
            )
        InteractiveSession._active_session_count += 1
        self._before = context.get()
        context.set_state(context.State(graph=self._graph))
        context.DEFAULT_SESSION.stack.append(self)
        self._active = True

    def close(self) -> None:
        """Frees the session and restores what was the default before."""
        if self._active:
            self._active = False
            InteractiveSession._active_session_count -= 1
        if self in context.DEFAULT_SESSION.stack:
            context.DEFAULT_SESSION.stack.remove(self)
            context.set_state(self._before)
        super().close()
