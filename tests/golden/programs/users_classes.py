"""Classes of users' own below `Module`, the optimizers of 1.x, `Dataset` and `Strategy`, as programs have them."""

from __future__ import annotations

import tempfile
from typing import Any

from tests.golden.make_programs import refused, rows, session


def _modules(tf: Any) -> tuple[Any, Any]:
    class Dense(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, taken: int, given: int, name: str | None = None) -> None:
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([taken, given]), name="w")
            self.b = tf.Variable(tf.zeros([given]), name="b", trainable=False)

        def __call__(self, x: Any) -> Any:
            return x @ self.w + self.b

    class Perceptron(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, sizes: list[int], name: str | None = None) -> None:
            super().__init__(name=name)
            self.layers = []
            with self.name_scope:
                self.layers += [Dense(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
            self.extras = {"z": Dense(1, 1), "a": (Dense(2, 2),)}
            self._hidden = Dense(3, 3, name="hidden")

        def __call__(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return x

    return Dense, Perceptron


def modules_of_modules(tf: Any) -> Any:
    _, Perceptron = _modules(tf)
    made = Perceptron([2, 3, 1])
    named = [
        [v.name for v in some] for some in (made.variables, made.trainable_variables, made.non_trainable_variables)
    ]
    paths = [path for path, _ in made._flatten(predicate=lambda v: isinstance(v, tf.Variable), with_path=True)]
    names = [made.name, made.name_scope.name, Perceptron([1, 1], name="other").name]
    return [
        named,
        [m.name for m in made.submodules],
        made(tf.ones([1, 2])),
        names,
        [[str(p) for p in q] for q in paths],
    ]


def attributes_in_which_a_module_looks_for_nothing(tf: Any) -> Any:
    class Cached(tf.Module):  # type: ignore[name-defined,misc]
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(("_cache", *tf.Module._TF_MODULE_IGNORED_PROPERTIES))

        def __init__(self) -> None:
            super().__init__()
            self._cache, self.own = tf.Variable(1.0, name="cache"), tf.Variable(2.0, name="own")

    class Sub(Cached):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self._cache = Cached(), [Cached()]  # type: ignore[assignment]

    return [[v.name for v in Cached().variables], [v.name for v in Sub().variables], len(Sub().submodules)]


def modules_in_other_ways(tf: Any) -> Any:
    Dense, _ = _modules(tf)

    class Unprepared(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)

    class Shared(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__("shared")
            self.a = self.b = Dense(1, 1)
            self.c = [self.a.w]

    class Scoped(tf.Module):  # type: ignore[name-defined,misc]
        tag = "none"

        def __init_subclass__(cls, **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            cls.tag = cls.__name__

        @tf.Module.with_name_scope  # type: ignore[untyped-decorator]
        def build(self) -> Any:
            self.v = tf.Variable(1.0, name="v")
            return self.v.name

        @property
        def boom(self) -> Any:
            raise ValueError("not asked for")

    class HTTPServer2(Scoped):
        pass

    with tf.name_scope("outer"):
        inside = Scoped(name="inside")
        scoped = [inside.build(), inside.name_scope.name]
    shared = Shared()
    return [
        len(Unprepared().variables),
        refused(lambda: Unprepared().name),
        [len(shared.variables), len(shared.submodules)],
        [scoped, HTTPServer2.tag, HTTPServer2().name, len(HTTPServer2().variables)],
        refused(lambda: Scoped(name="a b")),
    ]


def modules_are_restored_and_saved(tf: Any) -> Any:
    _, Perceptron = _modules(tf)
    first, second = Perceptron([2, 3, 1]), Perceptron([2, 3, 1])
    first.layers[0].w.assign(tf.fill([2, 3], 5.0))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(model=first).save(f"{folder}/c")
        tf.train.Checkpoint(model=second).restore(path).assert_consumed()
        second.f = tf.function(second.__call__, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        tf.saved_model.save(second, f"{folder}/m")
        loaded = tf.saved_model.load(f"{folder}/m")
        return [second(tf.ones([1, 2])), loaded.f(tf.ones([1, 2])), loaded.layers[0].w, sorted(loaded.signatures)]


def an_optimizer_of_ones_own(tf: Any) -> Any:
    v1 = tf.compat.v1

    class Heavy(v1.train.Optimizer):  # type: ignore[name-defined,misc]
        def __init__(self, rate: float = 0.1, use_locking: bool = False, name: str = "Heavy") -> None:
            super().__init__(use_locking, name)
            self._rate = rate

        def _prepare(self) -> None:
            self._rate_tensor = tf.convert_to_tensor(self._rate, name="rate")

        def _create_slots(self, var_list: Any) -> None:
            for v in var_list:
                self._zeros_slot(v, "m", self._name)
                self._get_or_make_slot(v, tf.ones(v.shape), "k", self._name)

        def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
            m = self.get_slot(var, "m")
            moved = m.assign(0.9 * m + grad)
            return var.assign_sub(self._rate_tensor * moved)

        def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
            return var.scatter_sub(tf.IndexedSlices(self._rate_tensor * grad, indices))

        def _finish(self, update_ops: Any, name_scope: str) -> Any:
            return tf.group(*update_ops, name=name_scope)

    with session(tf) as sess:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        e = v1.get_variable("e", initializer=[[1.0], [2.0]], use_resource=True)
        optimizer, step = Heavy(), v1.train.get_or_create_global_step()
        loss = tf.reduce_sum(v**2) + tf.reduce_sum(tf.gather(e, [0, 0]))
        train = optimizer.minimize(loss, global_step=step)
        sess.run(v1.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        names = [optimizer.get_slot_names(), sorted(x.name for x in optimizer.variables()), optimizer.get_name()]
        return [sess.run([v, e, step]), names, train.name, sess.run(optimizer.get_slot(v, "m"))]


def an_optimizer_around_another(tf: Any) -> Any:
    v1 = tf.compat.v1

    class Clipped(v1.train.Optimizer):  # type: ignore[name-defined,misc]
        def __init__(self, inner: Any) -> None:
            super().__init__(False, "Clipped")
            self._inner = inner

        def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
            pairs = self._inner.compute_gradients(*args, **kwargs)
            return [(None if g is None else tf.clip_by_norm(g, 1.0), v) for g, v in pairs]

        def apply_gradients(self, *args: Any, **kwargs: Any) -> Any:
            return self._inner.apply_gradients(*args, **kwargs)

        def get_slot(self, *args: Any) -> Any:
            return self._inner.get_slot(*args)

        def get_slot_names(self) -> Any:
            return self._inner.get_slot_names()

        def variables(self) -> Any:
            return self._inner.variables()

    class Unfinished(v1.train.Optimizer):  # type: ignore[name-defined,misc]
        def __init__(self, name: str) -> None:
            super().__init__(False, name)

    with session(tf) as sess:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        v1.get_variable("unused", initializer=[1.0], use_resource=True)
        optimizer = Clipped(v1.train.MomentumOptimizer(1.0, 0.9))
        train = optimizer.minimize(tf.reduce_sum(v**2))
        sess.run(v1.global_variables_initializer())
        sess.run(train)
        sess.run(train)
        given = [sess.run(v), optimizer.get_slot_names(), [x.name for x in optimizer.variables()]]
        return [given, refused(lambda: Unfinished("u").minimize(tf.reduce_sum(v))), refused(lambda: Unfinished(""))]


def an_optimizer_that_refines_adam(tf: Any) -> Any:
    v1 = tf.compat.v1

    class Halved(v1.train.AdamOptimizer):  # type: ignore[name-defined,misc]
        def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
            return super()._resource_apply_dense(grad * 0.5, var)

        def _create_slots(self, var_list: Any) -> None:
            super()._create_slots(var_list)
            for v in var_list:
                self._zeros_slot(v, "extra", self._name)

    with session(tf) as sess:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        optimizer = Halved(0.1)
        train = optimizer.minimize(tf.reduce_sum(v**2))
        sess.run(v1.global_variables_initializer())
        sess.run(train)
        names = [sorted(optimizer.get_slot_names()), sorted(x.name for x in optimizer.variables())]
        return [sess.run(v), names, sess.run(optimizer.get_slot(v, "m"))]


def _wrapped(tf: Any) -> Any:
    class Wrapped(tf.data.Dataset):  # type: ignore[misc, name-defined]
        def __init__(self, dataset: Any) -> None:
            self._input = dataset
            super().__init__(dataset._variant_tensor)

        def _inputs(self) -> Any:
            return [self._input]

        @property
        def element_spec(self) -> Any:
            return self._input.element_spec

        def extra(self) -> int:
            return 5

    return Wrapped


def a_dataset_around_another(tf: Any) -> Any:
    made = _wrapped(tf)(tf.data.Dataset.range(5))
    total = tf.function(lambda d: d.reduce(tf.constant(0, tf.int64), lambda a, b: a + b))
    doubled = made.map(lambda x: x * 2).batch(2).unbatch()
    kept = [hasattr(d, "extra") for d in (made, doubled, made.take(1))]
    return [list(made), list(doubled), made.cardinality(), len(made), total(made), next(iter(made)), repr(made), kept]


@rows("eager", "graph")
def a_dataset_of_a_class_of_first_generation(tf: Any, mode: str) -> Any:
    v1 = tf.compat.v1

    class Old(v1.data.Dataset):  # type: ignore[misc, name-defined]
        def __init__(self, dataset: Any) -> None:
            self._input = dataset
            super().__init__()

        def _as_variant_tensor(self) -> Any:
            return self._input._variant_tensor

        def _inputs(self) -> Any:
            return [self._input]

        @property
        def element_spec(self) -> Any:
            return self._input.element_spec

    if mode == "eager":
        return list(Old(v1.data.Dataset.range(3)).map(lambda x: x + 1))
    with session(tf) as sess:
        iterator = v1.data.make_initializable_iterator(Old(v1.data.Dataset.range(3)).repeat(2))
        following = iterator.get_next()
        sess.run(iterator.initializer)
        return [sess.run(following) for _ in range(6)]


def a_dataset_made_by_new(tf: Any) -> Any:
    class Artificial(tf.data.Dataset):  # type: ignore[misc, name-defined]
        OUTPUT_TYPES, OUTPUT_SHAPES = (tf.string, tf.int32), ((2, 1), (2, 2))

        def _generator(count: int) -> Any:  # type: ignore[misc]
            for i in range(count):
                yield (["a"], ["b"]), [[i, i], [i, 1]]

        def __new__(cls, count: int = 2) -> Any:
            return tf.data.Dataset.from_generator(
                cls._generator, output_types=cls.OUTPUT_TYPES, output_shapes=cls.OUTPUT_SHAPES, args=(count,)
            )

    nested = tf.data.Dataset.range(2).interleave(lambda _: Artificial(2), cycle_length=2, num_parallel_calls=2)
    return [list(Artificial()), isinstance(Artificial(), tf.data.Dataset), [b for _, b in nested]]


def a_strategy_of_ones_own(tf: Any) -> Any:
    class Named(tf.distribute.OneDeviceStrategy):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__("/cpu:0")
            self.tag = "t"

        def described(self) -> str:
            return f"{self.tag}{self.num_replicas_in_sync}"

    named = Named()
    with named.scope():
        v = tf.Variable(2.0)
        inside = [named.described(), tf.distribute.get_strategy() is named, tf.distribute.has_strategy()]

    def step(x: Any) -> Any:
        replica = tf.distribute.get_replica_context()
        v.assign_add(x)
        return replica.all_reduce(tf.distribute.ReduceOp.SUM, x), replica.replica_id_in_sync_group

    given, number = tf.function(lambda x: named.run(step, args=(x,)))(tf.constant(3.0))
    batches = named.distribute_datasets_from_function(
        lambda c: tf.data.Dataset.range(4).batch(c.get_per_replica_batch_size(2))
    )
    return [inside, given, number, v, named.reduce("SUM", given, axis=None), list(batches)]


def a_strategy_with_its_own_extension(tf: Any) -> Any:
    class Extended(tf.distribute.StrategyExtended):  # type: ignore[misc, name-defined]
        tag = "own"

    class Own(tf.distribute.Strategy):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(Extended(self))

    return [Own().extended.tag, isinstance(Own(), tf.distribute.Strategy)]


def a_class_of_specs_has_the_name_of_its_values(tf: Any) -> Any:
    class Masked(tf.experimental.ExtensionType):  # type: ignore[misc, name-defined]
        __annotations__ = {"values": tf.Tensor, "label": str}
        label = "m"

    class Sub(Masked):
        __annotations__ = {"extra": int}
        extra = 3

    spec = tf.type_spec_from_value(Sub([1.0]))
    return [Masked.Spec.__name__, Sub.Spec.__name__, repr(spec), isinstance(Sub([1.0]), Masked)]
