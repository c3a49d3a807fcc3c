"""The GPU benchmark: silent without a GPU, and right where another device of JAX stands in for one."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import gpu as benchmark
from benchmarks import ledger, tables
from inlay._src.core import device
from tests.unit.devices.standing_in import Crossings


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What goes to the ledger."""
    entries: list[dict[str, Any]] = []
    monkeypatch.setattr(ledger, "append", lambda made: entries.extend(made))
    return entries


def test_without_a_gpu_one_line_says_so(written: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    device.use({})
    try:
        assert benchmark.main([]) == 0
    finally:
        device.use(None)
    assert capsys.readouterr().out == f"{benchmark.NO_GPU}\n" and written == []


def test_an_entry_names_the_device_and_the_peers(
    gpu: Crossings, written: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "SIZES", (4,))
    monkeypatch.setattr(benchmark, "CALLS", 2)
    assert benchmark.main(["--quick"]) == 0
    (entry,) = written
    assert entry["kind"] == "gpu" and entry["machine"]["gpu"] == "cpu" and entry["quick"]
    assert {"inlay", "jax.pure_callback"} <= set(entry["seconds"]) and entry["ratios"]["jax.pure_callback"]["n"] == 3
    assert set(entry["seconds"]) | set(entry["absent"]) == set(benchmark.PEERS)
    page = "\n".join(tables.gpu_table({entry["title"]: entry}))
    assert "| 4 floats | " in page and "jax.pure_callback" in page


def test_a_copy_through_the_host_is_an_error(gpu: Crossings, monkeypatch: pytest.MonkeyPatch) -> None:
    import inlay as tf

    plain = tf.tanh
    monkeypatch.setattr(tf, "tanh", lambda x: plain(x.cpu()))
    with pytest.raises(benchmark.CopiedThroughHost):
        benchmark.measure(4, device.accelerators()[benchmark.PLACE], 1, 1)
