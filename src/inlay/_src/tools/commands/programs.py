"""`inlay run`, `inlay coverage`, `inlay explain`: programs and models of TensorFlow, and errors."""

from __future__ import annotations

import difflib
import json
import os
import runpy
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from inlay._src.saved.tensorflow_models import coverage as of_models
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
    start(script, arguments, as_module, v1)


def start(script: str, arguments: Sequence[str], as_module: bool, v1: bool | None) -> None:
    """Runs a program to its end.

    Args:
      script: its file, or the name of its module if `as_module`.
      arguments: its arguments.
      as_module: whether `script` is a module.
      v1: whether it is written for TensorFlow 1; None detects that.

    Raises:
      SystemExit: with its status, if it ends itself or fails.
    """
    try:
        running.run(script, arguments, as_module=as_module, v1=v1)
    except Exception as error:
        _report(error)
        sys.exit(1)


def variables_of(script: str, arguments: Sequence[str]) -> tuple[Mapping[str, Any], Any]:
    """Runs a program to its end, also if it ends itself or fails; its error is reported.

    Args:
      script: its file.
      arguments: its arguments.

    Returns:
      The variables of its module, and its exit status.
    """
    try:
        return running.variables_of(script, arguments)[1], 0
    except SystemExit as ended:
        trace, status = _own_frames(ended), ended.code
    except Exception as error:
        trace, status = _report(error), 1
    return {} if trace is None else trace.tb_frame.f_globals, status


def _report(error: Exception) -> types.TracebackType:
    """Shows an error of a program as `python` does; returns its traceback. An error before its start is raised."""
    trace = _own_frames(error)
    if trace is None:
        raise error
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    return trace


def _own_frames(error: BaseException) -> types.TracebackType | None:
    """A program's traceback without the frames that started it; None if that is all."""
    trace = error.__traceback__
    starting = (__file__, running.__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in starting:
        trace = trace.tb_next
    return trace


@command(
    examples=[
        "inlay coverage train.py",
        "inlay coverage . --json",
        "inlay coverage . --fail-under 95",
        "inlay coverage saved_model/ frozen.pb model.ckpt-100",
    ]
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Write JSON: counts, and a row for each name or op.")
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
def coverage(paths: Sequence[str], as_json: bool, v1: bool | None, fail_under: float | None) -> None:
    """List the names or ops of TensorFlow that programs or models need, and whether inlay has them.

    Of a script, a notebook or a folder of them it lists names. Sources are parsed, never run.

    Of a saved model, a frozen graph (.pb, .pbtxt) or a checkpoint (its prefix or its .index file) it lists ops or
    types. It also lists the nodes whose op is here in other forms only. Nothing is run. The exit status is 1 if
    something is absent.
    """
    models = [path for path in paths if of_models.is_model(path)]
    if models:
        if len(models) < len(paths) or v1 is not None or fail_under is not None:
            raise click.UsageError("--v1, --v2 and --fail-under are for programs; give programs or models, not both")
        reports = [report for path in models for report in of_models.coverage(path)]
        say(json.dumps(of_models.as_data(reports), indent=1) if as_json else of_models.as_text(reports))
        if not all(report.whole for report in reports):
            sys.exit(1)
        return
    if len(paths) > 1:
        raise click.UsageError("give one script or folder, or several models")
    if not os.path.exists(paths[0]):
        raise click.UsageError(f"there is no file, folder or checkpoint {paths[0]}")
    report = reading.coverage(Path(paths[0]), v1)
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
