"""Three nodes on this machine, a parameter server and two workers: a line is fitted, and what came of it is checked.

    pip install 'inlay[ray]'
    python examples/cluster.py [--out FOLDER]

Each worker computes the gradient on its own half of the data with a Python function, in its own process; the parameters
live on the server. The exit status is 0 only if they are right.
"""

from __future__ import annotations

import os
import socket
import sys

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # Ray stays on the loopback interface
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

SLOPE, OFFSET = 3.0, -1.0


def free_addresses(count: int) -> list[str]:
    """Addresses on the loopback interface that nobody uses."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [f"127.0.0.1:{s.getsockname()[1]}" for s in held]
    for s in held:
        s.close()
    return found


def measured(worker: int) -> tuple[np.ndarray, np.ndarray]:
    """What a worker measures; it runs on that worker, as loading a file there would."""
    draw = np.random.default_rng(worker)
    x = draw.uniform(-1, 1, 400).astype(np.float32)
    noise = draw.normal(0, 0.05, 400).astype(np.float32)
    return x, SLOPE * x + OFFSET + noise


def squared_error(x: tf.Tensor, y: tf.Tensor, parameters: tf.Tensor) -> tf.Tensor:
    """The loss of a line; differentiated where it runs."""
    return tf.reduce_mean(tf.square(parameters[0] * x + parameters[1] - y))


def main() -> int:
    """Fits the line; returns the exit status."""
    options = arguments(__doc__)
    with needs("inlay[ray]"):
        from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for name in ("one", "two"):
        nodes.add_node(num_cpus=1, resources={name: 1})
    first, second, third = free_addresses(3)
    spec = tf.train.ClusterSpec({"ps": [first], "worker": [second, third]})
    servers = [
        tf.distribute.Server(spec, "ps", 0, address=nodes.address),
        tf.distribute.Server(spec, "worker", 0, resources={"one": 1}),
        tf.distribute.Server(spec, "worker", 1, resources={"two": 1}),
    ]

    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            parameters = tf.compat.v1.get_variable("parameters", initializer=[0.0, 0.0])
        slopes, processes = [], []
        for i in range(2):
            with tf.device(f"/job:worker/task:{i}"):
                x, y = (
                    tf.compat.v1.get_variable(name, initializer=np.zeros(400, np.float32))
                    for name in (f"x_{i}", f"y_{i}")
                )
                data = tf.numpy_function(measured, [i], [tf.float32, tf.float32])
                load = tf.group(x.assign(data[0]), y.assign(data[1]))
                loss = tf.py_function(squared_error, [x, y, parameters], tf.float32)
                slopes.append(tf.gradients(loss, parameters)[0])
                processes.append((load, tf.numpy_function(os.getpid, [], tf.int64)))
        step = parameters.assign_sub(0.2 * (slopes[0] + slopes[1]))
        with tf.compat.v1.Session(servers[0].target) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run([load for load, _ in processes])
            lines = [session.run(step) for _ in range(60)]
            places = session.run([pid for _, pid in processes])
    slope, offset = lines[-1]
    check(
        f"slope {slope:.3f}, of {SLOPE}; offset {offset:.3f}, of {OFFSET}",
        abs(lines[-1] - [SLOPE, OFFSET]).max() < 0.02,
    )
    check(f"the functions ran in processes {places}, this is {os.getpid()}", len({*places, os.getpid()}) == 3)
    columns = dict(zip(("slope", "offset"), np.transpose(lines), strict=True))
    save(options.out, "cluster", {"step": range(len(lines)), **columns}, lambda figure: figure.subplots().plot(lines))
    del servers
    import ray

    ray.shutdown()
    nodes.shutdown()
    return status()


if __name__ == "__main__":
    sys.exit(main())
