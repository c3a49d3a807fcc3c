"""The collections of a graph: lists of what belongs to it, by name."""

from __future__ import annotations

import re
from typing import Any


class Collections:
    """Lists of items by name."""

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to the collection of that name, also if it is in it already."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends a value once to each of several collections; one name may be a string."""
        for name in dict.fromkeys((names,) if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of a collection; with `scope`, the items whose name matches it as a regular expression."""
        items = list(self._collections.get(name, []))
        return [i for i in items if re.match(scope, getattr(i, "name", ""))] if scope else items

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list of a collection itself: changes of it are changes of the collection."""
        return self._collections.setdefault(name, [])

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name: Any) -> None:
        """Removes a collection; nothing happens if there is none of that name."""
        self._collections.pop(name, None)
