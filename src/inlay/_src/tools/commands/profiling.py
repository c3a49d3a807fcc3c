"""`inlay profile`: a program run under the span recorder."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import click

from inlay._src.base.traces.recording import trace
from inlay._src.base.traces.summary import Summary
from inlay._src.tools.commands import programs
from inlay._src.tools.commands.output import command, say


@command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    examples=["inlay profile train.py --steps 100", "inlay profile --trace run.json.gz train.py"],
)
@click.option("--trace", "path", type=click.Path(dir_okay=False), help="Write the trace there, for Perfetto.")
@click.option("--json", "as_json", is_flag=True, help="Write the figures as JSON.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    metavar="SHARE",
    help="The share of the time that is recorded. Default: 1.",
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def profile(
    path: str | None, as_json: bool, rate: float, as_module: bool, script: str, arguments: tuple[str, ...]
) -> None:
    """Run a program and print where its time went.

    The program may be written for inlay or for TensorFlow. The table on standard error lists host functions by their
    own time, with calls, waiting, bytes sent to other processes, and the executor that would serve each better. Stages
    of datasets, runs, steps and eager ops follow. The exit status is the program's own.
    """
    recorded = trace(path, rate=rate)
    status: Any = 0
    with recorded:
        try:
            programs.start(script, arguments, as_module=as_module, v1=None)
        except SystemExit as ended:
            status = ended.code
    summary = recorded.summary()
    say(json.dumps(_figures(summary), indent=1) if as_json else str(summary), err=not as_json)
    sys.exit(status)


def _figures(summary: Summary) -> dict[str, Any]:
    """The figures of a summary as plain data."""
    rows: dict[str, Any] = {
        "functions": [{**dataclasses.asdict(row), "advice": row.advice} for row in summary.functions]
    }
    for name in ("stages", "runs", "steps", "ops", "builds", "gradients"):
        rows[name] = [dataclasses.asdict(row) for row in getattr(summary, name)]
    return {"seconds": summary.seconds, "dropped": summary.dropped, **rows}
