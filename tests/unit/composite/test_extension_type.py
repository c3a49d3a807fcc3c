"""Users' own types of values: what TensorFlow 2.21 does with the same classes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.types import structured


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    name: str = "m"

    def __validate__(self) -> None:
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    def filled(self, value: Any) -> Any:
        return tf.where(self.mask, self.values, value)

    def __add__(self, other: Masked) -> Masked:
        return Masked(self.values + other.values, self.mask & other.mask, self.name)


class Batch(tf.experimental.BatchableExtensionType):
    number: tf.Tensor
    rows: tf.RaggedTensor


class Whole(tf.experimental.ExtensionType):
    inner: Masked
    pair: tuple[tf.Tensor, ...]
    table: Mapping[str, tf.Tensor]
    maybe: tf.Tensor | None = None
    shape: tf.TensorShape = tf.TensorShape([2])
    kind: tf.DType = tf.float32


class Sum(tf.experimental.ExtensionType):
    total: tf.Tensor

    def __init__(self, a: Any, b: Any) -> None:
        self.total = tf.constant(a) + b

    class Spec:
        def __init__(self, shape: Any) -> None:
            self.total = tf.TensorSpec(shape, tf.int32)

        @property
        def shape(self) -> tf.TensorShape:
            return self.total.shape


def masked(name: str = "m") -> Masked:
    return Masked([1, 2, 3], [True, False, True], name)


def test_fields_are_made_what_they_are_declared_to_be() -> None:
    value = masked()
    assert isinstance(value.values, tf.Tensor) and value.mask.dtype is tf.bool and value.name == "m"
    assert value.filled(0).numpy().tolist() == [1, 0, 3]
    whole = Whole(value, [1.0, 2.0], {"a": 3}, kind="int32")
    assert whole.pair[1].numpy() == 2 and whole.table["a"].numpy() == 3 and whole.maybe is None
    assert whole.kind is tf.int32 and Whole(value, (), {}, maybe=1).maybe.numpy() == 1
    assert Sum(1, 2).total.numpy() == 3
    assert list(tf.experimental.extension_type.as_dict(value)) == ["values", "mask", "name"]


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: Masked([1], [True], foo=1), TypeError, "unexpected keyword argument 'foo'"),
        (lambda: Masked([1]), TypeError, "missing a required argument: 'mask'"),
        (lambda: Masked([1], [True], values=[2]), TypeError, "multiple values for argument 'values'"),
        (lambda: Masked([1], [True], "m", 4), TypeError, "3 fields, got 4"),
        (lambda: Masked([1, 2], [True]), ValueError, "incompatible"),
        (lambda: Masked([1], [True], name=3), TypeError, "Masked.name: expected"),
        (lambda: Masked.Spec([1], [True]), TypeError, "Spec.values: expected"),
        (lambda: setattr(masked(), "values", 1), AttributeError, "Cannot mutate attribute `values`"),
        (lambda: delattr(masked(), "values"), AttributeError, "Cannot mutate"),
        (lambda: hash(masked()), TypeError, "unhashable"),
        (lambda: tf.map_fn(lambda x: x, masked()), ValueError, "BatchableExtensionType"),
    ],
)
def test_what_is_refused(make: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_a_constructor_sets_every_field_and_no_other() -> None:
    class Half(tf.experimental.ExtensionType):
        a: int
        b: int

        def __init__(self, more: bool) -> None:
            self.a = 1
            if more:
                self.b = self.c = 2

    with pytest.raises(AttributeError, match="did not set its field 'b'"):
        Half(False)
    with pytest.raises(AttributeError, match=r"set \['c'\], which are not its fields"):
        Half(True)


def test_specs_say_tensors_and_fields() -> None:
    vector = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool), "m")
    spec = tf.type_spec_from_value(masked())
    assert spec == masked()._type_spec and hash(spec) == hash(masked()._type_spec) and spec != vector
    assert vector.is_compatible_with(masked()) and not vector.is_compatible_with(masked("other"))
    assert spec.most_specific_compatible_type(Masked([1], [True])._type_spec) == vector
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        spec.most_specific_compatible_type(masked("other")._type_spec)
    assert spec.values == tf.TensorSpec([3], tf.int32) and spec.name == "m" and spec.value_type is Masked
    assert Sum.Spec([2]).shape == [2] and Sum(1, 2)._type_spec.shape == []
    again = pickle.loads(pickle.dumps([masked(), vector]))
    assert again[0].values.numpy().tolist() == [1, 2, 3] and again[1] == vector


def test_values_are_compared_by_their_fields() -> None:
    assert (masked() == masked()).numpy() and not (masked() != masked()).numpy()
    assert not (masked() == masked() + masked()).numpy() and (masked() == masked("other")) is False
    assert (masked() != 3) is True


def test_nests_look_into_them_on_request() -> None:
    value = masked()
    assert tf.nest.flatten(value)[0] is value and len(tf.nest.flatten(value, expand_composites=True)) == 2
    doubled = tf.nest.map_structure(lambda x: x, Whole(value, [1.0], {"b": 1, "a": 2}), expand_composites=True)
    assert doubled.inner.name == "m" and doubled.table["a"].numpy() == 2 and doubled.shape == [2]
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        tf.nest.assert_same_structure(value, masked("other"), expand_composites=True)
    tf.nest.assert_same_structure(value, masked("other"))


def test_functions_branches_and_loops_carry_them() -> None:
    traces = []

    @tf.function
    def doubled(x: Masked) -> Masked:
        traces.append(x.name)
        return x + x

    assert doubled(masked()).values.numpy().tolist() == [2, 4, 6]
    assert doubled(masked()).name == "m" and doubled(masked("other")).name == "other" and traces == ["m", "other"]

    @tf.function
    def grown(x: Masked, go: tf.Tensor) -> Masked:
        _, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + x), (tf.constant(0), x))
        if go:
            y = x + x
        else:
            y = x
        return tf.cond(go, lambda: y, lambda: y + y)

    assert grown(masked(), tf.constant(True)).values.numpy().tolist() == [16, 32, 48]

    @tf.function(input_signature=[Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool), "m")])
    def any_length(x: Masked) -> tf.Tensor:
        traces.append(x.values.shape.as_list())
        return x.filled(0)

    assert any_length(masked()).numpy().tolist() == [1, 0, 3] and any_length(Masked([1], [True])).numpy() == [1]
    assert traces[2:] == [[None]]
    with pytest.raises(TypeError, match="Can not cast"):
        any_length(masked("other"))


def test_maps_take_and_give_rows() -> None:
    batch = Batch(tf.constant([1, 2, 3]), tf.ragged.constant([[1], [2, 3], []]))
    totals = tf.map_fn(lambda b: b.number + tf.reduce_sum(b.rows), batch, fn_output_signature=tf.int32)
    assert totals.numpy().tolist() == [2, 7, 3]

    @tf.function
    def next_one(batch: Batch) -> Batch:
        return tf.map_fn(lambda b: Batch(b.number + 1, b.rows + 1), batch)

    class Flat(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    flat = Flat(tf.constant([1.0, 2.0]), tf.constant([[3.0, 4.0], [5.0, 6.0]]))
    spec = Flat.Spec(tf.TensorSpec([2]), tf.TensorSpec([2]))
    made = tf.map_fn(lambda f: Flat(f.y, f.y + f.x), flat, fn_output_signature=spec)
    assert made.x.numpy().tolist() == [[3, 4], [5, 6]] and made.y.numpy().tolist() == [[4, 5], [7, 8]]
    with pytest.raises(TypeError, match="expected a value of"):
        tf.map_fn(lambda f: batch, flat, fn_output_signature=spec)


def test_sessions_fetch_them() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        value = Masked(tf.constant([1, 2]), tf.constant([True, False]))
        got = session.run(value)
        assert type(got) is Masked and got.values.tolist() == [1, 2] and got.mask.tolist() == [True, False]


def test_tapes_pass_through_them() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        pair = Whole(masked(), (x * x, x + 0.0), {})
        loss = pair.pair[0] * 2.0 + pair.pair[1]
    assert tape.gradient(loss, x).numpy() == 13


# ---------------------------------------------------------------- specs of the user's own


class PairSpec(tf.TypeSpec):
    def __init__(self, one: tf.TensorSpec, two: tf.TensorSpec) -> None:
        self.parts = one, two

    value_type = property(lambda self: Pair)
    _component_specs = property(lambda self: self.parts)

    def _serialize(self) -> tuple[Any, ...]:
        return self.parts

    def _to_components(self, value: Pair) -> Any:
        return value.parts

    def _from_components(self, parts: Any) -> Pair:
        return Pair(*parts)


class Pair:
    def __init__(self, one: Any, two: Any) -> None:
        self.parts = one, two

    @property
    def _type_spec(self) -> PairSpec:
        return PairSpec(*map(tf.type_spec_from_value, self.parts))


def test_values_that_a_spec_of_the_users_takes_apart() -> None:
    pair = Pair(tf.constant([1, 2]), tf.ragged.constant([[3], [4, 5]]))
    assert len(tf.nest.flatten(pair, expand_composites=True)) == 3
    doubled = tf.nest.map_structure(lambda x: x, [pair], expand_composites=True)[0]
    assert isinstance(doubled, Pair) and doubled.parts[1].to_list() == [[3], [4, 5]]
    made = tf.function(lambda p: Pair(p.parts[0] + 1, p.parts[1] * 2))(pair)
    assert made.parts[0].numpy().tolist() == [2, 3] and made.parts[1].to_list() == [[6], [8, 10]]
    spec = pair._type_spec
    assert spec.is_compatible_with(pair) and tf.type_spec_from_value(pair) == spec
    shorter = Pair(tf.constant([1]), tf.ragged.constant([[3], [4, 5]]))._type_spec
    assert spec.most_specific_compatible_type(shorter).parts[0].shape.as_list() == [None]
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        tf.nest.assert_same_structure(pair, Pair(tf.constant(1.0), 2), expand_composites=True)


def test_a_trace_knows_which_rows_are_of_one_length() -> None:
    traces = []

    @tf.function
    def shape(rows: tf.RaggedTensor) -> tf.RaggedTensor:
        traces.append(rows.shape.as_list())
        return rows

    uniform = tf.RaggedTensor.from_uniform_row_length(tf.range(4), 2)
    assert shape(uniform).shape.as_list() == [2, 2]
    assert shape(tf.ragged.constant([[0], [1, 2, 3]])).to_list() == [[0], [1, 2, 3]]
    assert traces == [[2, 2], [2, None]]


# ---------------------------------------------------------------- saved, and not defined yet


class Named(tf.experimental.ExtensionType):
    __name__ = "inlay.test.Named"
    value: tf.Tensor
    factor: int


class Sole(tf.experimental.ExtensionType):
    x: tf.Tensor


class Scaling(tf.Module):
    @tf.function
    def scaled(self, named: Named) -> Named:
        return Named(named.value * named.factor, named.factor)


def test_a_function_of_an_extension_type_with_a_name_is_saved(tmp_path: Any) -> None:
    model = Scaling()
    model.scaled(Named(2, 3))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    made = loaded.scaled(Named(5, 3))
    assert isinstance(made, Named) and made.value.numpy() == 15 and made.factor == 3
    with pytest.raises(ValueError, match="matching concrete function"):
        loaded.scaled(Named(5, 4))


def test_a_saved_spec_whose_class_is_not_defined_gets_one_with_its_fields() -> None:
    data = structured.as_data(Named(2, 3)._type_spec)
    assert structured.from_data(data) == Named(2, 3)._type_spec
    data[1] = "inlay.test.Absent"
    again = structured.from_data(data)
    assert again.value == tf.TensorSpec([], tf.int32) and again.factor == 3
    data[2][0][0] = "__class__"
    with pytest.raises(ValueError, match="no field has"):
        structured.from_data(data)


def test_one_name_is_of_one_class() -> None:
    with pytest.raises(ValueError, match="already been registered"):
        type("Other", (tf.experimental.ExtensionType,), {"__name__": "inlay.test.Named", "__annotations__": {"x": int}})


def test_a_type_without_a_name_is_not_saved(tmp_path: Any) -> None:
    class Model(tf.Module):
        @tf.function
        def first(self, value: Masked) -> tf.Tensor:
            return value.values

    model = Model()
    model.first(masked())
    with pytest.raises(ValueError, match="__name__"):
        tf.saved_model.save(model, str(tmp_path))


def test_values_of_unknown_shapes_are_compared_when_the_graph_runs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        one, two = (Sole(tf.compat.v1.placeholder(tf.float32)) for _ in range(2))
        same = one == two
        cases = ([1, 2], True), ([1], False), ([1, 2, 3], False), ([[1, 2]], False), (1, False), ([2, 2], False)
        for value, wanted in cases:
            assert session.run(same, {one.x: [1, 2], two.x: value}) == wanted, value


def test_a_class_that_is_not_defined_when_a_value_is_made_is_named() -> None:
    later = type("Later", (tf.experimental.ExtensionType,), {"__annotations__": {"x": "Unwritten"}})
    with pytest.raises(TypeError, match="Unresolved forward reference 'Unwritten'"):
        later(1)


def test_a_spec_is_not_changed_and_mappings_have_the_order_of_nests() -> None:
    spec = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool), "m")
    for change in (lambda: setattr(spec, "name", "n"), lambda: delattr(spec, "name")):
        with pytest.raises(AttributeError, match="Cannot mutate attribute `name`"):
            change()
    whole = Whole(masked(), (), {"b": 2.0, "a": 1.0})
    assert [t.numpy() for t in tf.nest.flatten(whole, expand_composites=True)[-2:]] == [1.0, 2.0]
    again = tf.nest.map_structure(lambda t: t, whole, expand_composites=True)
    assert list(again.table) == ["b", "a"] and again.table["a"].numpy() == 1.0
    with pytest.raises(ValueError, match="'is_compatible_with' is reserved"):
        type("Mine", (tf.experimental.ExtensionType,), {"is_compatible_with": lambda self, other: True})
