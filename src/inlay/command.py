"""The command line: `inlay`, or `python -m inlay`.

Exit status: 0 when a command ends well, and when a server is stopped by SIGINT or SIGTERM; 1 for an error, which is
told in a line or a few, with a traceback only after `--debug`; 2 for a wrong command line.
"""

from __future__ import annotations

import json
import runpy
import signal
import sys
import types
from pathlib import Path
from typing import Any

import click

from inlay import errors
from inlay.cluster.resolver import TFConfigClusterResolver
from inlay.cluster.server import Server
from inlay.cluster.spec import ClusterSpec
from inlay.plan import partition
from inlay.unmodified import coverage as reading
from inlay.unmodified import running

_EXPECTED = (errors.OpError, ImportError, OSError, ValueError, TypeError)
"""What a command may fail with without a fault of ours: told without a traceback."""


class _Commands(click.Group):
    """A group whose commands tell errors in a few words."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except _EXPECTED as error:
            if ctx.params["debug"]:
                raise
            raise click.ClickException(f"{type(error).__name__}: {error}") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="inlay")
def main(debug: bool) -> None:
    """Python functions set flush into computation graphs."""


@main.command()
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
@click.option("--num-gpus", type=click.FloatRange(min=0), default=0, help="How many GPUs the task holds.")
def server(cluster: str | None, job: str | None, task: int | None, address: str | None, num_gpus: float) -> None:
    """Run a task of a cluster until it is stopped.

    Whoever reaches its address, or its Ray cluster, runs code on this machine: see docs/security.md.
    """
    told = TFConfigClusterResolver()
    spec = told.cluster_spec() if cluster is None else ClusterSpec(_parsed(cluster))
    if not spec:
        raise click.UsageError("no cluster is told: give --cluster, or set TF_CONFIG")
    job = told.task_type if job is None else job
    task = told.task_id if task is None else task
    running = Server(spec, job, task, address=address, num_gpus=num_gpus)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    named = running.server_def
    click.echo(f"{running.target} runs {partition.text((named.job_name, named.task_index))}")
    running.join()


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--v1/--v2", "v1", default=None, help="Which TensorFlow the program is for. Default: as its source tells."
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(v1: bool | None, as_module: bool, script: str, arguments: tuple[str, ...]) -> None:
    """Run a program written for TensorFlow as it is.

    `import tensorflow`, and imports of modules below it, find inlay. Exit status and errors are the program's own.
    """
    try:
        running.run(script, arguments, as_module=as_module, v1=v1)
    except Exception as error:
        trace = _own_frames(error)
        if trace is None:  # it did not start
            raise
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def _own_frames(error: BaseException) -> types.TracebackType | None:
    """A program's traceback without the frames that started it; None if that is all."""
    trace = error.__traceback__
    starting = (__file__, running.__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in starting:
        trace = trace.tb_next
    return trace


@main.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write JSON: counts, and a row for each name.")
@click.option("--v1/--v2", "v1", default=None, help="What `import tensorflow` means. Default: as each source tells.")
def coverage(path: Path, as_json: bool, v1: bool | None) -> None:
    """List the names of TensorFlow that a script or folder uses, and what of them is here.

    Sources and notebooks are read, and nothing of them is run.
    """
    told = reading.coverage(path, v1)
    click.echo(reading.as_json(told) if as_json else reading.as_text(told))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"this is no JSON: {error}", param_hint="--cluster") from error
