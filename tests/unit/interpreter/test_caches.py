"""Caches of the process: bounded, the oldest entry goes first, listed by name."""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.interpreter import caches
from inlay._src.base.interpreter.caches import BoundedCache, CacheInfo, IdentityCache

_numbers = itertools.count()


@pytest.fixture
def named(request: pytest.FixtureRequest) -> Any:
    """Gives names no cache has; what was made under them is unlisted again."""
    before = set(caches._CACHES)
    yield lambda: f"test {next(_numbers)}"
    for name in set(caches._CACHES) - before:
        del caches._CACHES[name]


Names = Callable[[], str]


def test_the_oldest_entry_makes_room(named: Names) -> None:
    cache: BoundedCache[str, int] = BoundedCache(named(), 2)
    for i, key in enumerate("abc"):
        cache[key] = i
    assert dict(cache) == {"b": 1, "c": 2}


def test_reading_an_entry_does_not_keep_it_longer(named: Names) -> None:
    cache: BoundedCache[str, int] = BoundedCache(named(), 2)
    cache["a"], cache["b"] = 1, 2
    assert cache["a"] == cache.get("a") == 1
    cache["c"] = 3
    assert list(cache) == ["b", "c"]


def test_an_entry_put_again_takes_no_other_ones_place(named: Names) -> None:
    cache: BoundedCache[str, int] = BoundedCache(named(), 2)
    cache["a"], cache["b"], cache["a"] = 1, 2, 3
    assert dict(cache) == {"a": 3, "b": 2}


def test_a_missing_value_is_made_once(named: Names) -> None:
    asked: list[int] = []
    cache: BoundedCache[int, int] = BoundedCache(named(), 2, lambda n: asked.append(n) or n * n)  # type: ignore[func-returns-value]
    assert [cache[3], cache[3], cache[4], cache[5], cache[3]] == [9, 9, 16, 25, 9]
    assert asked == [3, 4, 5, 3]


def test_a_value_that_cannot_be_made_leaves_nothing(named: Names) -> None:
    def refuse(key: str) -> int:
        raise ValueError(key)

    cache: BoundedCache[str, int] = BoundedCache(named(), 2, refuse)
    with pytest.raises(ValueError, match="x"):
        cache["x"]
    assert not cache and cache.get("x") is None


def test_without_a_maker_a_missing_key_is_said_as_a_dictionary_says_it(named: Names) -> None:
    with pytest.raises(KeyError, match="x"):
        BoundedCache(named(), 2)["x"]


def test_two_caches_may_not_have_one_name_nor_a_cache_no_room(named: Names) -> None:
    name = named()
    BoundedCache(name, 2)
    with pytest.raises(ValueError, match="already"):
        BoundedCache(name, 2)
    with pytest.raises(ValueError, match="at least one"):
        BoundedCache(named(), 0)


def test_threads_that_write_at_once_stay_within_the_bound(named: Names) -> None:
    cache: BoundedCache[int, int] = BoundedCache(named(), 16)
    failed: list[BaseException] = []

    def write(start: int) -> None:
        try:
            for i in range(2000):
                cache[start + i % 64] = i
                cache.pop(start, None)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(1000 * t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache[-1] = 0
    assert failed == [] and len(cache) <= 16


class _Thing:
    pass


def test_what_is_kept_for_an_object_goes_with_it(named: Names) -> None:
    cache: IdentityCache[str] = IdentityCache(named(), 4)
    one, other = _Thing(), _Thing()
    assert cache.keep(one, "one") == "one"
    assert cache.of(one) == "one" and cache.of(other) is None
    cache.keep(other, "other")
    del one
    gc.collect()
    assert [kept for _, kept in cache.values()] == ["other"]


def test_equal_objects_are_kept_apart(named: Names) -> None:
    cache: IdentityCache[int] = IdentityCache(named(), 4)
    one, two = {1, 2}, {1, 2}
    cache.keep(one, 1)
    cache.keep(two, 2)
    assert (cache.of(one), cache.of(two)) == (1, 2)


def test_the_end_of_an_object_that_was_kept_twice_forgets_both(named: Names) -> None:
    cache: IdentityCache[int] = IdentityCache(named(), 4)
    thing = _Thing()
    cache.keep(thing, 1)
    cache.keep(thing, 2)
    assert cache.of(thing) == 2
    del thing
    gc.collect()
    assert not cache


def test_an_object_that_was_evicted_dies_quietly(named: Names) -> None:
    cache: IdentityCache[int] = IdentityCache(named(), 1)
    one, two = _Thing(), _Thing()
    cache.keep(one, 1)
    cache.keep(two, 2)
    del one
    gc.collect()
    assert cache.of(two) == 2


def test_every_cache_is_listed_with_its_size_and_bound(named: Names) -> None:
    name = named()
    cache: BoundedCache[int, int] = BoundedCache(name, 7)
    cache[1] = 1
    assert CacheInfo(name, 1, 7) in caches.caches()
    assert caches.caches() == sorted(caches.caches())


def test_the_debugging_call_lists_the_caches_of_the_library() -> None:
    found = tf.debugging.caches()
    assert found and all(0 <= c.size <= c.most for c in found)
