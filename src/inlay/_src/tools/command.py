"""The command line: `inlay`, or `python -m inlay`.

Exit status: 0 when a command ends well, and when a server is stopped by SIGINT or SIGTERM; 1 for an error, which is
told in a line or a few, with a traceback only after `--debug`; 2 for a wrong command line.
"""

from __future__ import annotations

import difflib
import json
import os
import runpy
import signal
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.terminal import escaped
from inlay._src.cluster.resolver import TFConfigClusterResolver
from inlay._src.cluster.server import Server
from inlay._src.cluster.spec import ClusterSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.engine.plan import partition
from inlay._src.saved import loading, showing, signing
from inlay._src.tools import explained
from inlay._src.tools.unmodified import coverage as reading
from inlay._src.tools.unmodified import running
from inlay._src.training import bundle

_EXPECTED = (errors.OpError, ImportError, OSError, ValueError, TypeError)
"""Errors that are reported without a traceback: the input or the environment causes them."""


def _say(text: str) -> None:
    """Prints what a command tells: names in it may be of a model's or a script's choosing."""
    click.echo(escaped(text))


class _Commands(click.Group):
    """A group whose commands tell errors in a few words."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command."""
        try:
            return super().invoke(ctx)
        except _EXPECTED as error:
            if ctx.params["debug"]:
                raise
            raise click.ClickException(escaped(f"{type(error).__name__}: {error}")) from error
        except click.ClickException as error:
            vars(error)["message"] = escaped(error.message)
            raise


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
@click.option("--num-gpus", type=click.FloatRange(min=0), default=0, help="The number of GPUs that the task holds.")
def server(cluster: str | None, job: str | None, task: int | None, address: str | None, num_gpus: float) -> None:
    """Run a task of a cluster until it is stopped.

    Any process that reaches its address or its Ray cluster can run code on this machine: see docs/security.md.
    """
    resolver = TFConfigClusterResolver()
    spec = resolver.cluster_spec() if cluster is None else ClusterSpec(_parsed(cluster))
    if not spec:
        raise click.UsageError("no cluster is specified: pass --cluster, or set TF_CONFIG")
    job = resolver.task_type if job is None else job
    task = resolver.task_id if task is None else task
    running = Server(spec, job, task, address=address, num_gpus=num_gpus)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    named = running.server_def
    _say(f"{running.target} runs {partition.text((named.job_name, named.task_index))}")
    running.join()


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
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


@main.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write JSON: counts, and a row for each name.")
@click.option(
    "--v1/--v2",
    "v1",
    default=None,
    help="The version of TensorFlow. Default: detected from each source.",
)
def coverage(path: Path, as_json: bool, v1: bool | None) -> None:
    """List the names of TensorFlow that a script or folder uses, and whether inlay has them.

    Sources and notebooks are parsed, never run.
    """
    report = reading.coverage(path, v1)
    _say(reading.as_json(report) if as_json else reading.as_text(report))


@main.command()
@click.argument("name", required=False)
def explain(name: str | None) -> None:
    """Explain an error whose message refers to NAME; without NAME, list what is explained.

    The entries are those of docs/errors.md.
    """
    entries = explained.entries()
    if name is None:
        _say("\n".join(entries))
    elif name in entries:
        _say(entries[name])
    else:
        near = difflib.get_close_matches(name, entries, 3)
        raise click.UsageError(f"nothing is explained as {name!r}" + (f"; near it: {', '.join(near)}" if near else ""))


def _parsed(text: str, option: str = "--cluster") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise click.BadParameter(f"this is no JSON: {error}", param_hint=option) from error


# ---------------------------------------------------------------- saved models

_model = click.argument("model", metavar="MODEL", type=click.Path(exists=True, file_okay=False))
_TRUST_HELP = (
    "What may run: sha256:DIGEST of a Python function or of the whole model, ed25519:KEY of who signed it, or a module "
    "whose functions are saved by name. May be given several times."
)


@main.command()
@_model
def show(model: str) -> None:
    """Show what a saved model holds; nothing of it is run.

    Its signatures, variables, files, ops, and its Python functions with their digests and sources.
    """
    _say(showing.shown(loading.Inspected(model)))


@main.command()
@_model
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=FILE|JSON",
    help="An input: a .npy file, a .json file, or JSON itself: x=[1.0, 2.0]. May be given several times.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="NAME[=FILE]",
    help="An output to print as JSON, or to write to a .npy or .json file. Default: all are printed.",
)
@click.option("--signature", default="serving_default", show_default=True, help="What is called.")
@click.option("--trust", multiple=True, metavar="WHAT", help=_TRUST_HELP)
def call(model: str, inputs: Sequence[str], outputs: Sequence[str], signature: str, trust: Sequence[str]) -> None:
    """Call a signature of a saved model.

    A model with Python functions runs only what --trust allows.
    """
    values = dict(_pair(text, "--input") for text in inputs)
    wanted = dict(_pair(text, "--output", "") for text in outputs)
    loaded = loading.load(model, trust=list(trust))
    if signature not in loaded.signatures:
        raise click.UsageError(
            f"there is no signature {signature!r}; there are: {', '.join(loaded.signatures) or 'none'}"
        )
    function = loaded.signatures[signature]
    specs = {spec.name: spec for spec in function.structured_input_signature[1].values()}
    if set(specs) != set(values):
        raise click.UsageError(
            f"{signature} takes {', '.join(specs) or 'nothing'}, got {', '.join(values) or 'nothing'}"
        )
    tensors = {name: convert_to_tensor(_read(text), specs[name].dtype) for name, text in values.items()}
    for name, tensor in tensors.items():
        if not specs[name].shape.is_compatible_with(tensor.shape):
            raise click.UsageError(f"{signature} takes {name} of shape {specs[name].shape}, got {tensor.shape}")
    results = function(**tensors)
    unknown = sorted(set(wanted) - set(results))
    if unknown:
        raise click.UsageError(f"{signature} gives {', '.join(results)}, and no {', '.join(unknown)}")
    for name in wanted or results:
        _show(name, results[name].numpy(), wanted.get(name, ""))


def _pair(text: str, option: str, default: str | None = None) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or (not sign and default is None):
        raise click.BadParameter(f"expected NAME=..., got {text!r}", param_hint=option)
    return name, value if sign else str(default)


def _read(text: str) -> Any:
    """An input: from a file, or JSON itself."""
    if text.endswith(".npy"):
        try:
            return bundle.array_of(Path(text).read_bytes())
        except ValueError as error:
            raise ValueError(f"{text} is no array: {error}") from error
    if text.endswith(".json") and os.path.isfile(text):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    return _parsed(text, "--input")


def _show(name: str, value: Any, file: str) -> None:
    """Prints an output as JSON, or writes it to a file."""
    if file.endswith(".npy"):
        np.save(file, np.asarray(value), allow_pickle=False)
        return
    listed = np.asarray(value).tolist()
    text = json.dumps({name: listed}, default=lambda part: part.decode("utf-8", "backslashreplace"))
    if file:
        with open(file, "w", encoding="utf-8") as target:
            target.write(json.dumps(json.loads(text)[name]))
    else:
        _say(text)


@main.command()
@_model
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="ed25519:KEY",
    help="A key that must have signed it; of several, one.",
)
def verify(model: str, keys: Sequence[str]) -> None:
    """Check the files and the signatures of a saved model; nothing of it is run."""
    inspected = loading.Inspected(model)
    signers = [f"ed25519:{key}" for key in signing.signers(inspected.container)]
    if keys and not set(keys) & set(signers):
        raise click.ClickException(f"{model} is whole, but none of these keys signed it: {', '.join(keys)}")
    _say(f"{model} is whole: sha256:{inspected.container.digest}")
    _say(f"signed by {', '.join(signers) or 'nobody'}")


@main.command()
@_model
@click.option(
    "--key", required=True, metavar="FILE", type=click.Path(dir_okay=False), help="A private Ed25519 key, as PEM."
)
@click.option("--new", is_flag=True, help="Make the key first; the file must not exist.")
@click.option("--password", envvar="INLAY_KEY_PASSWORD", help="Of the key. Default: INLAY_KEY_PASSWORD.")
def sign(model: str, key: str, new: bool, password: str | None) -> None:
    """Sign a saved model, so that who trusts the key can load it.

    Prints the public key, as --trust and trust= take it.
    """
    loading.Inspected(model)
    if new:
        signing.new_key(key)
    _say(signing.sign(model, signing.read_key(key, None if password is None else password.encode())))
