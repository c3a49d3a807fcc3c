"""docs/reference/: one page per public namespace from its docstrings, one of Python functions as ops, and the table of
ops.

A name is described once, under the path that its module names; the other pages link to it. Beside the docstring stand
its signature, examples whose values were recorded from TensorFlow, and what is known to differ from TensorFlow.
"""

from __future__ import annotations

import enum
import functools
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts import deviations
from scripts.docstrings import escaped, is_ours, markdown, own_doc
from scripts.recorded_examples import examples
from scripts.update_public_names import current, names_of

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
FAMILY = (
    "tf.py_function", "tf.numpy_function", "tf.py_func", "tf.contrib.framework.py_func", "tf.contrib.eager.py_func",
    "tf.executor", "tf.Threads", "tf.Processes", "tf.RayExecutor", "tf.autograph.experimental.do_not_convert",
)  # fmt: skip
"""What makes a Python function an op, and says where it runs: a page of their own, before the namespaces."""
FAMILY_PAGE = "python_functions"
LINE = 100
"""Characters of a signature's line."""
NOTE = (
    "<!-- Written by scripts/update_generated.py from the docstrings: change those, then run `make generate`. -->\n\n"
)


@dataclass
class Names:
    """What the pages know of all public names.

    Attributes:
      homes: the identity of each value -> the path under which it is described.
      aliases: the path of each described name -> all its paths.
      pages: the path of each described name -> the page that describes it, if it is not that of its namespace.
      examples: the identity of each value -> lines of code.
      differences: a path without `tf.` -> sentences on what differs from TensorFlow.
    """

    homes: dict[int, str] = field(default_factory=dict)
    aliases: Mapping[str, list[str]] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    examples: Mapping[int, list[str]] = field(default_factory=dict)
    differences: Mapping[str, list[str]] = field(default_factory=dict)

    def title(self, path: str) -> str:
        """The heading of a name: its last part on the page of its namespace. Anchors are the same in either case."""
        if path in self.pages:
            return f"`{path}`"
        name = path.rpartition(".")[2]
        return f"`{name}` (function)" if path == path.lower() and path in self._ambiguous else f"`{name}`"

    @functools.cached_property
    def _ambiguous(self) -> set[str]:
        """Paths that are told from another one by their case alone."""
        alike: dict[str, list[str]] = {}
        for path in set(self.homes.values()):
            alike.setdefault(path.lower(), []).append(path)
        return {path for paths in alike.values() if len(paths) > 1 for path in paths}

    def differing(self, path: str) -> list[str]:
        """What differs of a described name, also where it is listed under an alias; 1.x has signatures of its own."""
        paths = [path, *(p for p in self.aliases.get(path, ()) if not p.startswith("tf.compat."))]
        found = (text for p in paths for text in self.differences.get(p.removeprefix("tf."), ()))
        return list(dict.fromkeys(found))

    def link(self, path: str) -> str:
        """A link to the description of a name."""
        page = self.pages.get(path, path.rpartition(".")[0])
        anchor = re.sub(r"[`.()]", "", self.title(path)).replace(" ", "-").lower()
        return f"[`{path}`]({page}.md#{anchor})"


def parameters(value: Any) -> list[str]:
    """A callable's parameters with their defaults, without annotations; "..." alone if it tells none.

    How Python words the call of an enumeration changes from version to version: it has none. A class of others has
    "...", as what it takes changes with the release of its package.
    """
    if isinstance(value, enum.EnumType):
        return []
    if isinstance(value, type) and not is_ours(value):
        return ["..."]
    try:
        declared = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ["..."]
    words: list[str] = []
    marked = False
    for p in declared:
        if p.kind is p.KEYWORD_ONLY and not marked:
            words.append("*")
        marked = marked or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        words.append(f"{stars}{p.name}" + ("" if p.default is p.empty else f"={_default(p.default)}"))
        if p.kind is p.POSITIONAL_ONLY and p is _last_positional_only(declared):
            words.append("/")
    return words


def signature(value: Any) -> str:
    """A callable's parameters and defaults in one line; nothing for enumerations."""
    return "" if isinstance(value, enum.EnumType) else f"({', '.join(parameters(value))})"


def declaration(path: str, value: Any) -> str:
    """How a name is called and what it returns, in one line or one parameter a line."""
    if isinstance(value, enum.EnumType):
        return f"class {path}"
    head = "class " if isinstance(value, type) else ""
    returned = getattr(inspect.unwrap(value), "__annotations__", {}).get("return")
    tail = f" -> {returned}" if isinstance(returned, str) and not head and _is_public(returned) else ""
    words = parameters(value)
    line = f"{head}{path}({', '.join(words)}){tail}"
    if len(line) <= LINE:
        return line
    return f"{head}{path}(\n" + "".join(f"    {word},\n" for word in words) + f"){tail}"


def _is_public(annotation: str) -> bool:
    """Whether a reader can make something of an annotation: neither `Any`, nor a name of ours with an underscore."""
    return annotation != "Any" and not re.search(r"(?<![\w.])_\w|\b[A-Z]\b", annotation)


def _last_positional_only(declared: Any) -> Any:
    return [p for p in declared if p.kind is p.POSITIONAL_ONLY][-1]


def _default(value: Any) -> str:
    text = repr(value)
    return "..." if " at 0x" in text or "<object" in text or len(text) > 40 else text


def entry(path: str, value: Any, names: Names) -> str:
    """The description of one name."""
    text = f"### {names.title(path)}\n\n```py\n{declaration(path, value)}\n```\n\n"
    doc = own_doc(value)
    if doc:
        text += f"{markdown(doc)}\n\n"
    if isinstance(value, type):
        rows = [
            f"- `{name}{'' if isinstance(member, property) else signature(member)}`: {escaped(_first(member))}\n"
            for name, member in methods(value)
        ]
        text += "".join(["**Methods and properties**\n\n", *rows, "\n"] if rows else [])
    shown = names.examples.get(id(value), ())
    if shown:
        lines = "\n".join(shown)
        text += f"**Examples**\n\n```py\n{lines}\n```\n\n"
    differing = names.differing(path)
    if differing:
        text += (
            "> [!NOTE]\n> **Differs from TensorFlow**\n>\n"
            + "".join(f"> - {escaped(what)}\n" for what in differing)
            + "\n"
        )
    return text


def methods(cls: type) -> list[tuple[str, Any]]:
    """Public methods and properties that a class of ours declares and describes."""
    found: dict[str, Any] = {}
    for base in reversed([b for b in cls.__mro__ if b.__module__.startswith("inlay")]):
        for name, member in vars(base).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not name.startswith("_") and (callable(plain) or isinstance(plain, property)) and own_doc(plain):
                found[name] = plain
    return sorted(found.items())


def _first(value: Any) -> str:
    return re.split(r"(?<=[.:;])\s", own_doc(value).replace("\n", " "), maxsplit=1)[0].rstrip(":;")


def namespaces() -> dict[str, ModuleType]:
    """Public namespaces by the path a user writes after `tf.`; "tf" is the top level."""
    import inlay

    found: dict[str, ModuleType] = {"tf": inlay}
    for path, value in sorted(current().items(), key=lambda item: (item[0].count("."), item[0])):
        if isinstance(value, ModuleType) and value not in found.values():
            found[path.replace("inlay.", "tf.", 1)] = value
    return found


def home(value: Any, paths: list[str]) -> str:
    """The path under which a value is described: the one that it says itself, or else the first."""
    own = f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', None)}".replace("inlay.", "tf.", 1)
    return own if own in paths else paths[0]


def collected(listed: Mapping[str, ModuleType]) -> Names:
    """What the pages know of the public names of these namespaces."""
    paths: dict[int, list[str]] = {}
    values: dict[int, Any] = {}
    for path, module in sorted(listed.items(), key=lambda item: (item[0].count("."), item[0])):
        for name in names_of(module):
            value = getattr(module, name, None)
            if callable(value) and not isinstance(value, ModuleType):
                paths.setdefault(id(value), []).append(f"{path}.{name}")
                values[id(value)] = value
    homes = {key: home(value, paths[key]) for key, value in values.items()}
    return Names(homes, {homes[key]: listed_as for key, listed_as in paths.items()})


def page(path: str, module: ModuleType, names: Names) -> str:
    """One namespace: its classes and functions in full, aliases and values in a line each."""
    about = escaped(about_of(path, module))
    classes: list[str] = []
    functions: list[str] = []
    alias: list[str] = []
    plain: list[str] = []
    index: list[str] = []
    for name in names_of(module):
        value = getattr(module, name, None)
        full = f"{path}.{name}"
        if isinstance(value, ModuleType):
            continue
        if not callable(value):
            plain.append(full)
        elif names.homes[id(value)] != full:
            alias.append(f"- `{full}` is {names.link(names.homes[id(value)])}\n")
        else:
            index.append(f"| {names.link(full)} | {_cell(_sentence(own_doc(value)))} |\n")
            if full not in names.pages:
                (classes if isinstance(value, type) else functions).append(entry(full, value, names))
    text = f"# `{path}`\n\n{NOTE}{about}\n\n"
    if len(index) > 1:
        text += f"| name | description |\n|---|---|\n{''.join(index)}\n"
    for title, entries in (("Classes", classes), ("Functions", functions)):
        text += "".join([f"## {title}\n\n", *entries] if entries else [])
    if alias:
        text += "## The same under another name\n\n" + "".join(alias) + "\n"
    if plain:
        text += "## Values\n\n" + ", ".join(f"`{name}`" for name in plain) + "\n"
    return text.rstrip() + "\n"


def about_of(path: str, module: ModuleType) -> str:
    """A namespace's docstring, without the namespace's name in front of it."""
    text = inspect.cleandoc(module.__doc__ or "").removeprefix(f"`{path}`: ")
    return text[:1].upper() + text[1:]


def family_page(root: ModuleType, names: Names) -> str:
    """What makes a Python function an op."""
    text = (
        f"# Python functions as ops\n\n{NOTE}The functions that make a Python function an op, and the executors that "
        "run it: [wrap a function](../use/wrap.md) and [executors](../scale/executors.md) show how to use them.\n\n"
    )
    return text + "".join(entry(path, _value(root, path), names) for path in names.pages).rstrip() + "\n"


def _value(root: ModuleType, path: str) -> Any:
    return functools.reduce(getattr, path.split(".")[1:], root)


def _cell(text: str) -> str:
    """A sentence in a table's cell."""
    return escaped(text)


def ops_page() -> str:
    """The table of ops: what each takes, its effect, where its gradient comes from."""
    from inlay._src.base.export import load_all
    from inlay._src.core.opdef import OPS, no_gradient

    load_all()
    rows = []
    for name, op in sorted(OPS.items()):
        inputs = ", ".join(("*" if a.variadic else "") + a.name for a in op.args)
        gradient = "none" if op.vjp is no_gradient else "derived" if op.vjp is None else "stated"
        attrs = ", ".join(op.attrs)
        says = _sentence(inspect.cleandoc(op.doc))
        rows.append(f"| `{name}` | {inputs} | {attrs} | {op.effect.value} | {gradient} | {says} |\n")
    return (
        f"# Ops\n\n{NOTE}{len(rows)} op types, as nodes of a graph name them. A gradient is stated in terms "
        "of other ops, or derived from the kernel.\n\n"
        "| op | inputs | attributes | effect | gradient | what it does |\n|---|---|---|---|---|---|\n" + "".join(rows)
    )


def _sentence(doc: str) -> str:
    return re.split(r"(?<=\.)\s", doc.replace("\n", " "), maxsplit=1)[0].replace("|", "\\|")


def index_page(listed: dict[str, ModuleType]) -> str:
    rows = f"| [Python functions as ops]({FAMILY_PAGE}.md) | `py_function` and its relatives, executors |\n" + "".join(
        f"| [`{path}`]({path}.md) | {_cell(_sentence(about_of(path, module)))} |\n" for path, module in listed.items()
    )
    return (
        f"# Reference\n\n{NOTE}`import inlay as tf`. Names that TensorFlow has mean what they mean there; "
        "[deviations](../deviations.md) lists the exceptions.\n\n"
        f"| namespace | what it holds |\n|---|---|\n{rows}| [ops](ops.md) | every op type |\n"
    )


def pages() -> dict[Path, str]:
    """Every page of the reference and its text."""
    import inlay

    listed = dict(sorted(namespaces().items()))
    names = collected(listed)
    homes = {names.homes[id(_value(inlay, path))] for path in FAMILY}
    names.pages = {path: FAMILY_PAGE for path in dict.fromkeys(FAMILY) if path in homes}
    names.examples = examples(inlay)
    names.differences = deviations.by_name()
    out = {FOLDER / f"{path}.md": page(path, module, names) for path, module in listed.items()}
    return out | {
        FOLDER / f"{FAMILY_PAGE}.md": family_page(inlay, names),
        FOLDER / "ops.md": ops_page(),
        FOLDER / "index.md": index_page(listed),
    }
