"""Random pipelines of datasets give what TensorFlow gave when make_pipelines.py recorded them: elements and errors in
their order, the spec of the elements and the cardinality; what differs stands in pipelines.toml.
"""

from __future__ import annotations

import functools
import gzip
import json
import tomllib
import warnings
from typing import Any

import pytest

import inlay as tf
from tests.recorded.make_pipelines import FILE
from tests.recorded.pipelines import Pipeline, drawn, outcome

RULES = tomllib.loads(FILE.with_name("pipelines.toml").read_text(encoding="utf-8"))["differs"]
PARTS = 4


@functools.cache
def recorded() -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    head, *lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return json.loads(head)["seed"], [tuple(json.loads(line)) for line in lines]


def in_order(pipeline: Pipeline, found: dict[str, Any]) -> dict[str, Any]:
    """What is to be compared: of shuffled elements the order is not."""
    if pipeline.end != "shuffled" or "events" not in found:
        return found
    return {**found, "events": sorted(map(json.dumps, found["events"]))}


def differing(pipeline: Pipeline, wanted: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs -> (here, TensorFlow's)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = json.loads(json.dumps(outcome(tf, pipeline)))
    got, wanted = in_order(pipeline, got), in_order(pipeline, wanted)
    return {key: (got.get(key), wanted.get(key)) for key in {*got, *wanted} if got.get(key) != wanted.get(key)}


def listed(text: str, what: str) -> bool:
    return any(what in rule["what"] and any(part in text for part in rule["text"]) for rule in RULES)


@pytest.mark.parametrize("part", range(PARTS))
def test_pipelines_give_what_tensorflow_gives(part: int) -> None:
    tf.random.set_seed(None)  # another test's
    seed, rows = recorded()
    found = []
    for number in range(part, len(rows), PARTS):
        text, wanted = rows[number]
        pipeline = drawn(number, seed)
        assert pipeline.text == text, "what is drawn has changed: record the pipelines again"
        differs = {key: pair for key, pair in differing(pipeline, wanted).items() if not listed(text, key)}
        if differs:
            found.append((number, text, differs))
    assert found == []


def test_every_rule_is_needed_by_a_pipeline_and_has_a_reason() -> None:
    seed, rows = recorded()
    for rule in RULES:
        assert rule["reason"].strip()
        numbers = [i for i, (text, _) in enumerate(rows) if any(part in text for part in rule["text"])]
        assert any(set(differing(drawn(i, seed), rows[i][1])) & set(rule["what"]) for i in numbers), rule["reason"]


def test_pipelines_are_many_and_of_all_sorts() -> None:
    _, rows = recorded()
    assert len(rows) >= 300
    failing = [r for _, r in rows if "error" in r or any(isinstance(e, dict) and "error" in e for e in r["events"])]
    assert 40 < len(failing) < 160
