"""The readers of files, each with valid files to damage, ways to damage them, and the call that reads one.

Where a format has checksums, some of the damaged files have the right ones: what lies behind is tried as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import damaged_bundles as bundles
from benchmarks import damaged_more as more
from benchmarks.environments import ROOT
from benchmarks.mutations import EXTREMES, LARGEST, changed, document, message
from benchmarks.structures import counted, expanded, grown, members, packed, pointing, rewired, shaped

GRAPHS = ROOT / "tests" / "recorded" / "graphs"
SMALL = 6000
"""Bytes of the recorded graphs that are damaged: larger ones say nothing more, and take longer."""

Damage = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
Files = dict[str, bytes]
"""The files of a folder, by their paths in it."""


class Reader(NamedTuple):
    """A reader of files.

    Attributes:
      share: of all damaged files, how many in a thousand are for it.
      valid: makes valid files in an empty folder.
      damaged: makes a damaged one of these.
      read: reads it.
      errors: what it may raise besides `tf.errors.OpError`.
      per_byte: seconds of a processor that a byte may take.
    """

    share: int
    valid: Callable[[Path], list[Any]]
    damaged: Callable[[list[Any], random.Random], Any]
    read: Callable[[Any, Path], Any]
    errors: tuple[type[Exception], ...] = ()
    per_byte: float = 1e-6


def _one_of(*ways: Damage) -> Callable[[list[Any], random.Random], Any]:
    def damaged(valid: list[Any], rand: random.Random) -> bytes:
        return rand.choice(ways)(rand.choice(valid), rand, valid)

    return damaged


# ---------------------------------------------------------------- graphs


def _graphs(folder: Path) -> list[Any]:
    import inlay as tf

    def looped(x: Any) -> Any:
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), x])[1]
        return tf.cond(tf.reduce_sum(y) > 0.0, lambda: y + 1.0, lambda: -y)

    @tf.custom_gradient
    def cube(x: Any) -> Any:
        return x**3, lambda up: up * 3 * x**2

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        y = tf.function(looped)(x)
        z = tf.compat.v1.py_func(np.tanh, [y], tf.float32)
        tf.concat([cube(z)[:, 1:], tf.random.normal([2, 2])], 0)
        tf.constant([b"a", b"bc"])
    found = [path.read_bytes() for path in sorted(GRAPHS.glob("*.pb")) if path.stat().st_size <= SMALL]
    return [graph.as_graph_def().SerializeToString(), *found]


def _read_graph(data: bytes, folder: Path) -> None:
    import inlay as tf
    from inlay._src.base.protos.graph import GraphDef
    from inlay._src.base.protos.schema import parsed

    found = parsed(GraphDef, data)
    with tf.Graph().as_default():
        tf.import_graph_def(found)


# ---------------------------------------------------------------- folders


def _taken(folder: Path) -> Files:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def _put(files: Files, folder: Path) -> Path:
    target = folder / "given"
    shutil.rmtree(target, ignore_errors=True)
    for name, data in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return target


def _models(folder: Path) -> list[Any]:
    import inlay as tf
    from inlay._src.saved import signing

    class Scaled(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="scaled")
            self.w, self.text = tf.Variable([1.0, 2.0], name="w"), tf.Variable(["x", "yz"])
            self.parts, self.by_name = [tf.Variable(1)], {"a": tf.Variable(2.0, trainable=False)}
            self.words = tf.saved_model.Asset(folder / "words.txt")

        @tf.function
        def __call__(self, x: Any, k: Any = 2.0) -> Any:
            return {"y": x * self.w * k, "pair": (x, [x + 1.0])}

    (folder / "words.txt").write_text("a\nb\n")
    pure = Scaled()
    pure(np.ones(2, np.float32))
    tf.saved_model.save(pure, str(folder / "pure"))
    calling, memory = tf.Module(), np.arange(400.0)
    calling.f = tf.function(
        lambda x: tf.numpy_function(lambda v: v * memory[:2], [x], tf.float64),
        input_signature=[tf.TensorSpec([2], tf.float64, name="x")],
    )
    tf.saved_model.save(calling, str(folder / "calling"))
    (folder / "vocabulary.txt").write_text("emerson\t1\nlake\t2\npalmer\t3\n")
    finding = tf.Module(name="finding")
    columns = (str(folder / "vocabulary.txt"), tf.string, 0, tf.int64, 1)
    finding.of_file = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(*columns), -1)
    entries = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    finding.of_entries = tf.lookup.StaticHashTable(entries, -1)
    buckets = {"empty_key": "", "deleted_key": "-", "initial_num_buckets": 8}  # the default's model has 2.5 MB
    finding.changing = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, **buckets)
    finding.f = tf.function(
        lambda x: finding.of_file.lookup(x) + finding.of_entries.lookup(x) + finding.changing.lookup(x),
        input_signature=[tf.TensorSpec([None], tf.string, name="x")],
    )
    tf.saved_model.save(finding, str(folder / "finding"))
    key = folder / "key"
    signing.new_key(str(key))
    signing.sign(str(folder / "calling"), signing.read_key(str(key)))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        w = tf.compat.v1.get_variable("w", initializer=3.0)
        session.run(w.initializer)
        tf.compat.v1.saved_model.simple_save(session, str(folder / "first"), {"x": x}, {"y": x * w})
    return [_taken(folder / name) for name in ("pure", "calling", "first", "finding")]


_GOLDEN = ROOT / "tests" / "golden"
_OF_TENSORFLOW = (
    "tensorflow_models/dense", "tensorflow_models/nested", "tensorflow_models/while",
    "tensorflow_models/custom_gradient", "tensorflow_models/vocabulary_file", "tensorflow_models/static_table",
    "tensorflow_models/host_function", "session_models/references", "session_models/partitioned",
)  # fmt: skip


def _foreign_models(folder: Path) -> list[Any]:
    """Models that TensorFlow saved."""
    return [_taken(_GOLDEN / name) for name in _OF_TENSORFLOW]


def _reseal(files: Files) -> None:
    """Gives the manifest of a model the sizes and digests that its files have."""
    if "manifest.json" not in files:  # TensorFlow writes none
        return
    said = json.loads(files["manifest.json"])
    for name in said["files"]:
        if name in files:
            said["files"][name] = {"size": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}
    files["manifest.json"] = json.dumps(said).encode()


def _damaged_file(name: str, data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A file of a folder, damaged in a way that its name calls for."""
    if rand.random() < 0.2:
        return changed(data, rand, others)
    if name.endswith(".npz"):
        return rand.choice((checkpoint, members, packed))(data, rand, others)
    if name.endswith(".json"):
        return rand.choice((document, pointing))(data, rand, others)
    if name.endswith(".pb"):
        return rand.choice((message, message, rewired, grown))(data, rand, others)
    if name.endswith(".index"):
        with contextlib.suppress(ValueError, struct.error):  # it is no table any more if it was damaged before
            return rand.choice((bundles.entry, bundles.blocks))(data, rand)
    return changed(data, rand, others)


def _damaged_model(valid: list[Any], rand: random.Random) -> Files:
    files = dict(rand.choice(valid))
    inner = [name for name in files if name not in ("manifest.json", "signature.json")]
    weights = [6 if name.endswith((".pb", "objects.json")) else 2 for name in inner]
    for name in rand.choices(inner, weights, k=rand.choice((1, 1, 2))):
        others = [other[name] for other in valid if name in other]
        files[name] = _damaged_file(name, files[name], rand, others)
    if rand.random() < 0.9:
        _reseal(files)
    if rand.random() < 0.15 and "manifest.json" in files:
        others = [other["manifest.json"] for other in valid]
        files["manifest.json"] = _damaged_file("manifest.json", files["manifest.json"], rand, others)
    if rand.random() < 0.05:
        del files[rand.choice(list(files))]
    return files


def _load_model(files: Files, folder: Path) -> None:
    import inlay as tf

    path = str(_put(files, folder))
    if rand_of(files) % 4:
        tf.saved_model.load(path, tags=["serve"])
        return
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], path)


def rand_of(files: Files) -> int:
    """A number that follows from the files of a folder."""
    return zlib.crc32(files.get("saved_model.pb", b""))


def _show_model(files: Files, folder: Path) -> None:
    from inlay._src.saved.loading import Inspected
    from inlay._src.saved.showing import shown

    shown(Inspected(str(_put(files, folder)))).encode()


def _show_foreign(files: Files, folder: Path) -> None:
    """Prints a model of TensorFlow, and the ops of it that are absent."""
    from inlay._src.saved.tensorflow_models.coverage import as_text, coverage
    from inlay._src.saved.tensorflow_models.showing import shown_tensorflow_model

    path = str(_put(files, folder))
    shown_tensorflow_model(path).encode()
    as_text(coverage(path)).encode()


def _damaged_signature(valid: list[Any], rand: random.Random) -> Files:
    files = dict(next(v for v in valid if "signature.json" in v))
    files["signature.json"] = _damaged_file("signature.json", files["signature.json"], rand, [])
    if rand.random() < 0.2:
        files["manifest.json"] = _damaged_file("manifest.json", files["manifest.json"], rand, [])
    return files


def _read_signature(files: Files, folder: Path) -> None:
    from inlay._src.saved import signing
    from inlay._src.saved.container import Container

    signing.signers(Container(str(_put(files, folder))))


def _metas(folder: Path) -> list[Any]:
    return [files["saved_model.pb"] for files in _models(folder)]


def _read_meta(data: bytes, folder: Path) -> None:
    """The signatures and nodes of each graph of a `SavedModel`, as `inlay show` and the loader of 1.x read them."""
    import inlay as tf
    from inlay._src.base.protos.saved_model import SavedModel
    from inlay._src.base.protos.schema import parsed
    from inlay._src.saved.showing import tensor_text

    for meta in parsed(SavedModel, data).meta_graphs:
        for signature in meta.signature_def.values():
            for side in (signature.inputs, signature.outputs):
                for info in side.values():
                    tensor_text(info)
        with tf.Graph().as_default():
            tf.import_graph_def(meta.graph_def)


# ---------------------------------------------------------------- checkpoints


def _checkpoints(folder: Path) -> list[Any]:
    from inlay._src.base.types import dtypes
    from inlay._src.training import npz_checkpoint

    values = {
        "a": (np.arange(6.0, dtype=np.float32).reshape(2, 3), dtypes.float32),
        "b": (np.array([b"x", b"yz"], object), dtypes.string),
        "c": (np.zeros(3, dtypes.bfloat16.np), dtypes.bfloat16),
        "d": (np.array(7), dtypes.int64),
    }
    npz_checkpoint.write(str(folder / "one"), values, {"objects": [1, 2]})
    return [(folder / "one.npz").read_bytes()]


def checkpoint(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A checkpoint with a damaged member whose checksum is right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, ValueError, KeyError, zlib.error, RuntimeError, NotImplementedError, EOFError):
        return changed(data, rand, others)
    if not members:  # it was damaged before, and the archive is empty now
        return changed(data, rand, others)
    name = rand.choice(["manifest.json" if rand.random() < 0.4 and "manifest.json" in members else n for n in members])
    if name.endswith(".json"):
        members[name] = document(members[name], rand)
    elif rand.random() < 0.5:
        members[name] = members[rand.choice(list(members))]
    else:
        at = rand.choice((0, 6, 10, 20))
        members[name] = members[name][:at] + changed(members[name][at:130], rand) + members[name][130:]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rand.choice((zipfile.ZIP_STORED,) * 9 + (zipfile.ZIP_DEFLATED,))) as archive:
        for key, value in members.items():
            archive.writestr(zipfile.ZipInfo(key, (1980, 1, 1, 0, 0, 0)), value, archive.compression)
    return out.getvalue()


def _read_checkpoint(data: bytes, folder: Path) -> None:
    from inlay._src.training import npz_checkpoint

    (folder / "given.npz").write_bytes(data)
    with npz_checkpoint.NpzReader(str(folder / "given")) as reader:
        for name in list(reader.entries):
            reader.shape(name)
            reader.read(name)


# ---------------------------------------------------------------- records and datasets


def _records(folder: Path) -> list[Any]:
    import inlay as tf

    with tf.io.TFRecordWriter(str(folder / "plain")) as writer:
        for size in (0, 1, 300, 20):
            writer.write(bytes(range(size % 256)) + b"x" * (size // 2))
    with tf.io.TFRecordWriter(str(folder / "gzip"), "GZIP") as writer:
        writer.write(b"x" * 100)
        writer.write(b"y" * 3000)
    return [(folder / "plain").read_bytes(), (folder / "gzip").read_bytes()]


def _record(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A file whose first record says a length that it has not, with the right checksum."""
    from inlay._src.base.files.records import masked

    length = struct.pack("<Q", rand.choice((*EXTREMES, len(data), len(data) - 16)) & (2**64 - 1))
    return length + struct.pack("<I", masked(length)) + data[12:]


def _read_records(data: bytes, folder: Path) -> None:
    import inlay as tf

    path = folder / "given.tfrecord"
    path.write_bytes(data)
    kind = "GZIP" if data[:2] == b"\x1f\x8b" else "ZLIB" if len(data) % 7 == 0 else ""
    for _ in tf.compat.v1.io.tf_record_iterator(str(path), kind):
        pass


def _datasets(folder: Path) -> list[Any]:
    import inlay as tf

    specs = {"a": np.arange(6.0).reshape(3, 2), "b": np.array([b"x", b"yz", b""], object), "c": np.arange(3)}
    tf.data.Dataset.from_tensor_slices(specs).save(str(folder / "dense"))
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
    ragged.save(str(folder / "ragged"), compression="GZIP")
    return [_taken(folder / name) for name in ("dense", "ragged")]


def _damaged_dataset(valid: list[Any], rand: random.Random) -> Files:
    from google_crc32c import value as crc32c

    from inlay._src.base.files.records import framed

    files = dict(rand.choice(valid))
    name = rand.choice(sorted(files))
    if rand.random() < 0.25:
        files[name] = changed(files[name], rand)
        return files
    held = files["snapshot.metadata"]
    said = held[12:-4]
    if name == "snapshot.metadata" or said.find(b"GZIP") >= 0:
        files["snapshot.metadata"] = framed(document(said, rand))
        return files
    texts, at, data = [], 0, files[name]
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        texts.append(data[at + 12 : at + 12 + size])
        at += size + 16
    chosen = rand.randrange(len(texts))
    texts[chosen] = changed(texts[chosen], rand, texts)
    files[name] = b"".join(map(framed, texts))
    told = json.loads(said)
    for _, shard in told["shards"]:
        for segment in shard:
            if name.endswith(segment[0]):
                segment[1:] = [len(texts), crc32c(b"".join(texts))]
    files["snapshot.metadata"] = framed(json.dumps(told).encode())
    return files


def _read_dataset(files: Files, folder: Path) -> None:
    import inlay as tf

    for _ in tf.data.Dataset.load(str(_put(files, folder))).take(100):
        pass


# ---------------------------------------------------------------- values


def _examples(folder: Path) -> list[Any]:
    import inlay as tf

    def feature(value: list[Any]) -> Any:
        kind, field = (
            (tf.train.BytesList, "bytes_list")
            if isinstance(value[0], bytes)
            else (tf.train.FloatList, "float_list")
            if isinstance(value[0], float)
            else (tf.train.Int64List, "int64_list")
        )
        return tf.train.Feature(**{field: kind(value=value)})

    given = {"a": feature([1.0, 2.0]), "b": feature([b"x", b"yz"]), "c": feature([7]), "d": feature([1, 2, 3])}
    features = tf.train.Features(feature=given)
    steps = tf.train.FeatureLists(feature_list={"s": tf.train.FeatureList(feature=[given["c"], given["c"]])})
    return [
        tf.train.Example(features=features).SerializeToString(),
        tf.train.SequenceExample(context=features, feature_lists=steps).SerializeToString(),
    ]


def _read_example(data: bytes, folder: Path) -> None:
    import inlay as tf

    columns = {
        "a": tf.io.FixedLenFeature([2], tf.float32),
        "b": tf.io.VarLenFeature(tf.string),
        "c": tf.io.FixedLenFeature([], tf.int64, default_value=0),
        "d": tf.io.RaggedFeature(tf.int64),
    }
    if len(data) % 3:
        tf.io.parse_example([data], columns)
    else:
        sequences = {"s": tf.io.FixedLenSequenceFeature([], tf.int64)}
        tf.io.parse_single_sequence_example(data, columns, sequences)


def _tensors(folder: Path) -> list[Any]:
    import inlay as tf
    from inlay._src.base.protos.tensor import TensorProto
    from inlay._src.base.types import dtypes
    from inlay._src.ops.serialized import message_of

    listed = TensorProto(dtype=1, float_val=[1.0, 2.0])
    listed.tensor_shape.dim.add(size=2)
    listed.tensor_shape.dim.add(size=3)
    return [
        message_of(np.arange(6.0, dtype=np.float32).reshape(2, 3), dtypes.float32),
        message_of(np.array([b"x", b"yz"], object), dtypes.string),
        listed.SerializeToString(),
        tf.io.serialize_tensor(tf.constant([1 + 2j])).numpy(),
    ]


def _read_tensor(data: bytes, folder: Path) -> None:
    import inlay as tf

    tf.io.parse_tensor(data, (tf.float32, tf.string, tf.complex128)[len(data) % 3])


def _texts(folder: Path) -> list[Any]:
    return [b'1.5,x,"y ""z""",3,7', b"1,2,,,", b'"a,b",c\n,1e400,-9223372036854775808', bytes(range(64))]


def _fielded(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A record of fields that are long, many, or quoted in another way."""
    parts = data.split(b",")
    at = rand.randrange(len(parts))
    what, count = rand.randrange(5), rand.choice((2, 100, 3000, 60_000))
    if what == 0:
        parts[at] = b'"' + b"a" * count + rand.choice((b'"', b"", b'"x'))
    elif what == 1:
        parts[at] = b'"' + b'""' * count + rand.choice((b'"', b""))
    elif what == 2:
        parts *= min(count, 3000)
    elif what == 3:
        parts[at] = rand.choice((b"9" * count, b"-" * count, b"1e" + b"9" * 9, b"\xff", b"nan", b"\xd9\xa3", b"0x1p3"))
    else:
        parts[at] = b"\r\n" * count
    return b",".join(parts)[:LARGEST]


def _read_text(data: bytes, folder: Path) -> None:
    import inlay as tf

    if len(data) % 2:
        kind = (tf.int32, tf.float64, tf.uint8, tf.bool, tf.bfloat16, tf.complex64)[len(data) % 6]
        tf.io.decode_raw([data], kind, fixed_length=16 if len(data) % 5 == 0 else None)
    else:
        tf.io.decode_csv([data], [[1.0], ["x"], ["y"], [1], tf.constant([], tf.int64)])


# ---------------------------------------------------------------- images


def _images(folder: Path) -> list[Any]:
    from PIL import Image

    rows = np.random.default_rng(0).integers(0, 255, (12, 9, 4), np.uint8)
    grey = Image.fromarray(rows[:, :, 0].astype(np.uint16) * 257)
    colors, clear, single = Image.fromarray(rows[:, :, :3]), Image.fromarray(rows), Image.fromarray(rows[:, :, 0])
    made = []
    for image, kind, how in (
        (colors, "PNG", {}), (clear, "PNG", {}), (grey, "PNG", {}), (colors.quantize(16), "PNG", {}),
        (colors, "JPEG", {}), (single, "JPEG", {}), (colors, "JPEG", {"progressive": True}),
        (colors.convert("CMYK"), "JPEG", {}),
        (colors.quantize(8), "GIF", {"save_all": True, "append_images": [single.convert("RGB").quantize(8)]}),
        (colors, "BMP", {}), (clear, "BMP", {}), (single, "BMP", {}),
    ):  # fmt: skip
        out = io.BytesIO()
        image.save(out, kind, **how)
        made.append(out.getvalue())
    return made


def _chunks(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A PNG file with a damaged chunk whose checksum is right; any other file is changed like any bytes."""
    if data[:4] != b"\x89PNG":
        return changed(data, rand, others)
    out, at = [data[:8]], 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if rand.random() < 0.1:  # chunks that are there again, or in another place
            out += out[-4:] * rand.choice((1, 1, 300))
        elif rand.random() < 0.3:
            plain = kind == b"IDAT" and rand.random() < 0.5
            body = zlib.compress(changed(zlib.decompress(body), rand)) if plain else changed(body, rand)
        out += [struct.pack(">I", len(body)), kind, body, struct.pack(">I", zlib.crc32(kind + body))]
        at += 12 + size
    return b"".join(out)


def _header(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """An image whose first bytes, which have its size, are damaged."""
    return changed(data[:60], rand, [other[:60] for other in others]) + data[60:]


def _read_image(data: bytes, folder: Path) -> None:
    import inlay as tf

    image, size = tf.io, len(data)
    if data[:3] == b"GIF" and size % 2:
        image.decode_gif(data)
    elif data[:2] == b"BM" and size % 2:
        image.decode_bmp(data)
    elif data[:2] == b"\xff\xd8":
        image.decode_jpeg(data, channels=(0, 1, 3)[size % 3], ratio=(1, 1, 2, 8)[size % 4])
    elif size % 3:
        image.decode_png(data, channels=(0, 1, 3, 4)[size % 4], dtype=(tf.uint8, tf.uint16)[size % 2])
    else:
        image.decode_image(data, dtype=(tf.uint8, tf.uint16, tf.float32)[size % 5 % 3])


_MESSAGES = (message, message, rewired, grown)
"""How protobuf messages are damaged, besides their bytes."""
READERS = {
    "graphs": Reader(50, _graphs, _one_of(changed, *_MESSAGES), _read_graph, (ValueError,), 3e-5),
    "models": Reader(30, _models, _damaged_model, _load_model, (RuntimeError,), 3e-5),
    "foreign": Reader(30, _foreign_models, _damaged_model, _load_model, (RuntimeError,), 3e-5),
    "foreign_shown": Reader(10, _foreign_models, _damaged_model, _show_foreign, (ValueError,), 3e-5),
    "shown": Reader(20, _models, _damaged_model, _show_model, (), 3e-5),
    "meta": Reader(30, _metas, _one_of(changed, *_MESSAGES), _read_meta, (ValueError,), 3e-5),
    "signatures": Reader(20, _models, _damaged_signature, _read_signature),
    "checkpoints": Reader(30, _checkpoints, _one_of(changed, checkpoint, members, packed), _read_checkpoint, (), 1e-5),
    "bundles": Reader(60, bundles.bundles, bundles.damaged_bundle, bundles.read_bundle, (), 1e-5),
    "datasets": Reader(40, _datasets, _damaged_dataset, _read_dataset, (ValueError,), 1e-5),
    "records": Reader(80, _records, _one_of(changed, _record, expanded), _read_records, (), 1e-5),
    "examples": Reader(100, _examples, _one_of(changed, *_MESSAGES), _read_example, (), 1e-5),
    "tensors": Reader(80, _tensors, _one_of(changed, *_MESSAGES), _read_tensor, (), 1e-5),
    "texts": Reader(80, _texts, _one_of(changed, _fielded), _read_text),
    "images": Reader(90, _images, _one_of(changed, _chunks, _header), _read_image, (), 1e-5),
    "events": Reader(40, more.events, _one_of(changed, more.damaged_event), more.read_events, (), 1e-5),
    "sounds": Reader(60, more.sounds, _one_of(changed, more.damaged_sound), more.read_sound, (), 1e-5),
    "arrays": Reader(50, more.arrays, _one_of(changed, shaped, counted), more.read_array, (ValueError,)),
    "compressed": Reader(20, more.compressed, _one_of(changed, expanded), more.read_compressed, (), 1e-5),
    "positions": Reader(20, more.positions, _one_of(*more.DOCUMENTS), more.read_position, (), 1e-5),
    "states": Reader(20, more.states, _one_of(changed, more.damaged_state), more.read_state, (ValueError,), 1e-5),
    "welcomes": Reader(40, more.welcomes, _one_of(*more.DOCUMENTS), more.read_welcome, (), 1e-5),
}
"""What reads files, by name."""
