"""Datasets of the features of `Example`s: strings parsed, and whole files of them in batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.dataset import Dataset
from inlay._src.data.file_datasets import TFRecordDataset
from inlay._src.data.options import Options
from inlay._src.data.ways import AUTOTUNE
from inlay._src.ops.composite.example_parsing import parse_example
from inlay._src.tf1.queues.readers import ReaderBase

Transformation = Callable[[Dataset], Dataset]


@export("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Transformation:
    """The features of batches of serialized `Example`s; see `io.parse_example`.

    Args:
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      num_parallel_calls: the number of batches processed concurrently.
      deterministic: whether concurrent calls keep the order; None takes the option of that name.

    Returns:
      A function for `Dataset.apply`. It raises TypeError if elements are not vectors of strings.

    Raises:
      ValueError: without features.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    at_once = None if isinstance(num_parallel_calls, int) and num_parallel_calls == 1 else num_parallel_calls

    def parsed(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and TensorSpec([None], dtypes.string).is_compatible_with(spec)):
            raise TypeError(f"Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`.")
        return dataset.map(lambda texts: parse_example(texts, features), at_once, deterministic)

    return parsed


@export("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, Any],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of the `Example`s in files.

    Args:
      file_pattern: names of files, or patterns of such.
      batch_size: the number of examples per batch.
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      reader: takes the name of a file, gives a dataset of strings, or of pairs whose second part is one; None is
        `TFRecordDataset`.
      label_key: the feature that is made the second part of a pair.
      reader_args: further arguments of `reader`.
      num_epochs: the number of passes over all files; None is without end.
      shuffle: whether files and examples come in random order.
      shuffle_buffer_size: from how many examples each is drawn.
      shuffle_seed: fixes the order together with `random.set_seed`.
      prefetch_buffer_size: the number of batches computed ahead; None lets AUTOTUNE choose.
      reader_num_threads: the number of files read concurrently; None is one.
      parser_num_threads: the number of batches parsed concurrently; None is 2.
      sloppy_ordering: whether the order may be another where several files are read.
      drop_final_batch: whether a last batch that is smaller is left out.

    Raises:
      TypeError: if `reader` gives no dataset.
      ValueError: if `label_key` is not a feature.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    more = list(reader_args or ())

    def records(name: Any) -> Dataset:
        dataset = None if _is_queue_reader(reader) else (reader or TFRecordDataset)(name, *more)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported."
            )
        return dataset

    threads = 1 if reader_num_threads is None else reader_num_threads
    together = None if threads == AUTOTUNE else threads
    dataset: Any = Dataset.list_files(file_pattern, shuffle, shuffle_seed).interleave(
        records, together, num_parallel_calls=None if threads == 1 else threads
    )
    options = Options()
    options.deterministic = not sloppy_ordering  # type: ignore[attr-defined]
    dataset = dataset.with_options(options)
    if isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 2:
        dataset = dataset.map(lambda key, text: text)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, 2 if parser_num_threads is None else parser_num_threads))
    if label_key is not None:
        dataset = dataset.map(lambda features: (features, features.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)  # type: ignore[no-any-return]


def _is_queue_reader(reader: Any) -> bool:
    return isinstance(reader, type) and issubclass(reader, ReaderBase)
