"""The caches of the process: bounded, with one eviction rule (the oldest entry goes first), and listed by `caches`.

Reading is what a dictionary costs. No lock is held: a dictionary's own operations are atomic, and keys may be objects
of the user's whose `__eq__` is his code. So threads that write at once may leave an entry or two fewer than the bound
allows, never more for long. A forked child goes on with the entries of its parent.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from inlay._src.base.export import export

K = TypeVar("K")
V = TypeVar("V")


class CacheInfo(NamedTuple):
    """The entry of one cache in `caches`."""

    name: str
    size: int
    most: int


_CACHES: dict[str, BoundedCache[Any, Any]] = {}
_FAMILIES: dict[str, Callable[[], tuple[int, int]]] = {}
"""Name of many small caches -> how many entries they have together, and how many they may have."""


def put(entries: dict[K, V], key: K, value: V, most: int) -> None:
    """Adds an entry to a dictionary of at most `most`; one beyond that takes the place of the oldest."""
    dict.__setitem__(entries, key, value)
    while len(entries) > most:
        try:
            del entries[next(iter(entries))]
        except (KeyError, RuntimeError, StopIteration):  # another thread changes it just now
            continue


class BoundedCache(dict[K, V], Generic[K, V]):
    """A dictionary of at most `most` entries; a new one beyond that takes the place of the oldest.

    `cache[key] = value` bounds it; `cache[key]` makes a missing value if the cache was given `make`. Entries are added
    in no other way.

    Args:
      name: its name in `caches`; unique in the process.
      most: the greatest number of its entries.
      make: gives the value of a key that `cache[key]` does not find; None raises KeyError as a dictionary does.
    """

    __slots__ = ("make", "most", "name")

    def __init__(self, name: str, most: int, make: Callable[[K], V] | None = None) -> None:
        super().__init__()
        if name in _CACHES:
            raise ValueError(f"there is a cache named {name!r} already")
        if most < 1:
            raise ValueError(f"cache {name!r} must hold at least one entry, not {most}")
        self.name: str = name
        self.most: int = most
        self.make: Callable[[K], V] | None = make
        _CACHES[name] = self

    def __setitem__(self, key: K, value: V) -> None:
        put(self, key, value, self.most)

    def __missing__(self, key: K) -> V:
        if self.make is None:
            raise KeyError(key)
        value = self.make(key)
        self[key] = value
        return value


class IdentityCache(BoundedCache[int, "tuple[weakref.ref[Any], V]"], Generic[V]):
    """A cache that knows objects by identity and forgets them when they die: for what belongs to an array or to code.

    Use `of` and `keep`.
    """

    __slots__ = ()

    def of(self, owner: Any) -> V | None:
        """The value for an object, or None."""
        entry = self.get(id(owner))
        return entry[1] if entry is not None and entry[0]() is owner else None

    def keep(self, owner: Any, value: V) -> V:
        """Keeps a value for as long as its owner lives, and there is room."""
        key = id(owner)

        def forget(gone: weakref.ref[Any]) -> None:
            entry = self.get(key)
            if entry is not None and entry[0] is gone:
                self.pop(key, None)

        self[key] = (weakref.ref(owner, forget), value)
        return value


def listed(name: str, sizes: Callable[[], tuple[int, int]]) -> None:
    """Lists many small caches as one.

    Args:
      name: its name in `caches`.
      sizes: gives the number of their entries, and the greatest number that they may have.
    """
    _FAMILIES[name] = sizes


@export("debugging.caches")
def caches() -> list[CacheInfo]:
    """The caches of the process: one entry per cache, by name.

    Each cache is bounded; its oldest entry makes room for a new one.

    Returns:
      Named tuples `(name, size, most)`: the number of entries, and the greatest number that there may be.
    """
    infos = [CacheInfo(name, len(cache), cache.most) for name, cache in list(_CACHES.items())]
    infos += [CacheInfo(name, *sizes()) for name, sizes in list(_FAMILIES.items())]
    return sorted(infos)
