"""Settings that every test shares."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import settings

from inlay._src.base import tracebacks
from inlay._src.base.interpreter import fallbacks
from inlay._src.core import context
from inlay._src.host.executors import ray_connection
from tests import generated_sources

collect_ignore = ["recorded/scripts"]  # programs, one of which is called as tests are

# JAX reads this when it first starts: its second CPU device stands in for a GPU (`tests/unit/devices`).
if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2".strip()

# What a shell starts in the background ignores SIGINT, and so does what that starts; tests of interrupts send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start processes, each of which would compile the library anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

fallbacks.settings.strict = True  # a fast path that fails is a failing test
tracebacks.settings.filtered = False  # tests ask where the library raised an error

# Examples may be slow on a busy machine; the per-test time limit is the judge of hangs.
settings.register_profile("inlay", deadline=None, max_examples=60)
settings.load_profile("inlay")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exhaustive", action="store_true", help="run what follows from other tests too: `make conformance`"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what was not asked for, and puts what needs a Ray cluster first: one worker of pytest-xdist gets it.

    What needs a GPU is skipped where there is none; JAX is asked only if such a test was collected.
    """
    if not config.getoption("--exhaustive"):
        left = [item for item in items if item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    items.sort(key=lambda item: "ray_cluster" not in getattr(item, "fixturenames", ()))
    wanting = [item for item in items if item.get_closest_marker("gpu")]
    if wanting and not _has_gpu():
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason="no GPU here"))


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector, which tests call, need not walk it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def plans_are_pickled() -> Iterator[None]:
    """With INLAY_PICKLE_PLANS set, every plan that the suite runs was pickled and loaded again before."""
    if not os.environ.get("INLAY_PICKLE_PLANS"):
        yield
        return
    from inlay._src.engine.run.executable import Executable

    bind = Executable.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Executable,
            "__init__",
            lambda self, plan, tables=None: bind(self, pickle.loads(pickle.dumps(plan)), tables),
        )
        yield


@pytest.fixture(autouse=True, scope="session")
def generated_sources_are_read() -> Iterator[None]:
    """No source that the suite generates asks for the reference count of a parameter."""
    patch = generated_sources.read_before_compiling()
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def context_is_left_as_found() -> Iterator[None]:
    """A test that leaves a graph, a device or a tape in force would change what the tests after it do."""
    before = context.get()
    yield
    after = context.get()
    context.set_state(before)
    assert after is before, f"this test leaves {after} in force"


class RayCluster:
    """Three nodes of Ray on this machine, on the loopback interface; this process is a member by the head.

    Where several nodes share an address, some releases of Ray attach a process to any of them (2.42 does; 2.60 takes
    the head). With the node that it is attached to, a process loses its cluster. So it joins while the head is alone.

    Attributes:
      address: where others join it.
    """

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # Tasks are sent to a dead node until the head has missed it often enough: 15 s and more by default.
        health = {
            "health_check_initial_delay_ms": 0,
            "health_check_period_ms": 500,
            "health_check_failure_threshold": 3,
        }
        head = {"num_cpus": 2, "include_dashboard": False, "_system_config": health}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.address: str = self._cluster.address
        ray_connection.connected(self.address)
        self._extra = {name: self.add_node(name) for name in ("second", "third")}

    def add_node(self, name: str) -> Any:
        """Adds a node of one core that has two of the resource `name`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray forks, of which JAX warns where a test has loaded it
            return self._cluster.add_node(num_cpus=1, resources={name: 2})

    @contextlib.contextmanager
    def node_beside(self, resources: Mapping[str, float], environment: Mapping[str, str]) -> Iterator[None]:
        """A further node without cores, for as long as the block; its processes have these variables."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see `add_node`
            node = self._cluster.add_node(num_cpus=0, resources=dict(resources), env_vars=dict(environment))
        yield
        self._cluster.remove_node(node)

    def kill_and_replace(self, name: str) -> None:
        """Kills a node as a failing machine would, its workers included, and puts another in its place."""
        import psutil

        node = self._extra.pop(name)
        daemons = [psutil.Process(info.process.pid) for infos in node.all_processes.values() for info in infos]
        workers = [worker for daemon in daemons for worker in daemon.children(recursive=True)]
        self._cluster.remove_node(node, allow_graceful=False)
        for worker in workers:  # left alone, some would return their results first
            with contextlib.suppress(psutil.NoSuchProcess):
                worker.kill()
        psutil.wait_procs(workers)
        self._extra[name] = self.add_node(name)

    def shutdown(self) -> None:
        """Ends all of it."""
        import ray

        ray.shutdown()
        self._cluster.shutdown()


def _of_ray(process: Any) -> bool:
    """Whether a process runs one of Ray's files: worker processes of other tests' pools go on, and are given `sys.path`
    as an argument, in which Ray has put folders of its own."""
    import psutil

    try:
        arguments = process.cmdline()
    except psutil.Error:
        return False
    return any(part.startswith("ray::") or ("/ray/" in part and os.path.isfile(part)) for part in arguments)


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[RayCluster]:
    """A cluster of three nodes, which this process has joined; nothing of it is left running afterwards."""
    pytest.importorskip("ray")
    psutil = pytest.importorskip("psutil")
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # the loopback interface: see executors/ray_connection
        patch.setattr("ray._private.ray_constants.ENABLE_RAY_CLUSTER", False)
        made = RayCluster()
        yield made
        made.shutdown()
    ours = [child for child in psutil.Process().children(recursive=True) if child.pid not in before and _of_ray(child)]
    _, left = psutil.wait_procs(ours, timeout=20)
    assert left == [], f"Ray left {left} running"


def _has_gpu() -> bool:
    import jax

    try:
        return bool(jax.devices("gpu"))
    except RuntimeError:
        return False


@pytest.fixture
def nothing_old() -> Iterator[None]:
    """The garbage collector leaves out what other tests left: a test that collects often looks at its own objects."""
    gc.collect()
    gc.freeze()
    yield
