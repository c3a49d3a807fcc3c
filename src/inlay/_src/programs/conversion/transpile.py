"""A Python function to one whose control flow is calls of `ag__`. The only importer of `malt`.

Only the source transformation is malt's. The result is compiled here, in memory, with the user's own file name and
line numbers: tracebacks, warnings and the sites of ops point into the user's source, and nothing outlives the
function (malt writes a temporary module per function and keeps it in `sys.modules`).
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import linecache
import re
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    functions,
    logical_expressions,
    return_statements,
    variables,
)
from malt.converters import directives as directive_converter
from malt.core import converter, unsupported_features_checker
from malt.impl import api
from malt.lang import directives
from malt.pyct import anno, naming, origin_info, parser, templates, transformer

from inlay._src.base.interpreter import collector
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.programs.conversion.marks import CONVERTED, Refusal, mark, set_loop_options

_FUTURE = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)
_NAME, _OUTER, _INNER = "tf__", "inlay_outer__", "inlay_inner__"


MakeNamespace = Callable[[tuple[types.CodeType | None, ...], Any], Any]


class _Conversion(NamedTuple):
    """The converted code of one function: a factory that closes over the function's variables.

    Attributes:
      code: of the factory, which takes `ag__` and returns the function.
      namespace: its namespace `ag__`.
      text: the converted source, for people.
    """

    code: types.CodeType
    namespace: Any
    text: str


# Weak: converted code lives as long as the code it was made from. The file name counts too, for equal code objects
# of two files are equal.
_conversions: weakref.WeakKeyDictionary[types.CodeType, dict[str, _Conversion | Refusal]] = weakref.WeakKeyDictionary()
_lock = new_rlock()


def converted(function: types.FunctionType, namespace: MakeNamespace) -> Any:
    """The function with its control flow converted, or the `Refusal` that says why not.

    Args:
      function: the function.
      namespace: makes what converted code knows as `ag__`, from the original code of the functions defined inside and
        malt's options.
    """
    conversion = _cached(function, namespace)
    if isinstance(conversion, Refusal):
        return conversion
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    factory = types.FunctionType(
        conversion.code, function.__globals__, _NAME, (), tuple(cells[name] for name in conversion.code.co_freevars)
    )
    result = factory(conversion.namespace)
    original = function.__code__
    result.__code__ = result.__code__.replace(co_name=original.co_name, co_qualname=original.co_qualname)
    result.__name__, result.__qualname__ = function.__name__, function.__qualname__
    result.__defaults__, result.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    mark(result, CONVERTED)
    return result


def source_of(function: types.FunctionType, namespace: MakeNamespace) -> str | Refusal:
    """The converted source; arguments as `converted`."""
    conversion = _cached(function, namespace)
    return conversion if isinstance(conversion, Refusal) else conversion.text


def _cached(function: types.FunctionType, namespace: MakeNamespace) -> _Conversion | Refusal:
    code = function.__code__
    conversion = _conversions.get(code, {}).get(code.co_filename)
    if conversion is not None:
        return conversion
    with _lock:
        conversion = _conversions.get(code, {}).get(code.co_filename)
        if conversion is None:
            try:
                # Python before 3.11.9 raises SystemError if a collection lets another thread parse during a parse:
                # https://github.com/python/cpython/issues/106905.
                with collector.paused():
                    conversion = _make(function, namespace)
            except RecursionError:
                raise
            except Exception as error:  # whatever the transformation trips over, the function still runs as it is
                conversion = Refusal(f"{type(error).__name__}: {error}", isinstance(error, NotImplementedError))
            _conversions.setdefault(code, {})[code.co_filename] = conversion
    return conversion


def _make(function: types.FunctionType, namespace: MakeNamespace) -> _Conversion:
    node, context, codes = _Transpiler().transform_function(function, _OPTIONS)
    name = context.info.name
    if isinstance(node, ast.Lambda):
        node = ast.Assign(targets=[ast.Name(name, ast.Store())], value=node)
    else:
        node.name = name
    text = parser.unparse(node, include_encoding_marker=False)
    frees = "".join(f"    {free} = None\n" for free in function.__code__.co_freevars)
    shell = (
        f"def {_OUTER}():\n{frees}    def {_INNER}(ag__):\n        pass\n        return {name}\n    return {_INNER}\n"
    )
    module = ast.parse(shell)
    outer: Any = module.body[0]
    outer.body[-2].body[0] = node
    _place(module, function.__code__.co_firstlineno)
    compiled = compile(
        module, function.__code__.co_filename, "exec", function.__code__.co_flags & _FUTURE, dont_inherit=True
    )
    scope: dict[str, Any] = {}
    exec(compiled, scope)
    shell_name = f"{_OUTER}.<locals>.{_INNER}.<locals>."
    own = f"{shell_name}{'<lambda>' if function.__name__ == '<lambda>' else name}"
    code = _renamed(scope[_OUTER]().__code__, own, function.__code__.co_qualname)
    return _Conversion(code, namespace(codes, converter.STANDARD_OPTIONS), text)


def _renamed(code: types.CodeType, beginning: str, replacement: str) -> types.CodeType:
    """Code with another beginning of qualified names, also in the functions that it defines."""
    return code.replace(
        co_qualname=re.sub(f"^{re.escape(beginning)}", lambda _: replacement, code.co_qualname),
        co_consts=tuple(
            _renamed(const, beginning, replacement) if isinstance(const, types.CodeType) else const
            for const in code.co_consts
        ),
    )


def _place(node: ast.AST, line: int) -> None:
    """Gives every node the user's line it comes from; generated ones that of what they hold, or are in."""
    origin = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    if origin is not None:
        line = origin.loc.lineno
    elif isinstance(node, ast.stmt):
        line = min((n for n in _origins(node)), default=line)
    if "lineno" in node._attributes:
        placed: Any = node
        placed.lineno = placed.end_lineno = line
        placed.col_offset = placed.end_col_offset = -1
    for child in ast.iter_child_nodes(node):
        _place(child, line)


def _origins(node: ast.AST) -> Iterator[int]:
    for inner in ast.walk(node):
        origin = anno.getanno(inner, anno.Basic.ORIGIN, default=None)
        if origin is not None:
            yield origin.loc.lineno


# ---- the transformation

_OPTIONS = converter.ProgramContext(options=converter.STANDARD_OPTIONS)


class _Transpiler(api.PyToPy):  # type: ignore[misc]
    """malt's passes over one function, with ours in place of three of them."""

    def get_transformed_name(self, node: ast.AST) -> str:
        return _NAME + ("lam" if isinstance(node, ast.Lambda) else node.name)  # type: ignore[attr-defined]

    def transform_function(self, fn: types.FunctionType, user_context: Any) -> Any:
        """(converted node, malt's context, original code of the functions inside)."""
        code = fn.__code__
        node, source = _parsed(fn)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        codes = _numbered(node, code)
        node = _Readable(_class_of(fn)).visit(node)
        names = dict(fn.__globals__)
        for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
            try:
                names[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                names.pop(name, None)
        namer = naming.Namer(names)
        info = transformer.EntityInfo(
            name=namer.new_symbol(self.get_transformed_name(node), ()),
            source_code=source,
            source_file="<fragment>",
            future_features=(),
            namespace=names,
        )
        context = transformer.Context(info, namer, user_context)
        return self.transform_ast(self._erase_arg_defaults(node), context), context, codes

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        """One pass after the other."""
        _Checker().visit(node)
        node = self.initial_analysis(node, ctx)
        node = _FunctionNumbering(ctx).visit(node)
        node = _Directives(ctx).visit(node)
        node = break_statements.transform(node, ctx)
        node = _Asserts(ctx).visit(node)
        for step in (
            continue_statements,
            return_statements,
            call_trees,
            control_flow,
            conditional_expressions,
            logical_expressions,
            variables,
        ):
            node = step.transform(node, ctx)
        return node


class _Readable(ast.NodeTransformer):
    """Rewrites statements that malt cannot read, and refuses those that it would convert wrongly."""

    def __init__(self, owner: str | None) -> None:
        self.owner = owner

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """`except E as e:` is `except E: e = ag__.caught()`."""
        self.generic_visit(node)
        if node.name is None:
            return node
        (bound,) = templates.replace("name = ag__.caught()", name=node.name)
        origin_info.copy_origin(node, bound)
        node.name, node.body = None, [bound, *node.body]
        return node

    def visit_Try(self, node: ast.Try) -> Any:
        """An `else` must not begin with a compound statement."""
        self.generic_visit(node)
        node.orelse = [ast.Pass(), *node.orelse] if node.orelse else []
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A body is more than a docstring."""
        self.generic_visit(node)
        if len(node.body) == 1 and isinstance(node.body[0], ast.Expr):
            node.body.append(ast.Pass())
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Private names are spelled out: converted code is in no class."""
        self.generic_visit(node)
        if self.owner and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.owner.lstrip('_')}{node.attr}"
        return node

    def _refuse(self, node: ast.AST) -> Any:
        what = {"NamedExpr": "assignment expressions (:=)", "Match": "match statements", "TryStar": "except*"}
        raise ValueError(f"{what.get(type(node).__name__, type(node).__name__)} are not supported")

    visit_NamedExpr = visit_Match = visit_TryStar = visit_Await = visit_AsyncFor = visit_AsyncWith = _refuse


def _class_of(function: types.FunctionType) -> str | None:
    """The name of the innermost class whose body a function was written in."""
    for part in reversed(function.__qualname__.split(".<locals>.")):
        names = part.split(".")
        if len(names) > 1:
            return names[-2]
    return None


class _Checker(unsupported_features_checker.UnsupportedFeaturesChecker):  # type: ignore[misc]
    """malt's list, without private names."""

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)


class _FunctionNumbering(functions.FunctionTransformer):  # type: ignore[misc]
    """Numbers the functions defined inside, so that `ag__.defined` finds what the user wrote."""

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        number = getattr(node, "inlay_number", None)
        visited = super().visit_Lambda(node)
        return self._defined(number, visited.args[0]) if isinstance(visited, ast.Call) else visited

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        number = getattr(node, "inlay_number", None)
        visited = super().visit_FunctionDef(node)
        if number is not None:
            visited.decorator_list[-1] = parser.parse_expression(f"ag__.defined({number})")
        return visited

    def _defined(self, number: int | None, function: ast.expr) -> ast.expr:
        return templates.replace_as_expression(f"ag__.defined({number})(function)", function=function)  # type: ignore[no-any-return]


class _Asserts(asserts.AssertTransformer):  # type: ignore[misc]
    """Takes any expression as a message, and none."""

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        message = node.msg or ast.Constant(None)
        return templates.replace("ag__.assert_stmt(test, lambda: msg)", test=node.test, msg=message)


class _Directives(directive_converter.DirectivesTransformer):  # type: ignore[misc]
    """Finds our `set_loop_options` and leaves it where malt's loops look for theirs."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        before = self.state[directive_converter._LoopScope].statements_visited
        visited = super().visit_Expr(node)
        if not isinstance(call, ast.Call):
            return visited
        if anno.getanno(call.func, directive_converter.STATIC_VALUE, default=None) is not set_loop_options:
            return visited
        scope = self.state[directive_converter._LoopScope]
        if before > 0:
            raise ValueError("set_loop_options must be the first statement in the loop block")
        if scope.ast_node is None:
            raise ValueError("set_loop_options must be used inside a loop")
        if call.args or any(k.arg is None for k in call.keywords):
            raise ValueError("set_loop_options takes keyword arguments only")
        directives_of_loop = anno.getanno(scope.ast_node, anno.Basic.DIRECTIVES, {})
        directives_of_loop[directives.set_loop_options] = {k.arg: k.value for k in call.keywords}
        anno.setanno(scope.ast_node, anno.Basic.DIRECTIVES, directives_of_loop)
        return None


# ---- from code to source


def _parsed(function: types.FunctionType) -> tuple[Any, str]:
    """(node, source) of a function; every node knows the user's line it is on.

    A lambda is found by its place: malt's search misses those in decorators and cannot tell equal ones apart.
    """
    code = function.__code__
    if code.co_name == "<lambda>":
        node, source = _lambda_at(code)
        offset = 0
    else:
        node, source = parser.parse_entity(function, future_features=())
        offset = code.co_firstlineno - min(n.lineno for n in [node, *node.decorator_list])
    lines = source.split("\n")
    for inner in ast.walk(node):
        line = getattr(inner, "lineno", None)
        if line is not None:
            place = origin_info.Location(code.co_filename, line + offset, inner.col_offset)  # type: ignore[attr-defined]
            text = lines[line - 1] if line <= len(lines) else ""
            anno.setanno(inner, anno.Basic.ORIGIN, origin_info.OriginInfo(place, code.co_name, text, None))
    return node, source


def _lambda_at(code: types.CodeType) -> tuple[ast.Lambda, str]:
    source = "".join(linecache.getlines(code.co_filename))
    if not source:
        raise OSError(f"Unable to locate the source code of the lambda at {code.co_filename}:{code.co_firstlineno}")
    there = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    if len(there) > 1:  # the smallest one that holds all of the code
        first, last = min(_places(code)), max(_places(code))
        there = sorted(
            (
                n
                for n in there
                if (n.lineno, n.col_offset) <= first and last <= (n.end_lineno or 0, n.end_col_offset or 0)
            ),
            key=lambda n: -n.col_offset,
        )
    if not there:
        raise OSError(f"Unable to locate the source code of the lambda at {code.co_filename}:{code.co_firstlineno}")
    return there[0], source


# ---- which code object belongs to which function of the source


def _numbered(root: Any, code: types.CodeType) -> tuple[types.CodeType | None, ...]:
    """Numbers the functions inside `root`; returns the original code of each.

    They are distinguished by name and line, and on one line by their order.
    """
    nodes: dict[Any, list[Any]] = {}
    for node in ast.walk(root):
        if node is not root and isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min(
                [node, *getattr(node, "decorator_list", ())],
                key=lambda n: n.lineno,
            )
            line = anno.getanno(first, anno.Basic.ORIGIN).loc.lineno
            nodes.setdefault((getattr(node, "name", "<lambda>"), line), []).append(node)
    codes: dict[Any, list[types.CodeType]] = {}
    for inner in _inside(code):
        codes.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
    numbered: list[types.CodeType | None] = []
    for key, group in nodes.items():
        placed = sorted(codes.get(key, ()), key=_column)
        originals: Sequence[types.CodeType | None] = placed
        if len(originals) != len(group):
            originals = [None] * len(group)
        for node, original in zip(sorted(group, key=lambda n: n.col_offset), originals, strict=True):
            node.inlay_number = len(numbered)
            numbered.append(original)
    return tuple(numbered)


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inside(constant)


def _column(code: types.CodeType) -> tuple[int, int]:
    """Where the body of a function starts in its source."""
    return min(_places(code))


def _places(code: types.CodeType) -> list[tuple[int, int]]:
    """The (line, column) of each instruction of a function's body that stands for some text."""
    places = [i.positions for i in dis.get_instructions(code) if i.positions is not None]
    return [(p.lineno or 0, p.col_offset or 0) for p in places if p.end_col_offset] or [(0, 0)]
