"""Programs of 1.x whose runs are traced, for TensorFlow (`make_timelines.py`) and for inlay, and what is compared."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ADDED_BY_THE_RUNTIME = ("_SOURCE", "_retval_", "_Send", "_Recv")
"""The beginnings of names that TensorFlow's runtime makes up."""
LOOP_CONTROL = ("Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond")
"""Ops that TensorFlow lowers a loop to; inlay runs the loop as one step, with the steps of its condition and body."""


def training_step(tf: Any, tf1: Any) -> tuple[Any, dict[Any, Any]]:
    """A step of gradient descent of a small network with a Python function in it."""
    x = tf1.placeholder(tf.float32, [None, 4], name="x")
    hidden = tf1.get_variable("hidden", initializer=np.ones([4, 3], np.float32), use_resource=True)
    output = tf1.get_variable("output", initializer=np.ones([3, 2], np.float32), use_resource=True)
    h = tf.nn.relu(tf.matmul(x, hidden, name="first"), name="relu")
    h = tf1.py_func(lambda v: v * np.float32(0.5), [h], tf.float32, name="host")
    h.set_shape([None, 3])
    y = tf.matmul(h, output, name="second")
    loss = tf.reduce_mean(tf.square(y, name="squared"), axis=tf.constant([0, 1], name="axes"), name="loss")
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[output])
    return [loss, train], {x: np.ones([5, 4], np.float32)}


def loop(tf: Any, tf1: Any) -> tuple[Any, dict[Any, Any]]:
    """A loop."""
    x = tf1.placeholder(tf.float32, [3], name="x")
    turns = tf.constant(0, name="turns")
    body = lambda i, v: (tf.add(i, 1, name="more"), tf.tanh(tf.multiply(v, 2.0, name="twice"), name="bounded"))  # noqa: E731
    out = tf1.while_loop(lambda i, v: tf.less(i, 3, name="goes_on"), body, [turns, x], name="while")
    return tf.negative(out[1], name="last"), {x: np.ones([3], np.float32)}


def pipeline(tf: Any, tf1: Any) -> tuple[Any, dict[Any, Any]]:
    """A convolution over images from a queue."""
    queue = tf1.FIFOQueue(4, [tf.float32], shapes=[[8, 8, 1]], name="images")
    filled = queue.enqueue_many([tf.zeros([4, 8, 8, 1])], name="fill")
    images = queue.dequeue_many(tf.constant(2, name="count"), name="batch")
    kernel = tf1.get_variable("kernel", initializer=np.ones([3, 3, 1, 2], np.float32), use_resource=True)
    bias = tf1.get_variable("bias", initializer=np.ones([2], np.float32), use_resource=True)
    convolved = tf.nn.conv2d(images, kernel, 1, "SAME", name="convolved")
    biased = tf.nn.bias_add(convolved, bias, name="biased")
    pooled = tf.nn.max_pool2d(tf.nn.relu(biased, name="relu"), 2, 2, "SAME", name="pooled")
    tf1.add_to_collection("first", filled)
    return tf.nn.softmax(pooled, name="softmax"), {}


PROGRAMS: dict[str, Callable[[Any, Any], tuple[Any, dict[Any, Any]]]] = {
    program.__name__: program for program in (training_step, loop, pipeline)
}


def traced(tf: Any, tf1: Any, timeline: Any, program: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """The report of a traced run of a program: `steps` as they are compared, and the forms of the `events`."""
    config = tf1.ConfigProto(inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True  # names of the program, not of fused nodes
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    with tf1.Graph().as_default(), tf1.Session(config=config) as session:
        fetches, feeds = program(tf, tf1)
        session.run(tf1.global_variables_initializer())
        session.run(tf1.get_collection("first"))
        report = tf1.RunMetadata()
        session.run(fetches, feeds, options, report)
    text = timeline.Timeline(report.step_stats).generate_chrome_trace_format(show_memory=True)
    steps = [step for dev in report.step_stats.dev_stats for step in dev.node_stats]
    return {
        "steps": sorted(_compared(step) for step in steps),
        "devices": sorted(dev.device for dev in report.step_stats.dev_stats),
        "events": sorted({_form(event) for event in json.loads(text)["traceEvents"]}),
    }


def collected(tf: Any, tf1: Any, folder: Path) -> dict[str, dict[str, list[str]]]:
    """The functions that `trace_on` collects: plugin -> function -> its operations; see `_functions`."""
    reports: dict[str, dict[str, list[str]]] = {}
    x = tf.constant(2.0)
    for profiled in (False, True):
        functions = {name: tf.function(function) for name, function in _functions(tf).items()}
        functions["traced_before"].get_concrete_function(x)
        functions["called_before"](x)
        writer = tf.summary.create_file_writer(str(folder / str(profiled)))
        tf.summary.trace_on(graph=True, profiler=profiled, profiler_outdir=str(folder / "profile"))
        for name in ("called", "called", "traced_before", "called_before"):
            functions[name](x)
        functions["traced_only"].get_concrete_function(x)
        with writer.as_default():
            tf.summary.trace_export("functions", step=3)
        writer.close()
        (file,) = (folder / str(profiled)).glob("events*")
        (value,) = [v for event in tf1.train.summary_iterator(str(file)) for v in event.summary.value]
        graphs = tf1.RunMetadata.FromString(value.tensor.string_val[0]).function_graphs
        every = [[node.name for node in graph.pre_optimization_graph.node] for graph in graphs]
        own = {name: nodes for nodes in every for name in _functions(tf) if name in nodes}
        reports[value.metadata.plugin_data.plugin_name] = {
            name: [node for node in nodes if node not in ("Identity", "identity_RetVal")] for name, nodes in own.items()
        }
    return reports


def _functions(tf: Any) -> dict[str, Callable[[Any], Any]]:
    """Functions with one operation each, which has the function's name."""
    names = ("called", "traced_before", "called_before", "traced_only")
    return {name: functools.partial(tf.sin, name=name) for name in names}


def _compared(step: Any) -> list[Any]:
    """The name, the op, the inputs and the dtypes and shapes of the results of a step."""
    call = step.timeline_label.partition(" = ")[2]
    outputs = [
        [o.slot, o.tensor_description.dtype, [d.size for d in o.tensor_description.shape.dim]] for o in step.output
    ]
    op, _, inputs = call.removesuffix(")").partition("(")
    return [step.node_name, op, inputs.split(", ") if inputs else [], outputs]


def _form(event: dict[str, Any]) -> str:
    """The kind of an event with the names of its fields; all inputs count as one field."""
    arguments = {"input" if key.startswith("input") else key for key in event.get("args", {})}
    return f"{event['ph']} {event.get('cat')}: {sorted(event)} {sorted(arguments)}"


def own_steps(steps: list[list[Any]]) -> dict[str, list[Any]]:
    """The steps of the program itself by name, without ops that a runtime adds, and those of gradients.

    Returns:
      name -> [op, number of executions, inputs, results]; the inputs are None in a loop, whose variables have other
      names.
    """
    counts = Counter(name for name, *_ in steps)
    own: dict[str, list[Any]] = {}
    for name, op, inputs, outputs in steps:
        in_loop = name.startswith("while")
        control = op in LOOP_CONTROL or op.endswith("While") or (in_loop and op in ("_Arg", "Identity"))
        if name.startswith((*ADDED_BY_THE_RUNTIME, "gradients/")) or control:
            continue
        whole = name.removeprefix("_arg_").removesuffix("_0_0") if op == "_Arg" else name
        own[whole] = [op, counts[name], None if in_loop or whole == "last" else [*map(_plain, inputs)], outputs]
    return own


def _plain(name: str) -> str:
    """The name of an input: a fed tensor's own, and the scope of a gradient's."""
    if name.startswith("gradients/"):
        return "/".join(name.split("/")[:2])
    return name.removeprefix("_arg_").removesuffix("_0_0") if name.startswith("_arg_") else name


def differentiated(steps: list[list[Any]]) -> set[str]:
    """The scopes of gradients, each of which has steps for the gradient of one op."""
    scopes = {_plain(name) for name, *_ in steps if name.startswith("gradients/")}
    return {scope for scope in scopes if scope.endswith("_grad")}
