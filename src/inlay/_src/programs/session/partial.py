"""Partial runs: one run of a graph in several steps, each of which feeds and fetches more. No op runs twice.

A value that was computed and that a later step still reads is kept between the steps: it is fetched along with the
fetches of its step, and fed to the steps that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inlay._src.base import errors
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.plan.build import unfed
from inlay._src.programs.session.feeds import feed_items, feed_keys
from inlay._src.programs.session.fetches import parse_fetches


class PartialRun:
    """A run that has begun.

    Args:
      graph: the graph.
      run: runs some of its fetches with some feeds, as `Session.run` does.
      fetches: all that its steps will fetch.
      feeds: all that they will feed.

    Attributes:
      left: the elements that are still to be fetched, by identity.
    """

    def __init__(self, graph: Graph, run: Callable[[Any, Any], Any], fetches: Any, feeds: Any) -> None:
        self._graph, self._run = graph, run
        elements = parse_fetches(self._graph, fetches).elements
        if not elements:
            raise _invalid("Must specify at least one target to fetch or execute.")
        keys = feed_keys(self._graph, feeds or ())
        for i, key in enumerate(keys):
            if any(key is k for k in keys[:i]):
                raise _invalid(f'Endpoint "{key.name}" fed more than once.')
        self._fetches = {id(e): e for e in elements}
        self._feeds = {id(k): k for k in keys}
        self.left: dict[int, Any] = dict(self._fetches)
        self._computed: dict[int, tuple[SymbolicTensor, Any]] = {}  # tensors that have a value by now
        self._done: set[int] = set()  # nodes that have run
        self._every = self._behind(elements, wait=True)

    def step(self, fetches: Any, feed_dict: Mapping[Any, Any] | None) -> Any:
        """Feeds and fetches some more; the result is that of `Session.run`.

        Raises:
          InvalidArgumentError: for what was not announced, comes again, or cannot be computed so far.
        """
        keys, values = feed_items(self._graph, feed_dict)
        elements = parse_fetches(self._graph, fetches).elements
        for key in keys:
            self._announced(key, self._feeds, id(key) in self._computed, "feed", "fed")
        for element in elements:
            self._announced(element, self._fetches, id(element) not in self.left, "fetch", "fetched")
        self._computed.update((id(k), (k, v)) for k, v in zip(keys, values, strict=True))
        now = self._behind(elements)
        later = [node for node in self._every.values() if id(node) not in now and id(node) not in self._done]
        intermediate = {
            id(t): t for node in later for t in node.inputs if id(t.op) in now and id(t) not in self._computed
        }
        fed = dict(self._computed.values())
        got, between = (
            self._run([fetches, list(intermediate.values())], fed) if elements or intermediate else (fetches, ())
        )
        self._computed.update((id(t), (t, value)) for t, value in zip(intermediate.values(), between, strict=True))
        self._done.update(now)
        for element in elements:
            del self.left[id(element)]
        return got

    def _announced(self, item: Any, among: Mapping[int, Any], again: bool, what: str, did: str) -> None:
        if id(item) not in among:
            raise _invalid(f"The {what} {item.name} was not specified in partial_run_setup.")
        if again:
            raise _invalid(f"The {what} {item.name} has already been {did}.")

    def _behind(self, elements: Iterable[Any], wait: bool = False) -> dict[int, Operation]:
        """The nodes that these elements need and that have not run, by identity.

        Raises:
          InvalidArgumentError: if one needs what has not been fed, unless that is waited for.
        """
        nodes: dict[int, Operation] = {}
        for element in elements:
            stack = [element]
            while stack:
                item = stack.pop()
                if id(item) in self._computed:
                    continue
                node = item.op if isinstance(item, SymbolicTensor) else item
                is_unfed = id(item) in self._feeds or node.opdef.role is Role.PLACEHOLDER
                if is_unfed and not wait:
                    if id(item) not in self._feeds:
                        raise unfed(node)
                    raise _invalid(f"Fetch {element.name} can't be computed from the feeds that have been fed so far.")
                if not is_unfed and id(node) not in nodes and id(node) not in self._done:
                    nodes[id(node)] = node
                    stack += [*node.inputs, *node.control_inputs]
        return nodes


def _invalid(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)
