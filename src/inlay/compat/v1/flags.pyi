"""`tf.flags`: what a program reads from its command line, by absl."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from absl.flags import FlagHolder as _FlagHolder
from absl.flags._defines import (
    DEFINE, DEFINE_alias, DEFINE_enum, DEFINE_enum_class, DEFINE_flag, DEFINE_list, DEFINE_multi, DEFINE_multi_enum,
    DEFINE_multi_enum_class, DEFINE_multi_float, DEFINE_multi_integer, DEFINE_multi_string, DEFINE_spaceseplist,
    adopt_module_key_flags, declare_key_flag, disclaim_key_flags, override_value, set_default
)
from absl.flags._helpers import doc_to_help, flag_dict_to_args, get_help_width, text_wrap
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
def DEFINE_bool(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a boolean flag.

    Such a boolean flag does not take an argument.  If a user wants to
    specify a false value explicitly, the long option beginning with 'no'
    must be used: i.e. --noflag

    This flag will have a value of None, True or False.  None is possible
    if default=None and the user does not specify the flag on the command
    line.

    Args:
      name: str, the flag name.
      default: bool|str|None, the default value of the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: str, the name of the Python module declaring this flag. If not
        provided, it will be computed using the stack trace of this call.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_boolean(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a boolean flag.

    Such a boolean flag does not take an argument.  If a user wants to
    specify a false value explicitly, the long option beginning with 'no'
    must be used: i.e. --noflag

    This flag will have a value of None, True or False.  None is possible
    if default=None and the user does not specify the flag on the command
    line.

    Args:
      name: str, the flag name.
      default: bool|str|None, the default value of the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: str, the name of the Python module declaring this flag. If not
        provided, it will be computed using the stack trace of this call.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_float(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value must be a float.

    If ``lower_bound`` or ``upper_bound`` are set, then this flag must be
    within the given range.

    Args:
      name: str, the flag name.
      default: float|str|None, the default value of the flag.
      help: str, the help message.
      lower_bound: float, min value of the flag.
      upper_bound: float, max value of the flag.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to :func:`DEFINE`.

    Returns:
      a handle to defined flag."""
def DEFINE_integer(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value must be an integer.

    If ``lower_bound``, or ``upper_bound`` are set, then this flag must be
    within the given range.

    Args:
      name: str, the flag name.
      default: int|str|None, the default value of the flag.
      help: str, the help message.
      lower_bound: int, min value of the flag.
      upper_bound: int, max value of the flag.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to :func:`DEFINE`.

    Returns:
      a handle to defined flag."""
def DEFINE_string(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be any string."""
def mark_bool_flags_as_mutual_exclusive(flag_names: _Any, required: _Any = False, flag_values: _Any = ...) -> None:
    """Ensures that only one flag among flag_names is True.

    Args:
      flag_names: [str | FlagHolder], names or holders of flags. Positional-only
        parameter.
      required: bool. If true, exactly one flag must be True. Otherwise, at most
        one flag can be True, and it is valid for all flags to be False.
      flag_values: flags.FlagValues, optional FlagValues instance where the flags
        are defined.

    Raises:
      ValueError: Raised when multiple FlagValues are used in the same
          invocation. This can occur when FlagHolders have different `_flagvalues`
          or when str-type flag_names entries are present and the `flag_values`
          argument does not match that of provided FlagHolder(s)."""
def mark_flag_as_required(flag_name: _Any, flag_values: _Any = ...) -> None:
    """Ensures that flag is not None during program execution.

    Registers a flag validator, which will follow usual validator rules.
    Important note: validator will pass for any non-``None`` value, such as
    ``False``, ``0`` (zero), ``''`` (empty string) and so on.

    If your module might be imported by others, and you only wish to make the flag
    required when the module is directly executed, call this method like this::

        if __name__ == '__main__':
          flags.mark_flag_as_required('your_flag_name')
          app.run()

    Args:
      flag_name: str | FlagHolder, name or holder of the flag. Positional-only
        parameter.
      flag_values: flags.FlagValues, optional :class:`~absl.flags.FlagValues`
        instance where the flag is defined.

    Raises:
      AttributeError: Raised when flag_name is not registered as a valid flag
          name.
      ValueError: Raised when flag_values is non-default and does not match the
          FlagValues of the provided FlagHolder instance."""
def mark_flags_as_mutual_exclusive(flag_names: _Any, required: _Any = False, flag_values: _Any = ...) -> None:
    """Ensures that only one flag among flag_names is not None.

    Important note: This validator checks if flag values are ``None``, and it does
    not distinguish between default and explicit values. Therefore, this validator
    does not make sense when applied to flags with default values other than None,
    including other false values (e.g. ``False``, ``0``, ``''``, ``[]``). That
    includes multi flags with a default value of ``[]`` instead of None.

    Args:
      flag_names: [str | FlagHolder], names or holders of flags. Positional-only
        parameter.
      required: bool. If true, exactly one of the flags must have a value other
        than None. Otherwise, at most one of the flags can have a value other than
        None, and it is valid for all of the flags to be None.
      flag_values: flags.FlagValues, optional FlagValues instance where the flags
        are defined.

    Raises:
      ValueError: Raised when multiple FlagValues are used in the same
          invocation. This can occur when FlagHolders have different `_flagvalues`
          or when str-type flag_names entries are present and the `flag_values`
          argument does not match that of provided FlagHolder(s)."""
def mark_flags_as_required(flag_names: _Any, flag_values: _Any = ...) -> None:
    """Ensures that flags are not None during program execution.

    If your module might be imported by others, and you only wish to make the flag
    required when the module is directly executed, call this method like this::

        if __name__ == '__main__':
          flags.mark_flags_as_required(['flag1', 'flag2', 'flag3'])
          app.run()

    Args:
      flag_names: Sequence[str | FlagHolder], names or holders of the flags.
      flag_values: flags.FlagValues, optional FlagValues instance where the flags
        are defined.

    Raises:
      AttributeError: If any of flag name has not already been defined as a flag."""
def multi_flags_validator(flag_names: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> _Callable[[_R], _R]:
    """A function decorator for defining a multi-flag validator.

    Registers the decorated function as a validator for flag_names, e.g.::

        @flags.multi_flags_validator(['foo', 'bar'])
        def _CheckFooBar(flags_dict):
          ...

    See :func:`register_multi_flags_validator` for the specification of checker
    function.

    Args:
      flag_names: [str | FlagHolder], a list of the flag names or holders to be
        checked. Positional-only parameter.
      message: str, error text to be shown to the user if checker returns False.
        If checker raises flags.ValidationError, message from the raised error
        will be shown.
      flag_values: flags.FlagValues, optional FlagValues instance to validate
        against.

    Returns:
      A function decorator that registers its function argument as a validator.

    Raises:
      AttributeError: Raised when a flag is not registered as a valid flag name."""
def register_multi_flags_validator(flag_names: _Any, multi_flags_checker: _Any, message: _Any = "Flags validation failed", flag_values: _Any = ...) -> None:
    """Adds a constraint to multiple flags.

    The constraint is validated when flags are initially parsed, and after each
    change of the corresponding flag's value.

    Args:
      flag_names: [str | FlagHolder], a list of the flag names or holders to be
        checked. Positional-only parameter.
      multi_flags_checker: callable, a function to validate the flag.

          * input - dict, with keys() being flag_names, and value for each key
              being the value of the corresponding flag (string, boolean, etc).
          * output - bool, True if validator constraint is satisfied.
              If constraint is not satisfied, it should either return False or
              raise flags.ValidationError.

      message: str, error text to be shown to the user if checker returns False.
        If checker raises flags.ValidationError, message from the raised error
        will be shown.
      flag_values: flags.FlagValues, optional FlagValues instance to validate
        against.

    Raises:
      AttributeError: Raised when a flag is not registered as a valid flag name.
      ValueError: Raised when multiple FlagValues are used in the same
          invocation. This can occur when FlagHolders have different `_flagvalues`
          or when str-type flag_names entries are present and the `flag_values`
          argument does not match that of provided FlagHolder(s)."""
def register_validator(flag_name: _Any, checker: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> None:
    """Adds a constraint, which will be enforced during program execution.

    The constraint is validated when flags are initially parsed, and after each
    change of the corresponding flag's value.

    Args:
      flag_name: str | FlagHolder, name or holder of the flag to be checked.
        Positional-only parameter.
      checker: callable, a function to validate the flag.

          * input - A single positional argument: The value of the corresponding
            flag (string, boolean, etc.  This value will be passed to checker
            by the library).
          * output - bool, True if validator constraint is satisfied.
            If constraint is not satisfied, it should either ``return False`` or
            ``raise flags.ValidationError(desired_error_message)``.

      message: str, error text to be shown to the user if checker returns False.
        If checker raises flags.ValidationError, message from the raised error
        will be shown.
      flag_values: flags.FlagValues, optional FlagValues instance to validate
        against.

    Raises:
      AttributeError: Raised when flag_name is not registered as a valid flag
          name.
      ValueError: Raised when flag_values is non-default and does not match the
          FlagValues of the provided FlagHolder instance."""
def validator(flag_name: _Any, message: _Any = "Flag validation failed", flag_values: _Any = ...) -> _Callable[[_R], _R]:
    """A function decorator for defining a flag validator.

    Registers the decorated function as a validator for flag_name, e.g.::

        @flags.validator('foo')
        def _CheckFoo(foo):
          ...

    See :func:`register_validator` for the specification of checker function.

    Args:
      flag_name: str | FlagHolder, name or holder of the flag to be checked.
        Positional-only parameter.
      message: str, error text to be shown to the user if checker returns False.
        If checker raises flags.ValidationError, message from the raised error
        will be shown.
      flag_values: flags.FlagValues, optional FlagValues instance to validate
        against.

    Returns:
      A function decorator that registers its function argument as a validator.
    Raises:
      AttributeError: Raised when flag_name is not registered as a valid flag
          name."""
