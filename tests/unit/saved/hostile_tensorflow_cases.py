"""The hostile models without a manifest: what each starts from, how it is changed, and what it is refused with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np

from inlay._src.saved.container import GRAPH
from tests.unit.saved import hostile_tensorflow_models as made
from tests.unit.saved.hostile_models import Change, Hostile, in_place_of, large

REFUSED, DAMAGED = " was not loaded: ", "is damaged at "
_DEEP_TEXT = b"meta_graphs { graph_def { node { " + b"attr { value { func { " * 5000
_DATA = "variables/variables.data-00000-of-00001"

IN_GRAPHS: dict[str, tuple[str, Change, str]] = {
    "bad_node_attr": ("dense", made.function("__call", made.bad_attribute), DAMAGED),
    "const_with_no_value": ("dense", made.function("__call", made.no_value), DAMAGED),
    "negative_shape": ("dense", made.function("__call", made.negative_shape), DAMAGED),
    "huge_constant": ("dense", made.function("__call", made.huge_constant), DAMAGED),
    "function_calls_itself": ("dense", made.function("__call", made.calls_itself), "calls itself"),
    "function_twice": ("dense", made.meta(made.function_twice), "two of that name"),
    "argument_of_a_negative_shape": ("dense", made.function("__call", made.argument_of_a_shape), DAMAGED),
    "constant_of_a_variant": ("dense", made.meta(made.in_a_text_variant), DAMAGED),
    "messages_within_messages": ("dense", lambda p: (p / GRAPH).write_bytes(b"\x12\x7f" * 50_000), DAMAGED),
    "no_message": ("dense", lambda p: (p / GRAPH).write_bytes(b"\xff" * 1000), DAMAGED),
    "text_that_is_none": (
        "dense", lambda p: ((p / GRAPH).unlink(), (p / "saved_model.pbtxt").write_bytes(b"{" * 10_000)), DAMAGED,
    ),
    "text_that_is_deep": (
        "dense",
        lambda p: ((p / GRAPH).unlink(), (p / "saved_model.pbtxt").write_bytes(_DEEP_TEXT)), DAMAGED,
    ),
    "reference_of_no_type": ("references", made.references(lambda n: n.attr["dtype"].Clear()), DAMAGED),
    "reference_of_another_kind": ("references", made.references(lambda n: setattr(n.attr["shape"], "i", 3)), DAMAGED),
    "reference_that_is_huge": (
        "references", made.references(lambda n: n.attr["shape"].shape.dim.add(size=made.HUGE)), ".",
    ),
    "references_in_a_chain": ("references", made.meta(made.many_updates), ""),
}  # fmt: skip
RUN: dict[str, tuple[str, Change, str]] = {
    "initializer_writes": ("vocabulary_file", made.writes, REFUSED),
    "initializer_reads": ("vocabulary_file", made.initializer(made.reads), REFUSED),
    "initializer_fills_from_a_file": ("vocabulary_file", made.initializer(made.fills_from), REFUSED),
    "initializer_captures_a_path": ("vocabulary_file", made.meta(made.fills_from_a_constant), REFUSED),
    "initializer_restores": ("vocabulary_file", made.initializer(made.restores), REFUSED),
    "initializer_calls_python": ("vocabulary_file", made.initializer(made.calls_python), REFUSED),
    "initializer_fills_memory": ("vocabulary_file", made.initializer(made.fills_memory), "more memory"),
    "initializer_repeats": ("vocabulary_file", made.meta(made.repeats), REFUSED),
    "creator_writes": ("static_table", made.function("_creator", made.reads), REFUSED),
    "main_op_writes": ("asset_table", made.main_op("WriteFile", {"f": b"MARK", "t": b"boom"}), REFUSED),
    "main_op_reads": ("asset_table", made.main_op("ReadFile", {"f": b"/etc/passwd"}), REFUSED),
    "main_op_calls_python": ("asset_table", made.main_op("EagerPyFunc", {}, {"Tin": [], "Tout": []}), REFUSED),
    "main_op_prints": ("asset_table", made.main_op("PrintV2", {"f": b"boom"}), REFUSED),
    "main_op_fills_from_a_file": ("asset_table", made.meta(made.table_of), REFUSED),
    "main_op_assigns_a_path": ("vocabulary_file", made.meta(made.assigns_a_path), REFUSED),
    "restores_another_file": ("references", made.meta(made.restores_elsewhere), REFUSED),
}
IN_OBJECTS: dict[str, tuple[str, Change, str]] = {
    "object_out_of_range": ("nested", made.nodes(lambda n: setattr(n[0].children[0], "node_id", 10**9)), DAMAGED),
    "object_negative": ("nested", made.nodes(lambda n: setattr(n[0].children[0], "node_id", -1)), DAMAGED),
    "object_of_no_kind": ("nested", made.nodes(lambda n: n.add()), "unknown kind"),
    "no_objects_but_children": ("nested", made.nodes(lambda n: n[0].ClearField("user_object")), "unknown kind"),
    "resource_makes_itself": ("static_table", made.nodes(made.circle_of_resources), DAMAGED),
    "creator_captures_its_table": ("static_table", made.meta(made.created_by_itself), DAMAGED),
    "resources_in_a_chain": ("static_table", made.nodes(made.chain_of_resources), DAMAGED),
    "list_of_absurd_places": ("nested", made.list_of("9" * 5000, "-1", "0", "٣", "", "1e9"), ""),
    "signature_deep": ("dense", made.trace("__call", made.deep_structure), "nested|deep|damaged"),
    "signature_deeper": ("dense", made.deep_bytes, DAMAGED),
    "named_tuple_of_many_fields": ("named_tuple", made.trace("run", made.many_fields), DAMAGED),
    "named_tuple_of_code": ("named_tuple", made.trace("run", made.field_names), DAMAGED),
    "captures_too_many": ("dense", made.trace("__call", lambda s: s.bound_inputs.extend([0] * 5)), DAMAGED),
    "captures_too_few": ("dense", made.trace("__call", lambda s: s.bound_inputs.pop()), DAMAGED),
    "captures_nowhere": ("dense", made.meta(made.captures_nowhere), DAMAGED),
    "captured_tensor_of_nothing": ("dense", made.meta(made.captured_tensor), DAMAGED),
    "trace_of_no_function": (
        "dense", made.nodes(lambda n: made.of_kind("function", n)[0].function.concrete_functions.append("x")), DAMAGED,
    ),
    "asset_of_no_number": (
        "vocabulary_file", made.nodes(lambda n: setattr(made.of_kind("asset", n)[0].asset, "asset_file_def_index", 7)),
        DAMAGED,
    ),
    "constant_of_no_name": (
        "static_table", made.nodes(lambda n: setattr(made.of_kind("constant", n)[0].constant, "operation", "x")),
        DAMAGED,
    ),
    "gradient_that_is_missing": (
        "custom_gradient", made.gradient_of(lambda r, s: setattr(r, "gradient_func", "nothing")), DAMAGED,
    ),
    "gradient_of_more_results": (
        "custom_gradient", made.gradient_of(lambda r, s: s.output_signature.tuple_value.values.add()), DAMAGED,
    ),
    "gradient_of_more_captures": (
        "custom_gradient", made.gradient_of(lambda r, s: s.bound_inputs.append(0)), DAMAGED,
    ),
    "gradient_that_captures_nothing": (
        "custom_gradient_captures",
        made.gradient_of(lambda r, s: s.bound_inputs.__setitem__(0, 10**9)), DAMAGED,
    ),
}  # fmt: skip
IN_FILES: dict[str, tuple[str, Change, str]] = {
    "asset_outside": ("vocabulary_file", made.asset_named("../../etc/passwd"), "valid file name"),
    "asset_absolute": ("vocabulary_file", made.asset_named("/etc/passwd"), "valid file name"),
    "asset_without_a_name": ("vocabulary_file", made.asset_named(""), "valid file name"),
    "asset_of_a_session_outside": ("asset_table", made.asset_named("../../../../etc/passwd"), "valid file name"),
    "asset_is_a_link": (
        "vocabulary_file", in_place_of("assets/words.txt", lambda p: p.symlink_to("/etc/passwd")), "not followed",
    ),
    "asset_is_a_fifo": ("vocabulary_file", in_place_of("assets/words.txt", os.mkfifo), "not a regular file"),
    "assets_are_a_link": (
        "vocabulary_file", lambda p: (shutil.rmtree(p / "assets"), (p / "assets").symlink_to("/etc")), "not followed",
    ),
    "graph_is_a_link": (
        "dense", in_place_of(GRAPH, lambda p: p.symlink_to(made.GOLDEN / "tensorflow_models/dense" / GRAPH)),
        "not followed",
    ),
    "graph_is_a_device": ("dense", in_place_of(GRAPH, lambda p: p.symlink_to("/dev/zero")), "not exist"),
    "graph_is_sparse": ("dense", in_place_of(GRAPH, large), DAMAGED),
    "index_is_a_link": ("dense", in_place_of(made.INDEX, lambda p: p.symlink_to("/etc/passwd")), "not followed"),
    "index_is_a_fifo": ("dense", in_place_of(made.INDEX, os.mkfifo), "not a regular file"),
    "index_is_sparse": ("dense", in_place_of(made.INDEX, large), "."),
    "index_of_garbage": ("dense", lambda p: (p / made.INDEX).write_bytes(b"\xff" * 500), "damaged"),
    "data_is_a_link": ("dense", in_place_of(_DATA, lambda p: p.symlink_to("/dev/zero")), "not followed"),
    "index_of_a_session_is_a_link": (
        "references", in_place_of(made.INDEX, lambda p: p.symlink_to("/dev/zero")), "not followed",
    ),
    "data_of_a_session_is_a_link": (
        "references", in_place_of(_DATA, lambda p: p.symlink_to("/dev/zero")), "not followed",
    ),
    "data_is_missing": ("dense", lambda p: (p / _DATA).unlink(), "is missing"),
    "data_is_shorter": ("dense", lambda p: (p / _DATA).write_bytes(b""), "damaged"),
    "values_of_another_type": ("dense", made.other_values(lambda a: a.astype(np.int16)), DAMAGED),
    "values_of_another_shape": ("dense", made.other_values(lambda a: np.zeros([7, 7, 7], a.dtype)), DAMAGED),
    "values_of_a_session_of_another_type": ("resources", made.other_values(lambda a: a.astype(np.int16)), "dtype"),
    "values_of_a_session_of_another_shape": (
        "resources", made.other_values(lambda a: np.zeros([7, 7, 7], a.dtype)), ".",
    ),
    "variables_of_negative_shape": ("dense", made.nodes(lambda n: made.shapes(n, -7)), DAMAGED),
    "variables_of_huge_shape": ("dense", made.nodes(lambda n: made.shapes(n, made.HUGE)), DAMAGED),
    "thousand_variables_of_one_value": ("dense", made.thousand_variables, "more memory"),
    "thousand_values_of_one": ("references", made.restores_a_thousand, "more memory"),
    "values_without_an_index": ("dense", lambda p: (p / made.INDEX).unlink(), "has no value"),
}  # fmt: skip
CASES = {**IN_GRAPHS, **RUN, **IN_OBJECTS, **IN_FILES}


def written(folder: Path) -> list[Hostile]:
    """Writes all models into a folder, and what each is refused with."""
    cases = []
    for name, (base, change, said) in CASES.items():
        kinds = [made.GOLDEN / kind / base for kind in ("tensorflow_models", "session_models")]
        shutil.copytree(next(path for path in kinds if path.exists()), folder / name)
        change(folder / name)
        cases.append(Hostile(name, said, []))
    return cases
