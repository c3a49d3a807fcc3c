"""Settings that every test shares."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator

import pytest
from hypothesis import settings

from inlay.core import context

# JAX reads this when it first starts: its second CPU device stands in for a GPU (`tests/unit/devices`).
if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2".strip()

# Examples may be slow on a busy machine; the per-test time limit is the judge of hangs.
settings.register_profile("inlay", deadline=None, max_examples=60)
settings.load_profile("inlay")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a GPU where there is none; JAX is asked only if such a test was collected."""
    wanting = [item for item in items if item.get_closest_marker("gpu")]
    if wanting and not _has_gpu():
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason="no GPU here"))


@pytest.fixture(autouse=True, scope="session")
def plans_are_pickled() -> Iterator[None]:
    """With INLAY_PICKLE_PLANS set, every plan that the suite runs was pickled and loaded again before."""
    if not os.environ.get("INLAY_PICKLE_PLANS"):
        yield
        return
    from inlay.run.executable import Executable

    bind = Executable.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Executable,
            "__init__",
            lambda self, plan, tables=None: bind(self, pickle.loads(pickle.dumps(plan)), tables),
        )
        yield


@pytest.fixture(autouse=True)
def context_is_left_as_found() -> Iterator[None]:
    """A test that leaves a graph, a device or a tape in force would change what the tests after it do."""
    before = context.get()
    yield
    after = context.get()
    context.set_state(before)
    assert after is before, f"this test leaves {after} in force"


def _has_gpu() -> bool:
    import jax

    try:
        return bool(jax.devices("gpu"))
    except RuntimeError:
        return False
