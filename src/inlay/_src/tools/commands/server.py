"""`inlay server`: a task of a cluster."""

from __future__ import annotations

import signal
import sys

import click

from inlay._src.cluster.resolver import TFConfigClusterResolver
from inlay._src.cluster.server import Server
from inlay._src.cluster.spec import ClusterSpec
from inlay._src.engine.plan import partition
from inlay._src.tools.commands.output import command, parsed, say


@command(
    examples=[
        'inlay server --job worker --task 0 --cluster \'{"ps": ["127.0.0.1:2222"], "worker": ["127.0.0.1:2223"]}\'',
        "TF_CONFIG=... inlay server --address 10.0.0.1:6379 --num-gpus 1",
    ]
)
@click.option(
    "--cluster",
    metavar="JSON",
    help='The jobs and the addresses of their tasks: {"worker": ["127.0.0.1:2222", ...]}. Default: that of TF_CONFIG.',
)
@click.option("--job", help="The job of this task. Default: that of TF_CONFIG, or the only one.")
@click.option("--task", type=click.IntRange(min=0), help="Its number. Default: that of TF_CONFIG, or the only one.")
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="The Ray cluster to join. Default: RAY_ADDRESS, that of a task that runs, or a new one on this machine.",
)
@click.option("--num-gpus", type=click.FloatRange(min=0), default=0, help="The number of GPUs that the task holds.")
def server(cluster: str | None, job: str | None, task: int | None, address: str | None, num_gpus: float) -> None:
    """Run a task of a cluster until it is stopped.

    Any process that reaches its address or its Ray cluster can run code on this machine: keep both within a
    network whose users you trust.
    """
    resolver = TFConfigClusterResolver()
    spec = resolver.cluster_spec() if cluster is None else ClusterSpec(parsed(cluster))
    if not spec:
        raise click.UsageError("no cluster is specified: pass --cluster, or set TF_CONFIG")
    job = resolver.task_type if job is None else job
    task = resolver.task_id if task is None else task
    running = Server(spec, job, task, address=address, num_gpus=num_gpus)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    named = running.server_def
    say(f"{running.target} runs {partition.text((named.job_name, named.task_index))}")
    running.join()
