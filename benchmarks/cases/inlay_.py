"""The library itself."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import arrays, bare, convolutions, datasets, everyday, forms, tensorflow_api
from benchmarks.cases.tensorflow_figures import FIGURES as FIGURES

CASES = {
    **tensorflow_api.CASES,
    **forms.CASES,
    **datasets.CASES,
    **arrays.CASES,
    **convolutions.CASES,
    **everyday.CASES,
    **bare.CASES,
}


def load() -> Any:
    """The module that the programs call `tf`."""
    import inlay

    return inlay
