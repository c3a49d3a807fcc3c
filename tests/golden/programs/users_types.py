"""Users' own types of values: `TypeSpec`s, extension types, and their rows in datasets and maps."""

from __future__ import annotations

import collections
import typing
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

_ARRAY = np.array([1.0, 2.0])
_Point = collections.namedtuple("_Point", "x y")
_KINDS: dict[int, Any] = {}


def _spec(tf: Any, shape: Any, setting: Any) -> Any:
    """A spec of a class of the user's, one class for each library."""
    if id(tf) not in _KINDS:

        class Spec(tf.TypeSpec):  # type: ignore[misc]
            value_type = property(lambda self: object)
            _component_specs = property(lambda self: tf.TensorSpec(self.shape))

            def __init__(self, shape: Any, setting: Any) -> None:
                self.shape, self.setting = shape, setting

            def _serialize(self) -> Any:
                return self.shape, self.setting

            def _to_components(self, value: Any) -> Any:
                return value

            def _from_components(self, components: Any) -> Any:
                return components

        _KINDS[id(tf)] = Spec
    return _KINDS[id(tf)](tf.TensorShape(shape), setting)


_SPECS: dict[str, Any] = {
    "narrower": (lambda tf: tf.TensorSpec([1]), lambda tf: tf.TensorSpec([None])),
    "wider": (lambda tf: tf.TensorSpec([None]), lambda tf: tf.TensorSpec([1])),
    "other sizes": (lambda tf: tf.TensorSpec([1]), lambda tf: tf.TensorSpec([2])),
    "other ranks": (lambda tf: tf.TensorSpec([1]), lambda tf: tf.TensorSpec([1, 2])),
    "other dtypes": (lambda tf: tf.TensorSpec([1]), lambda tf: tf.TensorSpec([1], tf.int32)),
    "a name": (lambda tf: tf.TensorSpec([1], name="a"), lambda tf: tf.TensorSpec([1])),
    "the other named": (lambda tf: tf.TensorSpec([1]), lambda tf: tf.TensorSpec([1], name="a")),
    "two names": (lambda tf: tf.TensorSpec([1], name="a"), lambda tf: tf.TensorSpec([1], name="b")),
    "one name": (lambda tf: tf.TensorSpec([1], name="a"), lambda tf: tf.TensorSpec([2], name="a")),
    "ragged": (lambda tf: tf.RaggedTensorSpec([1, None]), lambda tf: tf.RaggedTensorSpec([2, None])),
    "other ragged ranks": (lambda tf: tf.RaggedTensorSpec([1, None]), lambda tf: tf.RaggedTensorSpec([2, None, None])),
    "sparse": (lambda tf: tf.SparseTensorSpec([1, None]), lambda tf: tf.SparseTensorSpec([2, None])),
    "sparse and dense": (lambda tf: tf.SparseTensorSpec([1, None]), lambda tf: tf.TensorSpec([2, None])),
    "a user's, narrower": (lambda tf: _spec(tf, [1], "m"), lambda tf: _spec(tf, [None], "m")),
    "a user's, other sizes": (lambda tf: _spec(tf, [1], "m"), lambda tf: _spec(tf, [2], "m")),
    "a user's, other settings": (lambda tf: _spec(tf, [1], "m"), lambda tf: _spec(tf, [1], "n")),
    "a user's, named tuples": (
        lambda tf: _spec(tf, [1], _Point(1, (2, [3]))),
        lambda tf: _spec(tf, [None], collections.namedtuple("_Point", "x y")(1, (2, [3]))),
    ),
    "a user's, dicts": (lambda tf: _spec(tf, [1], {"a": 1, "b": 2}), lambda tf: _spec(tf, [1], {"b": 2, "a": 1})),
    "a user's and a dtype": (lambda tf: _spec(tf, [1], tf.int32), lambda tf: _spec(tf, [1], tf.int32)),
}


@rows(*_SPECS)
def compared(tf: Any, name: str) -> Any:
    """What two specs say of one another."""
    one, two = (make(tf) for make in _SPECS[name])
    common = refused(lambda: one.most_specific_common_supertype([two]))
    return [
        refused(lambda: one == two),
        refused(lambda: hash(one) == hash(two)),
        refused(lambda: one.is_compatible_with(two)),
        refused(lambda: one.is_subtype_of(two)),
        getattr(common, "shape", common),
        getattr(common, "name", None),
        refused(lambda: one.most_specific_compatible_type(two).shape),
    ]


def _extension(base: Any, **fields: Any) -> Any:
    """An extension type; its annotations cannot be text here, as `tf` is no global name."""
    return type("Mine", (base,), {"__annotations__": fields})


_DECLARED: dict[str, Any] = {
    "reserved": lambda tf: {"_type_spec": int},
    "self": lambda tf: {"self": int},
    "Spec": lambda tf: {"Spec": int},
    "value_type": lambda tf: {"value_type": int},
    "list": lambda tf: {"x": list},
    "dict": lambda tf: {"x": dict[str, int]},
    "Any": lambda tf: {"x": typing.Any},
    "literal": lambda tf: {"x": typing.Literal["a"]},
    "a spec": lambda tf: {"x": tf.TensorSpec([None])},
    "variable": lambda tf: {"x": tf.Variable},
    "mapping": lambda tf: {"x": typing.Mapping[str, tf.Tensor]},
    "mapping by tensors": lambda tf: {"x": typing.Mapping[tf.Tensor, int]},
    "tuple": lambda tf: {"x": tuple[int, ...]},
}


@rows(0, 1)
def equal_by_an_array(tf: Any, more: int) -> Any:
    """Specs that hold arrays are compared and hashed by their numbers."""
    one, two = _spec(tf, [1], _ARRAY), _spec(tf, [1], _ARRAY + more)
    return [one == two, hash(one) == hash(two)]


@rows(*_DECLARED)
def declared(tf: Any, name: str) -> Any:
    """Fields that may be declared, and that may not."""
    made = refused(lambda: _extension_of(tf, name))
    return made.__name__ if isinstance(made, type) else made


def _extension_of(tf: Any, name: str) -> Any:
    fields = _DECLARED[name](tf)
    return type("Mine", (tf.experimental.ExtensionType,), {"__annotations__": fields})


_FIELDS: dict[str, Any] = {
    "an integer for a float": (float, 3),
    "a float for an integer": (int, 3.0),
    "a truth for an integer": (int, True),
    "bytes for text": (str, b"a"),
    "a list for a tuple": (tuple[int, ...], [1, 2]),
    "text for a mapping": (typing.Mapping[str, int], {"a": "b"}),
}


@rows(*_FIELDS)
def values_of_fields(tf: Any, name: str) -> Any:
    """What a field takes."""
    kind, value = _FIELDS[name]
    made = _extension(tf.experimental.ExtensionType, x=kind)
    return refused(lambda: made(value).x)


def extension_types(tf: Any) -> Any:
    """Comparison, specs, and a class that no instance is made of."""
    Masked = _extension(tf.experimental.ExtensionType, values=tf.Tensor, mask=tf.Tensor)
    one, same = Masked([1, 2], [True, False]), Masked([1, 2], [True, False])
    spec = Masked.Spec.from_value(one)
    wider = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([2], tf.bool))
    return [
        one == same,
        one != same,
        one == Masked([1, 3], [True, False]),
        one == 3,
        spec == one._type_spec,
        spec.is_subtype_of(wider),
        wider.is_subtype_of(spec),
        spec.most_specific_common_supertype([wider]) == wider,
        refused(lambda: tf.experimental.ExtensionType()),
        refused(lambda: hash(one)),
    ]


def rows_of_extension_types(tf: Any) -> Any:
    """A shape is unbatched and batched with the tensors; numbers stay as they are."""
    kind = _extension(tf.experimental.BatchableExtensionType, values=tf.Tensor, shape=tf.TensorShape, number=int)
    value = kind(tf.reshape(tf.range(6), [3, 2]), [3, 2], 5)
    slices = tf.data.Dataset.from_tensor_slices(value)
    batches = slices.batch(2)
    first = next(iter(batches))
    row = next(iter(tf.data.Dataset.from_tensors(value).unbatch()))
    whole = tf.map_fn(
        lambda x: kind(x.values + 1, x.shape, x.number),
        value,
        fn_output_signature=kind.Spec(tf.TensorSpec([2], tf.int32), [2], 5),
    )
    return [
        [(x.values, x.shape, x.number) for x in slices],
        slices.element_spec.shape,
        batches.element_spec.values.shape,
        batches.element_spec.shape,
        slices.batch(2, drop_remainder=True).element_spec.shape,
        (first.values, first.number),
        (row.values, row.shape),
        whole.values,
    ]


def rows_by_an_encoder_of_the_users(tf: Any) -> Any:
    """`__batch_encoder__` says what rows are."""

    class Doubling(tf.experimental.ExtensionTypeBatchEncoder):  # type: ignore[misc]
        def batch(self, spec: Any, batch_size: Any) -> Any:
            return Net.Spec(tf.TensorSpec([batch_size, *spec.weights.shape]), spec.number)

        def unbatch(self, spec: Any) -> Any:
            return Net.Spec(tf.TensorSpec(spec.weights.shape[1:]), spec.number)

        def encoding_specs(self, spec: Any) -> Any:
            return {"w": tf.TensorSpec(spec.weights.shape)}

        def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
            return {"w": value.weights * 2}

        def decode(self, spec: Any, encoded_value: Any) -> Any:
            return Net(encoded_value["w"] / 2, spec.number)

    Net = _extension(tf.experimental.BatchableExtensionType, weights=tf.Tensor, number=int)
    Net.__batch_encoder__ = Doubling()
    made = tf.map_fn(lambda x: x, Net(tf.ones([2, 3]), 4))
    return [made.weights, made.number]


def a_field_that_is_a_mapping_cannot_be_changed(tf: Any) -> Any:
    """It is no dict, but equal to one, and read like one."""
    Player = _extension(tf.experimental.ExtensionType, name=tf.Tensor, scores=typing.Mapping[str, tf.Tensor])
    anne = Player("Anne", {"height": 2.0, "speed": 4.0})

    def change() -> None:
        anne.scores["height"] = 3.0

    def remove() -> None:
        del anne.scores["height"]

    made = tf.function(lambda player: player.scores)(anne)
    return [
        repr(anne),
        repr(tf.type_spec_from_value(anne).scores),
        repr(made),
        isinstance(anne.scores, dict),
        anne.scores == dict(anne.scores),
        [*anne.scores.keys(), len(anne.scores), "speed" in anne.scores],
        refused(change),
        refused(remove),
        refused(lambda: Player("Anne", {"height": None})),
        refused(lambda: Player(None, {})),
        refused(lambda: Player("Anne", {1: 2.0})),
        tf.nest.map_structure(lambda x: float(x) + 1, anne.scores)["speed"],
    ]
