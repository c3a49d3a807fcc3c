"""`tf.compat.v1.data.experimental`: more of datasets, specs by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.data.experimental",
    {
        "base.types.specs": "Structure",
        "data.legacy": "RaggedTensorStructure SparseTensorStructure TensorStructure",
        "data.optional": "OptionalStructure",
        "data.spec": "DatasetStructure",
    },
    continues="data.experimental",
    absent={
        "TensorArrayStructure": "functions take a TensorArray as it is: stack() gives a tensor",
        "map_and_batch_with_legacy_function": "Dataset.map(...).batch(...)",
    },
)
