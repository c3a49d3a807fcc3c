"""The traced program, run once for all tests of its trace."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.base.spans import now
from tests.conftest import RayCluster
from tests.unit.cluster.test_server import addresses
from tests.unit.traces import traced_program
from tests.unit.traces.traced_program import Traced


@pytest.fixture(scope="session")
def traced(ray_cluster: RayCluster, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    """The trace of `traced_program`, with a node of Ray that is another machine."""
    folder = tmp_path_factory.mktemp("traced")
    path, journal = folder / "run.json", folder / "journal"
    environment = traced_program.another_machine(tmp_path_factory.mktemp("site"))
    with (
        ray_cluster.node_beside({traced_program.MACHINE: 2}, environment),
        traced_program.servers(addresses(3), ray_cluster.address) as targets,
    ):
        begin = now()
        with tf.profiler.trace(path) as recorded:
            traced_program.run(journal, targets, ray_cluster.address)
        end = now()
    return Traced(path, recorded.spans, traced_program.entries(journal), begin, end)
