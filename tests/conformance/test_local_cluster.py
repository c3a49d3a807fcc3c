"""TensorFlow's local cluster: servers in processes of their own, started from a shell, and a session in another.

Nothing but the target is known to the process of the session: where the servers run it learns there.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
psutil = pytest.importorskip("psutil")

CLIENT = """
import functools, os, sys
import numpy as np
import inlay as tf

v1 = tf.compat.v1
target = sys.argv[1]

def product(a, b):
    return tf.matmul(a, b)

class Scale:
    def __init__(self, by):
        self.by = by
    def __call__(self, x):
        return x * self.by
    def method(self, x):
        return x * self.by + 1

def closure(by):
    def inner(x):
        return x + by
    return inner

with tf.Graph().as_default():
    with tf.device("/job:worker/task:0/cpu:0"):
        a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        c = tf.py_function(product, [a, a], tf.float32)
        slope = tf.gradients(c, a)[0]
    with tf.device("/job:worker/task:1"):
        others = [
            tf.py_function(f, [c], tf.float32)
            for f in (closure(1.0), Scale(2.0), Scale(2.0).method, functools.partial(tf.add, 5.0), lambda x: -x)
        ]
        v = v1.get_variable("v", initializer=1.0)
        up = v.assign_add(1.0)
        pid = tf.numpy_function(os.getpid, [], tf.int64)
    with v1.Session(target) as session:
        matrix = session.run(c)
        assert matrix.tolist() == [[7.0, 10.0], [15.0, 22.0]], matrix
        assert session.run(slope).tolist() == [[7.0, 11.0], [9.0, 13.0]], session.run(slope)
        assert [float(m[0, 0]) for m in session.run(others)] == [8.0, 14.0, 15.0, 12.0, -7.0]
        assert session.run(pid) != os.getpid()
        if sys.argv[2] == "first":
            session.run(v.initializer)
        print(session.run(up))
"""


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("RAY_") and k != "TF_CONFIG"}
    return kept | {"PYTHONUNBUFFERED": "1"}


@pytest.fixture(scope="module")
def cluster(environment: dict[str, str]) -> Iterator[list[str]]:
    """The targets of two servers; when they are told to stop they end well and leave nothing behind."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    addresses = [f"127.0.0.1:{s.getsockname()[1]}" for s in held]
    for s in held:
        s.close()
    spec = json.dumps({"worker": addresses})
    command = [sys.executable, "-m", "inlay", "server", "--job", "worker"]
    servers = [
        subprocess.Popen(
            [*command, "--task", "0", "--cluster", spec], env=environment, stdout=subprocess.PIPE, text=True
        ),
        subprocess.Popen(
            [*command, "--task", "1"],
            env=environment | {"TF_CONFIG": json.dumps({"cluster": {"worker": addresses}})},
            stdout=subprocess.PIPE,
            text=True,
        ),
    ]
    family: list[Any] = []
    try:
        for i, server in enumerate(servers):
            assert server.stdout is not None
            assert server.stdout.readline() == f"grpc://{addresses[i]} runs /job:worker/task:{i}\n"
        family = [p for server in servers for p in psutil.Process(server.pid).children(recursive=True)]
        yield [f"grpc://{address}" for address in addresses]
    finally:
        for server in reversed(servers):
            server.send_signal(signal.SIGTERM)
        codes = [server.wait(30) for server in servers]
        for server in servers:
            assert server.stdout is not None
            server.stdout.close()
    assert codes == [0, 0]
    _, left = psutil.wait_procs(family, timeout=30)
    assert left == []


def run_client(tmp_path: Path, environment: dict[str, str], *arguments: str) -> str:
    script = tmp_path / "client.py"
    script.write_text(CLIENT)
    done = subprocess.run(
        [sys.executable, str(script), *arguments], env=environment, capture_output=True, text=True, timeout=55
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.xdist_group("ray")
def test_a_session_of_another_process_runs_functions_of_its_main_module(
    cluster: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    """And variables outlive the session, and its process: the second one, on the other server, goes on with them."""
    assert run_client(tmp_path, environment, cluster[0], "first") == "2.0\n"
    assert run_client(tmp_path, environment, cluster[1], "again") == "3.0\n"


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.xdist_group("ray")
def test_the_example_of_three_nodes_checks_its_result(environment: dict[str, str], tmp_path: Path) -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "cluster.py"
    command = [sys.executable, str(example), "--out", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok    slope 2.99" in done.stdout or "ok    slope 3.00" in done.stdout
    assert (tmp_path / "cluster.csv").read_text().startswith("step,slope,offset\n0,")
