"""The executors that a conformance suite runs over."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

import inlay as tf


class Place(NamedTuple):
    """Somewhere to run functions.

    Attributes:
      executor: what `executor=` gets.
      here: whether functions run in this process.
      stateful: whether it takes stateful functions.
      nests: whether a function may capture the executor and call through it.
    """

    executor: Any
    here: bool = False
    stateful: bool = True
    nests: bool = False

    def numpy(self, function: Any, inp: Any, tout: Any, **more: Any) -> Any:
        """`numpy_function` there."""
        return tf.numpy_function(function, inp, tout, stateful=self.stateful, executor=self.executor, **more)

    def eager(self, function: Any, inp: Any, tout: Any, **more: Any) -> Any:
        """`py_function` there."""
        return tf.py_function(function, inp, tout, stateful=self.stateful, executor=self.executor, **more)


def threads(_: Any, stack: ExitStack) -> Place:
    return Place(stack.enter_context(tf.Threads(workers=4)), here=True, nests=True)


def standard_threads(_: Any, stack: ExitStack) -> Place:
    return Place(stack.enter_context(concurrent.futures.ThreadPoolExecutor(4)), here=True, nests=True)


def standard_processes(_: Any, stack: ExitStack) -> Place:
    spawn = multiprocessing.get_context("spawn")
    return Place(stack.enter_context(concurrent.futures.ProcessPoolExecutor(2, spawn)))


def processes(_: Any, stack: ExitStack) -> Place:
    return Place(stack.enter_context(tf.Processes(workers=2)), nests=True)


def loky(_: Any, stack: ExitStack) -> Place:
    return Place(stack.enter_context(pytest.importorskip("loky").ProcessPoolExecutor(2)))


def dask(_: Any, stack: ExitStack) -> Place:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None, host="127.0.0.1")
    client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    return Place(client.get_executor(), stateful=False)


def ray(request: Any, stack: ExitStack) -> Place:
    cluster = request.getfixturevalue("ray_cluster")
    return Place(stack.enter_context(tf.RayExecutor(cluster.address)), nests=True)


MAKERS = (threads, standard_threads, standard_processes, processes, loky, dask, ray)
MARKS = {"dask": [pytest.mark.slow], "ray": [pytest.mark.slow, pytest.mark.xdist_group("ray")]}


@pytest.fixture(
    scope="session",
    params=[pytest.param(make, id=make.__name__, marks=MARKS.get(make.__name__, ())) for make in MAKERS],
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Each place is made once, and ended before the next."""
    make = request.param
    with ExitStack() as stack:
        if make in (loky, dask, ray):
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        yield make(request, stack)


@pytest.fixture(autouse=True)
def warnings_are_theirs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Other projects' executors warn of what is not ours to change."""
    with warnings.catch_warnings():
        if any(f"[{name}" in request.node.name for name in ("loky", "dask", "ray")):
            warnings.simplefilter("ignore")
        yield
