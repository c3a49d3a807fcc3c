"""Agents under 1.x behaviour: actor-critic and proximal updates, Q-learning, and environments within the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour

_R = np.random.RandomState(3)
_OBS = _R.uniform(-1, 1, [12, 6]).astype(np.float32)
_ACTIONS = _R.randint(0, 3, [12])
_RETURNS = _R.uniform(-1, 2, [12]).astype(np.float32)
_OLD = _R.uniform(0, 1, [12]).astype(np.float32)


def _orthogonal(scale: float) -> Any:
    """An initialiser that is a plain function, as the baselines have it."""

    def init(shape: Any, dtype: Any, partition_info: Any = None) -> Any:
        shape = tuple(int(n) for n in shape)
        flat = (shape[0], int(np.prod(shape[1:])))
        u, _, v = np.linalg.svd(np.random.RandomState(sum(flat)).normal(0.0, 1.0, flat), full_matrices=False)
        q = u if u.shape == flat else v
        return (scale * np.abs(q) * np.sign(np.cos(np.arange(q.size))).reshape(q.shape)).astype(np.float32)

    return init


def _fc(tf: Any, x: Any, scope: str, nh: int, init_scale: float = 1.0, init_bias: float = 0.0) -> Any:
    with tf.variable_scope(scope):
        nin = x.get_shape()[1].value
        w = tf.get_variable("w", [nin, nh], initializer=_orthogonal(init_scale))
        b = tf.get_variable("b", [nh], initializer=tf.constant_initializer(init_bias))
        return tf.matmul(x, w) + b


def _entropy(tf: Any, logits: Any) -> Any:
    a0 = logits - tf.reduce_max(logits, axis=-1, keepdims=True)
    ea0 = tf.exp(a0)
    z0 = tf.reduce_sum(ea0, axis=-1, keepdims=True)
    p0 = ea0 / z0
    return tf.reduce_sum(p0 * (tf.log(z0) - a0), axis=-1)


def _neglogp(tf: Any, logits: Any, actions: Any) -> Any:
    one_hot = tf.one_hot(actions, logits.get_shape().as_list()[-1])
    return tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=one_hot)


class _Policy:
    def __init__(self, tf: Any, batch: Any, reuse: bool = False) -> None:
        self.X = tf.placeholder(tf.float32, (batch, 6), name="Ob")
        with tf.variable_scope("model", reuse=reuse):
            h1 = tf.tanh(_fc(tf, self.X, "pi_fc1", nh=16, init_scale=np.sqrt(2)))
            h2 = tf.tanh(_fc(tf, h1, "pi_fc2", nh=16, init_scale=np.sqrt(2)))
            self.pi = _fc(tf, h2, "pi", 3, init_scale=0.01)
            self.vf = _fc(tf, h2, "vf", 1)[:, 0]
        self.a0 = tf.argmax(self.pi, axis=-1)
        self.neglogp0 = _neglogp(tf, self.pi, self.a0)


def _variables(tf: Any, scope: str) -> Any:
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)


def an_actor_critic_learns(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        sess = tf.InteractiveSession()
        step_model, train_model = _Policy(tf, 4), _Policy(tf, 12, reuse=True)
        a = tf.placeholder(tf.int32, [12])
        adv, ret = tf.placeholder(tf.float32, [12]), tf.placeholder(tf.float32, [12])
        lr = tf.placeholder(tf.float32, [])
        pg_loss = tf.reduce_mean(adv * _neglogp(tf, train_model.pi, a))
        vf_loss = tf.reduce_mean(tf.square(tf.squeeze(train_model.vf) - ret) / 2.0)
        entropy = tf.reduce_mean(_entropy(tf, train_model.pi))
        loss = pg_loss - entropy * 0.01 + vf_loss * 0.5
        params = _variables(tf, "model")
        grads = tf.gradients(loss, params)
        grads, norm = tf.clip_by_global_norm(grads, 0.5)
        trainer = tf.train.RMSPropOptimizer(learning_rate=lr, decay=0.99, epsilon=1e-5)
        train = trainer.apply_gradients(list(zip(grads, params, strict=True)))
        tf.global_variables_initializer().run(session=sess)
        seen = []
        for step in range(3):
            actions, values = sess.run([step_model.a0, step_model.vf], {step_model.X: _OBS[:4]})
            feed = {train_model.X: _OBS, a: _ACTIONS, adv: _RETURNS - _OLD, ret: _RETURNS, lr: 7e-3 * (1 - step / 10)}
            seen.append([actions, values, *sess.run([pg_loss, vf_loss, entropy, norm, train], feed)[:-1]])
        weights = sess.run(params)
        sess.close()
        return [[p.op.name for p in params], seen, [float(w.sum()) for w in weights], len(tf.global_variables())]


def a_proximal_update(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        sess = tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1))
        with tf.variable_scope("ppo2_model", reuse=tf.AUTO_REUSE):
            act_model, train_model = _Policy(tf, None), _Policy(tf, 6, reuse=True)
        a = tf.placeholder(tf.int32, [None], name="A")
        adv, ret, oldneglogp, oldvpred = (
            tf.placeholder(tf.float32, [None], name=n) for n in ("ADV", "R", "OLDP", "OLDV")
        )
        lr, cliprange = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        neglogpac, vpred = _neglogp(tf, train_model.pi, a), train_model.vf
        clipped = oldvpred + tf.clip_by_value(vpred - oldvpred, -cliprange, cliprange)
        vf_loss = 0.5 * tf.reduce_mean(tf.maximum(tf.square(vpred - ret), tf.square(clipped - ret)))
        ratio = tf.exp(oldneglogp - neglogpac)
        worst = tf.maximum(-adv * ratio, -adv * tf.clip_by_value(ratio, 1.0 - cliprange, 1.0 + cliprange))
        pg_loss, entropy = tf.reduce_mean(worst), tf.reduce_mean(_entropy(tf, train_model.pi))
        approxkl = 0.5 * tf.reduce_mean(tf.square(neglogpac - oldneglogp))
        clipfrac = tf.reduce_mean(tf.to_float(tf.greater(tf.abs(ratio - 1.0), cliprange)))
        loss = pg_loss - entropy * 0.01 + vf_loss * 0.5
        params = tf.trainable_variables("ppo2_model")
        optimizer = tf.train.AdamOptimizer(learning_rate=lr, epsilon=1e-5)
        grads_and_var = optimizer.compute_gradients(loss, params)
        grads, var = zip(*grads_and_var, strict=True)
        grads, norm = tf.clip_by_global_norm(grads, 0.5)
        train_op = optimizer.apply_gradients(list(zip(grads, var, strict=True)))
        stats = [pg_loss, vf_loss, entropy, approxkl, clipfrac, norm]
        with sess.as_default():
            sess.run(tf.global_variables_initializer())
            values, old = sess.run([act_model.vf, act_model.neglogp0], {act_model.X: _OBS})
            advantages = (_RETURNS - values - (_RETURNS - values).mean()) / ((_RETURNS - values).std() + 1e-8)
            found = []
            for epoch in range(3):
                for start in (0, 6):
                    of = slice(start, start + 6)
                    td_map = {
                        train_model.X: _OBS[of], a: _ACTIONS[of], adv: advantages[of], ret: _RETURNS[of],
                        lr: 3e-3 * (1 - epoch * 0.1), cliprange: 0.2, oldneglogp: old[of], oldvpred: values[of],
                    }  # fmt: skip
                    found.append(sess.run([*stats, train_op], td_map)[:-1])
            logits = act_model.pi.eval({act_model.X: _OBS[:2]})
        sess.close()
        names = [v.name for v in tf.global_variables() if "Adam" in v.name or "beta" in v.name]
        return [found, logits, len(params), names[:4], len(names)]


def a_deep_q_step_with_a_target_network(tf: Any) -> Any:
    def q_func(x: Any, num_actions: int, scope: str, reuse: Any = None) -> Any:
        with tf.variable_scope(scope, reuse=reuse):
            return _fc(tf, tf.nn.relu(_fc(tf, x, "fc1", 8)), "q", num_actions)

    with first_behaviour(tf) as tf:
        with tf.variable_scope("deepq", reuse=None):
            obs, nxt = (tf.placeholder(tf.float32, [None, 6], name=n) for n in ("obs_t", "obs_tp1"))
            act, rew = tf.placeholder(tf.int32, [None], name="action"), tf.placeholder(tf.float32, [None])
            done, weights = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
            q_t, q_tp1 = q_func(obs, 3, "q_func"), q_func(nxt, 3, "target_q_func")
            q_vars = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=tf.get_variable_scope().name + "/q_func")
            target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="deepq/target_q_func")
            selected = tf.reduce_sum(q_t * tf.one_hot(act, 3), 1)
            online = q_func(nxt, 3, "q_func", reuse=True)
            best = tf.reduce_sum(q_tp1 * tf.one_hot(tf.argmax(online, 1), 3), 1)
            td_error = selected - tf.stop_gradient(rew + 0.9 * (1.0 - done) * best)
            huber = tf.where(tf.abs(td_error) < 1.0, tf.square(td_error) * 0.5, 1.0 * (tf.abs(td_error) - 0.5))
            optimizer = tf.train.AdamOptimizer(learning_rate=5e-2)
            gradients = optimizer.compute_gradients(tf.reduce_mean(weights * huber), var_list=q_vars)
            for i, (grad, var) in enumerate(gradients):
                if grad is not None:
                    gradients[i] = (tf.clip_by_norm(grad, 0.3), var)
            optimize = optimizer.apply_gradients(gradients)
            update = tf.group(*[
                t.assign(v) for v, t in zip(
                    sorted(q_vars, key=lambda v: v.name), sorted(target, key=lambda v: v.name), strict=True
                )
            ])  # fmt: skip
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {
                obs: _OBS[:6], nxt: _OBS[6:], act: _ACTIONS[:6], rew: _RETURNS[:6], weights: np.ones(6),
                done: [0, 0, 1, 0, 0, 1],
            }  # fmt: skip
            errors = []
            for step in range(4):
                errors.append(sess.run([td_error, optimize], feed)[0])
                if step == 1:
                    errors.append(sess.run(update))
            chosen = sess.run(tf.argmax(q_t, axis=1), {obs: _OBS})
        return [errors, chosen, [v.name for v in q_vars], [g.shape.as_list() for g, _ in gradients]]


class _Counters:
    """Environments that count up by their action, and end at 3."""

    def __init__(self, count: int) -> None:
        self.state, self.calls = np.zeros([count, 2], np.float32), 0

    def __len__(self) -> int:
        return len(self.state)

    def step(self, action: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        self.calls += 1
        self.state = self.state + np.stack([action, action * 0.5], axis=1).astype(np.float32)
        return self.state.copy(), self.state.sum(axis=1), self.state[:, 0] >= 3, {}

    def reset(self, indices: Any) -> Any:
        self.state[indices] = np.arange(len(indices), dtype=np.float32)[:, None] * 0.1
        return self.state[indices]


class _InGraphBatch:
    def __init__(self, tf: Any, env: Any) -> None:
        self.tf, self._batch_env = tf, env
        shape = (len(env), 2)
        with tf.variable_scope("env_temporary"):
            self._observ = tf.Variable(lambda: tf.zeros(shape, tf.float32), name="observ", trainable=False)
            self._action = tf.Variable(lambda: tf.zeros([len(env)], tf.float32), name="action", trainable=False)
            self._reward = tf.Variable(lambda: tf.zeros([len(env)], tf.float32), name="reward", trainable=False)
            self._done = tf.Variable(lambda: tf.cast(tf.ones([len(env)]), tf.bool), name="done", trainable=False)

    def simulate(self, action: Any) -> Any:
        tf = self.tf
        with tf.name_scope("environment/simulate"):
            action = tf.check_numerics(action, "action")
            observ, reward, done = tf.py_func(
                lambda a: self._batch_env.step(a)[:3], [action], [tf.float32, tf.float32, tf.bool], name="step"
            )
            observ = tf.check_numerics(observ, "observ")
            reward = tf.check_numerics(reward, "reward")
            return tf.group(
                self._observ.assign(observ), self._action.assign(action), self._reward.assign(reward),
                self._done.assign(done),
            )  # fmt: skip

    def reset(self, indices: Any = None) -> Any:
        tf = self.tf
        if indices is None:
            indices = tf.range(len(self._batch_env))
        observ = tf.py_func(self._batch_env.reset, [indices], tf.float32, name="reset")
        observ = tf.check_numerics(observ, "observ")
        reward, done = tf.zeros_like(indices, tf.float32), tf.zeros_like(indices, tf.bool)
        with tf.control_dependencies([
            tf.scatter_update(self._observ, indices, observ), tf.scatter_update(self._reward, indices, reward),
            tf.scatter_update(self._done, indices, done),
        ]):  # fmt: skip
            return tf.identity(observ)


def a_batch_of_environments_in_the_graph(tf: Any) -> Any:
    env = _Counters(4)
    with first_behaviour(tf) as tf:
        batch = _InGraphBatch(tf, env)
        policy = tf.get_variable("gain", initializer=tf.constant(0.5))
        action = policy * tf.range(4, dtype=tf.float32) + batch._observ[:, 1]
        score = tf.Variable(0.0, trainable=False, dtype=tf.float32, name="score")
        with tf.control_dependencies([batch.simulate(action)]):
            add = score.assign_add(tf.reduce_sum(batch._reward.read_value()))
        finished = tf.reshape(tf.where(batch._done), [-1])
        again = tf.cond(
            tf.size(finished) > 0,
            lambda: batch.reset(tf.cast(finished, tf.int32)), lambda: tf.zeros((0, 2), tf.float32),
        )  # fmt: skip
        again.set_shape([None, 2])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            first = sess.run(batch.reset())
            seen = []
            for _ in range(6):
                total = sess.run(add)
                ended = sess.run(batch._done)
                seen.append([total, ended, sess.run(again), sess.run([batch._observ, batch._action])])
            bad = sess.run(policy.assign(np.nan))
            try:
                sess.run(add)
            except tf.errors.InvalidArgumentError as error:
                refused = "action : Tensor had NaN values" in error.message
        return [first, seen, env.calls, bool(np.isnan(bad)), refused, again.shape, policy.name, batch._observ.name]
