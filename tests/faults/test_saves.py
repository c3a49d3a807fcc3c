"""Processes that save a model are killed: there is the old one or the new one, and whole."""

from __future__ import annotations

from benchmarks import soak


def test_a_killed_save_leaves_a_whole_model() -> None:
    entry = soak.run("saves", scale=0.02, seed=7)
    assert not entry["faults"]
    assert entry["done"] == 4 and entry["saved"] >= 4
