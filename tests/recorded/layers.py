"""Layers of 1.x in small graphs, and what comes of them: names and shapes of variables, losses, updates, values,
gradients, or the class of the error. The same for TensorFlow, where `slim` is the package tf_slim, and for us."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

Case = Callable[[Any, Any], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """Adds a graph that is built by `function(tf, slim)`: it returns tensors."""
    CASES[function.__name__] = function
    return function


def numbers(*shape: int, seed: int = 0) -> Any:
    """Numbers of few digits between -1 and 1."""
    return np.round(np.random.RandomState(seed).uniform(-1, 1, shape), 2).astype(np.float32)


def fed(tf: Any, *shape: int, unknown: tuple[int, ...] = (0,)) -> Any:
    """Numbers whose sizes in `unknown` axes are not known while the graph is built."""
    known = [None if i in unknown else size for i, size in enumerate(shape)]
    return tf.placeholder_with_default(numbers(*shape), known)


def outcome(tf: Any, slim: Any, build: Case) -> dict[str, Any]:
    """What comes of a case: see the module."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        try:
            made = build(tf, slim)
        except Exception as error:
            return {"error": type(error).__name__}
        if isinstance(made, dict):  # too large to be run
            return {**made, "variables": [[v.name, v.shape.as_list()] for v in tf.global_variables()]}
        outputs = [t for t in (made if isinstance(made, (list, tuple)) else [made]) if t is not None]
        variables = tf.global_variables()
        trained = tf.trainable_variables()
        losses, updates = tf.losses.get_regularization_losses(), tf.get_collection("update_ops")
        floating = [t for t in outputs if t.dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(t * t) * (1 + i / 4) for i, t in enumerate(floating)])
        gradients = tf.gradients(total, trained) if trained else []
        found: dict[str, Any] = {
            "variables": [[v.name, v.shape.as_list(), v in trained] for v in variables],
            "model": [v.name for v in tf.model_variables()],
            "outputs": [[t.name, t.shape.as_list()] for t in outputs],
            "losses": [t.name for t in losses],
            "updates": len(updates),
        }
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            for i, v in enumerate(variables):
                value = numbers(*v.shape.as_list(), seed=10 + i)
                free = v in trained or "moving_mean" in v.name or "biased" in v.name  # others may be squares
                v.load((value if free else np.abs(value) + 0.5).astype(v.dtype.as_numpy_dtype), session)
            found["values"] = [plain(v) for v in session.run(outputs)]
            found["costs"] = [plain(v) for v in session.run(losses)]
            values = iter(session.run([tf.convert_to_tensor(g) for g in gradients if g is not None]))
            found["gradients"] = [None if g is None else plain(next(values)) for g in gradients]
            for _ in range(2):
                session.run(updates)
            found["after"] = [plain(v) for v in session.run([v for v in variables if v not in trained])]
        return found


def plain(value: Any) -> list[Any]:
    """An array as plain data: its shape and its numbers, of which the digits count that float32 has for sure."""
    array = np.asarray(value)
    return [list(array.shape), [float(f"{x:.6g}") for x in array.reshape(-1).astype(np.float64)]]


# ---------------------------------------------------------------- tf.layers


@case
def dense(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    hidden = tf.layers.dense(x, 5, activation=tf.nn.relu)
    return tf.layers.dense(hidden, 2), tf.layers.dense(x, 2, use_bias=False, name="last")


@case
def dense_of_three_axes(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(fed(tf, 2, 3, 4), 5, tf.tanh)


@case
def dense_in_scopes(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    with tf.variable_scope("a"):
        one = tf.layers.dense(x, 4)
        with tf.variable_scope("b", initializer=tf.ones_initializer()):
            two = tf.layers.dense(one, 4, name="named")
    with tf.variable_scope("a", reuse=True):
        three = tf.layers.dense(two, 4)
    with tf.variable_scope("a"):
        four = tf.layers.dense(x, 4, name="dense", reuse=True)
    return one, two, three, four


@case
def dense_named_twice(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    tf.layers.dense(x, 4, name="d")
    return tf.layers.dense(x, 4, name="d")


@case
def dense_shared_as_wanted(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    return [tf.layers.dense(x, 4, name="d", reuse=tf.AUTO_REUSE) for _ in range(2)]


@case
def dense_shared_that_is_not_there(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(fed(tf, 3, 4), 4, name="d", reuse=True)


@case
def dense_classes(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    layer, other = tf.layers.Dense(4, name="d"), tf.layers.Dense(4, name="d")
    nameless = tf.layers.Dense(2)
    return layer(x), layer(layer(x)), other(x), nameless(x), nameless.apply(x)


@case
def dense_with_losses(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    l2 = slim.l2_regularizer(0.5)
    with tf.variable_scope("a", regularizer=slim.l1_regularizer(0.25)):
        one = tf.layers.dense(x, 4, kernel_regularizer=l2, bias_regularizer=l2)
    two = tf.layers.dense(one, 4, kernel_regularizer=l2, name="d")
    three = tf.layers.dense(two, 4, kernel_regularizer=l2, name="d", reuse=True)
    return three, tf.layers.dense(x, 2, activity_regularizer=tf.reduce_sum)


@case
def dense_not_trained(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    return tf.layers.dense(tf.layers.dense(x, 4, trainable=False), 2)


@case
def dense_of_unknown_size(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(fed(tf, 3, 4, unknown=(0, 1)), 2)


@case
def dense_of_a_vector(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(fed(tf, 3, unknown=()), 2)


@case
def dense_of_integers(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(tf.constant([[1, 2]]), 2)


@case
def dense_in_doubles(tf: Any, slim: Any) -> Any:
    return tf.layers.dense(tf.constant(numbers(2, 3).astype(np.float64)), 2, tf.nn.sigmoid)


@case
def convolutions(tf: Any, slim: Any) -> Any:
    sequences, images, volumes = fed(tf, 2, 6, 3), fed(tf, 2, 6, 5, 2), fed(tf, 1, 4, 5, 4, 2)
    return (
        tf.layers.conv1d(sequences, 4, 3, activation=tf.nn.relu),
        tf.layers.conv1d(sequences, 2, 3, padding="same", dilation_rate=2),
        tf.layers.conv1d(sequences, 2, 3, padding="causal", dilation_rate=2),
        tf.layers.conv2d(images, 3, [3, 2], padding="SAME", name="named"),
        tf.layers.conv2d(images, 3, 3, strides=2),
        tf.layers.conv2d(images, 3, 2, dilation_rate=(2, 1), use_bias=False),
        tf.layers.conv3d(volumes, 2, 2, strides=(1, 2, 1), padding="same"),
    )


@case
def convolutions_transposed(tf: Any, slim: Any) -> Any:
    images, volumes = fed(tf, 2, 3, 4, 2), fed(tf, 1, 2, 3, 2, 2)
    return (
        tf.layers.conv2d_transpose(images, 3, 3, strides=2, padding="same"),
        tf.layers.conv2d_transpose(images, 3, [4, 2], strides=(2, 3)),
        tf.layers.conv2d_transpose(fed(tf, 2, 3, 4, 2, unknown=(0, 1, 2)), 3, 3, activation=tf.nn.relu),
        tf.layers.conv3d_transpose(volumes, 2, 2, strides=2, padding="valid"),
    )


@case
def convolutions_separable(tf: Any, slim: Any) -> Any:
    return (
        tf.layers.separable_conv1d(fed(tf, 2, 6, 3), 4, 3, depth_multiplier=2, padding="same"),
        tf.layers.separable_conv2d(fed(tf, 2, 6, 5, 2), 3, 3, strides=2, activation=tf.nn.relu),
        tf.layers.separable_conv2d(fed(tf, 2, 6, 5, 2), 3, (3, 2), padding="same", use_bias=False),
    )


@case
def convolution_classes(tf: Any, slim: Any) -> Any:
    x = fed(tf, 2, 6, 5, 3)
    layer = tf.layers.Conv2D(3, 3, padding="same", kernel_initializer=tf.ones_initializer())
    return layer(x), layer(layer(x)), tf.layers.Conv2DTranspose(2, 2, strides=2)(x), tf.layers.SeparableConv2D(2, 2)(x)


@case
def convolution_of_the_wrong_rank(tf: Any, slim: Any) -> Any:
    return tf.layers.conv2d(fed(tf, 2, 6, 5), 3, 3)


@case
def convolution_too_large(tf: Any, slim: Any) -> Any:
    return tf.layers.conv2d(fed(tf, 2, 3, 3, 1), 3, 5)


@case
def convolution_strided_and_dilated(tf: Any, slim: Any) -> Any:
    return tf.layers.conv2d(fed(tf, 2, 6, 6, 1), 3, 3, strides=2, dilation_rate=2)


@case
def convolution_of_no_filters(tf: Any, slim: Any) -> Any:
    return tf.layers.conv2d(fed(tf, 2, 6, 6, 1), 0, 3)


@case
def convolution_padded_otherwise(tf: Any, slim: Any) -> Any:
    return tf.layers.conv2d(fed(tf, 2, 6, 6, 1), 1, 3, padding="full")


@case
def pools(tf: Any, slim: Any) -> Any:
    sequences, images, volumes = fed(tf, 2, 6, 3), fed(tf, 2, 6, 5, 2), fed(tf, 1, 4, 5, 4, 2)
    return (
        tf.layers.max_pooling1d(sequences, 2, 2),
        tf.layers.average_pooling1d(sequences, 3, 1, padding="same"),
        tf.layers.max_pooling2d(images, [2, 3], [1, 2], padding="same", name="pool"),
        tf.layers.average_pooling2d(images, 2, 2),
        tf.layers.max_pooling3d(volumes, 2, 2),
        tf.layers.average_pooling3d(volumes, 2, 1, padding="SAME"),
        tf.layers.MaxPooling2D(3, 2)(images),
    )


@case
def flattened_and_dropped(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 3, 4, 2)
    return (
        tf.layers.flatten(images),
        tf.layers.flatten(images, data_format="channels_first", name="first"),
        tf.layers.flatten(fed(tf, 2, 3, 4, unknown=(0, 1))),
        tf.layers.dropout(images, 0.5),
        tf.layers.dropout(images, 0.0, training=True),
        tf.layers.Flatten()(images),
    )


@case
def normalized(tf: Any, slim: Any) -> Any:
    images = fed(tf, 3, 4, 5, 2)
    return (
        tf.layers.batch_normalization(images, training=True),
        tf.layers.batch_normalization(images),
        tf.layers.batch_normalization(images, training=True, fused=False, momentum=0.5, name="steps"),
        tf.layers.batch_normalization(fed(tf, 4, 3), training=True, scale=False, epsilon=0.1),
        tf.layers.batch_normalization(images, training=tf.constant(True), center=False),
    )


@case
def normalized_when_told(tf: Any, slim: Any) -> Any:
    images, training = fed(tf, 3, 4, 5, 2), tf.placeholder_with_default(True, [])
    still = tf.placeholder_with_default(False, [])
    return (
        tf.layers.batch_normalization(images, training=training),
        tf.layers.batch_normalization(images, training=still),
        tf.layers.batch_normalization(fed(tf, 4, 3), training=training),
        tf.layers.batch_normalization(fed(tf, 4, 3), training=still),
    )


@case
def normalized_channels_first(tf: Any, slim: Any) -> Any:
    return tf.layers.batch_normalization(fed(tf, 3, 2, 4, 5), axis=1, training=True, fused=False)


@case
def normalized_over_two_axes(tf: Any, slim: Any) -> Any:
    return tf.layers.batch_normalization(fed(tf, 3, 4, 5), axis=[1, 2], training=True)


@case
def normalized_not_trained(tf: Any, slim: Any) -> Any:
    return tf.layers.batch_normalization(fed(tf, 3, 4), training=True, trainable=False)


@case
def normalized_and_shared(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    return [tf.layers.batch_normalization(x, training=i == 0, name="bn", reuse=tf.AUTO_REUSE) for i in range(2)]


@case
def own_layer(tf: Any, slim: Any) -> Any:
    class Scaled(tf.layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.factor = self.add_weight("factor", [int(input_shape[-1])], initializer=tf.ones_initializer())
            self.fixed = self.add_variable("fixed", [], trainable=False, regularizer=slim.l2_regularizer(0.1))
            super().build(input_shape)

        def call(self, inputs: Any) -> Any:
            return inputs * self.factor + self.fixed

    x = fed(tf, 3, 4)
    layer = Scaled(name="mine")
    made = layer(x), Scaled()(x), Scaled()(x)
    assert [v.name for v in layer.trainable_variables] == ["mine/factor:0"]
    assert [v.name for v in layer.non_trainable_variables] == ["mine/fixed:0"]
    assert [v.name for v in layer.weights] == ["mine/factor:0", "mine/fixed:0"]
    assert len(layer.losses) == 1
    return made


@case
def own_getter(tf: Any, slim: Any) -> Any:
    def doubled(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(f"{name}_of_mine", *args, **kwargs)

    with tf.variable_scope("a", custom_getter=doubled):
        return tf.layers.dense(fed(tf, 3, 4), 2), slim.fully_connected(fed(tf, 3, 4), 2)


# ---------------------------------------------------------------- tf.contrib


@case
def contrib_connected(tf: Any, slim: Any) -> Any:
    x = fed(tf, 3, 4)
    one = slim.fully_connected(x, 5)
    two = slim.fully_connected(one, 5, activation_fn=None, scope="fc", weights_regularizer=slim.l2_regularizer(0.1))
    three = slim.fully_connected(two, 5, activation_fn=None, scope="fc", reuse=True)
    return (
        one,
        two,
        three,
        slim.fully_connected(x, 2, normalizer_fn=slim.batch_norm),
        slim.fully_connected(x, 2, biases_initializer=None),
    )


@case
def contrib_convolutions(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 6, 5, 2)
    return (
        slim.conv2d(images, 3, 3),
        slim.conv2d(images, 3, [3, 2], stride=2, padding="VALID", scope="c", activation_fn=None),
        slim.conv2d(images, 3, 3, rate=2, normalizer_fn=slim.batch_norm, normalizer_params={"scale": True}),
        slim.conv2d_transpose(images, 3, 3, stride=2),
        slim.separable_conv2d(images, 3, 3, depth_multiplier=2),
        slim.separable_conv2d(images, None, 3, 1, scope="depthwise", normalizer_fn=slim.batch_norm),
        slim.conv2d_in_plane(images, 3),
        slim.convolution(fed(tf, 2, 6, 3), 2, 3),
    )


@case
def contrib_pools_and_others(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 6, 5, 2)
    return (
        slim.max_pool2d(images, 2, scope="pool1"),
        slim.avg_pool2d(images, [3, 2], stride=1, padding="SAME"),
        slim.flatten(images),
        slim.flatten(images, scope="flat"),
        slim.dropout(images, 0.5, is_training=False),
        slim.softmax(fed(tf, 2, 3)),
        slim.one_hot_encoding(tf.constant([1, 2]), 3),
        slim.unit_norm(images, 3),
        slim.bias_add(images),
    )


@case
def contrib_scopes(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 6, 5, 2)
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.5)) as scope:
        with slim.arg_scope([slim.conv2d], stride=2, activation_fn=tf.nn.elu):
            one = slim.conv2d(images, 3, 3)
        two = slim.conv2d(images, 3, 3)
    with slim.arg_scope(scope):
        three = slim.fully_connected(slim.flatten(two), 3)
    return one, two, three, slim.conv2d(images, 3, 1)


@case
def contrib_repeated(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 6, 5, 2)
    return (
        slim.repeat(images, 2, slim.conv2d, 3, [3, 3], scope="conv1"),
        slim.repeat(images, 2, slim.conv2d, 3, 1),
        slim.stack(fed(tf, 3, 4), slim.fully_connected, [5, 2], scope="fc"),
        slim.stack(images, slim.conv2d, [(3, [3, 3]), (2, [1, 1])]),
    )


@case
def contrib_collected(tf: Any, slim: Any) -> Any:
    images = fed(tf, 2, 6, 5, 2)
    with tf.variable_scope("net") as scope:
        end = f"{scope.name}_end_points"
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections=end):
            made = slim.max_pool2d(slim.conv2d(images, 3, 3, scope="conv1"), 2, scope="pool1")
    from_here = tf.get_collection(end)
    assert len(from_here) == 2
    assert [v.name for v in slim.get_variables("net")] == ["net/conv1/weights:0", "net/conv1/biases:0"]
    assert [v.name for v in slim.get_variables_by_name("weights")] == ["net/conv1/weights:0"]
    assert [v.name for v in slim.get_variables_to_restore(exclude=["net/conv1/b"])] == ["net/conv1/weights:0"]
    assert [v.name for v in slim.get_model_variables()] == ["net/conv1/weights:0", "net/conv1/biases:0"]
    return [made, *from_here]


@case
def contrib_normalized(tf: Any, slim: Any) -> Any:
    images, rows = fed(tf, 3, 4, 5, 2), fed(tf, 4, 3)
    return (
        slim.batch_norm(images),
        slim.batch_norm(images, is_training=False, scale=True, scope="still"),
        slim.batch_norm(rows, decay=0.5),
        slim.batch_norm(rows, fused=False, activation_fn=tf.nn.relu),
        slim.batch_norm(images, is_training=tf.placeholder_with_default(True, []), scope="told"),
        slim.batch_norm(images, batch_weights=numbers(3) + 1.5),
        slim.layer_norm(images),
        slim.layer_norm(rows, center=False, begin_norm_axis=-1),
    )


@case
def contrib_normalized_at_once(tf: Any, slim: Any) -> Any:
    images, rows = fed(tf, 3, 4, 5, 2), fed(tf, 4, 3)
    told = tf.placeholder_with_default(True, [])
    return (
        slim.batch_norm(images, updates_collections=None, zero_debias_moving_mean=True),
        slim.batch_norm(rows, updates_collections=None, fused=False),
        slim.batch_norm(rows, updates_collections=None, is_training=told, scope="told"),
        slim.batch_norm(rows, updates_collections=None, is_training=False, scope="still"),
    )


@case
def contrib_of_no_number(tf: Any, slim: Any) -> Any:
    return slim.fully_connected(fed(tf, 3, 4), 2.5)


@case
def contrib_not_decorated(tf: Any, slim: Any) -> Any:
    with slim.arg_scope([tf.nn.conv2d], padding="SAME"):
        return tf.constant(1.0)


@case
def contrib_regularizers(tf: Any, slim: Any) -> Any:
    weights = tf.get_variable("w", [3, 4])
    return [
        one(weights)
        for one in (
            slim.l1_regularizer(0.5),
            slim.l2_regularizer(0.25),
            slim.l1_l2_regularizer(0.5, 0.25),
            slim.sum_regularizer([slim.l1_regularizer(0.5), None, slim.l2_regularizer(0.0)]),
        )
    ] + [slim.apply_regularization(slim.l2_regularizer(0.1), [weights, weights])]


@case
def contrib_regularizer_of_an_integer(tf: Any, slim: Any) -> Any:
    return slim.l2_regularizer(1)(tf.get_variable("w", [3]))


@case
def contrib_regularizer_below_zero(tf: Any, slim: Any) -> Any:
    return slim.l2_regularizer(-0.5)(tf.get_variable("w", [3]))


# ---------------------------------------------------------------- tf.train


def updated(tf: Any, *optimizers: Any) -> Any:
    """A variable that each optimizer updates, all of it and some rows, whenever updates are run."""
    for i, make in enumerate(optimizers):
        v = tf.get_variable(f"v{i}", [3, 2], initializer=tf.ones_initializer(), trainable=False)
        w = tf.get_variable(f"w{i}", [4, 2], initializer=tf.ones_initializer(), trainable=False)
        step = tf.get_variable(f"step{i}", [], tf.int64, initializer=tf.zeros_initializer(), trainable=False)
        optimizer = make(step)
        loss = tf.reduce_sum(v * numbers(3, 2)) + tf.reduce_sum(tf.gather(w, [2, 0, 2]) ** 2)
        tf.add_to_collection("update_ops", optimizer.minimize(loss, step, [v, w]))
    return tf.constant(1.0, name="made")


@case
def optimizers(tf: Any, slim: Any) -> Any:
    train = tf.train
    return updated(
        tf,
        lambda step: train.AdadeltaOptimizer(0.5),
        lambda step: train.AdadeltaOptimizer(0.5, 0.5, 0.1, name="other"),
        lambda step: train.FtrlOptimizer(0.5),
        lambda step: train.FtrlOptimizer(0.5, -0.25, 0.2, 0.1, 0.3, l2_shrinkage_regularization_strength=0.2),
        lambda step: train.FtrlOptimizer(
            0.5, l1_regularization_strength=5.0, accum_name="a", linear_name="l", beta=0.5
        ),
        lambda step: train.AdagradDAOptimizer(0.5, step),
        lambda step: train.AdagradDAOptimizer(0.5, step, 0.2, 0.1, 0.3),
        lambda step: train.ProximalGradientDescentOptimizer(0.5),
        lambda step: train.ProximalGradientDescentOptimizer(0.5, 0.1, 0.2),
        lambda step: train.ProximalAdagradOptimizer(0.5),
        lambda step: train.ProximalAdagradOptimizer(0.5, 0.2, 0.1, 0.2),
    )


@case
def optimizer_of_a_wrong_power(tf: Any, slim: Any) -> Any:
    return tf.train.FtrlOptimizer(0.5, 0.5)


@case
def optimizer_of_a_wrong_start(tf: Any, slim: Any) -> Any:
    return tf.train.ProximalAdagradOptimizer(0.5, 0.0)


@case
def templates(tf: Any, slim: Any) -> Any:
    def product(x: Any, units: int) -> Any:
        return tf.layers.dense(x, units) * tf.get_variable("factor", [], trainable=False)

    x = fed(tf, 3, 4)
    one, two = tf.make_template("t", product, units=2), tf.make_template("t", product, units=2)
    early = tf.make_template("early", product, create_scope_now_=True)
    with tf.variable_scope("inside"):
        made = one(x), one(x), two(x), early(x, 3)
    assert [v.name for v in one.trainable_variables] == ["inside/t/dense/kernel:0", "inside/t/dense/bias:0"]
    return made


@case
def template_with_a_new_variable(tf: Any, slim: Any) -> Any:
    def product(x: Any) -> Any:
        return x * tf.Variable([1.0, 2.0])

    made = tf.make_template("t", product)
    return made(fed(tf, 3, 2)), made(fed(tf, 3, 2))


@case
def nets_statistics(tf: Any, slim: Any) -> Any:
    images, told = fed(tf, 3, 4, 5, 2), numbers(2)
    return [
        *tf.nn.fused_batch_norm(images, told, told + 1.0),
        tf.nn.fused_batch_norm(images, told, told, told, np.abs(told), is_training=False, epsilon=0.1)[0],
        *tf.nn.weighted_moments(images, [0, 1], np.abs(numbers(3, 1, 1, 1))),
        *tf.nn.weighted_moments(images, [1], 2.0, keep_dims=True),
    ]


# ---------------------------------------------------------------- networks of slim, and its losses


def built(tf: Any, made: Any) -> dict[str, Any]:
    """What a network is like that is not run: its result's shape, its results by name, how many losses and updates."""
    net, end_points = made
    return {
        "shape": net.shape.as_list(),
        "end_points": [[name, t.shape.as_list()] for name, t in end_points.items()],
        "losses": len(tf.losses.get_regularization_losses()),
        "updates": len(tf.get_collection("update_ops")),
    }


def nets(slim: Any, name: str) -> Any:
    """A module of networks: tf_slim has them in a package of its own."""
    return getattr(slim.nets, name) if hasattr(slim, "nets") else importlib.import_module(f"tf_slim.nets.{name}")


@case
def network_vgg(tf: Any, slim: Any) -> Any:
    vgg = nets(slim, "vgg")
    with slim.arg_scope(vgg.vgg_arg_scope()):
        return built(tf, vgg.vgg_16(fed(tf, 1, 224, 224, 3), 10, is_training=False))


@case
def network_residual(tf: Any, slim: Any) -> Any:
    resnet = nets(slim, "resnet_v1")
    with slim.arg_scope(nets(slim, "resnet_utils").resnet_arg_scope()):
        return built(tf, resnet.resnet_v1_50(fed(tf, 1, 65, 65, 3), 10, output_stride=16))


@case
def network_residual_second(tf: Any, slim: Any) -> Any:
    resnet = nets(slim, "resnet_v2")
    with slim.arg_scope(resnet.resnet_arg_scope()):
        return built(tf, resnet.resnet_v2_101(fed(tf, 1, 64, 64, 3), is_training=False, global_pool=False))


@case
def network_inception(tf: Any, slim: Any) -> Any:
    inception = nets(slim, "inception_v3")
    with slim.arg_scope(inception.inception_v3_arg_scope()):
        return built(tf, inception.inception_v3(fed(tf, 1, 149, 149, 3), 10))


@case
def nets_of_small_blocks(tf: Any, slim: Any) -> Any:
    one, two = nets(slim, "resnet_v1"), nets(slim, "resnet_v2")
    images = fed(tf, 2, 17, 17, 3)
    with slim.arg_scope(nets(slim, "resnet_utils").resnet_arg_scope()):
        first, _ = one.resnet_v1(
            images,
            [one.resnet_v1_block("b1", 2, 2, 2), one.resnet_v1_block("b2", 2, 2, 2)],
            3,
            output_stride=8,
        )
        blocks = [two.resnet_v2_block("b1", 2, 2, 2), two.resnet_v2_block("b2", 3, 1, 1)]
        second, ends = two.resnet_v2(images, blocks, 3, include_root_block=False, is_training=False)
    return first, second, ends["predictions"]


@case
def contrib_losses(tf: Any, slim: Any) -> Any:
    said, labels = fed(tf, 3, 4), tf.constant(np.eye(4)[[0, 2, 3]].astype(np.float32))
    weights = np.array([1.0, 0.0, 2.0], np.float32)
    losses = slim.losses
    made = [
        losses.softmax_cross_entropy(said, labels, weights),
        losses.softmax_cross_entropy(said, labels, label_smoothing=0.1),
        losses.sparse_softmax_cross_entropy(said, [0, 2, 3]),
        losses.sigmoid_cross_entropy(said, labels),
        losses.mean_squared_error(said, labels, weights[:, None]),
        losses.absolute_difference(said, labels),
        losses.log_loss(tf.sigmoid(said), labels),
        losses.cosine_distance(said, labels, 1),
    ]
    tf.get_variable("v", [2], regularizer=slim.l2_regularizer(0.5), trainable=False)
    assert len(losses.get_losses()) == 8
    return [*made, losses.get_total_loss(), tf.add_n(losses.get_losses())]
