"""What `import inlay` loads, and which modules may touch which third-party package."""

from __future__ import annotations

import subprocess
import sys
from fnmatch import fnmatch

import pytest

from tests.architecture.sources import modules

ABSENT = ("PIL", "jax", "jaxlib", "malt", "ray", "scipy", "tensorflow", "torch")

# package -> the modules that may import it. A longer list needs a reason in review.
CONFINED: dict[str, tuple[str, ...]] = {
    "jax": ("core/opdef.py", "core/xla.py", "autodiff/*", "run/compiled.py", "hostcall/*"),
    "jaxlib": (),
    "ray": (),
    "tensorflow": (),
    "malt": ("conversion/transpile.py",),
    "cloudpickle": ("bodies/*", "bodies.py", "*/wire.py"),
    "multiprocessing": ("workers/*",),
}
LAZY = ("jax", "ray", "torch", "scipy", "PIL")


def test_importing_the_package_loads_none_of_the_heavy_ones() -> None:
    code = f"import inlay, sys; print(*[name for name in {ABSENT!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize("package", CONFINED)
def test_only_the_listed_modules_import(package: str) -> None:
    outside = sorted(
        f"{module.relative}:{wanted.line}"
        for module in modules().values()
        for wanted in module.imports
        if wanted.target.split(".")[0] == package
        and not any(fnmatch(module.relative, pattern) for pattern in CONFINED[package])
    )
    assert outside == [], f"{package} is confined to {CONFINED[package] or 'no module'}"


@pytest.mark.parametrize("package", LAZY)
def test_is_imported_on_first_use_only(package: str) -> None:
    eager = sorted(
        f"{module.relative}:{wanted.line}"
        for module in modules().values()
        for wanted in module.imports
        if wanted.target.split(".")[0] == package and wanted.at_import
    )
    assert eager == [], f"import {package} inside the function that needs it"
