"""Training of 1.x: optimisers that programs make of others, averages over workers, scaled losses, saving."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows

_R = np.random.RandomState(9)
_X = _R.normal(0, 1, [8, 4]).astype(np.float32)
_Y = (_X @ np.float32([[1, -1], [2, 0.5], [0, 1], [-1, 1]]) + 0.1).astype(np.float32)
_W1 = _R.normal(0, 0.5, [4, 3]).astype(np.float32)
_W2 = _R.normal(0, 0.5, [3, 2]).astype(np.float32)


def _loss(tf: Any, x: Any, y: Any, reuse: Any = None) -> Any:
    with tf.variable_scope("net", reuse=reuse):
        w1 = tf.get_variable("w1", initializer=_W1)
        b1 = tf.get_variable("b1", [3], initializer=tf.zeros_initializer())
        w2 = tf.get_variable("w2", initializer=_W2)
        scale = tf.get_variable("scale", shape=(), initializer=tf.ones_initializer())
        hidden = tf.tanh(tf.matmul(x, w1) + b1)
        return tf.reduce_mean(tf.square(scale * tf.matmul(hidden, w2) - y))


class _Comm:
    """What a communicator of MPI offers, of workers that are all here: the sum over them."""

    def __init__(self, size: int, others: Any = 0.0) -> None:
        self.size, self.others, self.calls = size, others, 0

    def Get_size(self) -> int:
        return self.size

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: str) -> None:
        self.calls += 1
        assert op == "sum" and sendbuf.dtype == recvbuf.dtype == np.float32
        np.add(sendbuf, self.others, out=recvbuf)


def _flat_concat(tf: Any, xs: Any) -> Any:
    return tf.concat([tf.reshape(x, (-1,)) for x in xs], axis=0)


def _mpi_adam(tf: Any, comm: Any) -> Any:
    def sync_params(params: Any) -> Any:
        get_params = _flat_concat(tf, params)

        def _broadcast(x: Any) -> Any:
            return np.round(x, 2)

        synced_params = tf.py_func(_broadcast, [get_params], tf.float32)

        def assign_params_from_flat(x: Any, params: Any) -> Any:
            flat_size = lambda p: int(np.prod(p.shape.as_list()))  # noqa: E731
            splits = tf.split(x, [flat_size(p) for p in params])
            new_params = [tf.reshape(p_new, p.shape) for p, p_new in zip(params, splits, strict=True)]
            return tf.group([tf.assign(p, p_new) for p, p_new in zip(params, new_params, strict=True)])

        return assign_params_from_flat(synced_params, params)

    class MpiAdamOptimizer(tf.train.AdamOptimizer):
        def __init__(self, **kwargs: Any) -> None:
            self.comm = comm
            tf.train.AdamOptimizer.__init__(self, **kwargs)

        def compute_gradients(self, loss: Any, var_list: Any, **kwargs: Any) -> Any:
            grads_and_vars = super().compute_gradients(loss, var_list, **kwargs)
            grads_and_vars = [(g, v) for g, v in grads_and_vars if g is not None]
            flat_grad = _flat_concat(tf, [g for g, v in grads_and_vars])
            shapes = [v.shape.as_list() for g, v in grads_and_vars]
            sizes = [int(np.prod(s)) for s in shapes]
            num_tasks = self.comm.Get_size()
            buf = np.zeros(flat_grad.shape, np.float32)

            def _collect_grads(flat_grad: Any) -> Any:
                self.comm.Allreduce(flat_grad, buf, op="sum")
                np.divide(buf, float(num_tasks), out=buf)
                return buf

            avg_flat_grad = tf.py_func(_collect_grads, [flat_grad], tf.float32)
            avg_flat_grad.set_shape(flat_grad.shape)
            avg_grads = tf.split(avg_flat_grad, sizes, axis=0)
            return [(tf.reshape(g, v.shape), v) for g, (_, v) in zip(avg_grads, grads_and_vars, strict=True)]

        def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
            opt = super().apply_gradients(grads_and_vars, global_step, name)
            with tf.control_dependencies([opt]):
                sync = sync_params([v for g, v in grads_and_vars])
            return tf.group([opt, sync])

    return MpiAdamOptimizer


@rows(0.0, 0.05)
def an_optimiser_that_averages_over_workers(tf: Any, others: float) -> Any:
    comm = _Comm(2, np.float32(others))
    with first_behaviour(tf) as tf:
        x, y = tf.placeholder(tf.float32, (None, 4)), tf.placeholder(tf.float32, (None, 2))
        loss = _loss(tf, x, y)
        unused = tf.get_variable("unused", [2])
        optimizer = _mpi_adam(tf, comm)(learning_rate=0.02)
        train = optimizer.minimize(loss, var_list=tf.trainable_variables(), name="train_pi")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run([loss, train], feed_dict={x: _X, y: _Y})[0] for _ in range(5)]
            weights = sess.run(tf.trainable_variables("net"))
        return [losses, weights, comm.calls, train.name, train.type, unused.op.name, optimizer.get_slot_names()]


def gradients_kept_from_a_reused_buffer(tf: Any) -> Any:
    """What a run returned stays when the buffer is written again."""
    with first_behaviour(tf) as tf:
        buffer = np.zeros(3, np.float32)

        def fill(step: Any) -> Any:
            buffer[:] = step
            return buffer

        step = tf.placeholder(tf.float32, [])
        a = tf.py_func(fill, [step], tf.float32)
        with tf.control_dependencies([a]):
            b = tf.py_func(fill, [step + 1.0], tf.float32)
        with tf.Session() as sess:
            first = sess.run(tf.identity(a) + 0.0, {step: 1.0})
            second = sess.run([b, b * 2.0], {step: 5.0})
        return [first, second]


def _multi_step_adam(tf: Any) -> Any:
    class MultistepAdamOptimizer(tf.train.AdamOptimizer):
        """Adam whose update is of the mean of `n` gradients."""

        def __init__(self, learning_rate: float = 0.001, n: int = 1, name: str = "Adam", **kwargs: Any) -> None:
            super().__init__(learning_rate=learning_rate, name=name, **kwargs)
            self._n = n
            self._n_t: Any = None

        def _create_slots(self, var_list: Any) -> None:
            super()._create_slots(var_list)
            first_var = min(var_list, key=lambda x: x.name)
            self._create_non_slot_variable(initial_value=0 if self._n == 1 else 1, name="iter", colocate_with=first_var)
            for v in var_list:
                self._zeros_slot(v, "grad_acc", self._name)

        def _get_iter_variable(self) -> Any:
            return self._get_non_slot_variable("iter", tf.get_default_graph())

        def _prepare(self) -> None:
            super()._prepare()
            self._n_t = tf.convert_to_tensor(self._n, name="n")

        def _apply_cond(self, apply_fn: Any, grad: Any, var: Any, *args: Any, **kwargs: Any) -> Any:
            grad_acc = self.get_slot(var, "grad_acc")

            def apply_adam(grad_acc: Any, apply_fn: Any, grad: Any, var: Any, *args: Any, **kwargs: Any) -> Any:
                total_grad = (grad_acc + grad) / tf.cast(self._n_t, grad.dtype)
                adam_op = apply_fn(total_grad, var, *args, **kwargs)
                with tf.control_dependencies([adam_op]):
                    grad_acc_to_zero_op = grad_acc.assign(tf.zeros_like(grad_acc))
                return tf.group(adam_op, grad_acc_to_zero_op)

            def accumulate_gradient(grad_acc: Any, grad: Any) -> Any:
                return tf.group(tf.assign_add(grad_acc, grad))

            return tf.cond(
                tf.equal(self._get_iter_variable(), 0),
                lambda: apply_adam(grad_acc, apply_fn, grad, var, *args, **kwargs),
                lambda: accumulate_gradient(grad_acc, grad),
            )

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return self._apply_cond(super()._apply_dense, grad, var)

        def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
            return self._apply_cond(super()._resource_apply_dense, grad, var)

        def _finish(self, update_ops: Any, name_scope: Any) -> Any:
            iter_ = self._get_iter_variable()
            beta1_power, beta2_power = self._get_beta_accumulators()
            with tf.control_dependencies(update_ops):

                def update_beta_op() -> Any:
                    return tf.group(
                        beta1_power.assign(beta1_power * self._beta1_t), beta2_power.assign(beta2_power * self._beta2_t)
                    )

                maybe_update_beta = tf.cond(tf.equal(iter_, 0), update_beta_op, tf.no_op)
                with tf.control_dependencies([maybe_update_beta]):
                    update_iter = iter_.assign(tf.mod(iter_ + 1, self._n_t))
            return tf.group(*update_ops, update_iter, maybe_update_beta, name=name_scope)

    return MultistepAdamOptimizer


@rows(1, 2, 4)
def adam_of_several_steps(tf: Any, n: int) -> Any:
    """Its updates of `n` small batches are those of one large batch."""
    with first_behaviour(tf) as tf:
        x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 2])
        loss = _loss(tf, x, y)
        optimizer = _multi_step_adam(tf)(0.05, n=n)
        train_op = optimizer.minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            seen = []
            for step in range(2 * n):
                of = slice(0, 8) if n == 1 else slice(8 // n * (step % n), 8 // n * (step % n + 1))
                sess.run(train_op, {x: _X[of], y: _Y[of]})
                seen.append(sess.run([loss, optimizer._get_iter_variable()], {x: _X, y: _Y}))
            weights = sess.run(tf.trainable_variables())
        return [seen, weights, sorted(v.op.name for v in tf.global_variables())]


def towers_share_variables(tf: Any) -> Any:
    """Gradients of towers are averaged, clipped, applied with a decayed rate; a step is counted."""
    with first_behaviour(tf) as tf:
        global_step = tf.train.get_or_create_global_step()
        lr = tf.train.exponential_decay(0.5, global_step, decay_steps=2, decay_rate=0.5, staircase=True)
        opt = tf.train.GradientDescentOptimizer(lr)
        x_splits, y_splits = tf.split(_X, 2, 0), tf.split(axis=0, num_or_size_splits=2, value=_Y)
        tower_grads, losses = [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(2):
                with tf.device(f"/cpu:{0}"), tf.name_scope(f"tower_{i}") as scope:
                    losses.append(_loss(tf, x_splits[i], y_splits[i], reuse=bool(i)))
                    tf.add_to_collection("losses", losses[-1])
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(opt.compute_gradients(losses[-1]))
        average = []
        for grad_and_vars in zip(*tower_grads, strict=True):
            grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
            average.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), grad_and_vars[0][1]))
        clipped, norm = tf.clip_by_global_norm([g for g, _ in average], 1.0, name="clip")
        train_op = opt.apply_gradients(
            zip(clipped, [v for _, v in average], strict=True), global_step=global_step, name="train"
        )
        with tf.control_dependencies([train_op]):
            total = tf.add_n(tf.get_collection("losses"), name="total_loss")
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)) as sess:
            sess.run(tf.global_variables_initializer())
            found = [[*sess.run([train_op, total, norm, lr])[1:], sess.run(global_step)] for _ in range(4)]
        return [found, [v.name for v in tf.trainable_variables()], losses[1].name, scope, norm.shape, train_op.name]


def a_loss_scale_that_adapts(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        scale = tf.Variable(2.0**15, trainable=False, name="loss_scale", dtype=tf.float32)
        good = tf.Variable(0, trainable=False, name="good_steps", dtype=tf.int32)
        boost = tf.placeholder_with_default(1.0, [])
        loss = _loss(tf, tf.constant(_X), _Y) * boost
        opt = tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)
        grads_and_vars = opt.compute_gradients(loss * scale)
        finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g, _ in grads_and_vars])
        unscaled = [(g / scale, v) for g, v in grads_and_vars]
        update = tf.cond(finite, lambda: opt.apply_gradients(unscaled), tf.no_op)

        def fine() -> Any:
            return tf.cond(
                tf.greater_equal(good + 1, 2),
                lambda: tf.group(scale.assign(tf.minimum(scale * 2.0, 2.0**20)), good.assign(0)),
                lambda: tf.group(tf.assign_add(good, 1)),
            )

        with tf.control_dependencies([update]):
            adapt = tf.cond(finite, fine, lambda: tf.group(scale.assign(scale / 2.0), good.assign(tf.zeros_like(good))))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            seen = []
            for b in (1.0, 1.0, np.inf, 1.0, np.nan, 1.0):
                seen.append(sess.run([finite, adapt], {boost: b})[0])
                seen.append(sess.run([loss, scale, good]))
            return seen


def saved_and_restored_while_training(tf: Any) -> Any:
    import tempfile

    with first_behaviour(tf) as tf, tempfile.TemporaryDirectory() as folder:
        x, y = tf.placeholder(tf.float32, [None, 4], name="x"), tf.placeholder(tf.float32, [None, 2], name="y")
        loss = _loss(tf, x, y)
        step = tf.Variable(0, trainable=False, name="global_step")
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        only = tf.train.Saver({"net/w1": tf.trainable_variables()[0]})
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {x: _X, y: _Y}
            for _ in range(3):
                sess.run(train, feed)
                path = saver.save(sess, f"{folder}/model.ckpt", global_step=step)
            before = sess.run(loss, feed)
            for _ in range(2):
                sess.run(train, feed)
            after = sess.run(loss, feed)
            saver.restore(sess, tf.train.latest_checkpoint(folder))
            again = sess.run([loss, step], feed)
            repeated = [sess.run(train, feed), sess.run(train, feed), sess.run(loss, feed)][2]
            sess.run(tf.global_variables_initializer())
            only.restore(sess, path)
            w1 = sess.run("net/w1:0")
            missing = refused(lambda: sess.run("net/w3:0"))
        kept = [p.replace(folder, "") for p in saver.last_checkpoints]
        names = sorted(n for n, _ in tf.train.list_variables(path))
        return [before, after, again, repeated, w1, missing, kept, names, path.replace(folder, "")]
