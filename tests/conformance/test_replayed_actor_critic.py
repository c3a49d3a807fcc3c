"""The actor-critic example, replayed without its environment: the same bits as recorded."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

EXAMPLES = Path(__file__).parents[2] / "examples"
EPISODES = 8


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    names = runpy.run_path(str(EXAMPLES / "actor_critic.py"), run_name="actor_critic")
    for helper in ("checking", "saving"):
        monkeypatch.delitem(sys.modules, helper, raising=False)
    return names


def train(training: Any) -> list[bytes]:
    """The bits of each episode's length, and of the weights in the end."""
    tf.random.set_seed(2)
    results = []
    for _ in range(EPISODES):
        start = tf.numpy_function(training.cart.reset, [], tf.float32)
        results.append(training.train_step(start).numpy().tobytes())
    return [*results, *[v.numpy().tobytes() for v in training.agent.trainable_variables]]


def test_the_replay_equals_the_recording_to_the_bit(example: dict[str, Any], tmp_path: Path) -> None:
    training = example["Training"]()
    with tf.debugging.record(tmp_path / "run") as recording:
        before = train(training)
    assert recording.calls == training.cart.steps + EPISODES
    assert recording.calls > 10 * EPISODES
    without = example["Training"]()
    steps = training.cart.steps
    del without.cart.state, without.cart.draw, without.cart.steps  # there is no environment
    with tf.debugging.replay(tmp_path / "run") as replaying:
        after = train(without)
    replaying.check_all_made()
    assert after == before
    assert training.cart.steps == steps
    assert len(np.unique(np.frombuffer(b"".join(before[:EPISODES]), np.int32))) > 1  # episodes of different lengths


def test_another_agent_is_the_first_difference(example: dict[str, Any], tmp_path: Path) -> None:
    with tf.debugging.record(tmp_path / "run"):
        train(example["Training"]())
    other = example["Training"]()
    other.agent.actor.assign(np.tile(np.array([50.0, -50.0], np.float32), (64, 1)))  # it always pushes to one side
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"call \d+ of Cart\.step .*argument 0 differs"),
    ):
        train(other)
