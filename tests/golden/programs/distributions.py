"""Probability distributions of 1.x: samples, densities, statistics, divergences, static shapes and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows, session

_NUMBERS = [0.2, 0.7, 1.5]
_SHARES = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
_COUNTS = [[1.0, 2.0, 1.0], [0.0, 0.0, 4.0]]
_CASES: dict[str, tuple[str, dict[str, Any], Any]] = {
    "normal": ("Normal", {"loc": [0.0, 1.0, -2.0], "scale": [2.0]}, [-60.0, 0.3, 9.0]),
    "normal far": (
        "Normal",
        {"loc": np.float64(0), "scale": np.float64(1)},
        np.array([-40.0, -20.5, -19.5, 0, 7, 9.0]),
    ),
    "laplace": ("Laplace", {"loc": [0.0, 1.0, -2.0], "scale": 2.0}, [-60.0, 0.3, 40.0]),
    "student": ("StudentT", {"df": [0.5, 1.5, 5.0], "loc": 1.0, "scale": [2.0, 0.5, 1.0]}, [-1.0, 0.3, 9.0]),
    "uniform": ("Uniform", {"low": [0.0, 0.5, 1.0], "high": 2.0}, [[-1.0], [1.5], [2.0]]),
    "gamma": ("Gamma", {"concentration": [0.5, 1.0, 3.0], "rate": [[2.0], [0.5]]}, _NUMBERS),
    "exponential": ("Exponential", {"rate": [[2.0], [0.5]]}, _NUMBERS),
    "beta": ("Beta", {"concentration1": [0.5, 2.0, 3.0], "concentration0": [2.0, 1.5, 0.5]}, [0.2, 0.7, 0.9]),
    "bernoulli": ("Bernoulli", {"probs": [0.2, 0.7]}, [[1, 0], [0, 0], [1, 1]]),
    "bernoulli logits": ("Bernoulli", {"logits": [[-30.0, 0.5], [3.0, 90.0]]}, [1, 0]),
    "categorical": ("Categorical", {"probs": _SHARES}, [[0, 1], [2, 2]]),
    "categorical logits": ("Categorical", {"logits": [3.0, -1.0, 40.0, 0.0]}, [0, 2, 3]),
    "dirichlet": ("Dirichlet", {"concentration": [1.5, 2.0, 3.0]}, _SHARES),
    "dirichlet edge": ("Dirichlet", {"concentration": [0.5, 1.0, 3.0]}, _SHARES),
    "multinomial": ("Multinomial", {"total_count": [4.0, 4.0], "probs": _SHARES}, _COUNTS),
    "multinomial alone": ("Multinomial", {"total_count": 40.0, "probs": _SHARES[0]}, [10.0, 10.0, 20.0]),
    "mixed": ("DirichletMultinomial", {"total_count": 4.0, "concentration": [[0.5, 1.0, 3.0]]}, _COUNTS),
}
_AT = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
_STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")


@rows(*_CASES)
def statistics(tf: Any, case: str) -> Any:
    name, arguments, values = _CASES[case]
    d = getattr(tf.compat.v1.distributions, name)(**arguments)
    found = {method: refused(lambda m=method: getattr(d, m)(values)) for method in _AT}
    found |= {method: refused(getattr(d, method)) for method in _STATISTICS}
    return found | {"batch": d.batch_shape_tensor(), "event": d.event_shape_tensor(), "type": d.dtype.name}


@rows(*[case for case in _CASES if case != "multinomial"])  # TensorFlow runs the turns of its loop in any order
def samples(tf: Any, case: str) -> Any:
    name, arguments, _ = _CASES[case]
    with session(tf) as sess:
        tf.compat.v1.set_random_seed(7)
        d = getattr(tf.compat.v1.distributions, name)(**arguments)
        drawn = [d.sample(shape, seed=11) for shape in ((), 3, [2, 2])]
        shapes = [str(d), [x.shape.as_list() for x in drawn], d.batch_shape.as_list(), d.event_shape.as_list()]
        return shapes, sess.run(drawn)


@rows("normal", "laplace", "student", "uniform", "gamma", "exponential", "beta", "dirichlet")
def gradients(tf: Any, case: str) -> Any:
    """Through densities and through samples, to each parameter."""
    name, arguments, values = _CASES[case]
    with session(tf) as sess:
        tf.compat.v1.set_random_seed(5)
        parameters = {k: tf.constant(v, tf.float32) for k, v in arguments.items()}
        d = getattr(tf.compat.v1.distributions, name)(**parameters)
        xs = list(parameters.values())
        density = [None if g is None else sess.run(g) for g in tf.gradients(d.prob(values), xs)]
        return density, sess.run(tf.gradients(d.sample(4, seed=3), xs)), repr(d.reparameterization_type)


_PAIRS = {
    "normal": ("Normal", ([0.0, 1.0], 2.0), ([[1.0], [0.5]], 3.0)),
    "gamma": ("Gamma", ([0.5, 2.0], 2.0), ([[1.0], [0.5]], 3.0)),
    "exponential": ("Exponential", ([0.5, 2.0],), (3.0,)),
    "beta": ("Beta", ([0.5, 2.0], 2.0), ([[1.0], [0.5]], 3.0)),
    "bernoulli": ("Bernoulli", ([0.5, -2.0],), ([[1.0], [50.0]],)),
    "categorical": ("Categorical", ([[0.5, -2.0, 1.0]],), ([[1.0, 0.0, 0.0], [0.0, 9.0, 0.0]],)),
    "dirichlet": ("Dirichlet", ([[0.5, 2.0, 1.0]],), ([[1.0, 0.5, 0.5], [0.5, 9.0, 0.5]],)),
    "laplace": ("Laplace", (0.0, 1.0), (1.0, 1.0)),
    "uniform": ("Uniform", (0.0, 1.0), (1.0, 2.0)),
}


@rows(*_PAIRS)
def divergences(tf: Any, case: str) -> Any:
    name, one, two = _PAIRS[case]
    ds = tf.compat.v1.distributions
    a, b = getattr(ds, name)(*one), getattr(ds, name)(*two)
    return [
        refused(lambda f=f: f())
        for f in (lambda: ds.kl_divergence(a, b), lambda: b.kl_divergence(a), lambda: a.cross_entropy(b))
    ]


def unknown_shapes(tf: Any) -> Any:
    """What a graph knows of shapes where parameters or the shape of the sample are fed."""
    with session(tf) as sess:
        v1, ds = tf.compat.v1, tf.compat.v1.distributions
        rows_, any_ = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32, None)
        count = v1.placeholder(tf.int32, [])
        sizes = v1.placeholder(tf.int32, [2])
        feeds = {rows_: np.ones([2, 3]), any_: np.ones([3]), count: 4, sizes: [1, 2]}
        found = []
        for d in (
            ds.Normal(rows_, 1.0),
            ds.Normal(any_, any_),
            ds.Categorical(rows_),
            ds.Dirichlet(rows_),
            ds.Gamma(any_, 2.0),
        ):
            drawn = [d.sample(), d.sample(count), d.sample(sizes), d.sample([5])]
            asked = [d.batch_shape_tensor(), d.event_shape_tensor(), d.is_scalar_batch(), d.is_scalar_event()]
            static = [None if x.shape.rank is None else x.shape.as_list() for x in drawn]
            found.append((str(d), static, sess.run(asked, feeds), sess.run([tf.shape(x) for x in drawn], feeds)))
        return found


_BAD: dict[str, Any] = {
    "negative scale": lambda ds: ds.Normal(0.0, -1.0, validate_args=True).mean(),
    "mixed types": lambda ds: ds.Normal(np.float64(0), np.float32(1)),
    "integers": lambda ds: ds.Normal(0, 1),
    "low above high": lambda ds: ds.Uniform(2.0, 1.0, validate_args=True),
    "probability of 1.1": lambda ds: ds.Bernoulli(probs=1.1, validate_args=True),
    "both": lambda ds: ds.Bernoulli(0.0, 0.5),
    "neither": lambda ds: ds.Categorical(),
    "whole logits": lambda ds: ds.Categorical([1, 2]),
    "one class": lambda ds: ds.Categorical([1.0], validate_args=True),
    "shares of 0.8": lambda ds: ds.Categorical(probs=[0.4, 0.4], validate_args=True),
    "half a class": lambda ds: ds.Categorical([1.0, 2.0], validate_args=True).log_prob(0.5),
    "class of two": lambda ds: ds.Bernoulli(0.0, validate_args=True).log_prob(2),
    "bool class": lambda ds: ds.Categorical([1.0, 2.0]).log_prob(True),
    "wrong sum": lambda ds: ds.Multinomial(4.0, [1.0, 2.0], validate_args=True).log_prob([1.0, 2.0]),
    "half a count": lambda ds: ds.DirichletMultinomial(2.0, [1.0, 2.0], validate_args=True).log_prob([0.5, 1.5]),
    "no simplex": lambda ds: ds.Dirichlet([1.0, 2.0], validate_args=True).log_prob([0.5, 0.6]),
    "no mode": lambda ds: ds.Gamma(0.5, 1.0, allow_nan_stats=False).mode(),
    "no mean": lambda ds: ds.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean(),
    "no entropy": lambda ds: ds.Multinomial(4.0, [1.0, 2.0]).entropy(),
    "no quantile": lambda ds: ds.Laplace(0.0, 1.0).quantile(0.5),
    "sample of a matrix": lambda ds: ds.Normal(0.0, 1.0).sample([[2]]),
    "shapes apart": lambda ds: ds.Normal([0.0, 1.0], [1.0, 2.0, 3.0]).mean(),
    "other classes": lambda ds: ds.kl_divergence(ds.Normal(0.0, 1.0), ds.Gamma(1.0, 1.0)),
    "no function": lambda ds: ds.RegisterKL(int, int)(3),
    "registered twice": lambda ds: ds.RegisterKL(ds.Normal, ds.Normal)(abs),
    "no tensor": lambda ds: ds.Distribution(None, ds.NOT_REPARAMETERIZED, False, False, graph_parents=[1]),
    "unknown parameters": lambda ds: ds.Categorical.param_shapes([2]),
    "nothing": lambda ds: ds.Beta(),
}


@rows(*_BAD)
def refuse(tf: Any, case: str) -> Any:
    return refused(lambda: _BAD[case](tf.compat.v1.distributions))


def subclass(tf: Any) -> Any:
    """A user's own class: densities follow from one another, and so do statistics; a copy has the arguments."""
    ds = tf.compat.v1.distributions

    class Triangle(ds.Distribution):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self, height: Any, name: str = "Triangle") -> None:
            parameters = {"self": self, "height": height, "name": name}
            self.height = tf.convert_to_tensor(height)
            super().__init__(
                tf.float32, ds.FULLY_REPARAMETERIZED, False, True, parameters, graph_parents=[self.height], name=name
            )

        def _batch_shape(self) -> Any:
            return self.height.shape

        def _event_shape(self) -> Any:
            return tf.TensorShape([])

        def _sample_n(self, n: Any, seed: Any = None) -> Any:
            return tf.ones(tf.concat([[n], tf.shape(self.height)], 0)) * self.height

        def _prob(self, x: Any) -> Any:
            return x * self.height

        def _cdf(self, x: Any) -> Any:
            return 0.5 * x * x * self.height

        def _variance(self) -> Any:
            return self.height * self.height

    @ds.RegisterKL(Triangle, ds.Normal)
    def divergence(a: Any, b: Any, name: Any = None) -> Any:
        return a.height - b.loc

    class Inner(Triangle):
        pass

    d = Inner([2.0, 3.0])
    at = [getattr(d, method)([0.5, 0.25]) for method in _AT]
    other = d.copy(height=1.0)
    return {
        "at": at,
        "stddev": d.stddev(),
        "sample": d.sample([2, 1]),
        "mean": refused(d.mean),
        "divergence": d.kl_divergence(ds.Normal(1.0, 1.0)),
        "parameters": sorted(other.parameters),
        "copy": other.height,
        "shapes": {k: v.as_list() for k, v in ds.Normal.param_static_shapes([2, 3]).items()},
        "unknown": refused(lambda: Triangle.param_static_shapes([2])),
        "equal": [
            ds.FULLY_REPARAMETERIZED == ds.NOT_REPARAMETERIZED,
            d.reparameterization_type == ds.FULLY_REPARAMETERIZED,
        ],
    }


def policy_gradient(tf: Any) -> Any:
    """A continuous and a discrete policy of one network, trained by the gradients of logarithms of probabilities."""
    random = np.random.RandomState(2)
    with first_behaviour(tf) as v1:
        states = v1.placeholder(v1.float32, [None, 4])
        hidden = v1.tanh(v1.matmul(states, v1.get_variable("hidden", initializer=v1.ones([4, 8]) * 0.1)))
        loc = v1.squeeze(v1.matmul(hidden, v1.get_variable("loc", initializer=v1.ones([8, 1]) * 0.2)), -1)
        scale = v1.get_variable("scale", initializer=v1.constant(0.7))
        normal = v1.distributions.Normal(loc, scale)
        logits = v1.matmul(hidden, v1.get_variable("logits", initializer=v1.ones([8, 3]) * 0.3))
        category = v1.distributions.Categorical(logits=logits)
        moves, classes = v1.placeholder(v1.float32, [None]), v1.placeholder(v1.int32, [None])
        gain = normal.log_prob(moves) + category.log_prob(classes) + 0.01 * (normal.entropy() + category.entropy())
        loss = -v1.reduce_mean(gain * v1.placeholder_with_default(np.float32(1.5), []))
        step = v1.train.AdamOptimizer(0.05).minimize(loss)
        drawn = [normal.sample(seed=1), category.sample(seed=2)]
        losses = []
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            for _ in range(5):
                feeds = {
                    states: random.uniform(-1, 1, [6, 4]),
                    moves: random.uniform(-1, 1, [6]),
                    classes: random.randint(0, 3, [6]),
                }
                losses.append(sess.run([loss, step], feeds)[0])
            return losses, [x.shape for x in sess.run(drawn, feeds)], [x.name for x in drawn]
