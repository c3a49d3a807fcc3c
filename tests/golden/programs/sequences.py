"""Loops and cells around host functions: captions, costs of a transducer, peaks grouped into instances, key points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.golden.make_programs import first_behaviour, rows

_R = np.random.RandomState(11)
_FEATURES = _R.normal(0, 1, [3, 4, 5]).astype(np.float32)
_CAPTIONS = np.array([[1, 4, 5, 2, 0], [1, 6, 2, 0, 0], [1, 3, 3, 4, 2]])


def _weights(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).normal(0, 0.4, shape).astype(np.float32)


class _Dense:
    def __init__(self, tf: Any, inputs: int, units: int, name: str) -> None:
        self.tf = tf
        self.kernel = tf.Variable(_weights(inputs, units), name=f"{name}/kernel")
        self.bias = tf.Variable(tf.zeros([units]), name=f"{name}/bias")

    def __call__(self, x: Any) -> Any:
        return self.tf.tensordot(x, self.kernel, 1) + self.bias


class _Attention:
    def __init__(self, tf: Any, units: int) -> None:
        self.tf = tf
        self.W1, self.W2, self.V = _Dense(tf, 5, units, "w1"), _Dense(tf, 6, units, "w2"), _Dense(tf, units, 1, "v")

    def __call__(self, features: Any, hidden: Any) -> Any:
        tf = self.tf
        hidden_with_time_axis = tf.expand_dims(hidden, 1)
        score = tf.nn.tanh(self.W1(features) + self.W2(hidden_with_time_axis))
        attention_weights = tf.nn.softmax(self.V(score), axis=1)
        context_vector = tf.reduce_sum(attention_weights * features, axis=1)
        return context_vector, attention_weights


def captions_with_attention(tf: Any) -> Any:
    """Loads features by a host function of names, decodes with teacher forcing, then greedily."""
    attention, vocabulary = _Attention(tf, 7), 8
    embedding = tf.Variable(_weights(vocabulary, 3))
    cell, output = _Dense(tf, 3 + 5 + 6, 6, "cell"), _Dense(tf, 6, vocabulary, "out")
    variables = [
        embedding,
        *(v for d in (attention.W1, attention.W2, attention.V, cell, output) for v in (d.kernel, d.bias)),
    ]
    optimizer = tf.compat.v1.train.AdamOptimizer(0.05)

    def map_func(img_name: Any, cap: Any) -> Any:
        return _FEATURES[int(img_name.decode("utf-8").split("_")[1].removesuffix(".npy"))], cap

    @tf.function
    def load(name: Any, caption: Any) -> Any:
        image, target = tf.numpy_function(map_func, [name, caption], [tf.float32, tf.int64])
        return tf.ensure_shape(image, [4, 5]), tf.ensure_shape(target, [5])

    def decode(x: Any, features: Any, hidden: Any) -> Any:
        context_vector, weights = attention(features, hidden)
        x = tf.concat([tf.gather(embedding, x[:, 0]), context_vector, hidden], axis=-1)
        state = tf.tanh(cell(x))
        return output(state), state, weights

    def loss_function(real: Any, pred: Any) -> Any:
        mask = tf.math.logical_not(tf.math.equal(real, 0))
        loss_ = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=real, logits=pred)
        return tf.reduce_mean(loss_ * tf.cast(mask, dtype=loss_.dtype))

    @tf.function
    def train_step(img_tensor: Any, target: Any) -> Any:
        loss, hidden = 0, tf.zeros((target.shape[0], 6))
        dec_input = tf.expand_dims([1] * target.shape[0], 1)
        with tf.GradientTape() as tape:
            for i in range(1, target.shape[1]):
                predictions, hidden, _ = decode(dec_input, img_tensor, hidden)
                loss += loss_function(target[:, i], predictions)
                dec_input = tf.expand_dims(target[:, i], 1)
        total_loss = loss / int(target.shape[1])
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss, total_loss

    @tf.function(input_signature=[tf.TensorSpec([None, 4, 5], tf.float32), tf.TensorSpec([], tf.int32)])
    def caption(features: Any, limit: Any) -> Any:
        batch = tf.shape(features)[0]
        hidden, words = tf.zeros([batch, 6]), tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        dec_input, finished = tf.fill([batch, 1], 1), tf.zeros([batch], tf.bool)
        for step in tf.range(limit):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(dec_input, tf.TensorShape([None, 1]))])
            predictions, hidden, _ = decode(dec_input, features, hidden)
            word = tf.where(finished, tf.zeros([batch], tf.int64), tf.argmax(predictions, axis=-1))
            words = words.write(step, word)
            finished = finished | (word == 2)
            dec_input = tf.expand_dims(tf.cast(word, tf.int32), 1)
            if tf.reduce_all(finished):
                break
        return tf.transpose(words.stack()), finished

    names = [f"feature_{i}.npy" for i in range(3)]
    loaded = [load(tf.constant(n), tf.constant(c)) for n, c in zip(names, _CAPTIONS, strict=True)]
    images, targets = tf.stack([i for i, _ in loaded]), tf.stack([t for _, t in loaded])
    losses = [train_step(images, targets) for _ in range(12)]
    return [
        losses[0],
        losses[5],
        losses[-1],
        caption(images, 6),
        [v.shape for v in variables][:3],
        decode(targets[:, :1], images, tf.zeros([3, 6]))[2],
    ]


class _Fst:
    """Costs of labels from each state, and where they lead: a transducer of another library."""

    costs = np.float32([[0.1, 1.5, 2.0, 0.7], [2.5, 0.2, 1.0, 3.0], [0.9, 1.1, 0.3, 0.5]])
    leads = np.array([[0, 1, 2, 1], [2, 1, 0, 0], [1, 2, 0, 2]])

    def __init__(self) -> None:
        self.calls = 0

    def step(self, states: Any, inputs: Any) -> tuple[Any, Any]:
        self.calls += 1
        new_states = self.leads[states, inputs].astype(np.int32)
        return new_states, -self.costs[new_states].astype(np.float32)


class _State(NamedTuple):
    states: Any
    weights: Any
    step: Any


def a_cell_of_a_transducer(tf: Any) -> Any:
    fst = _Fst()

    def cell(tf: Any, labels: Any, state: _State) -> Any:
        states, weights = tf.py_func(fst.step, [state.states, labels], [tf.int32, tf.float32], name="fst_step")
        states.set_shape(labels.shape)
        weights.set_shape(labels.shape.concatenate(4))
        finished = tf.equal(labels, 3)
        kept = tf.where(finished, state.states, states)
        return tf.nn.log_softmax(weights), _State(kept, weights, state.step + 1)

    with first_behaviour(tf) as tf:
        logits = tf.placeholder(tf.float32, [None, None, 4])
        beta = tf.get_variable("beta", initializer=0.5)
        batch, steps = tf.shape(logits)[0], tf.shape(logits)[1]
        ta = tf.TensorArray(tf.float32, size=steps, element_shape=[None, 4])
        start = _State(tf.zeros([batch], tf.int32), tf.zeros([batch, 4]), tf.constant(0))

        def body(time: Any, labels: Any, state: _State, outputs: Any, total: Any) -> Any:
            lm, new_state = cell(tf, labels, state)
            fused = logits[:, time] + beta * lm
            best = tf.argmax(fused, axis=1, output_type=tf.int32)
            total += tf.reduce_sum(tf.reduce_max(tf.nn.log_softmax(fused), 1))
            return time + 1, best, new_state, outputs.write(time, fused), total

        _, last, state, outputs, score = tf.while_loop(
            lambda t, *_: t < steps,
            body,
            (0, tf.zeros([batch], tf.int32), start, ta, tf.constant(0.0)),
            parallel_iterations=1,
            swap_memory=True,
        )
        fused = tf.transpose(outputs.stack(), [1, 0, 2])
        train = tf.train.GradientDescentOptimizer(0.05).minimize(-score)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {logits: np.sin(np.arange(40)).reshape(2, 5, 4)}
            found = sess.run([fused, last, state, score], feed)
            betas = [sess.run([train, score], feed)[1:] + [sess.run(beta)] for _ in range(3)]
        return [found[0], found[1], list(found[2]), found[3], betas, fst.calls, fused.shape, type(state).__name__]


def recurrent_cells_written_by_hand(tf: Any) -> Any:
    """A gated cell in `scan`, a memory in `while_loop`, lengths masked; gradients of both."""
    w, u = _weights(3, 8), _weights(4, 8)

    def gated(x: Any, lengths: Any) -> Any:
        def step(previous: Any, t: Any) -> Any:
            h, i = previous
            gates = x[:, i] @ w + h @ u
            z, candidate = tf.sigmoid(gates[:, :4]), tf.tanh(gates[:, 4:])
            new = tf.where((i < lengths)[:, None], z * h + (1 - z) * candidate, h)
            return new, i + 1

        states, _ = tf.scan(step, tf.range(tf.shape(x)[1]), (tf.zeros([tf.shape(x)[0], 4]), 0))
        return tf.transpose(states, [1, 0, 2])

    @tf.function
    def run(x: Any, lengths: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            states = gated(x, lengths)
            last = tf.gather(states, tf.maximum(lengths - 1, 0), batch_dims=1)
            loss = tf.reduce_sum(last**2) + tf.reduce_mean(states)
        return states, loss, tape.gradient(loss, x)

    x = tf.constant(np.cos(np.arange(24, dtype=np.float32)).reshape(2, 4, 3))
    return run(x, tf.constant([4, 2]))


# ---------------------------------------------------------------- peaks grouped into instances


def _match(edges: Any, scores: Any, dst: Any) -> tuple[Any, Any, Any]:
    """Greedy matching of the peaks of one edge type."""
    order = np.argsort(-scores, kind="stable")
    used_src, used_dst, kept = set(), set(), []
    for i in order:
        if edges[i, 0] not in used_src and edges[i, 1] not in used_dst and scores[i] > 0.1:
            used_src.add(edges[i, 0]), used_dst.add(edges[i, 1]), kept.append(i)
    kept = np.array(sorted(kept), np.int32)
    return edges[kept, 0].astype(np.int32), (edges[kept, 1] + dst * 0).astype(np.int32), scores[kept]


def peaks_are_grouped(tf: Any) -> Any:
    """Matches of a sample in a loop over samples, kept in arrays of unequal lengths, become ragged tensors."""
    edge_types = 2
    edges = tf.ragged.constant(
        [[[0, 0], [0, 1], [1, 0], [1, 1]], [[0, 0]], [[0, 0], [1, 0], [2, 1], [2, 0], [1, 1]]],
        ragged_rank=1,
        inner_shape=(2,),
    )
    scores = tf.ragged.constant([[0.9, 0.2, 0.3, 0.8], [0.05], [0.5, 0.6, 0.4, 0.7, 0.2]])
    inds = tf.ragged.constant([[0, 0, 0, 1], [0], [0, 0, 1, 1, 1]], dtype=tf.int32)

    def match_sample(edges: Any, scores: Any, inds: Any) -> Any:
        src, dst, line, kind = (
            tf.TensorArray(t, size=edge_types, infer_shape=False, element_shape=[None])
            for t in (tf.int32, tf.int32, tf.float32, tf.int32)
        )
        for k in range(edge_types):
            chosen = tf.squeeze(tf.where(inds == k), axis=1)
            a, b, s = tf.numpy_function(
                _match, [tf.gather(edges, chosen), tf.gather(scores, chosen), k], [tf.int32, tf.int32, tf.float32]
            )
            src, dst, line = src.write(k, a), dst.write(k, b), line.write(k, s)
            kind = kind.write(k, tf.fill([tf.size(a)], k))
        return src.concat(), dst.concat(), line.concat(), kind.concat()

    @tf.function
    def match_batch(edges: Any, scores: Any, inds: Any) -> Any:
        n = edges.nrows(out_type=tf.int32)
        arrays = [
            tf.TensorArray(t, size=n, infer_shape=False, element_shape=[None])
            for t in (tf.int32, tf.int32, tf.float32, tf.int32, tf.int32)
        ]
        first, second, third, fourth, samples = arrays
        for i in tf.range(n):
            a, b, s, k = match_sample(edges[i], scores[i], inds[i])
            first, second, third, fourth = first.write(i, a), second.write(i, b), third.write(i, s), fourth.write(i, k)
            samples = samples.write(i, tf.repeat([i], tf.shape(a)[0]))
        rowids = samples.concat()
        return tuple(
            tf.RaggedTensor.from_value_rowids(v.concat(), rowids, nrows=n) for v in (first, second, third, fourth)
        )

    found = match_batch(edges, scores, inds)
    total = tf.reduce_sum(found[2], axis=1)
    per_kind = tf.ragged.boolean_mask(found[0], found[3] == 0)
    return [
        [f.to_list() for f in found],
        total,
        per_kind.to_list(),
        found[0].to_tensor(default_value=-1),
        found[2].shape,
        found[0].row_lengths(),
    ]


def peaks_of_maps(tf: Any) -> Any:
    """Local maxima by a dilation's stand-in, refined by gradients around them, and crops."""
    maps = tf.constant((1.5 + np.sin(np.arange(128, dtype=np.float32) * 1.7)).reshape(1, 8, 8, 2))
    largest = tf.nn.max_pool2d(maps, ksize=3, strides=1, padding="SAME")
    mask = tf.logical_and(maps >= largest, maps > 2.45)
    subs = tf.where(mask)
    values = tf.gather_nd(maps, subs)
    sample, row, column, channel = tf.split(subs, 4, axis=1)
    points = tf.cast(tf.concat([column, row], axis=1), tf.float32)
    boxes = tf.concat([points[:, 1:] - 1, points[:, :1] - 1, points[:, 1:] + 1, points[:, :1] + 1], axis=1) / 7.0
    crops = tf.image.crop_and_resize(maps, boxes, tf.zeros([tf.shape(boxes)[0]], tf.int32), [3, 3])
    grid = tf.stack(tf.meshgrid(tf.range(-1.0, 2.0), tf.range(-1.0, 2.0)), axis=-1)
    patch = tf.squeeze(tf.gather(crops, tf.squeeze(tf.cast(channel, tf.int32), 1), axis=3, batch_dims=1))
    weights = patch[..., None] / (tf.reduce_sum(patch, axis=[1, 2])[:, None, None, None] + 1e-3)
    offsets = tf.reduce_sum(weights * grid, axis=[1, 2])
    by_sample = tf.RaggedTensor.from_value_rowids(values, tf.squeeze(sample, 1), nrows=1)
    return [
        points,
        values,
        offsets,
        by_sample.row_lengths(),
        tf.math.top_k(by_sample.to_tensor(), 3).indices,
        mask.shape,
    ]


# ---------------------------------------------------------------- key points of images


@rows(0.0, 0.5)
def key_points_and_their_warps(tf: Any, angle: float) -> Any:
    """Homographies by a host function, warped points filtered by a mask, heat maps by scatter, cells by depth."""

    def homography(shape: Any, angle: Any) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        center = np.array(shape[::-1]) / 2.0
        move = center - np.array([[c, -s], [s, c]]) @ center
        return np.array([c, -s, move[0], s, c, move[1], 0, 0], np.float32)

    def flat2mat(h: Any) -> Any:
        return tf.reshape(tf.concat([h, tf.ones([tf.shape(h)[0], 1])], axis=1), [-1, 3, 3])

    def warp_points(points: Any, h: Any) -> Any:
        h = tf.expand_dims(h, axis=0) if len(h.shape) == 1 else h
        num_points = tf.shape(points)[0]
        points = tf.cast(points, tf.float32)[:, ::-1]
        points = tf.concat([points, tf.ones([num_points, 1], dtype=tf.float32)], -1)
        inverse = tf.transpose(tf.linalg.inv(flat2mat(h)))
        warped = tf.tensordot(points, inverse, [[1], [0]])
        warped = warped[:, :2, :] / warped[:, 2:, :]
        warped = tf.transpose(warped, [2, 0, 1])[:, :, ::-1]
        return warped[0] if warped.shape[0] == 1 else warped

    def filter_points(points: Any, shape: Any) -> Any:
        mask = (points >= 0) & (points <= tf.cast(tf.convert_to_tensor(shape) - 1, tf.float32))
        return tf.boolean_mask(points, tf.reduce_all(mask, -1))

    @tf.function
    def build(points: Any, image: Any, angle: Any) -> Any:
        shape = tf.shape(image)[:2]
        h = tf.numpy_function(homography, [shape, angle], tf.float32)
        h.set_shape([8])
        warped = warp_points(points, h)
        kept = filter_points(warped, shape)
        at = tf.minimum(tf.cast(tf.round(kept), tf.int32), shape - 1)
        keypoint_map = tf.scatter_nd(at, tf.ones([tf.shape(at)[0]], tf.int32), shape)
        labels = tf.cast(tf.cast(keypoint_map, tf.bool), tf.float32)[None, ..., None]
        cells = tf.compat.v1.space_to_depth(labels, 4)
        cells = tf.concat([2 * cells, tf.ones([*tf.unstack(tf.shape(cells))[:3], 1])], 3)
        label = tf.argmax(cells, axis=3)
        valid = tf.compat.v1.space_to_depth(tf.ones_like(labels), 4)
        logits = tf.image.resize(image[None], [2, 3])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=tf.tile(logits, [1, 1, 1, 17]))
        weight = tf.reduce_prod(valid, axis=3)
        return warped, kept, keypoint_map, label, tf.reduce_sum(loss * weight) / (1.0 + tf.reduce_sum(weight))

    image = tf.constant(np.linspace(0, 1, 96, dtype=np.float32).reshape(8, 12, 1))
    points = tf.constant([[0, 0], [3, 7], [7, 11], [5, 2], [1, 10]])
    found = build(points, image, tf.constant(angle))
    elements = {"image": image, "keypoints": points}
    spec = tf.nest.map_structure(
        lambda t: (t.dtype.name, t.shape.as_list()), {**elements, "warped": {"points": found[1]}}
    )
    return [*found, spec]
