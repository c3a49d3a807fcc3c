"""Loss scales of 1.x, and the optimizer that uses one."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import refused, rows, session

_STEPS = [True, True, True, False, False, True, True, True, True]


@rows((1.0, 2, 2.0), (4.0, 1, 3.0), (1024.0, 2, 2.0), (8.5e37, 1, 2.0))
def dynamic(tf: Any, row: Any) -> Any:
    """The factor after steps with gradients that are finite or not, eagerly and in a graph."""
    made = tf.compat.v1.mixed_precision.DynamicLossScale
    eager = made(*row)
    seen: list[Any] = [repr(eager)]
    for good in _STEPS:
        _, apply = eager.update([tf.constant([1.0, 2.0 if good else float("nan")]), None])
        seen.append((float(eager()), bool(apply)))
    with session(tf) as opened:
        scale = made(*row)
        grad = tf.compat.v1.placeholder(tf.float32, [2])
        update, apply = scale.update(grad)
        opened.run(tf.compat.v1.global_variables_initializer())
        for good in _STEPS:
            applied, _ = opened.run([apply, update], {grad: [1.0, 1.0 if good else float("inf")]})
            seen.append((float(opened.run(scale())), bool(applied)))
        seen.append(repr(scale))
    return [*seen, made.from_config(eager.get_config()).get_config()]


def fixed(tf: Any) -> Any:
    """A factor that stays, its configuration, and what is no factor."""
    made = tf.compat.v1.mixed_precision.FixedLossScale
    scale = made(7)
    _, apply = scale.update([tf.constant(float("nan"))])
    wrong = (0.5, "8", None)
    return [
        float(scale()),
        apply,
        repr(scale),
        scale.get_config(),
        *(refused(lambda value=value: made(value)) for value in wrong),
    ]


@rows("eager", "graph")
def optimizer(tf: Any, mode: str) -> Any:
    """A momentum step with a scaled loss; a step that is lost changes the factor only."""
    v1 = tf.compat.v1
    if mode == "eager":
        var = tf.Variable([1.0, 2.0])
        scale = v1.mixed_precision.DynamicLossScale(2.0, 1, 4.0)
        opt = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(v1.train.MomentumOptimizer(1.0, 1.0), scale)
        seen = []
        for factor in (1.0, 1.0, float("inf"), 2.0):
            opt.minimize(lambda factor=factor: var * factor, var_list=[var])
            seen.append((var.numpy(), float(scale())))
        return seen
    with session(tf) as opened:
        var = v1.get_variable("v", initializer=[1.0, 2.0])
        factor = v1.placeholder(tf.float32, [])
        scale = v1.mixed_precision.DynamicLossScale(2.0, 1, 4.0)
        opt = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(v1.train.MomentumOptimizer(1.0, 1.0), scale)
        step = opt.minimize(var * factor)
        opened.run(v1.global_variables_initializer())
        seen = []
        for value in (1.0, 1.0, float("inf"), 2.0):
            opened.run(step, {factor: value})
            seen.append(opened.run([var, scale()]))
        return seen


def wrapped(tf: Any) -> Any:
    """Which optimizers a loss scale can be put around."""
    v1 = tf.compat.v1
    enable = v1.mixed_precision.enable_mixed_precision_graph_rewrite
    inner = v1.train.GradientDescentOptimizer(1.0)
    made = enable(inner, 123.0)
    results = [
        type(made).__name__,
        bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision")),
        refused(lambda: enable(made)),
        refused(lambda: enable(1)),
        refused(lambda: v1.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, None)),
        refused(lambda: v1.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, "static")),
    ]
    v1.mixed_precision.disable_mixed_precision_graph_rewrite()
    return [*results, bool(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))]
