"""Flags of a program, `tf.flags` of 1.x: those of absl, with the parameter names that 1.x had.

tf.flags.DEFINE_integer("steps", 100, "How many steps.")
tf.flags.FLAGS.steps      # reads the command line when first asked, as `tf.app.run` does
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from absl import flags

from inlay._src.base.export import export

_FIRST_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_first_names(define: Callable[..., Any]) -> Callable[..., Any]:
    """A function that defines a flag and also takes the parameter names of TensorFlow 1."""

    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        return define(*args, **{_FIRST_NAMES.get(name, name): value for name, value in kwargs.items()})

    return defined


flags.disclaim_key_flags()  # a flag is listed below the module that defines it: not this one


class _Parsed:
    """The values of all flags; the first to be asked for has the command line read."""

    def __init__(self, values: flags.FlagValues) -> None:
        self.__dict__["_values"] = values

    def __getattribute__(self, name: str) -> Any:
        if name == "__dict__":
            return super().__getattribute__(name)
        return self.__dict__["_values"].__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__["_values"]
        if not (name.startswith("_") or values.is_parsed()):  # what is asked of any object is no flag
            values(sys.argv)
        return values.__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_values"].__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_values"].__delattr__(name)

    def __dir__(self) -> list[str]:
        return list(self.__dict__["_values"].__dir__())

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["_values"][name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self.__dict__["_values"][name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__["_values"]

    def __iter__(self) -> Any:
        return iter(self.__dict__["_values"])

    def __len__(self) -> int:
        return len(self.__dict__["_values"])

    def __call__(self, argv: Any, known_only: bool = False) -> list[str]:
        return self.__dict__["_values"](argv, known_only)  # type: ignore[no-any-return]


FLAGS: Any = export("compat.v1.flags.FLAGS")(_Parsed(flags.FLAGS))
ArgumentParser: type[Any] = export("compat.v1.flags.ArgumentParser")(flags.ArgumentParser)
ArgumentSerializer: type[Any] = export("compat.v1.flags.ArgumentSerializer")(flags.ArgumentSerializer)
BaseListParser: type[Any] = export("compat.v1.flags.BaseListParser")(flags.BaseListParser)
BooleanFlag: type[Any] = export("compat.v1.flags.BooleanFlag")(flags.BooleanFlag)
BooleanParser: type[Any] = export("compat.v1.flags.BooleanParser")(flags.BooleanParser)
CantOpenFlagFileError: type[Any] = export("compat.v1.flags.CantOpenFlagFileError")(flags.CantOpenFlagFileError)
DEFINE: Callable[..., Any] = export("compat.v1.flags.DEFINE")(flags.DEFINE)
DEFINE_alias: Callable[..., Any] = export("compat.v1.flags.DEFINE_alias")(flags.DEFINE_alias)
DEFINE_bool: Callable[..., Any] = export("compat.v1.flags.DEFINE_bool")(_with_first_names(flags.DEFINE_bool))
DEFINE_boolean: Callable[..., Any] = export("compat.v1.flags.DEFINE_boolean")(_with_first_names(flags.DEFINE_boolean))
DEFINE_enum: Callable[..., Any] = export("compat.v1.flags.DEFINE_enum")(flags.DEFINE_enum)
DEFINE_enum_class: Callable[..., Any] = export("compat.v1.flags.DEFINE_enum_class")(flags.DEFINE_enum_class)
DEFINE_flag: Callable[..., Any] = export("compat.v1.flags.DEFINE_flag")(flags.DEFINE_flag)
DEFINE_float: Callable[..., Any] = export("compat.v1.flags.DEFINE_float")(_with_first_names(flags.DEFINE_float))
DEFINE_integer: Callable[..., Any] = export("compat.v1.flags.DEFINE_integer")(_with_first_names(flags.DEFINE_integer))
DEFINE_list: Callable[..., Any] = export("compat.v1.flags.DEFINE_list")(flags.DEFINE_list)
DEFINE_multi: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi")(flags.DEFINE_multi)
DEFINE_multi_enum: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi_enum")(flags.DEFINE_multi_enum)
DEFINE_multi_enum_class: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi_enum_class")(
    flags.DEFINE_multi_enum_class
)
DEFINE_multi_float: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi_float")(flags.DEFINE_multi_float)
DEFINE_multi_integer: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi_integer")(flags.DEFINE_multi_integer)
DEFINE_multi_string: Callable[..., Any] = export("compat.v1.flags.DEFINE_multi_string")(flags.DEFINE_multi_string)
DEFINE_spaceseplist: Callable[..., Any] = export("compat.v1.flags.DEFINE_spaceseplist")(flags.DEFINE_spaceseplist)
DEFINE_string: Callable[..., Any] = export("compat.v1.flags.DEFINE_string")(_with_first_names(flags.DEFINE_string))
DuplicateFlagError: type[Any] = export("compat.v1.flags.DuplicateFlagError")(flags.DuplicateFlagError)
EnumClassFlag: type[Any] = export("compat.v1.flags.EnumClassFlag")(flags.EnumClassFlag)
EnumClassListSerializer: type[Any] = export("compat.v1.flags.EnumClassListSerializer")(flags.EnumClassListSerializer)
EnumClassParser: type[Any] = export("compat.v1.flags.EnumClassParser")(flags.EnumClassParser)
EnumClassSerializer: type[Any] = export("compat.v1.flags.EnumClassSerializer")(flags.EnumClassSerializer)
EnumFlag: type[Any] = export("compat.v1.flags.EnumFlag")(flags.EnumFlag)
EnumParser: type[Any] = export("compat.v1.flags.EnumParser")(flags.EnumParser)
Error: type[Any] = export("compat.v1.flags.Error")(flags.Error)
Flag: type[Any] = export("compat.v1.flags.Flag")(flags.Flag)
FlagHolder: type[Any] = export("compat.v1.flags.FlagHolder")(flags.FlagHolder)
FlagNameConflictsWithMethodError: type[Any] = export("compat.v1.flags.FlagNameConflictsWithMethodError")(
    flags.FlagNameConflictsWithMethodError
)
FlagValues: type[Any] = export("compat.v1.flags.FlagValues")(flags.FlagValues)
FloatParser: type[Any] = export("compat.v1.flags.FloatParser")(flags.FloatParser)
IllegalFlagValueError: type[Any] = export("compat.v1.flags.IllegalFlagValueError")(flags.IllegalFlagValueError)
IntegerParser: type[Any] = export("compat.v1.flags.IntegerParser")(flags.IntegerParser)
ListParser: type[Any] = export("compat.v1.flags.ListParser")(flags.ListParser)
MultiEnumClassFlag: type[Any] = export("compat.v1.flags.MultiEnumClassFlag")(flags.MultiEnumClassFlag)
MultiFlag: type[Any] = export("compat.v1.flags.MultiFlag")(flags.MultiFlag)
UnparsedFlagAccessError: type[Any] = export("compat.v1.flags.UnparsedFlagAccessError")(flags.UnparsedFlagAccessError)
UnrecognizedFlagError: type[Any] = export("compat.v1.flags.UnrecognizedFlagError")(flags.UnrecognizedFlagError)
ValidationError: type[Any] = export("compat.v1.flags.ValidationError")(flags.ValidationError)
WhitespaceSeparatedListParser: type[Any] = export("compat.v1.flags.WhitespaceSeparatedListParser")(
    flags.WhitespaceSeparatedListParser
)
adopt_module_key_flags: Callable[..., Any] = export("compat.v1.flags.adopt_module_key_flags")(
    flags.adopt_module_key_flags
)
declare_key_flag: Callable[..., Any] = export("compat.v1.flags.declare_key_flag")(flags.declare_key_flag)
disclaim_key_flags: Callable[..., Any] = export("compat.v1.flags.disclaim_key_flags")(flags.disclaim_key_flags)
doc_to_help: Callable[..., Any] = export("compat.v1.flags.doc_to_help")(flags.doc_to_help)
flag_dict_to_args: Callable[..., Any] = export("compat.v1.flags.flag_dict_to_args")(flags.flag_dict_to_args)
get_help_width: Callable[..., Any] = export("compat.v1.flags.get_help_width")(flags.get_help_width)
mark_bool_flags_as_mutual_exclusive: Callable[..., Any] = export("compat.v1.flags.mark_bool_flags_as_mutual_exclusive")(
    flags.mark_bool_flags_as_mutual_exclusive
)
mark_flag_as_required: Callable[..., Any] = export("compat.v1.flags.mark_flag_as_required")(flags.mark_flag_as_required)
mark_flags_as_mutual_exclusive: Callable[..., Any] = export("compat.v1.flags.mark_flags_as_mutual_exclusive")(
    flags.mark_flags_as_mutual_exclusive
)
mark_flags_as_required: Callable[..., Any] = export("compat.v1.flags.mark_flags_as_required")(
    flags.mark_flags_as_required
)
multi_flags_validator: Callable[..., Any] = export("compat.v1.flags.multi_flags_validator")(flags.multi_flags_validator)
override_value: Callable[..., Any] = export("compat.v1.flags.override_value")(flags.override_value)
register_multi_flags_validator: Callable[..., Any] = export("compat.v1.flags.register_multi_flags_validator")(
    flags.register_multi_flags_validator
)
register_validator: Callable[..., Any] = export("compat.v1.flags.register_validator")(flags.register_validator)
set_default: Callable[..., Any] = export("compat.v1.flags.set_default")(flags.set_default)
text_wrap: Callable[..., Any] = export("compat.v1.flags.text_wrap")(flags.text_wrap)
validator: Callable[..., Any] = export("compat.v1.flags.validator")(flags.validator)


@export("compat.v1.flags.ListSerializer")
class ListSerializer(flags.ListSerializer):  # type: ignore[type-arg]
    """Writes the values of a list flag with a separator between them."""


@export("compat.v1.flags.CsvListSerializer")
class CsvListSerializer(flags.CsvListSerializer):
    """Writes the values of a list flag as a row of a CSV file."""
