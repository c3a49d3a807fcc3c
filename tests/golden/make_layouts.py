"""Write tests/golden/layouts.json: what TensorFlow gives for the expressions in tests/golden/layouts.py.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/golden/make_layouts.py
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf  # type: ignore[import-not-found,import-untyped,unused-ignore]

from tests.golden.layouts import EXPRESSIONS, names, outcome

if __name__ == "__main__":
    given = names(tf)
    rows = [json.dumps([expression, outcome(tf, expression, given)]) for expression in EXPRESSIONS]
    Path(__file__).with_suffix("").with_name("layouts.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")
