"""`inlay run`, `inlay coverage`, `inlay explain`: programs that are written for TensorFlow, and errors."""

from __future__ import annotations

import difflib
import runpy
import sys
import types
from pathlib import Path

import click

from inlay._src.tools import explained
from inlay._src.tools.commands.output import command, say
from inlay._src.tools.unmodified import coverage as reading
from inlay._src.tools.unmodified import running


@command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    examples=["inlay run train.py --steps 100", "inlay run -m package.module", "inlay run --v1 train.py"],
)
@click.option(
    "--v1/--v2",
    "v1",
    default=None,
    help="The program's version of TensorFlow. Default: detected from its source.",
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


@command(examples=["inlay coverage train.py", "inlay coverage . --json", "inlay coverage . --fail-under 95"])
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write JSON: counts, and a row for each name.")
@click.option(
    "--v1/--v2",
    "v1",
    default=None,
    help="The version of TensorFlow. Default: detected from each source.",
)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="End with status 1 if inlay has a smaller share of the uses in scope.",
)
def coverage(path: Path, as_json: bool, v1: bool | None, fail_under: float | None) -> None:
    """List the names of TensorFlow that a script or folder uses, and whether inlay has them.

    Sources and notebooks are parsed, never run.
    """
    report = reading.coverage(path, v1)
    say(reading.as_json(report) if as_json else reading.as_text(report))
    if fail_under is not None and 100 * report.share < fail_under:
        raise click.ClickException(f"{report.share:.1%} of the uses in scope are here, less than {fail_under:g}%")


@command(examples=["inlay explain no-gradient", "inlay explain"])
@click.argument("name", required=False)
def explain(name: str | None) -> None:
    """Explain an error whose message refers to NAME; without NAME, list what is explained.

    The documentation has the same entries on its page of errors, each with a program that runs into it.
    """
    entries = explained.entries()
    if name is None:
        say("\n".join(entries))
    elif name in entries:
        say(entries[name])
    else:
        near = difflib.get_close_matches(name, entries, 3)
        raise click.UsageError(f"nothing is explained as {name!r}" + (f"; near it: {', '.join(near)}" if near else ""))
