"""`inlay check`: a host function of the user against its declaration."""

from __future__ import annotations

import importlib
import inspect
import json
import operator
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from inlay._src.base.types.dtypes import DType, as_dtype
from inlay._src.base.types.specs import TensorSpec
from inlay._src.host.api import declaration_of
from inlay._src.inspection.checking.check_function import CHECKS, check_function
from inlay._src.inspection.checking.subject import MODES
from inlay._src.tools.commands.output import command, say

_SPEC = re.compile(r"(?P<dtype>\w+)(\[(?P<sizes>[\d,\s]*)\])?")
_COUNT, _LARGEST, _UNKNOWN = 3, 7, 3
"""The number of generated samples, the largest generated integer, and the size of an unknown dimension."""


@command(
    examples=[
        "inlay check augment:rotated --samples examples",
        "inlay check augment:rotated --input float32[28,28] --input float32[]",
        "inlay check metrics:bleu --samples tests.metrics:SENTENCES --tout float32 --api numpy_function --pure",
        "inlay check augment:rotated --input float32[28,28] --skip gradients --json",
    ]
)
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option(
    "--samples",
    metavar="[MODULE:]NAME",
    help="The inputs of its calls: a list with a tuple for each call, or a function that returns it. "
    "Default: the attribute `samples` of the function.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="DTYPE[SIZES]",
    help="Generate samples: the dtype and the shape of an input, such as float32[28,28]. Give one for each input. "
    "Default: the annotations of the parameters that are a TensorSpec.",
)
@click.option("--tout", multiple=True, metavar="DTYPE", help="The dtype of a result, of a function without decorator.")
@click.option("--api", type=click.Choice(sorted(MODES)), help="The values that the function receives.")
@click.option("--pure", is_flag=True, help="Check the function as declared with stateful=False.")
@click.option("--executor", type=click.Choice(["inline", "threads", "processes"]), help="The declared executor.")
@click.option("--skip", multiple=True, type=click.Choice(list(CHECKS)), help="A check to leave out.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def check(
    function: str,
    samples: str | None,
    inputs: Sequence[str],
    tout: Sequence[str],
    api: str | None,
    pure: bool,
    executor: str | None,
    skip: Sequence[str],
    as_json: bool,
) -> None:
    """Check a Python function that is called as an op; exit status 1 if there is a problem.

    The function is imported and called with samples of its inputs, some dozens of times: eagerly, in a session, in a
    tf.function, in a dataset, in threads, and in a worker process if its declaration allows that.
    """
    checked = _imported(function, "MODULE:FUNCTION")
    declared: dict[str, Any] = {} if api is None else {"api": api}
    if tout:
        types = [_spec(text, "--tout").dtype for text in tout]
        declared["Tout"] = types[0] if len(types) == 1 else types
    if pure:
        declared["stateful"] = False
    if executor is not None:
        declared["executor"] = executor
    report = check_function(checked, _samples(checked, function, samples, inputs), **declared, skip=skip)
    say(json.dumps(report.as_data(), indent=1) if as_json else str(report))
    if not report.ok:
        sys.exit(1)


def _imported(text: str, option: str) -> Any:
    """The object that `MODULE:NAME` names."""
    module, _, path = text.partition(":")
    sys.path.insert(0, os.getcwd())  # as `python -m` finds modules; workers get the path of this process
    try:
        return operator.attrgetter(path)(importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise click.BadParameter(f"cannot import {text!r}: {error}", param_hint=option) from error


def _samples(checked: Any, function: str, samples: str | None, inputs: Sequence[str]) -> Any:
    """The samples: named ones, generated ones, those that the function has; None leaves them to its decorator."""
    if samples is not None and inputs:
        raise click.UsageError("give --samples or --input, not both")
    if samples is not None:
        place = samples if ":" in samples else f"{function.partition(':')[0]}:{samples}"
        named = _imported(place, "--samples")
        return list(named() if callable(named) else named)
    if inputs:
        return _generated([_spec(text, "--input") for text in inputs])
    if hasattr(checked, "samples"):
        return checked.samples
    declaration = declaration_of(checked)
    if declaration is not None and declaration.options.sample is not None:
        return None
    specs = _annotated(checked if declaration is None else declaration.func)
    if specs is None:
        raise click.UsageError(
            f"there are no samples of the inputs of {function}: name a list with --samples, or give the dtype and the "
            "shape of each input with --input float32[3]"
        )
    return _generated(specs)


def _annotated(function: Any) -> list[TensorSpec] | None:
    """The specs that annotate the parameters; None unless all required ones have some."""
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except (TypeError, ValueError, NameError):
        return None
    specs = [p.annotation for p in parameters if p.default is p.empty]
    return specs if all(isinstance(spec, TensorSpec) for spec in specs) else None


def _spec(text: str, option: str) -> TensorSpec:
    match = _SPEC.fullmatch(text.strip())
    try:
        if match is None:
            raise TypeError(f"expected a form such as float32[28,28], got {text!r}")
        sizes = [int(size) for size in (match["sizes"] or "").split(",") if size.strip()]
        return TensorSpec(sizes, as_dtype(match["dtype"]))
    except TypeError as error:
        raise click.BadParameter(str(error), param_hint=option) from error


def _generated(specs: Sequence[TensorSpec]) -> list[tuple[Any, ...]]:
    """Samples of random values, the same each time."""
    draw = np.random.default_rng(0)
    return [tuple(_value(spec, draw) for spec in specs) for _ in range(_COUNT)]


def _value(spec: TensorSpec, draw: Any) -> Any:
    dims = spec.shape._dims
    shape = (_UNKNOWN,) if dims is None else tuple(_UNKNOWN if size is None else size for size in dims)
    dtype: DType = spec.dtype
    if dtype.is_bool:
        return draw.integers(0, 2, shape).astype(bool)
    if dtype.is_integer:
        return draw.integers(0, _LARGEST, shape).astype(dtype.np)
    if dtype.is_floating or dtype.is_complex:
        return np.asarray(draw.normal(size=shape)).astype(dtype.np)
    if dtype.name == "string":
        words = np.array([b"graph", b"function", b"tensor"], object)
        return words[draw.integers(0, len(words), shape)]
    raise click.UsageError(f"no samples can be generated for {dtype.name}: name a list with --samples")
