"""The public namespaces, `inlay/math.py` and so on, and their stubs: from the `export` of each name in the source.

A namespace is a module that says which modules define its names. Its stub imports them, and writes out what a type
checker cannot see in the source: the functions that `@op` and factories make.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from inlay._src.base.export import defining_module
from inlay._src.base.misuse import written
from scripts.annotations import Names
from scripts.docstrings import own_doc
from scripts.overloads import FORMS, OVERLOADS, VARIABLES

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "inlay"
MARK = "# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`."
UNCHECKED = "# fmt: off\n# ruff: noqa\n"

ABOUT: dict[str, str] = {
    "": "Where every name at the top of `inlay` is defined.",
    "app": "`tf.app` of 1.x: the main function of a program.",
    "app.flags": "`tf.app.flags` of 1.x: what a program reads from its command line, by absl.",
    "audio": "`tf.audio`: sound as WAV files.",
    "autodiff": "`tf.autodiff`: derivatives, forward and backward.",
    "autograph": (
        "Python control flow on tensors as graph control flow: what `tf.function` does to the functions it traces."
    ),
    "autograph.experimental": "Marks and options for AutoGraph.",
    "bitwise": "`tf.bitwise`: the bits of integers.",
    "compat": "`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers.",
    "compat.v1": "`tf.compat.v1`: the 1.x names.",
    "compat.v1.app": "`tf.app`: the main function of a program.",
    "compat.v1.app.flags": "`tf.app.flags`: what a program reads from its command line, by absl.",
    "compat.v1.data": "`tf.compat.v1.data`: datasets, with the iterators of 1.x.",
    "compat.v1.data.experimental": "`tf.compat.v1.data.experimental`: more of datasets, specs by their first names.",
    "compat.v1.debugging": "`tf.compat.v1.debugging`: assertions with the 1.x order of arguments.",
    "compat.v1.distributions": "`tf.distributions`: probability distributions of 1.x.",
    "compat.v1.flags": "`tf.flags`: what a program reads from its command line, by absl.",
    "compat.v1.gfile": "`tf.gfile`: files and folders by the 1.x names.",
    "compat.v1.graph_util": "`tf.compat.v1.graph_util`: parts of a `GraphDef`, and variables that become constants.",
    "compat.v1.image": "`tf.compat.v1.image`: images by the 1.x names and pixel rules.",
    "compat.v1.initializers": (
        "`tf.compat.v1.initializers`: initializers with the defaults of 1.x, and the operations that run them."
    ),
    "compat.v1.io": "`tf.compat.v1.io`: reading and decoding, with the 1.x signatures.",
    "compat.v1.layers": "`tf.layers`: layers of 1.x, as functions and as classes.",
    "compat.v1.linalg": "`tf.compat.v1.linalg`: matrices, with the 1.x names.",
    "compat.v1.lookup": "`tf.compat.v1.lookup`: tables, with the operations that fill them.",
    "compat.v1.losses": "`tf.compat.v1.losses`: weighted losses, kept in a collection of the graph.",
    "compat.v1.manip": "`tf.manip`: shapes, rows and blocks of tensors, by the 1.x names.",
    "compat.v1.math": "`tf.compat.v1.math`: mathematics, with the 1.x signatures.",
    "compat.v1.metrics": "`tf.compat.v1.metrics`: means and counts over batches, kept in local variables.",
    "compat.v1.mixed_precision": "`tf.compat.v1.mixed_precision`: loss scales, and the optimizer that uses one.",
    "compat.v1.mixed_precision.experimental": "`tf.compat.v1.mixed_precision.experimental`: the loss scales.",
    "compat.v1.nn": "`tf.compat.v1.nn`: neural networks, with the 1.x signatures.",
    "compat.v1.nn.rnn_cell": "`tf.nn.rnn_cell`: the cells of recurrent networks.",
    "compat.v1.random": "`tf.compat.v1.random`: random numbers, with the 1.x signatures.",
    "compat.v1.resource_loader": "`tf.resource_loader`: files that come with a program.",
    "compat.v1.sets": "`tf.compat.v1.sets`: sets in the last axis of tensors, by the 1.x names too.",
    "compat.v1.sparse": "`tf.compat.v1.sparse`: tensors most of whose elements are zero, with the 1.x signatures.",
    "compat.v1.spectral": "`tf.compat.v1.spectral`: Fourier and cosine transforms by their first names.",
    "compat.v1.strings": "`tf.compat.v1.strings`: tensors of bytes, with the 1.x signatures.",
    "compat.v1.summary": "`tf.compat.v1.summary`: values in graphs as summaries for TensorBoard.",
    "compat.v1.test": "`tf.compat.v1.test`: checks of gradients with the 1.x signatures.",
    "types": "`tf.types`: kinds of functions and of what they take.",
    "types.experimental.distributed": "`tf.types.experimental.distributed`: values that differ between replicas.",
    "types.experimental": "`tf.types.experimental`: kinds of functions, and what objects say to traced functions.",
    "compat.v1.train.experimental": "`tf.compat.v1.train.experimental`: as `tf.train.experimental`, and loss scales.",
    "compat.v1.saved_model": "`tf.compat.v1.saved_model`: saved graphs of sessions, and saved models.",
    "compat.v1.saved_model.builder": "`tf.compat.v1.saved_model.builder`: what saves the graph of a session.",
    "compat.v1.saved_model.constants": "`tf.compat.v1.saved_model.constants`: the names of files and collections.",
    "compat.v1.saved_model.experimental": "`tf.compat.v1.saved_model.experimental`: saving of objects.",
    "compat.v1.saved_model.loader": "`tf.compat.v1.saved_model.loader`: what loads a graph into a session.",
    "compat.v1.saved_model.main_op": "`tf.compat.v1.saved_model.main_op`: operations that a loaded graph runs first.",
    "compat.v1.saved_model.signature_constants": "`tf.compat.v1.saved_model.signature_constants`: keys of signatures.",
    "compat.v1.saved_model.signature_def_utils": "`tf.compat.v1.saved_model.signature_def_utils`: signatures.",
    "compat.v1.saved_model.tag_constants": "`tf.compat.v1.saved_model.tag_constants`: tags of saved graphs.",
    "compat.v1.saved_model.utils": "`tf.compat.v1.saved_model.utils`: tensors as `TensorInfo` messages.",
    "compat.v1.train": (
        "`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."
    ),
    "compat.v1.train.queue_runner": "`tf.compat.v1.train.queue_runner`: threads that fill queues.",
    "compat.v2": "`tf.compat.v2`: the 2.x names.",
    "config": "`tf.config`: settings of the process.",
    "config.experimental": "`tf.config.experimental`: settings of the process.",
    "config.threading": "`tf.config.threading`: how many threads work on one op.",
    "config.optimizer": "`tf.config.optimizer`: whether functions are compiled without asking for it.",
    "contrib": "`tf.contrib`: the parts that programs around the family use.",
    "contrib.autograph": "`tf.contrib.autograph`: `tf.autograph` by its first name.",
    "contrib.data": "`tf.contrib.data`: transformations of datasets by their 1.x names.",
    "contrib.eager": "`tf.contrib.eager`.",
    "contrib.framework": "`tf.contrib.framework`: `py_func` over nests of arrays, `arg_scope`, variables of models.",
    "contrib.framework.nest": "`tf.contrib.framework.nest`: nested structures, shallow ones included.",
    "contrib.layers": "`tf.contrib.layers`: layers with a normalizer and an activation, regularizers, initializers.",
    "contrib.layers.utils": "`tf.contrib.layers.utils`: outputs by name, collections of variables, sizes.",
    "contrib.metrics": "`tf.contrib.metrics`: further means and counts over batches.",
    "contrib.opt": "`tf.contrib.opt`: further optimizers.",
    "contrib.rnn": "`tf.contrib.rnn`: the cells of recurrent networks, and what runs them.",
    "contrib.slim": "`tf.contrib.slim`: `tf.contrib.layers` with `arg_scope` and the variables of models.",
    "contrib.slim.layers": "`tf.contrib.slim.layers`: `tf.contrib.layers`.",
    "contrib.slim.learning": "`tf.contrib.slim.learning`: operations that train.",
    "contrib.slim.nets": "`tf.contrib.slim.nets`: networks for images.",
    "contrib.slim.nets.inception": "`tf.contrib.slim.nets.inception`: the third Inception network.",
    "contrib.slim.nets.inception_v3": "`tf.contrib.slim.nets.inception_v3`: the third Inception network.",
    "contrib.slim.nets.resnet_utils": "`tf.contrib.slim.nets.resnet_utils`: what residual networks are made of.",
    "contrib.slim.nets.resnet_v1": "`tf.contrib.slim.nets.resnet_v1`: residual networks.",
    "contrib.slim.nets.resnet_v2": "`tf.contrib.slim.nets.resnet_v2`: residual networks of the second version.",
    "contrib.slim.nets.vgg": "`tf.contrib.slim.nets.vgg`: VGG networks.",
    "contrib.slim.losses": "`tf.contrib.slim.losses`: weighted losses, kept in a collection of the graph.",
    "contrib.lookup": "`tf.contrib.lookup`: tables by their first names, and those of words in files.",
    "data": "`tf.data`: datasets.",
    "data.experimental": "`tf.data.experimental`: more of datasets.",
    "debugging": (
        "`tf.debugging`: assertions, what the caches hold, and runs on the caller's thread so that stepping works."
    ),
    "distribute": "`tf.distribute`: servers that run parts of graphs; strategies with one replica.",
    "distribute.experimental": "`tf.distribute.experimental`: strategies of several machines, refused when created.",
    "distribute.cluster_resolver": "`tf.distribute.cluster_resolver`: what cluster there is.",
    "dtypes": "`tf.dtypes`: the element types.",
    "dtypes.experimental": "`tf.dtypes.experimental`: narrow element types of 8 bits and fewer.",
    "raw_ops": "`tf.raw_ops`: TensorFlow's ops as they are declared; the functions of `tf` are faster in eager code.",
    "errors": "`tf.errors`: the exception tree, and the codes of its classes.",
    "experimental": "`tf.experimental`.",
    "experimental.numpy": "`tf.experimental.numpy`: NumPy's functions over tensors, and its behavior for them.",
    "experimental.numpy.random": "`tf.experimental.numpy.random`: random numbers by the names of NumPy.",
    "experimental.dlpack": (
        "`tf.experimental.dlpack`: tensors and arrays of other libraries without copies, on the host and on "
        "accelerators."
    ),
    "experimental.dtensor": "`tf.experimental.dtensor`: tensors with a layout over the CPU's logical devices.",
    "experimental.extension_type": "`tf.experimental.extension_type`: functions of users' own types.",
    "flags": "`tf.flags` of 1.x: what a program reads from its command line, by absl.",
    "gfile": "`tf.gfile` of 1.x: files and folders by their first names.",
    "graph_util": "`tf.graph_util`: graphs as messages.",
    "image": "`tf.image`: resizing, cropping, colors, flips and boxes.",
    "initializers": "`tf.initializers`: what makes the first values of variables.",
    "io": "`tf.io`: files, records, and what decodes them.",
    "io.gfile": "`tf.io.gfile`: files and folders by their names, on this machine and elsewhere.",
    "jax": "`inlay.jax`: host functions in programs that JAX compiles.",
    "torch": "`inlay.torch`: host functions in programs of PyTorch.",
    "linalg": "`tf.linalg`: matrices.",
    "linalg.experimental": "`tf.linalg.experimental`: iterative solvers.",
    "logging": '`tf.logging`: the 1.x names of the standard library\'s logger called "inlay".',
    "lookup": "`tf.lookup`: tables of keys and values.",
    "lookup.experimental": "`tf.lookup.experimental`: tables that programs change.",
    "math": "`tf.math`: mathematics under its namespaced names.",
    "math.special": "`tf.math.special`: Bessel functions and integrals.",
    "nest": "`tf.nest`: nested structures.",
    "nn": "`tf.nn`: neural networks, with the 2.x signatures.",
    "nn.experimental": "`tf.nn.experimental`: dropout with random numbers of the caller's.",
    "profiler": "`tf.profiler`: where a program's time goes.",
    "profiler.experimental": "`tf.profiler.experimental`: spans of time that a program names.",
    "python_io": "`tf.python_io`: record files by their 1.x names.",
    "queue": "`tf.queue`: elements that some runs put in and others take out.",
    "quantization": "`tf.quantization`: numbers rounded to those that few bits can hold, as floats.",
    "ragged": "`tf.ragged`: tensors whose rows differ in length.",
    "saved_model.experimental": "`tf.saved_model.experimental`: what a saved model says of where variables were.",
    "saved_model": "`tf.saved_model`: objects with their functions and variables as folders.",
    "random": "`tf.random`: random numbers, and the seeds they follow from.",
    "random.experimental": "`tf.random.experimental`: places in permutations, and generators by their first names.",
    "sets": "`tf.sets`: sets in the last axis of tensors.",
    "signal": "`tf.signal`: Fourier and cosine transforms, windows, spectra.",
    "sparse": "`tf.sparse`: tensors most of whose elements are zero.",
    "strings": "`tf.strings`: tensors of bytes.",
    "summary": "`tf.summary`: what TensorBoard shows, recorded into event files.",
    "summary.experimental": "`tf.summary.experimental`: the step, and own kinds of summaries.",
    "sysconfig": "`tf.sysconfig`: the build of the library.",
    "test": "`tf.test`: checking gradients, and what this build can do.",
    "test.experimental": "`tf.test.experimental`: waiting for devices.",
    "train": "`tf.train`: checkpoints, optimizers and learning rates.",
    "train.experimental": "`tf.train.experimental`.",
    "version": "`tf.version`: which version this is.",
}
"""What each namespace holds: its docstring."""

DYNAMIC = {"raw_ops": "programs.raw_ops"}
"""Namespace without a list of names -> the module below `_src` that makes each name when it is asked for."""

LATE = ("protos.", "monitored.", "queues.batching", "queues.producers")
"""Modules whose names load when they are asked for: protobuf, which they need, takes a tenth of what NumPy takes."""

CONTINUES = {
    "app": "compat.v1.app",
    "app.flags": "compat.v1.flags",
    "compat.v1": "",
    "compat.v1.app.flags": "compat.v1.flags",
    "compat.v1.data": "data",
    "compat.v1.data.experimental": "data.experimental",
    "compat.v1.debugging": "debugging",
    "compat.v1.image": "image",
    "compat.v1.io": "io",
    "compat.v1.linalg": "linalg",
    "compat.v1.lookup": "lookup",
    "compat.v1.math": "math",
    "compat.v1.nn": "nn",
    "compat.v1.train.experimental": "train.experimental",
    "compat.v1.random": "random",
    "compat.v1.sparse": "sparse",
    "compat.v1.strings": "strings",
    "compat.v1.summary": "summary",
    "compat.v1.test": "test",
    "compat.v1.train": "train",
    "compat.v2": "",
    "contrib.autograph": "autograph",
    "flags": "compat.v1.flags",
    "gfile": "compat.v1.gfile",
    "contrib.slim": "contrib.layers",
    "contrib.slim.layers": "contrib.layers",
    "contrib.rnn": "compat.v1.nn.rnn_cell",
}
"""Namespace -> the one whose names it has too, where it has none of its own."""


@dataclass(frozen=True)
class Home:
    """Where a public thing is defined: module, name in it, and whether that is the target of an assignment."""

    module: str
    name: str
    assigned: bool

    @property
    def value(self) -> Any:
        return getattr(importlib.import_module(self.module), self.name)

    @property
    def original(self) -> tuple[str, str] | None:
        """The module that defines a class of the library which is exported elsewhere, and its name there."""
        value = self.value
        if isinstance(value, type) and self.assigned and defining_module(value).startswith("inlay."):
            module = defining_module(value)
            name = next((n for n, v in vars(importlib.import_module(module)).items() if v is value), None)
            return None if module == self.module or name is None else (module, name)
        return None

    @property
    def made(self) -> bool:
        """Whether a decorator or another function made it, so that a checker does not see its signature."""
        value = self.value
        return isinstance(value, FunctionType) and (
            self.assigned or bool({"opdef", "__signature__"} & vars(value).keys())
        )

    @property
    def constructed(self) -> bool:
        """Whether it is a class with a constructor that a decorator made."""
        return isinstance(self.value, type) and hasattr(vars(self.value).get("__init__"), "__signature__")


def exported(call: ast.expr) -> list[str]:
    """The paths of `export("a", "b")`; none for any other expression.

    Raises:
      ValueError: for a path that is not written out.
    """
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "export"):
        return []
    paths = [a.value if isinstance(a, ast.Constant) else None for a in call.args]
    if not all(isinstance(p, str) for p in paths):
        raise ValueError(f"export takes string literals: {ast.unparse(call)}")
    return paths  # type: ignore[return-value]


def _statements(tree: ast.Module, module: str) -> Iterator[tuple[Home, list[str]]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            paths = [p for d in node.decorator_list for p in exported(d)]
            yield Home(module, node.name, assigned=False), paths
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            yield Home(module, ast.unparse(target), assigned=True), exported(node.value.func)


@cache
def exports() -> dict[str, tuple[Home, str]]:
    """Public path -> where it is defined, and the path it is at home.

    Raises:
      ValueError: for a path that two things claim, or in a namespace that `ABOUT` does not know.
    """
    found: dict[str, tuple[Home, str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "export(" not in text or MARK in text:
            continue
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for home, paths in _statements(ast.parse(text, str(file)), module):
            for path in paths:
                if path in found:
                    raise ValueError(f"{path} is exported by {found[path][0]} and by {home}")
                if path.rpartition(".")[0] not in ABOUT:
                    raise ValueError(f"{home} is exported as {path}: add that namespace to ABOUT in {__file__}")
                found[path] = home, paths[0]
    return found


def children(namespace: str) -> list[str]:
    """The namespaces right below one, by their last name."""
    below = [n.rpartition(".") for n in ABOUT if n]
    return sorted(last for parent, _, last in below if parent == namespace)


def own(namespace: str) -> dict[str, tuple[Home, str]]:
    """The names that a namespace does not merely continue: name -> where it is defined, its path at home."""
    return {p.rpartition(".")[2]: at for p, at in sorted(exports().items()) if p.rpartition(".")[0] == namespace}


def module_of(namespace: str) -> str:
    """The module users import for a namespace."""
    return f"inlay.{namespace}" if namespace else "inlay"


def _file(namespace: str, suffix: str) -> Path:
    if not namespace:
        return PACKAGE / ("api.py" if suffix == ".py" else "__init__.pyi")
    base = PACKAGE.joinpath(*namespace.split("."))
    return base / f"__init__{suffix}" if children(namespace) or base.is_dir() else base.with_suffix(suffix)


def _wrapped(head: str, names: list[str], tail: str = "") -> str:
    """`head name, name, ...`, within the line limit."""
    line = f"{head} {', '.join(names)}{tail}"
    if len(line) <= 120:
        return f"{line}\n"
    rows = textwrap.wrap(", ".join(names), 115, break_long_words=False, break_on_hyphens=False)
    body = "\n".join(f"    {row}" for row in rows)
    return f"{head} {tail or '('}\n{body}\n{')' if not tail else ''}\n"


def _imports(wanted: dict[str, dict[str, str]]) -> str:
    """`from module import name as public` for module -> {public: name}, shortest form each."""
    text = ""
    for module, names in sorted(wanted.items()):
        text += "".join(f"import {module} as {public}\n" for public, name in sorted(names.items()) if not name)
        names = {public: name for public, name in names.items() if name}
        if not names:
            continue
        listed = [public if public == name else f"{name} as {public}" for public, name in sorted(names.items())]
        text += _wrapped(f"from {module} import", listed)
    return text


def runtime(namespace: str) -> str:
    """The module that runs."""
    if namespace in DYNAMIC:
        imported = f"from inlay._src.{DYNAMIC[namespace]} import __all__, __dir__, __getattr__"
        return f'"""{ABOUT[namespace]}"""\n\n{MARK}\n# ruff: noqa: F401\n{imported}\n'
    given = [f'"{namespace}"']
    homes: dict[str, list[str]] = defaultdict(list)
    for name, (home, _) in own(namespace).items():
        homes[home.module.removeprefix("inlay._src.")].append(name)
    if homes:
        rows = "".join(_row(module, listed) for module, listed in sorted(homes.items()))
        given.append(f"{{\n{rows}    }}")
    if below := children(namespace):
        given.append(f"below={_strings(below)}")
    if namespace in CONTINUES:
        given.append(f'continues="{CONTINUES[namespace]}"')
    if not namespace:
        given.append(f"packages={dict(sorted(packages().items()))}".replace("'", '"'))
    if missing := absent(namespace):
        rows = "".join(f'        "{name}": "{instead}",\n' for name, instead in sorted(missing.items()))
        given.append(f"absent={{\n{rows}    }}")
    call = "__all__, __dir__, __getattr__ = _namespace(" + _arguments(given) + ")\n"
    unchecked = "# fmt: off\n" if call.count("\n") > 1 else ""
    imported = "from inlay._src.base.export import namespace as _namespace"
    return f'"""{ABOUT[namespace]}"""\n\n{MARK}\n{unchecked}{imported}\n\n{call}'


def packages() -> dict[str, str]:
    """The top-level names that are modules of other libraries -> the module that loads each, by docs/symbols.toml."""
    symbols = tomllib.loads((ROOT / "docs" / "symbols.toml").read_text(encoding="utf-8"))
    return symbols["packages"]  # type: ignore[no-any-return]


def absent(namespace: str) -> dict[str, str]:
    """What a program asks for in a namespace and is not here -> what to do instead, by docs/symbols.toml."""
    symbols = tomllib.loads((ROOT / "docs" / "symbols.toml").read_text(encoding="utf-8"))
    told: dict[str, str] = symbols["refused"] | symbols["absent"]
    places = {path: path.rpartition(".") for path in told}
    refused = {name: told[path] for path, (place, _, name) in places.items() if place == namespace}
    if namespace:
        return refused
    asked = {name.partition(".")[0] for group in symbols["group"] for name in group["names"].split()}
    return dict.fromkeys(asked - {*names("")}, "not yet here, see docs/compatibility.md") | refused


def _row(module: str, listed: list[str]) -> str:
    """`"module": "name name",`, in several strings where they are many."""
    lines = textwrap.wrap(" ".join(listed), 100, break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1 and len(module) + len(lines[0]) < 98:
        return f'        "{module}": "{lines[0]}",\n'
    parts = "".join(f'        "{line} "\n' for line in lines[:-1]) + f'        "{lines[-1]}",\n'
    return f'        "{module}":\n{parts}'


def _strings(listed: list[str]) -> str:
    """A tuple of strings as source."""
    quoted = [f'"{name}"' for name in listed]
    return f"({', '.join(quoted)}{',' if len(listed) == 1 else ''})"


def _arguments(given: list[str]) -> str:
    """What stands between a call's parentheses: in one line where it fits."""
    line = ", ".join(given)
    if len(line) <= 70:
        return line
    lines = [a if "\n" in a else textwrap.fill(a, 112, subsequent_indent="    ") for a in given]
    return "\n" + "".join(f"    {line},\n" for line in lines)


def names(namespace: str) -> list[str]:
    """Every public name of a namespace, continued ones and child namespaces included."""
    continued = names(CONTINUES[namespace]) if namespace in CONTINUES else []
    return sorted({*continued, *own(namespace), *children(namespace)})


def stub(namespace: str) -> str:
    """What type checkers and editors read in place of the module."""
    if namespace in DYNAMIC:
        return f'"""{ABOUT[namespace]}"""\n\n{MARK}\nfrom typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n'
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    used = Names()
    declared = ""
    for name, (home, first) in own(namespace).items():
        path = f"{namespace}.{name}" if namespace else name
        if home.original is not None:
            wanted[home.original[0]][name] = home.original[1]
            continue
        if not (home.made or home.constructed or first in OVERLOADS or first in FORMS):
            wanted[home.module][name] = home.name
        elif path == first and first in OVERLOADS:
            declared += _with_docstrings(OVERLOADS[first], home.value)
        elif path == first and first in FORMS:
            forms = FORMS[first] if {} in (types for types, _ in FORMS[first]) else (*FORMS[first], ({}, None))
            heads = [f"def {name}{signature(home.value, used, types, result)}: ...\n" for types, result in forms]
            if len(heads) == 1:
                declared += heads[0].removesuffix(" ...\n") + _documented(home.value)
                continue
            declared += _with_docstrings("".join(f"@_overload\n{head}" for head in heads), home.value)
        elif path == first and home.constructed:
            wanted[home.module][f"_{name}"] = home.name
            declared += f"class {name}(_{name}):\n    def __init__{signature(home.value.__init__, used)}: ...\n"
        elif path == first:
            declared += f"def {name}{signature(home.value, used)}:{_documented(home.value)}"
        else:
            parent, _, last = first.rpartition(".")
            wanted[module_of(parent)][name] = last
    for name in sorted({*names(namespace)} - {*own(namespace)} - {*children(namespace)}):
        wanted[module_of(CONTINUES[namespace])][name] = name
    for child in children(namespace):
        wanted[module_of(namespace)][child] = child
    head = "import builtins\n" if "builtins." in declared else ""
    for module, imported in used.imports(declared).items():
        wanted[module] |= imported
    variables = "".join(line for name, line in VARIABLES.items() if re.search(rf"\b{name}\b", declared))
    if variables:
        wanted["typing"] |= {f"_{kind}": kind for kind in ("ParamSpec", "TypeVar") if f"_{kind}(" in variables}
    version = "__version__: str\n" if not namespace else ""
    text = f'"""{ABOUT[namespace]}"""\n\n{MARK}\n{UNCHECKED}{head}{_imports(wanted)}{variables}{version}'
    return text + _all(names(namespace)) + declared


def _all(listed: list[str]) -> str:
    rows = textwrap.wrap(", ".join(f'"{n}"' for n in listed), 115, break_long_words=False, break_on_hyphens=False)
    return "__all__ = [\n" + "".join(f"    {row}\n" for row in rows) + "]\n"


def signature(function: Any, used: Names, types: Mapping[str, str] | None = None, result: str | None = None) -> str:
    """The parameters, defaults and result of a function as a stub writes them.

    Args:
      function: the function.
      used: takes the names that the stub has to import.
      types: other types of some parameters; a star in front of a name makes it one without a default, to be named.
      result: another result.
    """
    called = inspect.signature(function)
    inputs = _inputs(function)
    module = defining_module(written(function))
    types = types or {}
    words: list[str] = []
    marked = False
    for p in called.parameters.values():
        required = types.get(f"*{p.name}")
        if (p.kind is p.KEYWORD_ONLY or required) and not marked:
            words.append("*")
        marked = bool(marked or required or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL))
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.name == "self":
            words.append("self")
            continue
        kind = required or types.get(p.name) or ("str | None" if p.name == "name" else inputs.get(p.name))
        kind = kind or used.annotation(p.annotation, module)
        if p.default is None and not required and p.name not in types and not re.search("None|_Any$", kind):
            kind += " | None"
        without = required or p.default is p.empty or (p.default is None and not re.search("None|_Any$", kind))
        words.append(f"{stars}{p.name}: {kind}" + ("" if without else f" = {_default(p.default)}"))
    return f"({', '.join(words)}) -> {result or _result(function, called, module, used)}"


def _documented(function: Any) -> str:
    """The body of a function of a stub: its docstring, which editors show."""
    text = own_doc(function) or inspect.getdoc(function)
    if not text:
        return " ...\n"
    quoted = textwrap.indent(text.replace("\\", "\\\\").replace('"""', "'''"), "    ").strip()
    return f'\n    """{quoted}{" " if quoted.endswith(chr(34)) else ""}"""\n'


def _with_docstrings(declarations: str, function: Any) -> str:
    """Overloads of a function, the first one with its docstring: editors show it for all."""
    head, first, *more = re.split(r"^@_overload\n", declarations, flags=re.M)
    documented = f"{first.rstrip().removesuffix(' ...')}{_documented(function)}"
    return head + "".join(f"@_overload\n{form}" for form in (documented, *more))


def _inputs(function: Any) -> dict[str, str]:
    """The parameters of an op's function that are tensors, and their types."""
    op = getattr(function, "opdef", None)
    if op is None:
        return {}
    parameters = list(inspect.signature(op.kernel).parameters.values())[1:]
    named = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    kinds = ["_Sequence[_TensorLike]" if a.variadic else "_TensorLike" for a in op.args]
    return dict(zip(named, kinds, strict=True))


def _default(value: Any) -> str:
    if value is None or type(value) in (bool, int, float, str):
        return repr(value) if type(value) is not str else f'"{value}"'
    return repr(value) if type(value) is tuple and all(type(v) in (int, float) for v in value) else "..."


def _result(function: Any, declared: inspect.Signature, module: str, used: Names) -> str:
    """One tensor, a list of them, or what the function's own annotation says."""
    op = getattr(function, "opdef", None)
    if op is None:
        return used.annotation(declared.return_annotation, module)
    if op.variadic_out or len(op.outs) > 1:
        return "list[_Tensor]"
    return "_Tensor" if op.outs else "_Any"


def runtimes() -> dict[Path, str]:
    """The modules that run, and their texts: from the source alone, as nothing is imported before they are right."""
    return {_file(n, ".py"): runtime(n) for n in ABOUT}


def pages() -> dict[Path, str]:
    """Every generated file and its text.

    Raises:
      ValueError: for forms of a function that is not public, or not by that path first.
    """
    if unused := FORMS.keys() - {first for _, first in exports().values()}:
        raise ValueError(f"FORMS names {sorted(unused)}: use the first path of each export")
    return runtimes() | {_file(n, ".pyi"): stub(n) for n in ABOUT}


def present() -> set[Path]:
    """The files in the checkout that some earlier state of the source generated."""
    found = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    return {path for path in found if MARK in path.read_text(encoding="utf-8")}


def write(texts: dict[Path, str]) -> list[Path]:
    """Writes what differs; the files written."""
    changed = [p for p, text in texts.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
    return changed
