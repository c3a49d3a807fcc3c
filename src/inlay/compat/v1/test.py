"""`tf.compat.v1.test`: checks of gradients with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.test",
    {
        "engine.autodiff.gradient_check": "compute_gradient compute_gradient_error",
        "programs.graph_def.comparing": "assert_equal_graph_def",
        "tf1.platform.testing": "get_temp_dir test_src_dir_path",
    },
    continues="test",
    absent={
        "StubOutForTesting": "unittest.mock.patch.object replaces an attribute for a test",
    },
)
