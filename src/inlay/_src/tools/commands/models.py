"""`inlay show`, `call`, `verify`, `sign`, `convert`: saved models, of inlay and of TensorFlow."""

from __future__ import annotations

import importlib
import json
import operator
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.saved import converting, loading, showing, signing
from inlay._src.saved.loaded import AbsentTrace
from inlay._src.saved.tensorflow_models.model import has_no_manifest
from inlay._src.saved.tensorflow_models.showing import described_tensorflow_model, shown_tensorflow_model
from inlay._src.tools.commands import showing_pictures
from inlay._src.tools.commands.output import command, parsed, say
from inlay._src.training import npz_checkpoint

_model = click.argument("model", metavar="MODEL", type=click.Path(exists=True, file_okay=False))
_TRUST_HELP = (
    "What may run: sha256:DIGEST of a Python function or of the whole model, ed25519:KEY of who signed it, or a module "
    "whose functions are saved by name. May be given several times."
)


_trust = click.option("--trust", multiple=True, metavar="WHAT", help=_TRUST_HELP)
_tags = click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Of a model of TensorFlow with several graphs: a tag of the one that is meant. Give all of its tags.",
)
_host_functions = click.option(
    "--host-function",
    "host_functions",
    multiple=True,
    metavar="NAME=MODULE:FUNCTION",
    help="The function for a call of Python in a model of TensorFlow, which does not save it: the name of its node or "
    "its token, and where the function is imported from. May be given several times.",
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON.")


@command(
    context_settings={"ignore_unknown_options": True},
    examples=[
        "inlay show model",
        "inlay show model --json",
        "inlay show model --html model.html",
        "inlay show train.py --html train.html --times times.json",
    ],
)
@click.argument("model", metavar="MODEL|SCRIPT", type=click.Path(exists=True))
@click.argument("arguments", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@_as_json
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write a page with a picture to FILE.",
)
@click.option(
    "--times",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Color the picture by times: a JSON file with step names and microseconds, or a trace in Chrome's format.",
)
def show(model: str, arguments: tuple[str, ...], as_json: bool, page: str | None, times: str | None) -> None:
    """Show what a saved model holds, or draw a model or a program.

    It prints the signatures, variables, files and ops, and the Python functions with their digests and sources. Of a
    model of TensorFlow it prints every graph with its tags, and the calls of Python, whose functions are not saved.
    Nothing of a model is run.

    --html writes a page that needs no network: scopes fold, it searches, and it shows the way of each tensor. A SCRIPT
    is run first, with ARGUMENTS, as `inlay run` does. The page shows the graphs, traced functions, datasets and loaded
    models that its module holds at its end, also if it fails. The exit status is that of the SCRIPT.
    """
    if page is not None:
        status = showing_pictures.write_page(model, arguments, page, times)
        say(f"wrote {page}")
        sys.exit(status)
    if os.path.isfile(model) or arguments or times is not None:
        raise click.UsageError("of a script, and with --times, a page is written: give --html FILE")
    if has_no_manifest(model):
        say(json.dumps(described_tensorflow_model(model), indent=1) if as_json else shown_tensorflow_model(model))
        return
    inspected = loading.Inspected(model)
    say(json.dumps(showing.described_model(inspected), indent=1) if as_json else showing.shown(inspected))


@command(
    examples=[
        "inlay call model --input x='[0.5, 3]'",
        "inlay call model --input x=x.npy --output y=y.npy --trust sha256:DIGEST",
        "inlay call model --tag serve --tag gpu --signature predict --input x='[1]'",
        "inlay call model --input x='[1]' --host-function pyfunc_0=mymodule:double",
    ]
)
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
@_tags
@_trust
@_host_functions
def call(
    model: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    signature: str,
    tags: Sequence[str],
    trust: Sequence[str],
    host_functions: Sequence[str],
) -> None:
    """Call a signature of a saved model, of inlay or of TensorFlow.

    A model with Python functions runs only what --trust allows.
    """
    values = dict(_pair(text, "--input") for text in inputs)
    wanted = dict(_pair(text, "--output", "") for text in outputs)
    functions = _imported(host_functions)
    loaded = loading.load(model, tags=list(tags) or None, trust=list(trust), host_functions=functions)
    if signature not in loaded.signatures:
        raise click.UsageError(
            f"there is no signature {signature!r}; there are: {', '.join(loaded.signatures) or 'none'}"
        )
    function = loaded.signatures[signature]
    if isinstance(function, AbsentTrace):
        function()  # raises the error that says why
    specs = function.structured_input_signature[1]
    if set(specs) != set(values):
        raise click.UsageError(
            f"{signature} takes {', '.join(specs) or 'nothing'}, got {', '.join(values) or 'nothing'}"
        )
    composite = [name for name, spec in specs.items() if not isinstance(spec, TensorSpec)]
    if composite:
        raise click.UsageError(f"{signature} takes {composite[0]} as {specs[composite[0]]}: call it in a program")
    tensors = {name: convert_to_tensor(_read(text), specs[name].dtype) for name, text in values.items()}
    for name, tensor in tensors.items():
        if not specs[name].shape.is_compatible_with(tensor.shape):
            raise click.UsageError(f"{signature} takes {name} of shape {specs[name].shape}, got {tensor.shape}")
    results = function(**tensors)
    unknown = sorted(set(wanted) - set(results))
    if unknown:
        raise click.UsageError(f"{signature} gives {', '.join(results)}, and no {', '.join(unknown)}")
    for name in wanted or results:
        _show(name, _value(name, results[name]), wanted.get(name, ""))


def _imported(texts: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Name of a node, or token -> function, from the texts `NAME=MODULE:FUNCTION`."""
    functions: dict[str, Callable[..., Any]] = {}
    for text in texts:
        name, place = _pair(text, "--host-function")
        module, _, path = place.partition(":")
        sys.path.insert(0, os.getcwd())  # as `python -m` finds modules
        try:
            functions[name] = operator.attrgetter(path)(importlib.import_module(module))
        except (ImportError, AttributeError, ValueError) as error:
            raise click.BadParameter(
                f"expected NAME=MODULE:FUNCTION, got {text!r}: {error}", param_hint="--host-function"
            ) from error
        finally:
            sys.path.pop(0)
    return functions


def _pair(text: str, option: str, default: str | None = None) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or (not sign and default is None):
        raise click.BadParameter(f"expected NAME=..., got {text!r}", param_hint=option)
    return name, value if sign else str(default)


def _value(name: str, result: Any) -> Any:
    """The array of a result."""
    if not isinstance(result, Tensor):
        raise click.UsageError(f"{name} is {type(result).__name__}, which has no array: call the model in a program")
    return result.numpy()


def _read(text: str) -> Any:
    """An input: from a file, or JSON itself."""
    if text.endswith(".npy"):
        try:
            return npz_checkpoint.array_of(Path(text).read_bytes())
        except ValueError as error:
            raise ValueError(f"{text} is not an array: {error}") from error
    if text.endswith(".json") and os.path.isfile(text):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    return parsed(text, "--input")


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
        say(text)


def _check_manifest(model: str) -> None:
    """Refuses a model of TensorFlow, which has no digests."""
    if has_no_manifest(model):
        raise click.ClickException(
            f"{model} is a saved model of TensorFlow without a manifest: there are no digests to check or to sign. "
            "`inlay convert MODEL NEW` loads it and saves it with a manifest, as tf.saved_model.save does"
        )


@command(examples=["inlay verify model", "inlay verify model --key ed25519:KEY", "inlay verify model --json"])
@_model
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="ed25519:KEY",
    help="A key that must have signed it; of several, one.",
)
@_as_json
def verify(model: str, keys: Sequence[str], as_json: bool) -> None:
    """Check the files and the signatures of a saved model; nothing of it is run.

    The exit status is 1 if a file is damaged, or if none of the keys signed the model.
    """
    _check_manifest(model)
    inspected = loading.Inspected(model)
    signers = [f"ed25519:{key}" for key in signing.signers(inspected.container)]
    if keys and not set(keys) & set(signers):
        raise click.ClickException(f"{model} is whole, but none of these keys signed it: {', '.join(keys)}")
    if as_json:
        say(json.dumps({"model": model, "digest": f"sha256:{inspected.container.digest}", "signers": signers}))
        return
    say(f"{model} is whole: sha256:{inspected.container.digest}")
    say(f"signed by {', '.join(signers) or 'nobody'}")


@command(examples=["inlay sign model --key key.pem --new", "inlay sign model --key key.pem"])
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
    _check_manifest(model)
    loading.Inspected(model)
    if new:
        signing.new_key(key)
    say(signing.sign(model, signing.read_key(key, None if password is None else password.encode())))


@command(
    examples=[
        "inlay convert frozen.pb model",
        "inlay convert frozen.pb model --input images:0 --output scores:0",
        "inlay convert model new_model --trust sha256:DIGEST",
        "inlay convert checkpoints/step-100.npz converted/step-100",
    ]
)
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("target", metavar="OUT", type=click.Path())
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME",
    help="Of a graph: a node or tensor that the signature takes. Default: its placeholders.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="NAME",
    help="Of a graph: a node or tensor that the signature gives. Default: the nodes that nothing takes.",
)
@_tags
@_trust
@_host_functions
def convert(
    source: str,
    target: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    tags: Sequence[str],
    trust: Sequence[str],
    host_functions: Sequence[str],
) -> None:
    """Write a frozen graph, a saved model or an old checkpoint in the format of this version.

    A frozen graph becomes a saved model with the signature serving_default. A saved model is loaded and saved again
    with a manifest; variables of TensorFlow 1 become constants. A checkpoint of inlay in an .npz file becomes one in
    the files of TensorFlow. OUT is replaced only if it is a saved model of inlay.
    """
    functions = _imported(host_functions)
    say(converting.convert(source, target, inputs, outputs, tags, list(trust), functions))
