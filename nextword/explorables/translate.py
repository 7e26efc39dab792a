"""From the village's story programs to JavaScript: a page can then tell and follow stories itself.

Knows only the part of Python that those programs use, and names what it does not know. What behaves
otherwise in the two languages (truth, `in`, negative places) goes through helpers: `$`, python.js.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from examiner.errors import UserError

BUILTINS = {"enumerate", "len", "list", "min", "range", "sorted", "sum"}
RENAMED = {"frozenset": "$.set", "str": "String"}
METHODS = {
    "append", "endswith", "get", "index", "items", "join", "pop", "replace", "rpartition", "split",
    "values",
}  # fmt: skip
COMPARED = {ast.Eq: "===", ast.NotEq: "!==", ast.Is: "===", ast.IsNot: "!==",
            ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}  # fmt: skip
ANNOTATIONS = {"Speaking", "World"}
PACKAGES = ("village", "scenes", "wishes")
LIBRARY = ("collections.abc", "dataclasses", "typing")
FACTORIES = {"list": "[]", "dict": "new Map()"}


@dataclass
class Translator:
    """Writes modules one after the other; remembers what calls with keywords must know."""

    modules: set[str]  # those that others may import whole
    parameters: dict[str, list[str]] = field(default_factory=dict)  # of functions and classes
    classes: set[str] = field(default_factory=lambda: {"Options"})
    ignored: set[str] = field(default_factory=set)  # names that only annotations use

    def module(self, name: str, source: str) -> str:
        """Return a module as one constant: an object that holds all that the module defines."""
        tree = ast.parse(source)
        self.ignored = {"T"}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.parameters[node.name] = [a.arg for a in node.args.args]
        body = [line for node in tree.body for line in self._top(node)]
        defined = re.findall(r"^(?:class|function\*?) (\w+)", "\n".join(body), re.M)
        for line in body:
            if found := re.match(r"const (\w+|\[[\w, ]+\]) =", line):
                defined += re.findall(r"\w+", found[1])
        inside = "\n".join(body)
        return f"const m_{name} = (() => {{\n{inside}\nreturn {{ {', '.join(defined)} }};\n}})();\n"

    def _top(self, node: ast.stmt) -> list[str]:
        """The lines of one statement of a module."""
        if isinstance(node, ast.ImportFrom):
            return self._imported(node)
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        if isinstance(node, ast.FunctionDef):
            return self._function(node)
        if isinstance(node, ast.Assign):
            names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            if names & self.ignored:
                self.ignored |= {n.id for n in node.targets if isinstance(n, ast.Name)}
                return []
            if len(node.targets) == 1:
                return [f"const {self._target(node.targets[0])} = {self.value(node.value)};"]
        return self.statement(node)

    def _imported(self, node: ast.ImportFrom) -> list[str]:
        names = [alias.name for alias in node.names]
        if node.module in LIBRARY:
            self.ignored |= {*names} - {"dataclass", "field", "NamedTuple"}
            return []
        parent = (node.module or "").rpartition(".")[2]
        modules = [name for name in names if name in self.modules] if parent in PACKAGES else []
        self.ignored |= {*names} & ANNOTATIONS
        wanted = [n for n in names if n not in {*modules, *ANNOTATIONS}]
        lines = [f"const {name} = m_{name};" for name in modules]
        return [*lines, f"const {{ {', '.join(wanted)} }} = m_{parent};"] if wanted else lines

    # ------------------------------------------------------------ classes and functions

    def _class(self, node: ast.ClassDef) -> list[str]:
        """A dataclass or named tuple: fields in order, properties, methods."""
        bases = [b.id for b in node.bases if isinstance(b, ast.Name) and b.id != "NamedTuple"]
        above = self.parameters[bases[0]] if bases else []
        fields = [n for n in node.body if isinstance(n, ast.AnnAssign)]
        own = [self._target(n.target) for n in fields]
        given = [name + self._default(n.value) for name, n in zip(own, fields, strict=True)]
        self.classes.add(node.name)
        self.parameters[node.name] = [*above, *own]
        lines = [f"class {node.name}{f' extends {bases[0]}' if bases else ''} {{"]
        lines.append(f"constructor({', '.join([*above, *given])}) {{")
        lines += [f"super({', '.join(above)});"] if bases else []
        lines += [*(f"this.{name} = {name};" for name in own), "}"]
        for method in node.body:
            if isinstance(method, ast.FunctionDef):
                lines += self._function(method, inside=True)
        return [*lines, "}"]

    def _default(self, value: ast.expr | None) -> str:
        if value is None:
            return ""
        if isinstance(value, ast.Call):  # field(default_factory=list)
            return f" = {FACTORIES[ast.unparse(value.keywords[0].value)]}"
        return f" = {self.value(value)}"

    def _function(self, node: ast.FunctionDef, inside: bool = False) -> list[str]:
        names = [a.arg for a in node.args.args]
        defaults = [None] * (len(names) - len(node.args.defaults)) + list(node.args.defaults)
        given = [n + self._default(d) for n, d in zip(names, defaults, strict=True)]
        nodes = list(ast.walk(node))
        speaks = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes)
        head = f"function{'*' if speaks else ''} {node.name}"
        if inside:
            given, names = given[1:], names[1:]
            as_property = any(ast.unparse(d) == "property" for d in node.decorator_list)
            head = "toString" if node.name == "__str__" else node.name
            head = f"get {head}" if as_property else head
        stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        inner = {n.id for c in nodes if isinstance(c, ast.comprehension)
                 for n in ast.walk(c.target) if isinstance(n, ast.Name)}  # fmt: skip
        local = sorted({*stored} - {*names} - inner)
        lines = [f"{head}({', '.join(given)}) {{"]
        lines += [f"let {', '.join(local)};"] if local else []
        return [*lines, *self._block(node.body), "}"]

    # ------------------------------------------------------------ statements

    def _block(self, body: Iterable[ast.stmt]) -> list[str]:
        return [line for node in body for line in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[str]:
        """The lines of one statement."""
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Pass():
                return []
            case ast.Expr(value=value):
                return [f"{self.value(value)};"]
            case ast.Return(value=value):
                return [f"return {self.value(value)};" if value else "return;"]
            case ast.Break():
                return ["break;"]
            case ast.Assign(targets=[ast.Subscript(value=whole, slice=key)], value=value):
                return [f"$.put({self.value(whole)}, {self.value(key)}, {self.value(value)});"]
            case ast.Assign(targets=targets, value=value):
                chain = " = ".join(map(self._target, targets))
                return [f"{chain} = {self.value(value)};"]
            case ast.AugAssign(target=target, op=op, value=value):
                joined = {ast.Add: "$.add", ast.BitOr: "$.merge"}[type(op)]
                name = self._target(target)
                return [f"{name} = {joined}({name}, {self.value(value)});"]
            case ast.If(test=test, body=body, orelse=other):
                rest = ["} else {", *self._block(other)] if other else []
                return [f"if ({self.test(test)}) {{", *self._block(body), *rest, "}"]
            case ast.While(test=test, body=body):
                return [f"while ({self.test(test)}) {{", *self._block(body), "}"]
            case ast.For(target=target, iter=source, body=body):
                head = f"for ({self._target(target)} of $.iter({self.value(source)})) {{"
                return [head, *self._block(body), "}"]
        raise unknown(node)

    def _target(self, node: ast.expr) -> str:
        """What is assigned to; a tuple is taken apart."""
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(map(self._target, node.elts))}]"
        if isinstance(node, ast.Subscript):
            return f"{self.value(node.value)}[{self.value(node.slice)}]"
        return self.value(node)

    # ------------------------------------------------------------ expressions

    def test(self, node: ast.expr) -> str:
        """An expression that is true or false as Python sees it."""
        match node:
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return f"({sign.join(map(self.test, values))})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.test(operand)}"
            case ast.Compare():
                return self.value(node)
            case ast.Constant(value=True):
                return "true"
        return f"$.truth({self.value(node)})"

    def value(self, node: ast.expr) -> str:
        """An expression."""
        match node:
            case ast.Constant(value=value):
                return json.dumps(value, ensure_ascii=False)
            case ast.JoinedStr(values=parts):
                return "`" + "".join(map(self._part, parts)) + "`"
            case ast.Name(id=name):
                return "this" if name == "self" else name
            case ast.Attribute(value=whole, attr=attr):
                return f"{self.value(whole)}.{attr}"
            case ast.Yield(value=value):
                return f"(yield {self.value(value)})" if value else "(yield)"
            case ast.YieldFrom(value=value):
                return f"(yield* {self.value(value)})"
            case ast.NamedExpr(target=target, value=value):
                return f"({self.value(target)} = {self.value(value)})"
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"({self.test(test)} ? {self.value(body)} : {self.value(other)})"
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return f"[{self._list(elements)}]"
            case ast.Set(elts=elements):
                return f"$.set([{self._list(elements)}])"
            case ast.Dict(keys=keys, values=values):
                pairs = [f"[{self.value(k)}, {self.value(v)}]"
                         for k, v in zip(keys, values, strict=True) if k]  # fmt: skip
                return f"new Map([{', '.join(pairs)}])"
            case ast.Call():
                return self._call(node)
            case ast.Compare():
                return self._compared(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-{self.value(operand)}"
            case ast.BoolOp() | ast.UnaryOp():
                return self._logical(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._sum(left, op, right)
            case ast.Subscript(value=whole, slice=key):
                return self._item(whole, key)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node)
        raise unknown(node)

    def _part(self, part: ast.expr) -> str:
        """A piece of an f-string."""
        if isinstance(part, ast.FormattedValue):
            return f"${{{self.value(part.value)}}}"
        assert isinstance(part, ast.Constant)
        return re.sub(r"([`\\]|\$\{)", r"\\\1", str(part.value))

    def _list(self, elements: Iterable[ast.expr]) -> str:
        return ", ".join(
            f"...$.iter({self.value(e.value)})" if isinstance(e, ast.Starred) else self.value(e)
            for e in elements
        )

    def _logical(self, node: ast.BoolOp | ast.UnaryOp) -> str:
        """`a or b` as a value: the first that is true, else the last. Operands have no effects."""
        truths = (ast.Compare, ast.BoolOp, ast.UnaryOp)
        if isinstance(node, ast.UnaryOp) or all(isinstance(v, truths) for v in node.values[:-1]):
            return self.test(node)
        first, *rest = node.values
        left = self.value(first)
        right = self.value(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
        yes, no = (right, left) if isinstance(node.op, ast.And) else (left, right)
        return f"($.truth({left}) ? {yes} : {no})"

    def _compared(self, node: ast.Compare) -> str:
        parts, left = [], node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            a, b = self.value(left), self.value(right)
            if isinstance(op, ast.In | ast.NotIn):
                parts.append(f"{'!' * isinstance(op, ast.NotIn)}$.has({b}, {a})")
            else:
                parts.append(f"{a} {COMPARED[type(op)]} {b}")
            left = right
        return f"({' && '.join(parts)})"

    def _sum(self, left: ast.expr, op: ast.operator, right: ast.expr) -> str:
        a, b = self.value(left), self.value(right)
        match op:
            case ast.Add():
                return f"$.add({a}, {b})"
            case ast.BitOr():
                return f"$.merge({a}, {b})"
            case ast.Mult() if isinstance(left, ast.List):
                return f"$.times({a}, {b})"
            case ast.Mult() | ast.Sub():
                return f"({a} {'*' if isinstance(op, ast.Mult) else '-'} {b})"
        raise unknown(op)

    def _item(self, whole: ast.expr, key: ast.expr) -> str:
        if isinstance(key, ast.Slice):
            ends = [self.value(e) if e else "0" for e in (key.lower, key.upper)]
            return f"{self.value(whole)}.slice({', '.join(ends)})"
        return f"$.at({self.value(whole)}, {self.value(key)})"

    def _comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
    ) -> str:
        (loop,) = node.generators
        each = f"({self._target(loop.target)})"
        text = f"$.iter({self.value(loop.iter)})"
        for condition in loop.ifs:
            text += f".filter({each} => {self.test(condition)})"
        if isinstance(node, ast.DictComp):
            pair = f"[{self.value(node.key)}, {self.value(node.value)}]"
            return f"new Map({text}.map({each} => {pair}))"
        text += f".map({each} => {self.value(node.elt)})"
        return f"$.set({text})" if isinstance(node, ast.SetComp) else text

    def _call(self, node: ast.Call) -> str:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in METHODS:
            arguments = self._list([called.value, *node.args])
            return f"$.{called.attr}({arguments})"
        name = self.value(called)
        if name in BUILTINS:
            extra = "".join(f", {self.value(k.value)}" for k in node.keywords)
            return f"$.{name}({self._list(node.args)}{extra})"
        arguments = self._list(node.args)
        if node.keywords:
            arguments = self._with_keywords(name.rpartition(".")[2], node)
        new = "new " if name in self.classes else ""
        return f"{new}{RENAMED.get(name, name)}({arguments})"

    def _with_keywords(self, name: str, node: ast.Call) -> str:
        """The arguments in the order of the parameters; `undefined` stands for a default."""
        if name not in self.parameters:
            raise UserError(f"{name}: keywords of a function that was not translated")
        given = {k.arg: self.value(k.value) for k in node.keywords}
        rest = self.parameters[name][len(node.args) :]
        last = max(rest.index(str(key)) for key in given)
        placed = [given.get(key, "undefined") for key in rest[: last + 1]]
        return ", ".join([*map(self.value, node.args), *placed])


def unknown(node: ast.AST) -> UserError:
    """The error for what the translator does not know."""
    text = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else type(node).__name__
    return UserError(
        f"the translator to JavaScript does not know {type(node).__name__} ({text[:60]}): "
        "write it otherwise, or teach it to nextword/explorables/translate.py"
    )


def translated(modules: Mapping[str, str], given: Iterable[str] = ()) -> str:
    """Return the modules, {name: source}, in JavaScript; each may use those before it, and
    the modules that are `given` as constants m_<name>.

    >>> print(translated({"a": "def f(x):\\n    return x[-1] if x else 0"}))
    const m_a = (() => {
    function f(x) {
    return ($.truth(x) ? $.at(x, -1) : 0);
    }
    return { f };
    })();
    <BLANKLINE>
    """
    translator = Translator({*modules, *given})
    return "".join(translator.module(name, source) for name, source in modules.items())
