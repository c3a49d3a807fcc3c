"""The names of the nodes of a message, and of those that are added to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


class NodeNames:
    """The names that nodes of a graph or function have in a message.

    Args:
      names: those of its nodes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._nodes = set(names)
        self._scopes: set[str] | None = None
        self._numbers: dict[str, int] = {}  # name -> the number behind the last name like it: searches are short

    def add(self, names: Iterable[str]) -> None:
        """Adds the names of nodes that were written."""
        self._nodes.update(names)

    def remove(self, names: Iterable[str]) -> None:
        """Removes the names of nodes that are not written."""
        self._nodes.difference_update(names)

    def claim(self, name: str) -> str:
        """A name like `name` that no node has. It is a node's from now on."""
        return self._claimed(name, self._nodes)

    def claim_scope(self, name: str) -> str:
        """A name like `name` that no node has, and below which no node is. It is a scope's from now on."""
        if self._scopes is None:
            self._scopes = {node[:at] for node in self._nodes for at, char in enumerate(node) if char == "/"}
        unique = self._claimed(name, self._nodes, self._scopes)
        self._scopes.add(unique)
        return unique

    def _claimed(self, name: str, *taken: Collection[str]) -> str:
        unique, self._numbers[name] = _numbered(name, taken, self._numbers.get(name, 0))
        self._nodes.add(unique)
        return unique

    def copy(self) -> NodeNames:
        """The names as they are now."""
        return NodeNames(self._nodes)


def free_name(name: str, *taken: Collection[str]) -> str:
    """The name, or the first one with a number behind it, that is in none of the collections."""
    return _numbered(name, taken, 0)[0]


def _numbered(name: str, taken: Sequence[Collection[str]], number: int) -> tuple[str, int]:
    """The first free name like `name` with a number from `number` on, and the number; none stands behind it for 0."""
    unique = f"{name}_{number}" if number else name
    while any(unique in names for names in taken):
        number += 1
        unique = f"{name}_{number}"
    return unique, number
