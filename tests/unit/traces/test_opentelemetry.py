"""A trace as spans of OpenTelemetry."""

from __future__ import annotations

import pytest

import inlay as tf

sdk = pytest.importorskip("opentelemetry.sdk.trace")


def test_a_trace_is_exported_with_its_nesting_and_times() -> None:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    f = tf.function(lambda x: tf.numpy_function(lambda v: v * 2, [x], tf.float32, executor=tf.Threads(1)))
    f(tf.constant(1.0))
    with tf.profiler.trace() as recorded, tf.profiler.experimental.Trace("step", number=3):
        f(tf.constant(1.0))
    assert tf.profiler.export_to_opentelemetry(provider.get_tracer("test"), recorded.spans) == len(
        [span for span in recorded.spans if span.activity.category != "counter"]
    )
    spans = exporter.get_finished_spans()
    by_id = {span.context.span_id: span for span in spans}
    (host,) = [span for span in spans if span.attributes["inlay.category"] == "host"]
    submit = by_id[host.parent.span_id]
    assert submit.attributes["inlay.category"] == "submit"
    (user,) = [span for span in spans if span.name == "step"]
    assert user.attributes["inlay.number"] == "3"
    (run,) = [span for span in spans if span.attributes["inlay.category"] == "run"]
    assert run.parent.span_id == user.context.span_id
    assert user.start_time <= run.start_time <= run.end_time <= user.end_time
    assert host.end_time > host.start_time
