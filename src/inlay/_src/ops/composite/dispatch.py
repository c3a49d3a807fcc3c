"""Public functions overridden for users' own types: `tf.experimental.dispatch_for_api` and its elementwise forms.

A public function that nobody overrides costs nothing: the first registration puts a dispatcher in its place in every
namespace, which asks the registered targets first and calls the function if none matches.

    tf.stack ── namespace ──▶ Dispatcher ──▶ a target whose signature the arguments match
                                        └──▶ the function itself, if none does

Calls from within the library are not dispatched, and neither are references to the function that a program took before
the first registration (`from inlay import stack`).
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inlay._src.base.export import export, lookup, replace_everywhere
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TypeSpec
from inlay._src.core.context import name_scope

UNARY = """
    zeros_like ones_like compat.v1.zeros_like compat.v1.ones_like debugging.check_numerics math.abs
    math.softplus math.sign math.real math.imag math.angle math.round cast dtypes.saturate_cast
    compat.v1.to_float compat.v1.to_double compat.v1.to_int32 compat.v1.to_int64 compat.v1.to_bfloat16
    compat.v1.to_complex64 compat.v1.to_complex128 math.sigmoid math.log_sigmoid math.conj
    math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil math.sqrt math.exp math.rsqrt math.acos
    math.floor bitwise.invert math.acosh math.asin math.asinh math.atan math.atanh math.cos math.cosh
    math.digamma math.erf math.erfc math.expm1 math.is_finite math.is_inf math.is_nan math.lgamma math.log
    math.log1p math.logical_not math.negative math.nextafter math.reciprocal math.rint math.sin math.sinh
    math.square math.tan math.tanh nn.relu6 nn.leaky_relu nn.gelu nn.log_softmax nn.elu nn.relu nn.selu
    nn.softsign strings.regex_full_match strings.regex_replace strings.length compat.v1.strings.length
    strings.substr compat.v1.strings.substr strings.to_number strings.to_hash_bucket
    compat.v1.strings.to_hash_bucket strings.as_string io.decode_base64 io.encode_base64 strings.lower
    strings.upper strings.unicode_transcode strings.strip strings.to_hash_bucket_fast
    strings.to_hash_bucket_strong strings.unicode_script math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.bessel_i0 math.bessel_i0e
    math.bessel_i1 math.bessel_i1e math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1
    math.special.bessel_k1e math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_y0
    math.special.bessel_y1 clip_by_value nn.silu image.random_brightness image.stateless_random_brightness
    image.adjust_brightness image.adjust_gamma image.convert_image_dtype io.decode_compressed
"""
BINARY = """
    math.divide math.multiply math.subtract math.scalar_mul compat.v1.scalar_mul math.pow dtypes.complex
    math.truediv compat.v1.div math.divide_no_nan math.multiply_no_nan math.floordiv math.logical_xor math.equal
    math.not_equal math.add math.xdivy math.xlog1py bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor
    bitwise.left_shift bitwise.right_shift math.atan2 compat.v1.floor_div math.floormod math.greater
    math.greater_equal math.less math.less_equal math.logical_and math.logical_or math.maximum math.minimum
    realdiv math.squared_difference truncatediv truncatemod math.xlogy math.zeta
    nn.sigmoid_cross_entropy_with_logits
"""
BINARY_ASSERTIONS = " ".join(
    f"debugging.assert_{name} compat.v1.debugging.assert_{name}"
    for name in ("equal", "none_equal", "near", "less", "less_equal", "greater", "greater_equal")
)


@dataclass(frozen=True)
class _TargetSignature:
    """When a target is called.

    Attributes:
      annotations: parameter -> type annotation.
    """

    annotations: Mapping[str, Any]

    def matches(self, arguments: Mapping[str, Any]) -> bool:
        """Whether all annotated parameters have values of their types, and one of them has a composite value."""
        values = [(arguments.get(name), annotation) for name, annotation in self.annotations.items()]
        return all(_is_of(v, a) for v, a in values) and any(_has_composite(v) for v, _ in values)


@dataclass(frozen=True)
class _Target:
    """A function that overrides an API.

    Attributes:
      registered: the function as it was decorated.
      call: the function that is called.
      signatures: when it is called: if one of them matches.
    """

    registered: Callable[..., Any]
    call: Callable[..., Any]
    signatures: tuple[_TargetSignature, ...]


class _Dispatcher:
    """A public function with the targets that override it.

    Attributes:
      function: the function.
      signature: its parameters.
      targets: in the order of their registration.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = inspect.signature(function)
        self.targets: tuple[_Target, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return self.function(*args, **kwargs)  # which words the error
        bound.apply_defaults()
        matching = [t for t in self.targets if any(s.matches(bound.arguments) for s in t.signatures)]
        if len(matching) > 1:
            names = ", ".join(t.registered.__qualname__ for t in matching)
            raise ValueError(
                "Multiple dispatch targets that were registered with tf.dispatch_for_api match the arguments to "
                f"{self.function.__name__}: {names}. tf.experimental.unregister_dispatch_for removes one."
            )
        return (matching[0].call if matching else self.function)(*args, **kwargs)


_dispatchers: dict[Any, _Dispatcher] = {}
"""Public function, and the wrapper in its place -> its dispatcher."""
_elementwise: dict[tuple[str, Any], Callable[..., Any]] = {}
"""(kind of API, type annotations) -> the handler that is registered for them."""


@export("experimental.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Mapping[Any, Any]) -> Callable[[Any], Any]:
    """A decorator: the function is called instead of a public function whose arguments are of given types.

    Args:
      api: the public function, such as `tf.stack`.
      *signatures: dictionaries of parameter (name or position) -> type: an `ExtensionType` or other class, `list[T]`,
        a union, or a `TypeSpec`. The function is called if one of them matches and a composite value is among the
        arguments it names. Without any, the annotations of the function are the signature.

    Returns:
      The decorator. It raises ValueError if the function's parameters are not those of `api` (`name` may be left out).

    Raises:
      ValueError: if `api` is no public function, or a signature names no parameter of it.
    """
    dispatcher = _dispatcher_of(api)
    resolved = tuple(_resolved(dispatcher.signature, s) for s in signatures)

    def decorator(target: Any) -> Any:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        call = _with_name(target, dispatcher)
        own = resolved or (_resolved(dispatcher.signature, _annotations(target)),)
        dispatcher.targets += (_Target(target, call, own),)
        return target

    return decorator


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """A decorator: a handler for every unary elementwise function called with a value of a type.

    Args:
      x_type: the type of the first argument, as `dispatch_for_api` takes one.

    Returns:
      A decorator of `handler(api_func, x)`; `api_func` takes `x` or a tensor, and has the other arguments bound.
    """
    return _elementwise_decorator("unary", UNARY, (x_type,), ("api", "x"))


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """A decorator: a handler for every binary elementwise function called with values of two types.

    Args:
      x_type, y_type: the types of the first two arguments, as `dispatch_for_api` takes them.

    Returns:
      A decorator of `handler(api_func, x, y)`; `api_func` has the other arguments bound.
    """
    return _elementwise_decorator("binary", BINARY, (x_type, y_type), ("api", "x", "y"))


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """A decorator: a handler for every assertion that compares two values (`tf.debugging.assert_equal` and its like).

    Args:
      x_type, y_type: the types of the first two arguments, as `dispatch_for_api` takes them.

    Returns:
      A decorator of `handler(assert_func, x, y)`; `assert_func` has the other arguments bound.
    """
    return _elementwise_decorator("assert", BINARY_ASSERTIONS, (x_type, y_type), ("assert_func", "x", "y"))


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Takes back what one of the decorators registered.

    Args:
      dispatch_target: the decorated function.

    Raises:
      ValueError: if it is not registered.
    """
    registered = False
    for dispatcher in set(_dispatchers.values()):
        remaining = tuple(t for t in dispatcher.targets if t.registered is not dispatch_target)
        registered |= len(remaining) < len(dispatcher.targets)
        dispatcher.targets = remaining
    for key in [key for key, handler in _elementwise.items() if handler is dispatch_target]:
        del _elementwise[key]
        registered = True
    if not registered:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")


def _dispatcher_of(api: Any) -> _Dispatcher:
    """The dispatcher of a public function, put in its place if there is none.

    Raises:
      ValueError: if it is no public function.
    """
    dispatcher = _dispatchers.get(api) if callable(api) and not inspect.isclass(api) else None
    if dispatcher is None:
        if not inspect.isfunction(api):
            raise ValueError(f"{api} does not support dispatch.")
        dispatcher = _Dispatcher(api)

        @functools.wraps(api)
        def dispatching(*args: Any, **kwargs: Any) -> Any:
            return dispatcher(*args, **kwargs)

        if not replace_everywhere(api, dispatching):
            raise ValueError(f"{api} does not support dispatch.")
        _dispatchers[api] = _dispatchers[dispatching] = dispatcher
    return dispatcher


def _elementwise_decorator(
    kind: str, apis: str, annotations: tuple[Any, ...], parameters: Sequence[str]
) -> Callable[[Any], Any]:
    operands = len(annotations)

    def decorator(handler: Any) -> Any:
        if len(inspect.signature(handler).parameters) != len(parameters):
            raise ValueError(f"the handler's parameters must be ({', '.join(parameters)}), got {handler}")
        if (kind, annotations) in _elementwise:
            raise ValueError(
                f"A {kind} elementwise dispatch handler ({_elementwise[kind, annotations]}) has already been "
                f"registered for {annotations[0] if operands == 1 else annotations}."
            )
        _elementwise[kind, annotations] = handler
        for path in apis.split():
            function = lookup(path)
            if function is not None:
                dispatcher = _dispatcher_of(function)
                names = list(dispatcher.signature.parameters)[:operands]
                signature = _TargetSignature(dict(zip(names, annotations, strict=True)))
                call = _elementwise_call(dispatcher, handler, names)
                dispatcher.targets += (_Target(handler, call, (signature,)),)
        return handler

    return decorator


def _elementwise_call(dispatcher: _Dispatcher, handler: Any, names: Sequence[str]) -> Callable[..., Any]:
    """A target that hands a handler the function, its other arguments bound, and its operands."""

    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(dispatcher.signature.bind(*args, **kwargs).arguments)
        operands = [arguments.pop(name) for name in names]
        name = arguments.pop("name", None)
        function = _public_form(dispatcher)
        api = functools.partial(function, **arguments) if arguments else function
        if name is None:
            return handler(api, *operands)
        with name_scope(name):
            return handler(api, *operands)

    return call


def _public_form(dispatcher: _Dispatcher) -> Callable[..., Any]:
    """The public function that dispatches, so that a handler may call it on a value of a type of its own."""
    return next(f for f, d in _dispatchers.items() if d is dispatcher and f is not dispatcher.function)


def _annotations(target: Any) -> dict[str, Any]:
    """The annotated parameters of a function."""
    hints = typing.get_type_hints(target)
    return {name: hint for name, hint in hints.items() if name != "return"}


def _resolved(signature: inspect.Signature, annotations: Mapping[Any, Any]) -> _TargetSignature:
    """A signature by parameter names, checked.

    Raises:
      ValueError: for a parameter that the API does not have, or an annotation of another kind.
    """
    names = list(signature.parameters)
    resolved = {}
    for key, annotation in annotations.items():
        if isinstance(key, int) and not -len(names) <= key < len(names) or isinstance(key, str) and key not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {key!r}.")
        _check_annotation(annotation)
        resolved[names[key] if isinstance(key, int) else key] = annotation
    return _TargetSignature(resolved)


def _check_annotation(annotation: Any) -> None:
    inner = _union(annotation) or _element(annotation)
    for part in inner or ():
        _check_annotation(part)
    if not inner and not isinstance(annotation, (type, TypeSpec)):
        raise ValueError(
            f"Type annotation {annotation} is not currently supported by dispatch. Supported annotations: type "
            "objects, TypeSpecs, List[...], and Union[...]"
        )


def _union(annotation: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return typing.get_args(annotation) if is_union else ()


def _element(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation) if typing.get_origin(annotation) is list else ()


def _is_of(value: Any, annotation: Any) -> bool:
    if options := _union(annotation):
        return any(_is_of(value, option) for option in options)
    if element := _element(annotation):
        return isinstance(value, (list, tuple)) and all(_is_of(v, element[0]) for v in value)
    if isinstance(annotation, TypeSpec):
        return isinstance(value, Composite) and annotation.is_compatible_with(value)
    return isinstance(value, annotation)


def _has_composite(value: Any) -> bool:
    return any(map(_has_composite, value)) if isinstance(value, (list, tuple)) else isinstance(value, Composite)


def _with_name(target: Callable[..., Any], dispatcher: _Dispatcher) -> Callable[..., Any]:
    """A target that takes the API's parameters; one without `name` is called within the scope of that name.

    Raises:
      ValueError: if its other parameters are not those of the API.
    """
    expected, own = list(dispatcher.signature.parameters), list(inspect.signature(target).parameters)
    if own == expected:
        return target
    if own != [name for name in expected if name != "name"]:
        raise ValueError(
            f"Dispatch function's signature {inspect.signature(target)} does not match API's signature "
            f"{dispatcher.signature}."
        )

    @functools.wraps(target)
    def named(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(dispatcher.signature.bind(*args, **kwargs).arguments)
        name = arguments.pop("name", None)
        if name is None:
            return target(**arguments)
        with name_scope(name):
            return target(**arguments)

    return named
