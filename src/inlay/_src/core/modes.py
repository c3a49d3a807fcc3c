"""Blocks in which ops run at once, or are added to the default graph, whatever holds around them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inlay._src.core import context
from inlay._src.core.graph import default_graph


@contextmanager
def eager_mode() -> Iterator[None]:
    """Ops in the block run at once: `tensorflow.python.eager.context.eager_mode`."""
    state = context.current()
    if state.graph is None:
        yield
        return
    with context.using(context.State(tapes=state.tapes, device=state.device, executor=state.executor)):
        yield


@contextmanager
def graph_mode() -> Iterator[None]:
    """Ops in the block are added to the default graph: `tensorflow.python.eager.context.graph_mode`."""
    with context.building(default_graph()):
        yield
