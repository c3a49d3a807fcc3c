"""The caches of the process: bounded, with one eviction rule (the oldest entry goes first), and listed by `caches`.

Reading is what a dictionary costs. No lock is held: a dictionary's own operations are atomic, and keys may be objects
of the user's whose `__eq__` is his code. So threads that write at once may leave an entry or two fewer than the bound
allows, never more for long. A forked child goes on with the entries of its parent.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from inlay._src.base.export import export

K = TypeVar("K")
V = TypeVar("V")


class CacheInfo(NamedTuple):
    """What `caches` says of one cache."""

    name: str
    size: int
    most: int


_CACHES: dict[str, Cache[Any, Any]] = {}
_FAMILIES: dict[str, Callable[[], Iterable[Bounded[Any, Any]]]] = {}
"""Name -> the bounded dictionaries that are listed under it."""


class Bounded(dict[K, V]):
    """A dictionary of at most `most` entries; a new one beyond that takes the place of the oldest.

    Args:
      most: how many entries it holds. `d[key] = value` bounds it; entries are added in no other way.
    """

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most: int = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        while len(self) > self.most:
            try:
                del self[next(iter(self))]
            except (KeyError, RuntimeError, StopIteration):  # another thread changes it just now
                continue


class Cache(Bounded[K, V], Generic[K, V]):
    """A bounded dictionary that `caches` lists; `cache[key]` makes a missing value if the cache was given `make`.

    Args:
      name: its name in `caches`; unique in the process.
      most: how many entries it holds.
      make: gives the value of a key that `cache[key]` does not find; None raises KeyError as a dictionary does.
    """

    __slots__ = ("make", "name")

    def __init__(self, name: str, most: int, make: Callable[[K], V] | None = None) -> None:
        super().__init__(most)
        if name in _CACHES:
            raise ValueError(f"there is a cache named {name!r} already")
        if most < 1:
            raise ValueError(f"cache {name!r} must hold at least one entry, not {most}")
        self.name: str = name
        self.make: Callable[[K], V] | None = make
        _CACHES[name] = self

    def __missing__(self, key: K) -> V:
        if self.make is None:
            raise KeyError(key)
        value = self.make(key)
        self[key] = value
        return value


class IdentityCache(Cache[int, "tuple[weakref.ref[Any], V]"], Generic[V]):
    """A cache that knows objects by identity and forgets them when they die: for what belongs to an array or to code.

    Use `of` and `keep`.
    """

    __slots__ = ()

    def of(self, owner: Any) -> V | None:
        """What is kept for an object, or None."""
        found = self.get(id(owner))
        return found[1] if found is not None and found[0]() is owner else None

    def keep(self, owner: Any, value: V) -> V:
        """Keeps a value for as long as its owner lives, and there is room."""
        key = id(owner)

        def forget(gone: weakref.ref[Any]) -> None:
            found = self.get(key)
            if found is not None and found[0] is gone:
                self.pop(key, None)

        self[key] = (weakref.ref(owner, forget), value)
        return value


def listed(name: str, parts: Callable[[], Iterable[Bounded[Any, Any]]]) -> None:
    """Lists bounded dictionaries, as many as there are by then, as one cache."""
    _FAMILIES[name] = parts


@export("debugging.caches")
def caches() -> list[CacheInfo]:
    """What the process keeps so that it need not be made again: one entry per cache, by name.

    Each cache is bounded; its oldest entry makes room for a new one.

    Returns:
      Named tuples `(name, size, most)`: how many entries there are, and how many there may be.
    """
    infos = [CacheInfo(name, len(cache), cache.most) for name, cache in list(_CACHES.items())]
    for name, parts in list(_FAMILIES.items()):
        sizes = [(len(part), part.most) for part in parts()]
        infos.append(CacheInfo(name, sum(size for size, _ in sizes), sum(most for _, most in sizes)))
    return sorted(infos)
