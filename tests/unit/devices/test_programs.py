"""Programs recorded from TensorFlow, and recipes, run with an accelerator as the default device: the same outcomes."""

from __future__ import annotations

import pytest

from tests.conformance.test_actor_critic import *  # noqa: F403
from tests.conformance.test_documents import *  # noqa: F403
from tests.conformance.test_recipes import *  # noqa: F403
from tests.conformance.test_recorded_cases import *  # noqa: F403
from tests.unit.devices.standing_in import Crossings

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def on_the_gpu_by_default(gpu: Crossings) -> None:
    """Every program of this module has a GPU."""


@pytest.fixture
def episodes() -> int:
    """Of programs whose shapes differ from one to the next: XLA compiles each."""
    return 8
