"""Models that an enemy may have written, and what each is refused with.

All start from models that `save` wrote, now or in its first version. Most are sealed again after they were changed, so
that every digest in the manifest is right: an enemy who writes a model writes these, too. Each bomb would leave a file
if it went off.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf
from inlay._src.base.files import sorted_table
from inlay._src.base.protos.checkpoint import BundleEntryProto
from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.host.bodies.manifest import BodyManifest
from inlay._src.host.bodies.portable import PortableBody
from inlay._src.programs.graph_def import host_functions
from inlay._src.saved import container, signing
from inlay._src.saved.container import GRAPH, MANIFEST, OBJECTS, SIGNATURE, Container

Change = Callable[[Path], Any]
HUGE = 1 << 40
VALUES = "variables/variables.data-00000-of-00001"
INDEX = "variables/variables.index"
FORMER_VALUES = "variables/variables.npz"
FORMER = Path(__file__).resolve().parents[2] / "golden" / "saved_models" / "v1"
"""Models of the first version of the format: values are an `.npz` file, and bodies are attributes of functions."""


@dataclass
class Hostile:
    """A model, and how it is refused.

    Attributes:
      name: its folder.
      said: what the error of `load` says; "" if it may be loaded.
      trust: what `load` is told.
    """

    name: str
    said: str
    trust: list[str]


class Bomb:
    """Runs a command of the shell when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)


def sealed(path: Path) -> None:
    """Makes the manifest of a model anew."""
    (path / MANIFEST).unlink()
    kept = (path / SIGNATURE).read_bytes() if (path / SIGNATURE).exists() else None
    (path / SIGNATURE).unlink(missing_ok=True)
    container._finish(str(path))
    if kept is not None:
        (path / SIGNATURE).write_bytes(kept)


def message(change: Callable[[Any, Any], Any]) -> Change:
    """A change of the graph, which is given the `GraphDef` and the functions by name."""

    def changed(path: Path) -> None:
        read = SavedModel.FromString((path / GRAPH).read_bytes())
        graph = read.meta_graphs[0].graph_def
        change(graph, {f.signature.name: f for f in graph.library.function})
        (path / GRAPH).write_bytes(read.SerializeToString())
        sealed(path)

    return changed


def objects(change: Callable[[Any], Any]) -> Change:
    """A change of what `objects.json` says."""

    def changed(path: Path) -> None:
        said = json.loads((path / OBJECTS).read_text())
        (path / OBJECTS).write_text(json.dumps(change(said) or said))
        sealed(path)

    return changed


def manifest(change: Callable[[Any], Any]) -> Change:
    """A change of what the manifest says."""

    def changed(path: Path) -> None:
        said = json.loads((path / MANIFEST).read_text())
        (path / MANIFEST).write_text(json.dumps(change(said) or said))

    return changed


def values(change: Callable[[dict[str, bytes]], Any], compression: int = zipfile.ZIP_STORED) -> Change:
    """A change of the members of the file of variables that former versions wrote."""

    def changed(path: Path) -> None:
        with zipfile.ZipFile(path / FORMER_VALUES) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        change(members)
        with zipfile.ZipFile(path / FORMER_VALUES, "w", compression) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        sealed(path)

    return changed


def entries(change: Callable[[dict[str, Any]], Any]) -> Change:
    """A change of the entries of the tensor bundle of variables, whose checksums are right."""

    def changed(path: Path) -> None:
        held = dict(sorted_table.entries((path / INDEX).read_bytes()))
        said = {key.decode(): BundleEntryProto.FromString(value) for key, value in held.items() if key}
        change(said)
        held = {b"": held[b""], **{key.encode(): value.SerializeToString() for key, value in said.items()}}
        (path / INDEX).write_bytes(sorted_table.table(sorted(held.items())))
        sealed(path)

    return changed


def entry(change: Callable[[Any], Any]) -> Change:
    """A change of the entry of a variable."""
    return entries(lambda said: change(said["w/.ATTRIBUTES/VARIABLE_VALUE"]))


def in_place_of(name: str, make: Callable[[Path], Any]) -> Change:
    """Something else in the place of a file."""

    def changed(path: Path) -> None:
        (path / name).unlink()
        make(path / name)

    return changed


# ---------------------------------------------------------------- models to begin with


def calling(*functions: Any) -> tf.Module:
    """A model that calls Python functions, one after the other."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="model")
            self.w = tf.Variable([2.0, 3.0])
            self.data = [tf.Variable(1.0)]

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="x")])
        def f(self, x: Any) -> Any:
            for function in functions:
                x = tf.ensure_shape(tf.numpy_function(function, [x], tf.float32), [2])
            return x * self.w

    return Model()


def body_names(functions: dict[str, Any]) -> list[str]:
    """The functions that hold bodies."""
    return [name for name in functions if name.startswith("body_")]


def held(function: Any, name: str) -> list[bytes]:
    """What the function of a body holds under a name: as constants, or as attributes of former versions."""
    return list(host_functions._contents(function)[name])


def hold(function: Any, name: str, texts: list[bytes]) -> None:
    """Changes what the function of a body holds under a name."""
    if name in function.attr:
        if function.attr[name].WhichOneof("value") == "list":
            function.attr[name].list.s[:] = texts
        else:
            function.attr[name].s = texts[0]
        return
    nodes = [node for node in function.node_def if node.name != name]
    del function.node_def[:]
    function.node_def.extend(nodes)
    host_functions._put(function, name, texts)


def in_body(name: str, make: Callable[[list[bytes]], list[bytes]]) -> Change:
    """A change of what the first body holds under a name."""

    def change(graph: Any, functions: dict[str, Any]) -> None:
        body = functions[body_names(functions)[0]]
        hold(body, name, make(held(body, name)))

    return message(change)


def renamed(graph: Any, old: str, new: str) -> None:
    """Gives a body another name wherever it is called."""
    for function in graph.library.function:
        if function.signature.name == old:
            function.signature.name = new
        for node in function.node_def:
            if "_body" in node.attr and node.attr["_body"].func.name == old:
                node.attr["_body"].func.name = new


def with_body(mark: Path, change: Callable[[Any], Any] = lambda said: None) -> Change:
    """A bomb in the place of a body, under the digest that it has."""

    def changed(graph: Any, functions: dict[str, Any]) -> None:
        name = body_names(functions)[0]
        said = {**json.loads(held(functions[name], "manifest")[0]), "kind": "value", "names": []}
        change(said)
        manifest, data = json.dumps(said).encode(), pickle.dumps((Bomb(mark),))
        hold(functions[name], "manifest", [manifest])
        hold(functions[name], "data", [data])
        body = PortableBody(BodyManifest.from_json(manifest), data)
        renamed(graph, name, f"body_{body.digest}")

    return message(changed)


def swapped(graph: Any, functions: dict[str, Any]) -> None:
    """Exchanges what two bodies hold; their names stay."""
    one, two = (functions[name] for name in body_names(functions)[:2])
    kept = type(one)()
    kept.CopyFrom(one)
    for target, source in ((one, two), (two, kept)):
        name = target.signature.name
        target.CopyFrom(source)
        target.signature.name = name


def exchanged(graph: Any, functions: dict[str, Any]) -> None:
    """Exchanges the bodies that two nodes call."""
    nodes = [n for f in graph.library.function for n in f.node_def if "_body" in n.attr]
    names = [n.attr["_body"].func.name for n in nodes]
    for node, name in zip(nodes, reversed(names), strict=True):
        node.attr["_body"].func.name = name


# ---------------------------------------------------------------- graphs


def traced(functions: dict[str, Any]) -> Any:
    """A function that a trace is made of, and that has nodes."""
    return next(f for f in functions.values() if f.node_def and f.signature.input_arg and f.signature.output_arg)


def add_call(function: Any, callee: str, name: str = "more") -> None:
    """A node that calls a function without arguments."""
    node = function.node_def.add(name=name, op="StatefulPartitionedCall")
    node.attr["f"].func.name = callee
    for attribute in ("Tin", "Tout"):
        node.attr[attribute].list.SetInParent()


def add_function(graph: Any, name: str, calls: list[str]) -> Any:
    """A function that calls others."""
    function = graph.library.function.add()
    function.signature.name = name
    for number, callee in enumerate(calls):
        add_call(function, callee, f"call_{number}")
    return function


def calling_each_other(graph: Any, functions: dict[str, Any]) -> None:
    add_function(graph, "one", ["two"])
    add_function(graph, "two", ["one"])
    add_call(traced(functions), "one")


def calling_deep(graph: Any, functions: dict[str, Any]) -> None:
    for number in range(5000):
        add_function(graph, f"f{number}", [f"f{number + 1}"])
    add_function(graph, "f5000", [])
    add_call(traced(functions), "f0")


def doubling(graph: Any, functions: dict[str, Any]) -> None:
    for number in range(60):
        add_function(graph, f"f{number}", [f"f{number + 1}"] * 2)
    add_function(graph, "f60", [])
    add_call(traced(functions), "f0")


def many_functions(graph: Any, functions: dict[str, Any]) -> None:
    names = [f"f{number}" for number in range(3000)]
    for name in names:
        add_function(graph, name, [])
    add_function(graph, "all", names)
    add_call(traced(functions), "all")


def huge_results(graph: Any, functions: dict[str, Any]) -> None:
    nodes = traced(functions).node_def
    for name, values in (("sizes", [1 << 20, 1 << 20]), ("zero", [0]), ("one", [1]), ("end", [HUGE]), ("value", [1])):
        node = nodes.add(name=name, op="Const")
        node.attr["dtype"].type = 9
        tensor = node.attr["value"].tensor
        tensor.dtype = 9
        tensor.int64_val.extend(values)
        if len(values) > 1:
            tensor.tensor_shape.dim.add(size=len(values))
        else:
            tensor.tensor_shape.SetInParent()
    fill = nodes.add(name="filled", op="Fill", input=["sizes:output:0", "value:output:0"])
    fill.attr["T"].type = fill.attr["index_type"].type = 9
    counted = nodes.add(name="counted", op="Range", input=["zero:output:0", "end:output:0", "one:output:0"])
    counted.attr["Tidx"].type = 9
    again = nodes.add(name="again", op="Fill", input=["counted:output:0", "value:output:0"])
    again.attr["T"].type = again.attr["index_type"].type = 9


def in_a_circle(graph: Any, functions: dict[str, Any]) -> None:
    nodes = traced(functions).node_def
    for name, other in (("a", "b"), ("b", "a")):
        node = nodes.add(name=name, op="Identity", input=[f"{other}:output:0"])
        node.attr["T"].type = 1


def node_twice(graph: Any, functions: dict[str, Any]) -> None:
    nodes = traced(functions).node_def
    nodes.add().CopyFrom(nodes[0])


def function_twice(graph: Any, functions: dict[str, Any]) -> None:
    graph.library.function.add().CopyFrom(traced(functions))


def huge_constant(content: bytes) -> Callable[[Any, Any], None]:
    def changed(graph: Any, functions: dict[str, Any]) -> None:
        node = traced(functions).node_def.add(name="huge", op="Const")
        node.attr["dtype"].type = 1
        tensor = node.attr["value"].tensor
        tensor.dtype = 1
        tensor.tensor_shape.dim.add(size=HUGE)
        if content:
            tensor.tensor_content = content
        else:
            tensor.float_val.append(1.0)

    return changed


def many_outputs(graph: Any, functions: dict[str, Any]) -> None:
    function = traced(functions)
    nodes = function.node_def
    node = nodes.add(name="parts", op="Unpack", input=[function.signature.input_arg[0].name])
    node.attr["T"].type = 1
    node.attr["num"].i = HUGE
    node.attr["axis"].i = 0


def deep_function_attribute(graph: Any, functions: dict[str, Any]) -> None:
    value = traced(functions).node_def[0].attr["f"]
    for _ in range(30):
        value = value.func.attr["f"]
    value.i = 1


# ---------------------------------------------------------------- files


def names_outside(name: str) -> Change:
    """A manifest that lists a file that lies elsewhere, with its right digest."""

    def change(said: Any) -> None:
        said["files"][name] = dict(said["files"][GRAPH])

    return manifest(change)


def asset(file: str) -> Change:
    """A model whose asset is another file."""

    def change(said: Any) -> None:
        said["objects"].append({"kind": "asset", "file": file})

    return objects(change)


def large(path: Path) -> None:
    """A file that claims much and takes no room on the disk."""
    with open(path, "wb") as file:
        file.truncate(HUGE)


def header(shape: str) -> bytes:
    """A `.npy` file that says that it has a shape."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def first_value(data: bytes) -> Callable[[dict[str, bytes]], None]:
    def changed(members: dict[str, bytes]) -> None:
        members[next(name for name in members if name.startswith("values/"))] = data

    return changed


def signature(change: Callable[[Any], Any]) -> Change:
    """A change of the file of signatures."""

    def changed(path: Path) -> None:
        said = json.loads((path / SIGNATURE).read_text())
        change(said)
        (path / SIGNATURE).write_text(json.dumps(said))

    return changed


def _all(said: Any, kind: str) -> list[Any]:
    return [o for o in said["objects"] if o["kind"] == kind]


DAMAGED = "is damaged at"
IN_GRAPHS: dict[str, tuple[Change, str]] = {
    "bodies_swapped": (message(swapped), "it was changed"),
    "functions_call_each_other": (message(calling_each_other), "calls itself: one -> two -> one"),
    "function_calls_itself": (
        message(lambda g, f: add_call(traced(f), traced(f).signature.name)), "calls itself",
    ),
    "functions_deep": (message(calling_deep), "more than 100 deep"),
    "function_that_is_not_there": (message(lambda g, f: add_call(traced(f), "none")), "is not in the library"),
    "nodes_in_a_circle": (message(in_a_circle), "the graph has a circle"),
    "node_twice": (message(node_twice), "not unique|twice|already"),
    "function_twice": (message(function_twice), "two of that name|not unique|two functions"),
    "functions_doubling": (message(doubling), ""),  # each is read once
    "functions_many": (message(many_functions), ""),
    "constant_of_one_value": (message(huge_constant(b"")), ""),  # one value stands for all: no room is taken
    "results_of_huge_shape": (message(huge_results), ""),  # it may be expensive to run: reading computes nothing
    "constant_of_few_bytes": (message(huge_constant(b"abcd")), DAMAGED),
    "node_with_many_outputs": (message(many_outputs), DAMAGED),
    "attributes_within_attributes": (message(deep_function_attribute), DAMAGED),
    "body_of_an_absolute_array": (in_body("arrays", lambda said: [*said, b"/etc/passwd"]), "/etc/passwd"),
    "body_of_an_array_outside": (in_body("arrays", lambda said: [*said, b"../../mark"]), "not listed"),
    "body_with_deep_manifest": (in_body("manifest", lambda said: [b"[" * 100_000]), "is damaged"),
    "body_of_two_manifests": (in_body("manifest", lambda said: said * 2), DAMAGED),
    "body_of_no_manifest": (in_body("manifest", lambda said: []), DAMAGED),
    "body_of_two_pickles": (in_body("data", lambda said: [b"", b""]), DAMAGED),
    "body_bound_to_no_number": (in_body("variables", lambda said: [*said, b"9" * 10_000]), DAMAGED),
    "body_that_is_a_number": (
        message(lambda g, f: setattr(f[body_names(f)[0]].node_def[0].attr["dtype"], "type", 1)), DAMAGED,
    ),
    "length_of_a_message": (
        lambda p: ((p / GRAPH).write_bytes(b"\x12\xff\xff\xff\xff\xff\xff\xff\x7f" + b"a" * 100), sealed(p)), DAMAGED,
    ),
    "messages_within_messages": (
        lambda p: ((p / GRAPH).write_bytes(b"\x12\x7f" * 50_000), sealed(p)), DAMAGED,
    ),
    "two_graphs": (
        lambda p: ((p / GRAPH).write_bytes((p / GRAPH).read_bytes() * 2), sealed(p)), "it has 2 graphs",
    ),
}  # fmt: skip
IN_OBJECTS: dict[str, tuple[Change, str]] = {
    "asset_outside": (asset("../../mark"), "not listed"),
    "asset_absolute": (asset("/etc/passwd"), "not listed"),
    "no_objects": (objects(lambda s: {"version": 1}), DAMAGED),
    "objects_are_no_list": (objects(lambda s: s.update(objects=3)), DAMAGED),
    "object_is_no_object": (objects(lambda s: s["objects"].append(3)), DAMAGED),
    "object_without_kind": (objects(lambda s: s["objects"].append({})), DAMAGED),
    "object_of_unknown_kind": (objects(lambda s: s["objects"].append({"kind": "code"})), "unknown kind"),
    "variable_without_dtype": (objects(lambda s: [v.pop("dtype") for v in _all(s, "variable")] and None), DAMAGED),
    "variable_of_objects": (
        objects(lambda s: [v.update(dtype="object") for v in _all(s, "variable")] and None), DAMAGED,
    ),
    "variable_of_huge_shape": (
        objects(lambda s: [v.update(shape=[HUGE, HUGE]) for v in _all(s, "variable")] and None), DAMAGED,
    ),
    "child_that_is_not_there": (objects(lambda s: s["objects"][0]["children"].update(w=HUGE)), DAMAGED),
    "child_that_is_the_class": (  # it is an entry of the object's dict, which Python does not look up
        objects(lambda s: s["objects"][0]["children"].update(__class__=1)), "",
    ),
    "children_are_no_numbers": (objects(lambda s: s["objects"][0].update(children=[[]])), DAMAGED),
    "trace_of_many_inputs": (objects(lambda s: s["traces"][0].update(inputs=HUGE)), DAMAGED),
    "trace_of_deep_structure": (
        objects(lambda s: s["traces"][0].update(outputs=json.loads("[" * 500 + "]" * 500))), DAMAGED,
    ),
    "trace_that_is_not_there": (objects(lambda s: [v.update(traces=[HUGE]) for v in _all(s, "function")] and None),
                                DAMAGED),
    "captured_array_outside": (
        objects(lambda s: s["traces"][0]["captures"].append(["tensor", "array", "../mark", "float32", [2]])), DAMAGED,
    ),
    "objects_of_the_future": (objects(lambda s: s.update(version=99)), "version 99"),
    "dataset_of_no_trace": (objects(lambda s: s["objects"].append({"kind": "dataset", "traces": [HUGE]})), DAMAGED),
    "signature_that_is_not_there": (objects(lambda s: s.update(signatures={"a": HUGE})), DAMAGED),
}  # fmt: skip
IN_FILES: dict[str, tuple[Change, str]] = {
    "file_outside": (names_outside("../mark"), "not a valid file name"),
    "file_absolute": (names_outside("/etc/passwd"), "not a valid file name"),
    "link": (in_place_of(OBJECTS, lambda p: p.symlink_to("/etc/passwd")), "links are not followed"),
    "link_of_the_manifest": (in_place_of(MANIFEST, lambda p: p.symlink_to("/dev/zero")), "links are not followed"),
    "link_to_a_device": (in_place_of(VALUES, lambda p: p.symlink_to("/dev/zero")), "links are not followed"),
    "fifo": (in_place_of(OBJECTS, os.mkfifo), "not a regular file"),
    "fifo_for_the_manifest": (in_place_of(MANIFEST, os.mkfifo), "not a regular file"),
    "fifo_for_the_values": (in_place_of(VALUES, os.mkfifo), "not a regular file"),
    "folder_for_the_graph": (in_place_of(GRAPH, os.mkdir), "not a regular file"),
    "sparse_graph": (in_place_of(GRAPH, large), DAMAGED),
    "sparse_manifest": (in_place_of(MANIFEST, large), DAMAGED),
    "sparse_values": (in_place_of(VALUES, large), DAMAGED),
    "size_that_is_claimed": (manifest(lambda s: s["files"][GRAPH].update(size=HUGE)), "expected 1,099"),
    "digest_edited": (manifest(lambda s: s["files"][GRAPH].update(sha256="0" * 64)), "SHA-256 differs"),
    "graph_edited": (lambda p: (p / GRAPH).write_bytes((p / GRAPH).read_bytes()[:-1] + b"\0"), "SHA-256 differs"),
    "manifest_of_the_future": (manifest(lambda s: s.update(version=2)), "load it with a newer one"),
    "manifest_of_no_version": (manifest(lambda s: s.update(version="1")), DAMAGED),
    "manifest_deep": (lambda p: (p / MANIFEST).write_bytes(b'{"a":' * 100_000), DAMAGED),
    "manifest_twice": (lambda p: (p / MANIFEST).write_bytes(b'{"files": 1, "files": 2}'), "an entry twice"),
    "link_of_the_index": (in_place_of(INDEX, lambda p: p.symlink_to("/dev/zero")), "links are not followed"),
    "fifo_for_the_index": (in_place_of(INDEX, os.mkfifo), "not a regular file"),
    "sparse_index": (in_place_of(INDEX, large), DAMAGED),
    "index_is_no_table": (lambda p: ((p / INDEX).write_bytes(b"PK\x05\x06" * 50), sealed(p)), DAMAGED),
    "index_that_is_not_listed": (manifest(lambda s: s["files"].pop(INDEX) and None), "it lists no variables/"),
    "values_that_are_not_listed": (manifest(lambda s: s["files"].pop(VALUES) and None), "it lists no variables/"),
    "values_of_another_checksum": (entry(lambda e: setattr(e, "crc32c", 1)), DAMAGED),
    "values_of_huge_shape": (entry(lambda e: e.shape.dim.add(size=HUGE)), DAMAGED),
    "values_of_huge_size": (entry(lambda e: setattr(e, "size", HUGE)), DAMAGED),
    "values_of_negative_shape": (entry(lambda e: setattr(e.shape.dim[0], "size", -2)), DAMAGED),
    "values_of_negative_offset": (entry(lambda e: setattr(e, "offset", -8)), DAMAGED),
    "values_behind_the_end": (entry(lambda e: setattr(e, "offset", HUGE)), DAMAGED),
    "values_of_another_file": (entry(lambda e: setattr(e, "shard_id", 7)), DAMAGED),
    "values_of_resources": (entry(lambda e: setattr(e, "dtype", 20)), "of type resource"),
    "values_of_unknown_type": (entry(lambda e: setattr(e, "dtype", 1000)), DAMAGED),
    "values_that_are_not_there": (
        entries(lambda said: said.pop("w/.ATTRIBUTES/VARIABLE_VALUE") and None), "not found in checkpoint",
    ),
}  # fmt: skip
IN_FORMER_FILES: dict[str, tuple[Change, str]] = {
    "former_link_to_a_device": (
        in_place_of(FORMER_VALUES, lambda p: p.symlink_to("/dev/zero")), "links are not followed",
    ),
    "former_fifo_for_the_values": (in_place_of(FORMER_VALUES, os.mkfifo), "not a regular file"),
    "former_sparse_values": (in_place_of(FORMER_VALUES, large), DAMAGED),
    "former_values_compressed": (
        values(lambda m: m.update(bomb=bytes(1 << 24)), zipfile.ZIP_DEFLATED), "is compressed",
    ),
    "former_values_of_huge_shape": (values(first_value(header(f"({HUGE}, {HUGE})"))), DAMAGED),
    "former_values_of_negative_shape": (values(first_value(header("(-1, -4)") + bytes(16))), DAMAGED),
    "former_values_of_objects": (
        values(first_value(header("(1,)").replace(b"'<f4'", b"'|O'  ") + b"cos\nsystem\n")), DAMAGED,
    ),
    "former_values_are_no_archive": (
        lambda p: ((p / FORMER_VALUES).write_bytes(b"PK\x05\x06" * 50), sealed(p)), DAMAGED,
    ),
    "former_values_of_unknown_type": (
        values(lambda m: m.update({MANIFEST: m[MANIFEST].replace(b'"float32"', b'"code"')})), DAMAGED,
    ),
}  # fmt: skip


def written(folder: Path) -> list[Hostile]:
    """Writes all models into a folder, and what each is refused with."""
    base, other, mark = folder / "base", folder / "other", folder / "mark"
    tf.saved_model.save(calling(np.flip, np.sort), str(base))  # by name: no pickle is read where they are trusted
    tf.saved_model.save(calling(np.ravel), str(other))
    whole = [f"sha256:{Container(str(base)).digest}"]
    cases: list[Hostile] = []

    def add(name: str, change: Change, said: str, trust: list[str] | None = None, of: Path = base) -> None:
        shutil.copytree(of, folder / name, symlinks=True)
        change(folder / name)
        if trust is None and (folder / name / MANIFEST).is_file():  # all that is in it may run, and still it is refused
            data = (folder / name / MANIFEST).read_bytes() if (folder / name / MANIFEST).stat().st_size < HUGE else b""
            trust = [f"sha256:{_sha256(data)}"]
        cases.append(Hostile(name, said, trust or whole))

    for name, (change, said) in {**IN_GRAPHS, **IN_OBJECTS, **IN_FILES}.items():
        add(name, change, said)
    for name in ("by_name", "variables"):
        shutil.copytree(FORMER / name, folder / f"base_{name}")
    for name, (change, said) in IN_FORMER_FILES.items():
        add(name, change, said, of=folder / "base_variables")
    former = folder / "base_by_name"
    for name in ("body_of_an_absolute_array", "body_with_deep_manifest", "body_bound_to_no_number"):
        add(f"former_{name}", *IN_GRAPHS[name], of=former)
    former_bodies = [f"sha256:{name.removeprefix('body_')}" for name in _bodies(former)]
    add("former_bomb", with_body(mark), "nothing allows to run", former_bodies, former)
    add("former_bomb_under_the_name_of_another", _under_old_name(mark), "it was changed", former_bodies, former)
    bodies = [f"sha256:{name.removeprefix('body_')}" for name in _bodies(base)]
    refused = "nothing allows to run"
    add("bomb", with_body(mark), refused, bodies)
    add("bomb_under_the_name_of_another", _under_old_name(mark), "it was changed", bodies)
    add("bomb_for_a_key", with_body(mark), refused, ["ed25519:" + "ab" * 32])
    add("exchanged_nodes", message(exchanged), refused, whole)
    add("name_of_a_command", with_body(mark, _named("os:system")), refused, [*bodies, "numpy"])
    add("bomb_for_an_allowed_module", with_body(mark), refused, ["numpy", "os"])
    add("name_of_another_module", with_body(mark, _named("os:system")), "none defined in os", ["os", "numpy"])
    add("name_within_a_module", with_body(mark, _named("json:os.system")), "none defined in json", ["json", "numpy"])
    add("bomb_behind_an_allowed_name", with_body(mark, _named("colorsys:rgb_to_hsv")), "", [*bodies, "colorsys"])
    add("bomb_of_another_python", with_body(mark, lambda s: s.update(python="cpython 2.7")), "saved by cpython 2.7")
    add("bomb_as_a_dataset", _as_dataset(mark), refused, bodies)
    signing.new_key(str(folder / "key"))
    key = signing.sign(str(base), signing.read_key(str(folder / "key")))
    add("signature_removed", lambda p: (p / SIGNATURE).unlink(), refused, [key])
    add("signature_of_another_model", lambda p: shutil.copy(base / SIGNATURE, p), "after it was signed", [key], other)
    add("signature_of_an_older_version", signature(lambda s: s.update(version=0)), "version 0, expected 1", [key])
    add("signature_of_no_version", signature(lambda s: s.pop("version")), r"damaged at signature\.json", [key])
    add("signature_of_zeros", signature(lambda s: s["signatures"].update({key[8:]: "0" * 128})),
        "after it was signed", [key])  # fmt: skip
    add("signature_is_a_fifo", in_place_of(SIGNATURE, os.mkfifo), "not a regular file", [key])
    add("signature_is_a_link", in_place_of(SIGNATURE, lambda p: p.symlink_to(base / SIGNATURE)), "not followed", [key])
    add("signed_and_edited", message(exchanged), "after it was signed", [key])
    return cases


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _bodies(path: Path) -> list[str]:
    graph = SavedModel.FromString((path / GRAPH).read_bytes()).meta_graphs[0].graph_def
    return body_names({f.signature.name: f for f in graph.library.function})


def _named(name: str) -> Callable[[Any], Any]:
    def change(said: Any) -> None:
        said.update(kind="name", names=[name])

    return change


def _under_old_name(mark: Path) -> Change:
    def changed(graph: Any, functions: dict[str, Any]) -> None:
        hold(functions[body_names(functions)[0]], "data", [pickle.dumps((Bomb(mark),))])

    return message(changed)


def _as_dataset(mark: Path) -> Change:
    """A bomb that no node calls, and an object does."""

    def changed(path: Path) -> None:
        with_body(mark)(path)
        names = _bodies(path)
        objects(lambda s: s["objects"].append({"kind": "dataset", "body": names[0]}))(path)

    return changed
