"""`tf.app.flags` of 1.x: what a program reads from its command line, by absl."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.compat.v1.flags import (
    ArgumentParser, ArgumentSerializer, BaseListParser, BooleanFlag, BooleanParser, CantOpenFlagFileError,
    CsvListSerializer, DEFINE, DEFINE_alias, DEFINE_bool, DEFINE_boolean, DEFINE_enum, DEFINE_enum_class, DEFINE_flag,
    DEFINE_float, DEFINE_integer, DEFINE_list, DEFINE_multi, DEFINE_multi_enum, DEFINE_multi_enum_class,
    DEFINE_multi_float, DEFINE_multi_integer, DEFINE_multi_string, DEFINE_spaceseplist, DEFINE_string,
    DuplicateFlagError, EnumClassFlag, EnumClassListSerializer, EnumClassParser, EnumClassSerializer, EnumFlag,
    EnumParser, Error, FLAGS, Flag, FlagHolder, FlagNameConflictsWithMethodError, FlagValues, FloatParser,
    IllegalFlagValueError, IntegerParser, ListParser, ListSerializer, MultiEnumClassFlag, MultiFlag,
    UnparsedFlagAccessError, UnrecognizedFlagError, ValidationError, WhitespaceSeparatedListParser,
    adopt_module_key_flags, declare_key_flag, disclaim_key_flags, doc_to_help, flag_dict_to_args, get_help_width,
    mark_bool_flags_as_mutual_exclusive, mark_flag_as_required, mark_flags_as_mutual_exclusive, mark_flags_as_required,
    multi_flags_validator, override_value, register_multi_flags_validator, register_validator, set_default, text_wrap,
    validator
)
__all__ = [
    "ArgumentParser", "ArgumentSerializer", "BaseListParser", "BooleanFlag", "BooleanParser", "CantOpenFlagFileError",
    "CsvListSerializer", "DEFINE", "DEFINE_alias", "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_enum_class",
    "DEFINE_flag", "DEFINE_float", "DEFINE_integer", "DEFINE_list", "DEFINE_multi", "DEFINE_multi_enum",
    "DEFINE_multi_enum_class", "DEFINE_multi_float", "DEFINE_multi_integer", "DEFINE_multi_string",
    "DEFINE_spaceseplist", "DEFINE_string", "DuplicateFlagError", "EnumClassFlag", "EnumClassListSerializer",
    "EnumClassParser", "EnumClassSerializer", "EnumFlag", "EnumParser", "Error", "FLAGS", "Flag", "FlagHolder",
    "FlagNameConflictsWithMethodError", "FlagValues", "FloatParser", "IllegalFlagValueError", "IntegerParser",
    "ListParser", "ListSerializer", "MultiEnumClassFlag", "MultiFlag", "UnparsedFlagAccessError",
    "UnrecognizedFlagError", "ValidationError", "WhitespaceSeparatedListParser", "adopt_module_key_flags",
    "declare_key_flag", "disclaim_key_flags", "doc_to_help", "flag_dict_to_args", "get_help_width",
    "mark_bool_flags_as_mutual_exclusive", "mark_flag_as_required", "mark_flags_as_mutual_exclusive",
    "mark_flags_as_required", "multi_flags_validator", "override_value", "register_multi_flags_validator",
    "register_validator", "set_default", "text_wrap", "validator"
]
