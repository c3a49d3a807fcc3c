"""The annotations of functions as stubs repeat them, and the imports that these need.

A stub writes every name of an annotation with an underscore in front, so that it is none of the namespace's:
`Sequence[Tensor]` of `inlay._src.ops.math` becomes `_Sequence[_Tensor]`, after `from inlay._src.core.tensor import
Tensor as _Tensor` and `from collections.abc import Sequence as _Sequence`.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import Any

SHADOWED = ("bool", "complex", "tuple")
"""Builtins whose names are public ones of some namespace as well."""
COMMON = {
    **dict.fromkeys(("Callable", "Mapping", "Sequence"), "collections.abc"),
    **dict.fromkeys(("Any", "Concatenate", "Generic", "Literal", "ParamSpec", "TypeVar", "overload"), "typing"),
    **dict.fromkeys(("Tensor", "TensorLike"), "inlay._src.core.tensor"),
    "Operation": "inlay._src.core.operation",
    "SparseTensor": "inlay._src.ops.composite.sparse",
    "RaggedTensor": "inlay._src.ops.composite.ragged",
    "LinearOperator": "inlay._src.programs.linear_operators.operator",
    "FlagHolder": "absl.flags",
    "Dataset": "inlay._src.data.dataset",
    "OwnedIterator": "inlay._src.data.iterating",
    "Variable": "inlay._src.ops.variables.variable",
    "DType": "inlay._src.base.types.dtypes",
    "ConcreteFunction": "inlay._src.programs.functions.concrete",
}
"""Names that generated declarations use -> the modules that define them."""


@dataclass
class Names:
    """The names that the declarations of a stub use."""

    origins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name in the stub -> the module that it is imported from, and its name there; none there for a module itself."""

    def annotation(self, said: Any, module: str) -> str:
        """An annotation of a function as the stub writes it: `_Any` if its names are not those of its module.

        Args:
          said: the annotation, a string.
          module: the module that defines the function.
        """
        if said is None or said in (int, str):  # of functions of absl, whose annotations are objects
            return "None" if said is None else said.__name__
        if not isinstance(said, str):
            return "_Any"
        tree = ast.parse(said, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                origin = bindings(module).get(node.id)
                if origin is None and node.id in COMMON:  # of a signature that another module declares
                    origin = COMMON[node.id], node.id
                if origin is not None:
                    node.id = f"_{node.id}"
                    if self.origins.setdefault(node.id, origin) != origin:
                        raise ValueError(f"{node.id} is {origin} and {self.origins[node.id]}: rename one")
                elif hasattr(builtins, node.id):
                    node.id = f"builtins.{node.id}" if node.id in SHADOWED else node.id
                else:
                    return "_Any"
        return ast.unparse(tree)

    def imports(self, declarations: str) -> dict[str, dict[str, str]]:
        """Module -> {name in the stub: name there}, for declarations that use the names of `COMMON` as well."""
        used = {f"_{name}": (module, name) for name, module in COMMON.items()} | self.origins
        modules: dict[str, dict[str, str]] = {}
        for name, (module, original) in used.items():
            if re.search(rf"\b{name}\b", declarations):
                modules.setdefault(module, {})[name] = original
        return modules


@cache
def bindings(module: str) -> dict[str, tuple[str, str]]:
    """The imports and definitions of a module: name -> the module it comes from and its name there.

    Those below `if TYPE_CHECKING` count. The name there is "" where a module is meant.
    """
    names: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            names |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = module, node.name
        elif isinstance(node, ast.Assign):
            names |= {target.id: (module, target.id) for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = module, node.target.id
    return names
