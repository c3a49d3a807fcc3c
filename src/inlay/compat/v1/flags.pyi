"""`tf.flags`: what a program reads from its command line, by absl."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from absl.flags import FlagHolder as _FlagHolder
from collections.abc import Callable as _Callable
from inlay._src.tf1.platform.flags import (
    ArgumentParser, ArgumentSerializer, BaseListParser, BooleanFlag, BooleanParser, CantOpenFlagFileError,
    CsvListSerializer, DuplicateFlagError, EnumClassFlag, EnumClassListSerializer, EnumClassParser,
    EnumClassSerializer, EnumFlag, EnumParser, Error, FLAGS, Flag, FlagHolder, FlagNameConflictsWithMethodError,
    FlagValues, FloatParser, IllegalFlagValueError, IntegerParser, ListParser, ListSerializer, MultiEnumClassFlag,
    MultiFlag, UnparsedFlagAccessError, UnrecognizedFlagError, ValidationError, WhitespaceSeparatedListParser
)
from typing import Any as _Any, TypeVar as _TypeVar
_R = _TypeVar("_R")
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
def DEFINE(parser: _Any, name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., serializer: _Any = None, module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a generic Flag object."""
def DEFINE_alias(name: str | None, original_name: str, flag_values: _Any = ..., module_name: _Any = None) -> _FlagHolder[_Any]:
    """Defines an alias flag for an existing one."""
def DEFINE_bool(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a boolean flag."""
def DEFINE_boolean(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a boolean flag."""
def DEFINE_enum(name: str | None, default: _Any, enum_values: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be any string from enum_values."""
def DEFINE_enum_class(name: str | None, default: _Any, enum_class: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, case_sensitive: _Any = False, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be the name of enum members."""
def DEFINE_flag(flag: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False) -> _FlagHolder[_Any]:
    """Registers a :class:`Flag` object with a :class:`FlagValues` object."""
def DEFINE_float(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value must be a float."""
def DEFINE_integer(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value must be an integer."""
def DEFINE_list(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value is a comma-separated list of strings."""
def DEFINE_multi(parser: _Any, serializer: _Any, name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a generic MultiFlag that parses its args with a given parser."""
def DEFINE_multi_enum(name: str | None, default: _Any, enum_values: _Any, help: _Any, flag_values: _Any = ..., case_sensitive: _Any = True, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list strings from enum_values."""
def DEFINE_multi_enum_class(name: str | None, default: _Any, enum_class: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, case_sensitive: _Any = False, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of enum members."""
def DEFINE_multi_float(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of arbitrary floats."""
def DEFINE_multi_integer(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of arbitrary integers."""
def DEFINE_multi_string(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of any strings."""
def DEFINE_spaceseplist(name: str | None, default: _Any, help: _Any, comma_compat: _Any = False, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value is a whitespace-separated list of strings."""
def DEFINE_string(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be any string."""
def adopt_module_key_flags(module: _Any, flag_values: _Any = ...) -> None:
    """Declares that all flags key to a module are key to the current module."""
def declare_key_flag(flag_name: _Any, flag_values: _Any = ...) -> None:
    """Declares one flag as key to the current module."""
def disclaim_key_flags() -> None:
    """Declares that the current module will not define any more key flags."""
def doc_to_help(doc: str) -> str:
    """Takes a __doc__ string and reformats it as help."""
def flag_dict_to_args(flag_map: _Any, multi_flags: _Any = None) -> _Any:
    """Convert a dict of values into process call parameters."""
def get_help_width() -> int:
    """Returns the integer width of help lines that is used in TextWrap."""
def mark_bool_flags_as_mutual_exclusive(flag_names: _Any, required: _Any = False, flag_values: _Any = ...) -> None:
    """Ensures that only one flag among flag_names is True."""
def mark_flag_as_required(flag_name: _Any, flag_values: _Any = ...) -> None:
    """Ensures that flag is not None during program execution."""
def mark_flags_as_mutual_exclusive(flag_names: _Any, required: _Any = False, flag_values: _Any = ...) -> None:
    """Ensures that only one flag among flag_names is not None."""
def mark_flags_as_required(flag_names: _Any, flag_values: _Any = ...) -> None:
    """Ensures that flags are not None during program execution."""
def multi_flags_validator(flag_names: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> _Callable[[_R], _R]:
    """A function decorator for defining a multi-flag validator."""
def override_value(flag_holder: _Any, value: _Any) -> None:
    """Overrides the value of the provided flag."""
def register_multi_flags_validator(flag_names: _Any, multi_flags_checker: _Any, message: _Any = "Flags validation failed", flag_values: _Any = ...) -> None:
    """Adds a constraint to multiple flags."""
def register_validator(flag_name: _Any, checker: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> None:
    """Adds a constraint, which will be enforced during program execution."""
def set_default(flag_holder: _Any, value: _Any) -> None:
    """Changes the default value of the provided flag object."""
def text_wrap(text: str, length: _Any = None, indent: str = "", firstline_indent: _Any = None) -> str:
    """Wraps a given text to a maximum line length and returns it."""
def validator(flag_name: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> _Callable[[_R], _R]:
    """A function decorator for defining a flag validator."""
