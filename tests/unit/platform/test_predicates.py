"""Tests under a condition, and what `tf.test` says of the build."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

import inlay as tf


def test_a_test_is_skipped_where_its_predicate_holds() -> None:
    calls = []

    class Case(unittest.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not on this machine")
        def test_skipped(self) -> None:
            calls.append("skipped")

        @tf.test.disable_with_predicate(lambda: False, "")
        def test_run(self) -> None:
            calls.append("run")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert calls == ["run"]
    assert [reason for _, reason in result.skipped] == ["not on this machine"]


def test_servers_of_a_local_cluster_have_ports_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Any, ...]] = []
    from inlay._src.tf1.platform import predicates

    def server(spec: Any, job: str, task: int, protocol: str, config: Any) -> tuple[Any, ...]:
        started.append((job, task, protocol, config))
        return spec, job, task

    monkeypatch.setattr(predicates, "Server", server)
    workers, others = tf.test.create_local_cluster(2, 1, worker_config="w", ps_config="p")
    assert started == [("worker", 0, "grpc", "w"), ("worker", 1, "grpc", "w"), ("ps", 0, "grpc", "p")]
    addresses = [*workers[0][0].job_tasks("worker"), *others[0][0].job_tasks("ps")]
    assert len(set(addresses)) == 3
    assert all(address.startswith("localhost:") for address in addresses)


def test_the_build() -> None:
    assert not tf.test.is_built_with_rocm()
    assert not tf.test.is_built_with_gpu_support()
    assert isinstance(tf.test.is_built_with_xla(), bool)
    assert isinstance(tf.test.is_cpu_target_available("x86"), bool)
    with pytest.raises(ValueError, match="Unknown CPU target: s;"):
        tf.test.is_cpu_target_available("s")
    tf.test.experimental.sync_devices()
