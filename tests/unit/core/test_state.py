"""Cells hold the values of variables; a session's store makes its own."""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.state import Cell, CellStore, FedCell, locked


def _cell(name: str = "v") -> Cell:
    return Cell(name, tf.float32, (2,))


def test_a_value_that_was_read_is_not_changed_by_a_later_assignment() -> None:
    cell = _cell()
    cell.value = np.zeros(2, np.float32)
    before = cell.read()
    cell.value = np.ones(2, np.float32)
    assert before.tolist() == [0, 0] and cell.read().tolist() == [1, 1]


def test_reading_before_the_first_value_names_the_variable_and_the_remedy() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value weights.*initializer"):
        _cell("weights").read()


def test_a_fed_cell_reads_what_was_fed_and_refuses_assignments() -> None:
    fed = FedCell(_cell("w"), 3.0)
    assert fed.read() == 3.0 and (fed.name, fed.dims, fed.trainable) == ("w", (2,), True)
    with pytest.raises(tf.errors.FailedPreconditionError, match="w is fed in this run"):
        fed.value = 4.0
    assert fed.read() == 3.0


def test_locks_of_several_cells_are_taken_in_one_order_whatever_the_callers_say() -> None:
    cells = [_cell(str(i)) for i in range(4)]
    counts = {"done": 0}

    def count() -> None:
        counts["done"] += 1

    def work(order: list[Cell]) -> None:
        for _ in range(200):
            locked(order, count)

    threads = [threading.Thread(target=work, args=(list(order),)) for order in (cells, cells[::-1], cells[2:])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(t.is_alive() for t in threads) and counts["done"] == 600


def test_a_cell_named_twice_is_locked_once() -> None:
    cell = _cell()
    assert locked([cell, cell], cell.lock._is_owned)
    assert not cell.lock._is_owned()


def test_an_error_inside_gives_the_locks_back() -> None:
    cells = [_cell(), _cell()]
    with pytest.raises(KeyError):
        locked(cells, lambda: {}["absent"])
    assert not any(c.lock._is_owned() for c in cells)


def test_a_value_is_taken_to_be_written_into_only_if_nobody_else_has_it() -> None:
    cell = _cell()
    cell.value = np.zeros(2, np.float32)
    first = id(cell.value)
    with cell.lock, cell.taken() as into:
        into += 1
    assert id(cell.value) == first and cell.read().tolist() == [1, 1]
    read = cell.read()[:1]  # a view counts too
    with cell.lock, cell.taken() as into:
        into += 1
    assert read.tolist() == [1] and cell.read().tolist() == [2, 2]


def test_a_value_for_which_something_is_kept_is_not_written_into() -> None:
    cell = _cell()
    cell.value = np.zeros(2, np.float32)
    kept = weakref.ref(cell.value)  # as the cache has that knows which copy of it lies on a device
    with cell.lock, cell.taken() as into:
        assert into is not kept()
        into += 1
    assert kept() is None and cell.read().tolist() == [1, 1]


def test_an_error_while_a_value_is_taken_puts_it_back() -> None:
    cell = _cell()
    cell.value = np.zeros(2, np.float32)
    with pytest.raises(KeyError), cell.lock, cell.taken():
        raise KeyError
    assert cell.read().tolist() == [0, 0]


def test_a_value_that_is_being_written_is_waited_for() -> None:
    cell, found, begun = _cell(), [], threading.Event()
    cell.value = np.zeros(2, np.float32)

    def read() -> None:
        begun.set()
        found.append((cell.has_value, cell.read().tolist()))

    with cell.lock, cell.taken() as into:
        thread = threading.Thread(target=read)
        thread.start()
        assert begun.wait(30)
        into += 1
        assert not found
        into += 1
    thread.join(30)
    assert found == [(True, [2, 2])]


def test_who_interrupts_a_writer_reads_what_there_is_and_what_it_assigns_stays() -> None:
    cell = _cell()
    cell.value = np.zeros(2, np.float32)
    with cell.lock, cell.taken() as into:
        into += 1
        read = cell.read()  # as a signal handler does, between two statements of the writer
        assert cell.has_value and read.tolist() == [1, 1]
        into += 1
    assert read.tolist() == [1, 1] and cell.read().tolist() == [2, 2]
    with cell.lock, cell.taken() as into, cell.lock:
        into += 1
        cell.value = np.full(2, 9, np.float32)
    assert cell.read().tolist() == [9, 9]


class _Key:
    """Stands for a variable's handle in a graph."""

    def __init__(self) -> None:
        self.made = 0

    def make(self) -> Any:
        self.made += 1
        time.sleep(0.01)
        return _cell()


def test_a_store_makes_one_cell_per_key_also_for_threads_that_ask_at_once() -> None:
    store, key, found = CellStore(), _Key(), []
    threads = [threading.Thread(target=lambda: found.append(store.cell(key))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert key.made == 1 and len(set(map(id, found))) == 1


def test_two_stores_have_cells_of_their_own_and_a_cleared_one_makes_them_anew() -> None:
    key, one, two = _Key(), CellStore(), CellStore()
    first = one.cell(key)
    assert one.cell(key) is first and two.cell(key) is not first
    one.clear()
    assert one.cell(key) is not first


def test_sessions_keep_values_apart() -> None:
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        with tf.compat.v1.Session() as one, tf.compat.v1.Session() as two:
            for session in (one, two):
                session.run(v.initializer)
            one.run(v.assign(5.0))
            assert (one.run(v), two.run(v)) == (5.0, 1.0)
