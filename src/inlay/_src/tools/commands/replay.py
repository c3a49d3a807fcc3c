"""`inlay replay`: lists the calls of a recording, and makes them again."""

from __future__ import annotations

import importlib
import json
import operator
import os
import pdb
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from typing import Any

import click

from inlay._src.base.tracebacks import FOLDER, users_frames
from inlay._src.host.executors.event_loop import awaited
from inlay._src.inspection.replaying import failures
from inlay._src.inspection.replaying.calls import CallRecord, FunctionRecord
from inlay._src.inspection.replaying.differences import ReplayDifference, as_text
from inlay._src.inspection.replaying.replaying import replay as Replay
from inlay._src.tools.commands.output import command, say

_SHOWN = 3
"""Failed calls of a function that the list shows."""


@command(
    examples=[
        "inlay replay run.calls",
        "inlay replay run.calls --function step",
        "inlay replay run.calls --function step --call 41 --pdb",
        "inlay replay run.calls --function Cart.step --using carts:fresh_step",
    ]
)
@click.argument("path", metavar="RECORDING", type=click.Path(dir_okay=False))
@click.option("--function", "name", metavar="NAME", help="The recorded function to call again.")
@click.option(
    "--call", "number", type=click.IntRange(0), metavar="N", help="Its call. Default: all, up to a difference."
)
@click.option(
    "--using",
    metavar="MODULE:FUNCTION",
    help="The function to call: where it is imported from. Default: the module and the name in the recording.",
)
@click.option(
    "--pdb", "debug", is_flag=True, help="Stop in the debugger where the function begins, and where it raises."
)
@click.option("--partial", is_flag=True, help="Read a recording that is cut short or damaged as far as it is whole.")
@click.option("--json", "as_json", is_flag=True, help="Write the list as JSON.")
def replay(
    path: str, name: str | None, number: int | None, using: str | None, debug: bool, partial: bool, as_json: bool
) -> None:
    """List the calls of a recording of tf.debugging.record, or make them again.

    Without --function nothing is run: the functions are listed with their calls, sizes and errors. With it, the
    function is imported from the current folder or the installed packages, and called with the recorded arguments. The
    exit status is 0 if the outcome is the recorded one, the same exception included, and 1 if it differs.
    """
    if name is None and (number is not None or using is not None or debug):
        raise click.UsageError("--call, --using and --pdb need --function")
    if debug and number is None:
        raise click.UsageError("--pdb needs --call")
    recording = Replay(path, partial=partial)
    if name is None:
        listed = [_described(function) for function in recording.functions]
        about = {"path": path, "bytes": os.path.getsize(path), "cut": recording.cut, "functions": listed}
        say(json.dumps(about, indent=1) if as_json else _text(about))
        return
    try:
        recorded = recording.function(name)
        calls = list(recorded) if number is None else [recorded.call(number)]
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    function = _imported(recorded, using)
    try:
        for call in calls:
            if number is not None:
                _show(call)
                _run(call, _debugged(function) if debug else function)
            else:
                call.check(awaited(function))
    except ReplayDifference as difference:
        say(str(difference))
        sys.exit(1)
    if number is None:
        say(f"{len(calls)} calls of {recorded.label} have the recorded outcomes")


# ---------------------------------------------------------------- the list


def _described(function: FunctionRecord) -> dict[str, Any]:
    failed = [function.call(number) for number in function.failures[:_SHOWN]]
    return {
        "name": function.name,
        "label": function.label,
        "calls": len(function),
        "bytes": sum(call.nbytes for call in function),
        "raised": len(function.failures),
        "unrecorded": function.unrecorded,
        "errors": {call.number: failures.title(failures.as_data(call.error)) for call in failed if call.error},
    }


def _text(about: Mapping[str, Any]) -> str:
    lines = [f"{about['path']}: {about['bytes']:,} bytes"]
    if about["cut"]:
        lines.append(f"  cut short at {about['cut']}")
    for f in about["functions"]:
        lines.append(f"{f['label']}: {f['calls']:,} calls, {f['bytes']:,} bytes, {f['raised']:,} raised")
        if f["unrecorded"]:
            lines.append(f"  {f['unrecorded']:,} more calls found no room")
        lines += [f"  call {number} raised {error.splitlines()[0]}" for number, error in f["errors"].items()]
        if f["raised"] > len(f["errors"]):
            lines.append(f"  and {f['raised'] - len(f['errors']):,} more")
    return "\n".join(lines)


# ---------------------------------------------------------------- a call


def _imported(recorded: FunctionRecord, using: str | None) -> Callable[..., Any]:
    """The function: of `using`, or where the recording says that it is defined."""
    place = recorded.place
    module, qualname = place["module"], place["qualname"]
    if module == "__main__":
        module = os.path.splitext(place["file"])[0]
    if using is not None:
        module, _, qualname = using.partition(":")
    elif "<" in qualname or "<" in module:
        raise click.UsageError(f"{recorded.label} is not a function of a module: name one with --using MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())  # as `python -m` finds modules
    try:
        function: Any = operator.attrgetter(qualname)(importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise click.UsageError(
            f"{recorded.label} is not at {module}:{qualname} ({error}): name it with --using MODULE:FUNCTION"
        ) from error
    while _is_library(function) and hasattr(function, "__wrapped__"):  # made an op by a decorator
        function = function.__wrapped__
    if not callable(function):
        raise click.UsageError(f"{module}:{qualname} is not a function")
    return function  # type: ignore[no-any-return]


def _is_library(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    if code is not None:
        return str(code.co_filename).startswith(FOLDER)
    return type(function).__module__.partition(".")[0] == __name__.partition(".")[0]


def _debugged(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function under the debugger, which stops at its first line, and where it raises."""

    def stopping(*args: Any, **kwargs: Any) -> Any:
        try:
            return pdb.Pdb(skip=["asyncio.*", "inlay._src.*"]).runcall(awaited(function), *args, **kwargs)
        except Exception as error:
            say(f"{failures.title(failures.as_data(error))}")
            frames = _own_frames(error)
            pdb.post_mortem(frames[0] if frames else error.__traceback__)
            raise

    return stopping


def _show(call: CallRecord) -> None:
    lines = [str(call)]
    lines += [f"  argument {i}: {as_text(value)}" for i, value in enumerate(call.args)]
    lines += [f"  argument {name!r}: {as_text(value)}" for name, value in call.kwargs.items()]
    if call.status == "returned":
        lines.append(f"  recorded: {as_text(call.result)}")
    elif call.error is not None:
        lines.append(f"  recorded: raised {failures.title(failures.as_data(call.error))}")
    else:
        lines.append(f"  recorded: {call.status}")
    say("\n".join(lines))


def _run(call: CallRecord, function: Callable[..., Any]) -> None:
    """Makes a call again, and prints its outcome.

    Raises:
      ReplayDifference: if it is not the recorded one.
    """
    outcome: list[Any] = []

    def observed(*args: Any, **kwargs: Any) -> Any:
        try:
            result = awaited(function)(*args, **kwargs)
        except Exception as error:
            outcome.append("".join(traceback.format_exception(type(error), error, _own(error))).rstrip())
            raise
        outcome.append(f"now: {as_text(result)}")
        return result

    try:
        call.check(observed)
    finally:
        if outcome:
            say(outcome[0])
    say("the outcome is the recorded one" if call.status in ("returned", "raised") else "no outcome was recorded")


def _own(error: BaseException) -> Any:
    """The traceback of an exception from the first frame of the user's."""
    return next(iter(_own_frames(error)), error.__traceback__)


def _own_frames(error: BaseException) -> list[types.TracebackType]:
    """The frames of a traceback without the library's and the debugger's."""
    return [t for t in users_frames(error.__traceback__) if t.tb_frame.f_globals.get("__name__") != "bdb"]
