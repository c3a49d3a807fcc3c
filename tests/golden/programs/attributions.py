"""What explains or attacks a model: gradients overridden by op type, host functions with a gradient of their own."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows

_R = np.random.RandomState(5)
_X = _R.normal(0, 1, [3, 6]).astype(np.float32)
_W = [_R.normal(0, 0.5, s).astype(np.float32) for s in ((6, 5), (5, 4), (4, 2))]
_IMAGES = _R.normal(0, 1, [2, 6, 6, 2]).astype(np.float32)
_KERNEL = _R.normal(0, 0.4, [3, 3, 2, 3]).astype(np.float32)


class _Explainer:
    """The rules of DeepLIFT and others take the place of those of the activations; the graph is built under them."""

    active: Any = None

    def __init__(self, tf: Any, build: Any, x: Any, baseline: Any = None) -> None:
        self.tf, self.build, self.values = tf, build, x
        self.baseline = np.zeros((1, *x.shape[1:]), x.dtype) if baseline is None else baseline
        self.references: dict[str, Any] = {}

    @classmethod
    def nonlinearity_grad_override(cls, op: Any, grad: Any) -> Any:
        raise NotImplementedError

    def original_grad(self, op: Any, grad: Any) -> Any:
        tf = self.tf
        opname = op.type
        if opname not in _ACTIVATIONS:
            raise ValueError(f"Unknown activation {opname}")
        x, y = op.inputs[0], op.outputs[0]
        return {
            "Relu": lambda: grad * tf.cast(x > 0, grad.dtype),
            "Elu": lambda: grad * tf.where(x > 0, tf.ones_like(x), y + 1),
            "Sigmoid": lambda: grad * y * (1 - y),
            "Tanh": lambda: grad * (1 - y * y),
            "Softplus": lambda: grad * tf.sigmoid(x),
        }[opname]()


_ACTIVATIONS = ("Relu", "Elu", "Sigmoid", "Tanh", "Softplus")


def _activation(tf: Any, op: Any) -> Any:
    return {"Relu": tf.nn.relu, "Elu": tf.nn.elu, "Sigmoid": tf.sigmoid, "Tanh": tf.tanh, "Softplus": tf.nn.softplus}[
        op.type
    ]


class _DeepLift(_Explainer):
    def nonlinearity(self, op: Any, grad: Any) -> Any:
        tf = self.tf
        output, input_ = op.outputs[0], op.inputs[0]
        ref_input = self.references[op.name]
        ref_output = _activation(tf, op)(ref_input)
        delta_out, delta_in = output - ref_output, input_ - ref_input
        instant_grad = self.original_grad(op, grad)
        return tf.where(tf.abs(delta_in) > 1e-5, grad * delta_out / delta_in, instant_grad)

    def run(self, sess: Any, x: Any, target: Any) -> Any:
        tf = self.tf
        ops = [op for op in tf.get_default_graph().get_operations() if len(op.inputs) == 1 and op.type in _ACTIVATIONS]
        values = sess.run([op.inputs[0] for op in ops], {x: self.baseline})
        self.references.update({op.name: v for op, v in zip(ops, values, strict=True)})
        multipliers = sess.run(tf.gradients(target, x), {x: self.values})[0]
        return multipliers * (self.values - self.baseline)


class _Relevance(_Explainer):
    def nonlinearity(self, op: Any, grad: Any) -> Any:
        tf = self.tf
        output, input_ = op.outputs[0], op.inputs[0]
        return grad * output / (input_ + tf.where(input_ >= 0, tf.ones_like(input_), -1 * tf.ones_like(input_)) * 1e-4)

    def run(self, sess: Any, x: Any, target: Any) -> Any:
        return sess.run(self.tf.multiply(self.tf.gradients(target, x)[0], x), {x: self.values})


def _network(tf: Any, x: Any, activation: Any) -> Any:
    for i, w in enumerate(_W[:-1]):
        x = activation(tf.matmul(x, tf.constant(w, name=f"w{i}")) + 0.1 * (i + 1))
    return tf.matmul(x, _W[-1])


@rows(*((kind, name) for kind in ("deeplift", "relevance") for name in ("relu", "elu", "sigmoid", "tanh", "softplus")))
def an_explanation_by_overridden_gradients(tf: Any, row: tuple[str, str]) -> Any:
    kind, name = row
    with first_behaviour(tf) as tf:
        explainer = {"deeplift": _DeepLift, "relevance": _Relevance}[kind](tf, _network, _X)
        registered = f"{kind.title()}Of{name.title()}"
        tf.RegisterGradient(registered)(explainer.nonlinearity)
        with tf.get_default_graph().gradient_override_map({t: registered for t in _ACTIVATIONS}):
            x = tf.placeholder(tf.float32, [None, 6])
            y = _network(tf, x, getattr(tf.nn, name))
        with tf.Session() as sess:
            explained = explainer.run(sess, x, y * np.float32([1, 0]))
            plain = sess.run(tf.gradients(_network(tf, x, getattr(tf.nn, name))[:, 0], x)[0], {x: _X})
            return [explained, plain, sess.run(y, {x: _X}).sum(axis=0), explained.sum(axis=1)]


@rows("guided", "deconvolution", "none")
def backpropagation_that_is_guided(tf: Any, kind: str) -> Any:
    def guided(op: Any, grad: Any) -> Any:
        dtype = op.outputs[0].dtype
        return grad * tf.cast(grad > 0.0, dtype) * tf.cast(op.outputs[0] > 0.0, dtype)

    def deconvolution(op: Any, grad: Any) -> Any:
        return tf.maximum(grad, 0.0)

    with first_behaviour(tf) as v1:
        rule = {"guided": guided, "deconvolution": deconvolution}.get(kind)
        override = {}
        if rule is not None:
            v1.RegisterGradient("Program" + kind.title())(rule)
            override = {"Relu": "Program" + kind.title()}
        graph = v1.get_default_graph()
        with graph.gradient_override_map(override):
            images = v1.placeholder(v1.float32, (None, 6, 6, 2))
            maps = v1.nn.relu(v1.nn.conv2d(images, _KERNEL, strides=[1, 1, 1, 1], padding="SAME"))
            pooled = v1.nn.max_pool(maps, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pool")
            score = v1.nn.relu(v1.reduce_mean(pooled, [1, 2]) - 0.2)
        saliency = v1.gradients(v1.reduce_sum(score[:, 1]), images)[0]
        weights = v1.reduce_mean(v1.gradients(score[:, 0], maps)[0], axis=(1, 2), keepdims=True)
        cam = v1.nn.relu(v1.reduce_sum(weights * maps, axis=-1))
        with v1.Session(graph=graph) as sess:
            a, b = sess.run([saliency, cam], {images: _IMAGES})
        types = sorted({op.type for op in graph.get_operations()} & {"Relu", "MaxPool", "Conv2D", "Mean", "Sum"})
        return [a, b, types, maps.op.type, pooled.name]


def rules_for_layers_by_type(tf: Any) -> Any:
    """Relevance is passed on by rules for MatMul, BiasAdd, Add and MaxPool."""
    calls: list[str] = []
    with first_behaviour(tf) as tf:

        def by_share(op: Any, grad: Any) -> Any:
            calls.append(op.type)
            a, w = op.inputs
            z = op.outputs[0]
            share = grad / (z + 1e-3 * tf.sign(z))
            return a * tf.matmul(share, w, transpose_b=True), tf.matmul(a, share, transpose_a=True)

        @tf.RegisterGradient("ProgramBias")
        def bias(op: Any, grad: Any) -> Any:
            calls.append(op.type)
            return grad * op.inputs[0] / (op.outputs[0] + 1e-3), None

        @tf.RegisterGradient("ProgramPool")
        def pool(op: Any, grad: Any) -> Any:
            size, strides, padding = (op.get_attr(name) for name in ("ksize", "strides", "padding"))
            calls.append(f"{op.type} {size} {strides} {padding.decode()}")
            with tf.get_default_graph().gradient_override_map({"MaxPool": "MaxPool"}):
                mean = tf.nn.avg_pool(op.inputs[0], ksize=size, strides=strides, padding=padding)
                return tf.gradients(mean, op.inputs[0], grad)[0]

        tf.RegisterGradient("ProgramMatMul")(by_share)
        overrides = {"MatMul": "ProgramMatMul", "BiasAdd": "ProgramBias", "MaxPool": "ProgramPool", "Relu": "Identity"}
        with tf.get_default_graph().gradient_override_map(overrides):
            images = tf.placeholder(tf.float32, [None, 6, 6, 2])
            w = tf.get_variable("w", initializer=_R.normal(0, 1, [18, 2]).astype(np.float32) * 0 + 0.3)
            pooled = tf.nn.max_pool(tf.abs(images), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
            hidden = tf.nn.relu(tf.nn.bias_add(pooled, [0.5, -0.5]))
            out = tf.matmul(tf.reshape(hidden, [-1, 18]), w)
        dx, dw = tf.gradients(out, [images, w], grad_ys=out)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return [*sess.run([dx, dw], {images: _IMAGES}), calls]


def integrated_gradients(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        x = tf.placeholder(tf.float32, [None, 6])
        with tf.name_scope("interpolate"):
            alphas = tf.reshape(tf.linspace(0.0, 1.0, 11), [-1, 1, 1])
            path = alphas * tf.expand_dims(x, 0)
        scores = _network(tf, tf.reshape(path, [-1, 6]), tf.nn.softplus)
        top = tf.argmax(_network(tf, x, tf.nn.softplus), axis=1)
        chosen = tf.tile(tf.one_hot(top, 2), [11, 1])
        gradient = tf.reshape(tf.gradients(scores, path, grad_ys=chosen)[0], [11, -1, 6])
        mean = tf.reduce_mean((gradient[:-1] + gradient[1:]) / 2.0, axis=0)
        with tf.Session() as sess:
            return sess.run([x * mean, top, tf.norm(x * mean, axis=1)], {x: _X})


class _Foreign:
    """A model of another library: logits, and the product of a cotangent with its jacobian."""

    def __init__(self) -> None:
        self.calls = {"forward": 0, "backward": 0}

    def forward(self, x: Any) -> Any:
        self.calls["forward"] += 1
        return np.tanh(x @ _W[0]) @ _W[1]

    def backward(self, x: Any, grad: Any) -> Any:
        self.calls["backward"] += 1
        return ((grad @ _W[1].T) * (1 - np.tanh(x @ _W[0]) ** 2)) @ _W[0].T


def _py_func_with_gradient(tf: Any, func: Any, inp: Any, Tout: Any, name: str, grad_func: Any) -> Any:
    tf.RegisterGradient(name)(grad_func)
    with tf.get_default_graph().gradient_override_map({"PyFunc": name, "PyFuncStateless": name}):
        return tf.py_func(func, inp, Tout, stateful=True, name=None)


def _bridge(tf: Any, model: _Foreign, name: str) -> Any:
    made = itertools.count()

    def model_fn(x_op: Any) -> Any:
        def tf_gradient_fn(op: Any, grads_in: Any) -> Any:
            return tf.py_func(lambda x, g: model.backward(x, g), [op.inputs[0], grads_in], Tout=[tf.float32])

        out = _py_func_with_gradient(
            tf, model.forward, [x_op], Tout=[tf.float32], name=f"{name}{next(made)}", grad_func=tf_gradient_fn
        )
        out[0].set_shape([None, 4])
        return out[0]

    return model_fn


def _attacked(tf: Any, logits: Any, x: Any, y: Any, eps: float) -> Any:
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.stop_gradient(y), logits=logits)
    (grad,) = tf.gradients(loss, x)
    return tf.stop_gradient(tf.clip_by_value(x + eps * tf.sign(grad), -2.5, 2.5))


def a_bridge_to_a_foreign_model_is_attacked(tf: Any) -> Any:
    model = _Foreign()
    with first_behaviour(tf) as tf:
        x = tf.placeholder(tf.float32, shape=(None, 6))
        fn = _bridge(tf, model, "ProgramForeign")
        logits = fn(x)
        preds_max = tf.reduce_max(logits, 1, keepdims=True)
        y = tf.to_float(tf.equal(logits, preds_max))
        y = y / tf.reduce_sum(y, 1, keepdims=True)
        one = _attacked(tf, logits, x, y, 0.3)

        def again(i: Any, adv: Any) -> Any:
            label = tf.stop_gradient(y)
            adv = _attacked(tf, fn_of_step(adv), adv, label, 0.05)
            return i + 1, tf.clip_by_value(adv, x - 0.15, x + 0.15)

        fn_of_step = _bridge(tf, model, "ProgramForeignInLoop")
        _, many = tf.while_loop(
            lambda i, _: tf.less(i, 4), again, (tf.zeros([]), x), back_prop=True, maximum_iterations=4
        )
        with tf.Session() as sess:
            values = sess.run([logits, y, one, many], {x: _X})
            moved = [float(np.abs(v - _X).max()) for v in values[2:]]
            calls = dict(model.calls)
            after = sess.run(fn(tf.constant(values[2])))
        return [*values, moved, calls, after.argmax(axis=1), logits.shape, one.shape, many.shape]


def a_nested_run_attacks_in_a_function(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        sess = tf.Session()
        x = tf.placeholder(tf.float32, [None, 6])
        logits = _network(tf, x, tf.nn.tanh)
        grad = tf.gradients(tf.reduce_sum(tf.square(logits)), x)[0]

        def optimise(value: Any) -> Any:
            value = np.array(value)
            for _ in range(5):
                value -= np.float32(0.1) * sess.run(grad, feed_dict={x: value})
            return value

        adv = tf.py_func(optimise, [tf.identity(x) * 2.0], tf.float32)
        adv.set_shape(x.get_shape())
        after = _network(tf, adv, tf.nn.tanh)
        return sess.run([adv, after, tf.norm(after - logits)], {x: _X})


def an_attack_that_keeps_state_in_variables(tf: Any) -> Any:
    """Carlini and Wagner's: variables that placeholders set, an optimiser of one variable, slots started again."""
    with first_behaviour(tf) as tf, tf.Session() as sess:
        shape = (3, 6)
        modifier = tf.Variable(np.zeros(shape, dtype=np.float32))
        timg = tf.Variable(np.zeros(shape), dtype=tf.float32, name="timg")
        tlab = tf.Variable(np.zeros((3, 2)), dtype=tf.float32, name="tlab")
        const = tf.Variable(np.zeros(3), dtype=tf.float32, name="const")
        assign = [tf.placeholder(tf.float32, s) for s in (shape, (3, 2), [3])]
        newimg = (tf.tanh(modifier + timg) + 1) / 2
        output = _network(tf, newimg, tf.nn.relu)
        l2dist = tf.reduce_sum(tf.square(newimg - (tf.tanh(timg) + 1) / 2), list(range(1, 2)))
        real = tf.reduce_sum(tlab * output, 1)
        other = tf.reduce_max((1 - tlab) * output - tlab * 10000, 1)
        loss1 = tf.reduce_sum(const * tf.maximum(np.asarray(0.0, dtype=np.float32), real - other + 0.1))
        loss = loss1 + tf.reduce_sum(l2dist)
        start_vars = {x.name for x in tf.global_variables()}
        optimizer = tf.train.AdamOptimizer(0.1)
        train = optimizer.minimize(loss, var_list=[modifier])
        new_vars = [x for x in tf.global_variables() if x.name not in start_vars]
        setup = [v.assign(p) for v, p in zip((timg, tlab, const), assign, strict=True)]
        init = tf.variables_initializer(var_list=[modifier, *new_vars])
        seen = []
        for factor in (0.5, 5.0):
            sess.run(init)
            values = [np.arctanh(np.tanh(_X) * 0.99), np.eye(2)[[0, 1, 0]], [factor] * 3]
            sess.run(setup, dict(zip(assign, values, strict=True)))
            for _ in range(5):
                found = sess.run([train, loss, l2dist, output])[1:]
            seen.append(found)
        return [
            seen,
            sorted(v.op.name for v in new_vars),
            OrderedDict(sorted((v.name, v.shape.as_list()) for v in new_vars)),
        ]


def two_overrides_do_not_mix(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        tf.RegisterGradient("ProgramTwice")(lambda op, g: g * 2.0)
        tf.RegisterGradient("ProgramThrice")(lambda op, g: [g * 3.0])
        graph, x = tf.get_default_graph(), tf.constant([1.0, 2.0])
        with graph.gradient_override_map({"Sigmoid": "ProgramTwice", "Exp": "ProgramTwice"}):
            a = tf.sigmoid(x)
            with graph.gradient_override_map({"Sigmoid": "ProgramThrice"}):
                b = tf.sigmoid(x) + tf.exp(x)
            c = tf.sigmoid(x)
        with tf.Session() as sess:
            grads = sess.run(tf.gradients([a, b, c], x) + [tf.gradients(v, x)[0] for v in (a, b, c, tf.sigmoid(x))])
        return [
            grads, refused(lambda: tf.RegisterGradient("ProgramTwice")(lambda op, g: g)),
            [t.op.get_attr("_gradient_op_type") for t in (a, c)], tf.sigmoid(x).op.name,
        ]  # fmt: skip
