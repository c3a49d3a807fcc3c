"""Random graphs placed at random over two devices: every runner gives what the interpreter gives on the host."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inlay._src.core import device
from inlay._src.engine.plan import plan as plans
from inlay._src.engine.plan.build import build
from inlay._src.engine.run import device_layout, xla_segments
from inlay._src.engine.run.executable import Executable
from tests.unit.run.test_xla_segments import RUNNERS, agree, outcome, random_graph

PLACES = ("", "", "/device:CPU:0", "/device:GPU:0", "/device:GPU:1")


@pytest.fixture(autouse=True)
def two_gpus() -> object:
    """Both CPU devices of JAX stand in for GPUs."""
    import jax

    first, second = jax.local_devices(backend="cpu")[:2]
    device.use({"/device:GPU:0": second, "/device:GPU:1": first})
    yield
    device.use(None)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_placed_plans_agree_with_the_interpreter(seed: int) -> None:
    graph, feeds, tensors = random_graph(seed)
    rand = random.Random(seed + 1)
    for node in graph.nodes:
        node.device = rand.choice(PLACES)
    wanted = rand.sample(tensors, min(len(tensors), rand.randrange(1, 5)))
    plan = build(graph, wanted, feeds)
    compile = xla_segments.everywhere if rand.random() < 0.3 else xla_segments.asked(None)
    placed = device_layout.laid_out(plan, compile, border="/device:CPU:0")
    plans.verify(placed)
    bound = Executable(placed, graph)
    assert {s.op for s in placed.steps if "GPU" in s.device} <= {"CompiledSegment", "ToDevice"}
    for size in (3, 1):
        fed = [np.asarray([rand.randrange(-4, 5) for _ in range(size)], f.dtype.np) for f in feeds]
        expected = outcome(Executable(plan, graph), fed, RUNNERS["serial"])
        for name, execute in RUNNERS.items():
            got = outcome(bound, fed, execute)
            assert isinstance(got, tuple) == isinstance(expected, tuple), (name, got, expected, str(placed))
            if isinstance(expected, tuple):
                if name != "generated" and len([s for s in plan.steps if s.host or "Mod" in s.op]) == 1:
                    assert got == expected
                continue
            for value, reference in zip(got, expected, strict=True):
                assert isinstance(value, (np.ndarray, np.generic)), (name, str(placed))
                agree(value, reference)
