"""Generators of random numbers that functions refer to are copied with them, which a warning tells."""

from __future__ import annotations

import functools
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest

from inlay._src.host import bodies

GLOBAL = np.random.default_rng(1)


class Holder:
    def __init__(self) -> None:
        self.rng = np.random.RandomState(1)

    def draw(self) -> Any:
        return self.rng.random_sample()


def in_a_closure() -> Any:
    rng = random.Random(1)
    return lambda: rng.random()


CAPTURING = {
    "global": (lambda: GLOBAL.random(), "Generator"),
    "closure": (in_a_closure(), "Random"),
    "self": (Holder().draw, "RandomState"),
    "partial": (functools.partial(lambda rng: rng.random(), np.random.default_rng(1)), "Generator"),
}


@pytest.mark.parametrize("case", CAPTURING.values(), ids=CAPTURING)
def test_a_function_that_refers_to_a_generator_is_told_once(case: Any) -> None:
    function, kind = case
    with pytest.warns(RuntimeWarning, match=rf"\({kind}\), of which every worker gets a copy"):
        bodies.body_of(function)


def test_a_function_that_makes_its_generator_is_told_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bodies.body_of(lambda i: np.random.default_rng((7, i)).random())
        bodies.body_of(lambda: np.random.random())
        bodies.body_of(lambda: random.random())


def test_a_class_may_have_a_module_that_is_no_text() -> None:
    """Cython makes such classes, NumPy's generators refer to one, and the warning counts objects by their class."""
    strange = type("Strange", (), {"__reduce__": lambda self: (int, ()), "__module__": property(lambda self: "m")})()
    assert pickle.loads(bodies.body_of(lambda: strange).data)() == 0
