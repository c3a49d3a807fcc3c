"""`tf.config.optimizer`: whether functions are compiled without asking for it."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "config.optimizer",
    {
        "engine.plan.optimizer_options": "get_experimental_options set_experimental_options",
        "engine.run.xla_segments": "get_jit set_jit",
    },
)
