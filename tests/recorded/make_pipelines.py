"""Write tests/recorded/pipelines.jsonl.gz: what TensorFlow gives for random pipelines of datasets.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/recorded/make_pipelines.py [--count 320] [--seed 1]
"""

from __future__ import annotations

import argparse
import gzip
import json
import warnings
from pathlib import Path

from tests.recorded.pipelines import drawn, outcome

FILE = Path(__file__).parent / "pipelines.jsonl.gz"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--seed", default="1")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    import tensorflow as tf  # type: ignore[import-not-found]

    tf.get_logger().setLevel("ERROR")
    lines = [json.dumps({"made_with": f"TensorFlow {tf.__version__}", "seed": asked.seed})]
    for number in range(asked.count):
        pipeline = drawn(number, asked.seed)
        lines.append(json.dumps([pipeline.text, outcome(tf, pipeline)], separators=(",", ":")))
    FILE.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
