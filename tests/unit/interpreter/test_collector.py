"""The garbage collector, paused for a moment by whoever makes much at once."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from inlay._src.base.interpreter import collector
from inlay._src.base.tuning import TUNING


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    assert gc.isenabled()


def test_nothing_is_collected_in_the_block_and_again_after_it() -> None:
    with collector.paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_ends_the_pause() -> None:
    with pytest.raises(KeyError), collector.paused():
        raise KeyError
    assert gc.isenabled()


def test_pauses_nest_and_the_last_one_ends_it() -> None:
    with collector.paused():
        with collector.paused():
            pass
        assert not gc.isenabled()


def test_pauses_of_threads_overlap() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def other() -> None:
        with collector.paused():
            begun.set()
            go_on.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(10)
    with collector.paused():
        pass
    assert not gc.isenabled(), "the other thread's pause still holds"
    go_on.set()
    thread.join()
    assert gc.isenabled()


def test_who_had_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with collector.paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_only_where_much_is_made_nothing_is_collected() -> None:
    with collector.paused_for(TUNING.collection_pause_nodes - 1):
        assert gc.isenabled()
    with collector.paused_for(TUNING.collection_pause_nodes):
        assert not gc.isenabled()
