"""The page of `inlay show --html`: of a saved model, of which nothing is run, or of a script, which is run first."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import click

from inlay._src.inspection.pictures import models, scripts
from inlay._src.inspection.pictures.page import page
from inlay._src.inspection.pictures.scene import Picture
from inlay._src.saved.loading import Inspected
from inlay._src.saved.tensorflow_models.model import graphs_of, has_no_manifest
from inlay._src.tools.commands import programs


def write_page(source: str, arguments: Sequence[str], target: str, times: str | None) -> Any:
    """Writes the page of a saved model or a script.

    Args:
      source: the folder of the model, or the file of the script.
      arguments: the script's own.
      target: the file of the page.
      times: a file with the times of steps, or None.

    Returns:
      The exit status of the script; 0 for a model. A page is written of a script that fails, too.

    Raises:
      click.UsageError: for arguments of a model.
      OSError: before the script runs, if there is no folder for the page.
    """
    if arguments and not os.path.isfile(source):
        raise click.UsageError("a model takes no arguments: they are for a script")
    if not os.path.isdir(os.path.dirname(target) or "."):
        raise FileNotFoundError(f"there is no folder for {target}")
    colors, status = None if times is None else _times(times), 0
    if os.path.isfile(source):
        variables, status = programs.variables_of(source, arguments)
        picture = scripts.of_script(os.path.basename(source), variables)
    else:
        picture = _of_model(source)
    text = page(picture, colors)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    return status


def _of_model(source: str) -> Picture:
    if has_no_manifest(source):
        return models.of_tensorflow_models(source, graphs_of(source))
    return models.of_inspected(Inspected(source))


def _times(path: str) -> Any:
    """The times of a file: a mapping, or a trace."""
    with open(path, encoding="utf-8") as file:
        times = json.load(file)
    if not isinstance(times, dict):
        raise ValueError(f"{path} must map the names of steps to microseconds, got a {type(times).__name__}")
    return times
