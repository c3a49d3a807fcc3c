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
    """Registers a generic Flag object.

    NOTE: in the docstrings of all DEFINE* functions, "registers" is short
    for "creates a new flag and registers it".

    Auxiliary function: clients should use the specialized ``DEFINE_<type>``
    function instead.

    Args:
      parser: :class:`ArgumentParser`, used to parse the flag arguments.
      name: str, the flag name.
      default: The default value of the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      serializer: :class:`ArgumentSerializer`, the flag serializer instance.
      module_name: str, the name of the Python module declaring this flag. If not
        provided, it will be computed using the stack trace of this call.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_alias(name: str | None, original_name: str, flag_values: _Any = ..., module_name: _Any = None) -> _FlagHolder[_Any]:
    """Defines an alias flag for an existing one.

    Args:
      name: str, the flag name.
      original_name: str, the original flag name.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: A string, the name of the module that defines this flag.

    Returns:
      a handle to defined flag.

    Raises:
      flags.FlagError:
        UnrecognizedFlagError: if the referenced flag doesn't exist.
        DuplicateFlagError: if the alias name has been used by some existing flag."""
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
def DEFINE_enum(name: str | None, default: _Any, enum_values: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be any string from enum_values.

    Instead of a string enum, prefer `DEFINE_enum_class`, which allows
    defining enums from an `enum.Enum` class.

    Args:
      name: str, the flag name.
      default: str|None, the default value of the flag.
      enum_values: [str], a non-empty list of strings with the possible values for
        the flag.
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
def DEFINE_enum_class(name: str | None, default: _Any, enum_class: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, case_sensitive: _Any = False, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be the name of enum members.

    Args:
      name: str, the flag name.
      default: Enum|str|None, the default value of the flag.
      enum_class: class, the Enum class with all the possible values for the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: str, the name of the Python module declaring this flag. If not
        provided, it will be computed using the stack trace of this call.
      case_sensitive: bool, whether to map strings to members of the enum_class
        without considering case.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: dict, the extra keyword args that are passed to ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_flag(flag: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False) -> _FlagHolder[_Any]:
    """Registers a :class:`Flag` object with a :class:`FlagValues` object.

    By default, the global :const:`FLAGS` ``FlagValue`` object is used.

    Typical users will use one of the more specialized DEFINE_xxx
    functions, such as :func:`DEFINE_string` or :func:`DEFINE_integer`.  But
    developers who need to create :class:`Flag` objects themselves should use
    this function to register their flags.

    Args:
      flag: :class:`Flag`, a flag that is key to the module.
      flag_values: :class:`FlagValues`, the ``FlagValues`` instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: str, the name of the Python module declaring this flag. If not
        provided, it will be computed using the stack trace of this call.
      required: bool, is this a required flag. This must be used as a keyword
        argument.

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
def DEFINE_list(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value is a comma-separated list of strings.

    The flag value is parsed with a CSV parser.

    Args:
      name: str, the flag name.
      default: list|str|None, the default value of the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi(parser: _Any, serializer: _Any, name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a generic MultiFlag that parses its args with a given parser.

    Auxiliary function.  Normal users should NOT use it directly.

    Developers who need to create their own 'Parser' classes for options
    which can appear multiple times can call this module function to
    register their flags.

    Args:
      parser: ArgumentParser, used to parse the flag arguments.
      serializer: ArgumentSerializer, the flag serializer instance.
      name: str, the flag name.
      default: Union[Iterable[T], str, None], the default value of the flag. If
        the value is text, it will be parsed as if it was provided from the
        command line. If the value is a non-string iterable, it will be iterated
        over to create a shallow copy of the values. If it is None, it is left
        as-is.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: A string, the name of the Python module declaring this flag. If
        not provided, it will be computed using the stack trace of this call.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi_enum(name: str | None, default: _Any, enum_values: _Any, help: _Any, flag_values: _Any = ..., case_sensitive: _Any = True, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list strings from enum_values.

    Use the flag on the command line multiple times to place multiple
    enum values into the list.  The 'default' may be a single string
    (which will be converted into a single-element list) or a list of
    strings.

    Args:
      name: str, the flag name.
      default: Union[Iterable[str], str, None], the default value of the flag; see
        `DEFINE_multi`.
      enum_values: [str], a non-empty list of strings with the possible values for
        the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      case_sensitive: Whether or not the enum is to be case-sensitive.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi_enum_class(name: str | None, default: _Any, enum_class: _Any, help: _Any, flag_values: _Any = ..., module_name: _Any = None, case_sensitive: _Any = False, required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of enum members.

    Use the flag on the command line multiple times to place multiple
    enum values into the list.

    Args:
      name: str, the flag name.
      default: Union[Iterable[Enum], Iterable[str], Enum, str, None], the default
        value of the flag; see `DEFINE_multi`; only differences are documented
        here. If the value is a single Enum, it is treated as a single-item list
        of that Enum value. If it is an iterable, text values within the iterable
        will be converted to the equivalent Enum objects.
      enum_class: class, the Enum class with all the possible values for the flag.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      module_name: A string, the name of the Python module declaring this flag. If
        not provided, it will be computed using the stack trace of this call.
      case_sensitive: bool, whether to map strings to members of the enum_class
        without considering case.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi_float(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of arbitrary floats.

    Use the flag on the command line multiple times to place multiple
    float values into the list.  The 'default' may be a single float
    (which will be converted into a single-element list) or a list of
    floats.

    Args:
      name: str, the flag name.
      default: Union[Iterable[float], str, None], the default value of the flag;
        see `DEFINE_multi`.
      help: str, the help message.
      lower_bound: float, min values of the flag.
      upper_bound: float, max values of the flag.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi_integer(name: str | None, default: _Any, help: _Any, lower_bound: _Any = None, upper_bound: _Any = None, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of arbitrary integers.

    Use the flag on the command line multiple times to place multiple
    integer values into the list.  The 'default' may be a single integer
    (which will be converted into a single-element list) or a list of
    integers.

    Args:
      name: str, the flag name.
      default: Union[Iterable[int], str, None], the default value of the flag; see
        `DEFINE_multi`.
      help: str, the help message.
      lower_bound: int, min values of the flag.
      upper_bound: int, max values of the flag.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_multi_string(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be a list of any strings.

    Use the flag on the command line multiple times to place multiple
    string values into the list.  The 'default' may be a single string
    (which will be converted into a single-element list) or a list of
    strings.


    Args:
      name: str, the flag name.
      default: Union[Iterable[str], str, None], the default value of the flag; see
        :func:`DEFINE_multi`.
      help: str, the help message.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_spaceseplist(name: str | None, default: _Any, help: _Any, comma_compat: _Any = False, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value is a whitespace-separated list of strings.

    Any whitespace can be used as a separator.

    Args:
      name: str, the flag name.
      default: list|str|None, the default value of the flag.
      help: str, the help message.
      comma_compat: bool - Whether to support comma as an additional separator. If
        false then only whitespace is supported.  This is intended only for
        backwards compatibility with flags that used to be comma-separated.
      flag_values: :class:`FlagValues`, the FlagValues instance with which the
        flag will be registered. This should almost never need to be overridden.
      required: bool, is this a required flag. This must be used as a keyword
        argument.
      **args: Dictionary with extra keyword args that are passed to the
        ``Flag.__init__``.

    Returns:
      a handle to defined flag."""
def DEFINE_string(name: str | None, default: _Any, help: _Any, flag_values: _Any = ..., required: _Any = False, **args: _Any) -> _FlagHolder[_Any]:
    """Registers a flag whose value can be any string."""
def adopt_module_key_flags(module: _Any, flag_values: _Any = ...) -> None:
    """Declares that all flags key to a module are key to the current module.

    Args:
      module: module, the module object from which all key flags will be declared
        as key flags to the current module.
      flag_values: :class:`FlagValues`, the FlagValues instance in which the flags
        will be declared as key flags. This should almost never need to be
        overridden.

    Raises:
      Error: Raised when given an argument that is a module name (a string),
          instead of a module object."""
def declare_key_flag(flag_name: _Any, flag_values: _Any = ...) -> None:
    """Declares one flag as key to the current module.

    Key flags are flags that are deemed really important for a module.
    They are important when listing help messages; e.g., if the
    --helpshort command-line flag is used, then only the key flags of the
    main module are listed (instead of all flags, as in the case of
    --helpfull).

    Sample usage::

        flags.declare_key_flag('flag_1')

    Args:
      flag_name: str | :class:`FlagHolder`, the name or holder of an already
        declared flag. (Redeclaring flags as key, including flags implicitly key
        because they were declared in this module, is a no-op.) Positional-only
        parameter.
      flag_values: :class:`FlagValues`, the FlagValues instance in which the flag
        will be declared as a key flag. This should almost never need to be
        overridden.

    Raises:
      ValueError: Raised if flag_name not defined as a Python flag."""
def disclaim_key_flags() -> None:
    """Declares that the current module will not define any more key flags.

    Normally, the module that calls the DEFINE_xxx functions claims the
    flag to be its key flag.  This is undesirable for modules that
    define additional DEFINE_yyy functions with its own flag parsers and
    serializers, since that module will accidentally claim flags defined
    by DEFINE_yyy as its key flags.  After calling this function, the
    module disclaims flag definitions thereafter, so the key flags will
    be correctly attributed to the caller of DEFINE_yyy.

    After calling this function, the module will not be able to define
    any more flags.  This function will affect all FlagValues objects."""
def doc_to_help(doc: str) -> str:
    """Takes a __doc__ string and reformats it as help."""
def flag_dict_to_args(flag_map: _Any, multi_flags: _Any = None) -> _Any:
    """Convert a dict of values into process call parameters.

    This method is used to convert a dictionary into a sequence of parameters
    for a binary that parses arguments using this module.

    Args:
      flag_map: dict, a mapping where the keys are flag names (strings).
          values are treated according to their type:

          * If value is ``None``, then only the name is emitted.
          * If value is ``True``, then only the name is emitted.
          * If value is ``False``, then only the name prepended with 'no' is
            emitted.
          * If value is a string then ``--name=value`` is emitted.
          * If value is a collection, this will emit
            ``--name=value1,value2,value3``, unless the flag name is in
            ``multi_flags``, in which case this will emit
            ``--name=value1 --name=value2 --name=value3``.
          * Everything else is converted to string an passed as such.

      multi_flags: set, names (strings) of flags that should be treated as
        multi-flags.

    Yields:
      sequence of string suitable for a subprocess execution."""
def get_help_width() -> int:
    """Returns the integer width of help lines that is used in TextWrap."""
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
def override_value(flag_holder: _Any, value: _Any) -> None:
    """Overrides the value of the provided flag.

    This value takes precedent over the default value and, when called after flag
    parsing, any value provided at the command line.

    Args:
      flag_holder: FlagHolder, the flag to modify.
      value: The new value.

    Raises:
      IllegalFlagValueError: The value did not pass the flag parser or validators."""
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
def set_default(flag_holder: _Any, value: _Any) -> None:
    """Changes the default value of the provided flag object.

    The flag's current value is also updated if the flag is currently using
    the default value, i.e. not specified in the command line, and not set
    by FLAGS.name = value.

    Args:
      flag_holder: FlagHolder, the flag to modify.
      value: The new default value.

    Raises:
      IllegalFlagValueError: Raised when value is not valid."""
def text_wrap(text: str, length: _Any = None, indent: str = "", firstline_indent: _Any = None) -> str:
    """Wraps a given text to a maximum line length and returns it.

    It turns lines that only contain whitespace into empty lines, keeps new lines,
    and expands tabs using 4 spaces.

    Args:
      text: Text to wrap.
      length: Maximum length of a line, includes indentation. If this is `None`
        then use `get_help_width()`.
      indent: Indent for all but first line.
      firstline_indent: Indent for first line. If `None`, fall back to `indent`.

    Returns:
      The wrapped text.

    Raises:
      ValueError: Raised if indent or firstline_indent not shorter than length."""
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
