"""The coroutine discipline: g++ 12 compiles some correct coroutines into wrong branches and double
frees, without a warning. These rules refuse every form that we have seen it break (the programs in
tests/compiler/refused show each), and a few that cost readers more than they give.

  A co_await is a whole statement, the initialiser of one named local (`T name = co_await …;`), or the
  operand of co_return. The awaited expression has no brace, no ?:, no aggregate made on the spot.
"""

import re
import sys

import cpp_text
import guard
from guard import Plant, Violation

RULES = {
    "await-position": "a co_await is a statement, the initialiser of one named local, or the operand"
                      " of co_return",
    "brace-in-await": "the awaited expression has no brace",
    "conditional-in-await": "the awaited expression has no ?:",
    "aggregate-in-await": "the awaited expression makes no aggregate by parentheses",
    "braced-default": "no braced default argument takes part in an awaited expression",
    "await-in-catch": "no co_await in a handler",
    "await-in-macro": "no co_await inside a macro",
    "statement-expression": "no statement expressions",
    "lambda-coroutine": "a capturing lambda that is a coroutine is a named local",
    "symmetric-transfer": "await_suspend answers void or bool",
    "awaiter-constructor": "an awaiter with members has a constructor",
    "overaligned-local": "no over-aligned local in a coroutine",
}

_CO = ("co_await", "co_return", "co_yield")
_AFTER_STATEMENT = (";", "{", "}", "else", "do")
_BINARY = frozenset("+ - / % ^ | << == != <= >= <=> && || = , += -= *= /= %= &= |= ^= * &".split())
# Functions that keep the closure they are given as long as its task lives: processes of both worlds
# hold their program in a std::function (start, start_…); `run…` of the tests
# ends after its task.
_KEEPER = re.compile(r"start(?:_\w+)?")
_KEEPER_IN_TESTS = re.compile(r"start(?:_\w+)?|run(?:_\w+)?")
_LARGEST_ALIGNMENT = 16  # What operator new of a coroutine frame guarantees on x86-64.


def lint(files):
    """The violations in {path: CppText}. Types and functions that one file declares are known in
    all others."""
    facts = _Facts(files.values())
    found = []
    for path, text in files.items():
        linter = _Linter(str(path), text, facts)
        linter.run()
        found += linter.found
    return found


class _Facts:
    """Names collected from all files."""

    def __init__(self, texts):
        texts = list(texts)
        aggregates, others = set(), set()
        self.overaligned = set()
        for text in texts:
            for record in _records(text):
                (aggregates if record.is_aggregate else others).add(record.name)
                if record.alignment > _LARGEST_ALIGNMENT:
                    self.overaligned.add(record.name)
        # One name, two types: we can't tell them apart, so neither is blamed.
        self.aggregates = aggregates - others
        # {function: the positions of its parameters with braced defaults}
        self.braced_helpers = {}
        self.tasks = set()
        for text in texts:
            for default in _braced_defaults(text):
                if not default.is_task and default.type in self.aggregates:
                    self.braced_helpers.setdefault(default.function, set()).add(default.position)
            self.tasks |= {text.at(i) for i, token in enumerate(text.tokens)
                           if token.is_word and text.at(i + 1) == "(" and text.at(i - 1) in (">", "::")
                           and text.match[i + 1] is not None
                           and _returns_task(text, i, text.match[i + 1])}


class _Record:
    """A struct or class with its body."""

    def __init__(self, text, keyword, name_index, body):
        self.text, self.name, self.body = text, text.at(name_index), body
        self.line = text.tokens[name_index].line
        self.alignment = _alignment(text, keyword, body)
        inside = [i for i in range(body + 1, text.match[body]) if text.parent[i] == body]
        self.members = inside
        self.has_constructor = any(
            text.at(i) == self.name and text.at(i + 1) == "(" and text.at(i - 1) != "~"
            for i in inside) or any(
            text.at(i) == "using" and text.at(i + 2) == "::" and text.at(i + 1) == text.at(i + 3)
            for i in inside)
        hidden = text.at(keyword) == "class" or any(
            text.at(i) in ("private", "protected", "virtual") for i in inside)
        self.is_aggregate = not self.has_constructor and not hidden

    def has_function(self, name):
        return any(self.text.at(i) == name and self.text.at(i + 1) == "(" for i in self.members)

    def has_data(self):
        statement = []
        for i in self.members:
            piece = self.text.at(i)
            if piece in (";", "}") or (piece == ":" and len(statement) == 1):
                if piece == ";" and self._is_data(statement):
                    return True
                # A function body ends a statement, a braced initialiser doesn't.
                if piece != "}" or "(" in statement:
                    statement = []
            else:
                statement.append(piece)
        return False

    @staticmethod
    def _is_data(statement):
        if len(statement) < 2 or statement[0] in ("using", "friend", "typedef", "static", "enum",
                                                  "struct", "class", "template", "explicit",
                                                  "virtual", "~", "operator"):
            return False
        before_value = statement[:statement.index("=")] if "=" in statement else statement
        return "(" not in before_value and "operator" not in statement


def _alignment(text, start, end):
    for i in range(start, end):
        if text.at(i) == "alignas":
            inside = text.at(i + 2)
            # A named alignment is taken for a large one.
            return int(inside.replace("'", "")) if re.fullmatch(r"[\d']+", inside) else 4096
    return 0


def _records(text):
    for i, token in enumerate(text.tokens):
        if token.text not in ("struct", "class") or text.at(i - 1) in ("enum", "<", ","):
            continue
        j = i + 1
        while text.at(j) in ("alignas", "[", "__attribute__"):
            j = text.match[j] + 1 if text.at(j) == "[" else (text.match[j + 1] or j + 1) + 1
        if not text.is_word(j):
            continue
        while text.at(j + 1) == "::":
            j += 2
        name = j
        while text.at(j) not in ("{", ";", "(", ")", "=", "") and j - name < 60:
            j += 1
        if text.at(j) == "{" and text.match[j] is not None:
            yield _Record(text, i, name, j)


class _BracedDefault:
    def __init__(self, function, type_name, position, is_task, line):
        self.function, self.type, self.position = function, type_name, position
        self.is_task, self.line = is_task, line


def _braced_defaults(text):
    """The default arguments that have a brace, in declarations `type name(…, T p = …{…}…)`."""
    for i, token in enumerate(text.tokens):
        if token.text != "=" or not text.is_word(i - 1):
            continue
        opener = text.parent[i]
        if opener is None or text.at(opener) != "(" or text.match[opener] is None:
            continue
        function = opener - 1
        if text.at(function) in cpp_text.CONTROL or not (text.is_word(function) or
                                                 text.at(function) == "]"):
            continue
        type_end = i - 2
        while text.at(type_end) in ("&", "&&", "*", "const"):
            type_end -= 1
        if text.at(type_end) == ">":
            type_end = text.before_angles(type_end)
        if not text.is_word(type_end) or type_end <= opener:
            continue
        j = i + 1
        while j < text.match[opener] and not (text.at(j) == "," and text.parent[j] == opener):
            if text.at(j) == "{":
                yield _BracedDefault(text.at(function), text.at(type_end), _commas(text, opener, i),
                                     _returns_task(text, function, text.match[opener]), token.line)
                break
            j += 1


def _commas(text, opener, end):
    """The commas directly inside the parentheses at `opener`, up to `end`; those between the angles
    of a template's arguments aren't told apart."""
    return sum(text.at(j) == "," and text.parent[j] == opener for j in range(opener + 1, end))


def _returns_task(text, function, closer):
    """Is the function whose name (or lambda's ']') is at `function` declared to return a Task?"""
    j = closer + 1
    while text.at(j) in ("const", "mutable", "noexcept", "override", "final"):
        j += 1
    if text.at(j) == "->":
        return "Task" in (text.at(j + 1), text.at(j + 3))
    j = function - 1
    while text.at(j) == "::":
        j -= 2
    if text.at(j) != ">":
        return False
    return text.at(text.before_angles(j)) == "Task"


class _Linter:
    def __init__(self, path, text, facts):
        self.path, self.text, self.facts = path, text, facts
        self.found = []

    def refuse(self, line, rule, message):
        self.found.append(Violation(self.path, line, rule, message))

    def run(self):
        text = self.text
        for directive in text.directives:
            if re.match(r"#\s*define\b", directive.text) and "co_await" in directive.text:
                self.refuse(directive.line, "await-in-macro",
                            "write the co_await out; let the macro look at the named answer")
        for i, token in enumerate(text.tokens):
            if token.text == "co_await" and text.at(i - 1) != "operator":
                self._await(i)
            elif token.text == "(" and text.at(i + 1) == "{":
                self._statement_expression(i)
            elif token.text == "await_suspend" and text.at(i + 1) == "(":
                self._await_suspend(i)
            elif token.text == "[":
                self._lambda(i)
            elif token.text == "alignas" or token.text in self.facts.overaligned:
                self._overaligned(i)
        for default in _braced_defaults(text):
            if default.is_task:
                self.refuse(default.line, "braced-default",
                            f"`{default.function}` is awaited with its braced default argument"
                            " destroyed twice: add an overload without the parameter")
        for record in _records(text):
            if record.has_function("await_ready") and not record.has_constructor \
                    and record.has_data():
                self.refuse(record.line, "awaiter-constructor",
                            f"give {record.name} a constructor, and deregister in its destructor")

    # -- awaits

    def _await(self, i):
        line = self.text.tokens[i].line
        for opener in self.text.ancestors(i):
            if self.text.at(opener) == "{" and self._is_handler(opener):
                self.refuse(line, "await-in-catch", "note what to do, and await after the handler")
        problem = self._position_problem(i)
        if problem:
            self.refuse(line, "await-position",
                        f"{problem}: write `const auto name = co_await …;` on a line of its own")
        self._awaited_expression(i)

    def _is_handler(self, brace):
        closer = brace - 1
        if self.text.at(closer) != ")" or self.text.match[closer] is None:
            return False
        return self.text.at(self.text.match[closer] - 1) == "catch"

    def _position_problem(self, i):
        """Why the co_await at i may not stand where it stands; '' if it may."""
        text = self.text
        opener = text.parent[i]
        if opener is not None and text.at(opener) in ("(", "["):
            return f"a co_await inside {text.at(opener)}…{text.at(text.match[opener] or -1)}"
        before = text.at(i - 1)
        if before == "co_return" or self._starts_statement(i):
            return self._end_problem(i)
        if before == ")" and text.at(i - 2) == "void" and text.at(i - 3) == "(" \
                and self._starts_statement(i - 3):
            return self._end_problem(i)
        if before == "=":
            return self._initialiser_problem(i - 1) or self._end_problem(i)
        return f"a co_await as the operand of `{before}`"

    def _starts_statement(self, i):
        """Is the token at i the first of a statement?"""
        text = self.text
        before = text.at(i - 1)
        if before == "]" and text.at(i - 2) == "]" and text.match[i - 1] is not None:
            return self._starts_statement(text.match[i - 1])  # An attribute.
        if before in _AFTER_STATEMENT or before == "":
            return True
        if before == ")" and text.match[i - 1] is not None:
            return text.at(text.match[i - 1] - 1) in cpp_text.CONTROL
        if before == ":":
            j = i - 2
            while text.at(j) not in (";", "{", "}", "?", ""):
                j -= 1
            return text.at(j) != "?"
        return False

    def _initialiser_problem(self, equals):
        text = self.text
        if text.at(equals - 1) == "]":
            return "a structured binding made from a co_await"
        if not text.is_word(equals - 1):
            return "a co_await that is assigned"
        type_end = text.at(equals - 2)
        is_type = type_end in (">", "&", "&&", "*") or (
            text.is_word(equals - 2) and type_end not in ("else", "do"))
        return "" if is_type else "a co_await that is assigned"

    def _end_problem(self, i):
        """Why the expression that starts at i is not the whole of its statement."""
        text = self.text
        j = i + 1
        angle_open = False
        while j < len(text.tokens):
            piece = text.at(j)
            if piece == ";":
                return ""
            if piece in (")", "]", "}"):
                return "a co_await inside braces"
            if piece in ("(", "[", "{"):
                if text.match[j] is None:
                    return ""
                j = text.match[j]
            elif piece == "?":
                return ""  # Told by conditional-in-await.
            elif piece == "<" and text.is_word(j - 1):
                angle_open = True
            elif piece in _BINARY and not (piece in ("*", "&") and (j == i + 1 or angle_open)) \
                    and not (piece == "," and angle_open):
                return f"a co_await as the operand of `{piece}`"
            j += 1
        return ""

    def _awaited_expression(self, i):
        text = self.text
        line = text.tokens[i].line
        j = i + 1
        floor = text.parent[i]
        while j < len(text.tokens):
            piece = text.at(j)
            at_floor = text.parent[j] == floor
            if at_floor and piece in (";", ",", ")", "]", "}"):
                return
            if piece == "{":
                self.refuse(line, "brace-in-await",
                            "name the braced object or lambda in a line before")
                return
            if piece == "?":
                self.refuse(line, "conditional-in-await", "name the choice in a line before")
                return
            if text.is_word(j) and text.at(j + 1) == "(" and text.at(j + 2) != ")":
                if piece in self.facts.aggregates:
                    self.refuse(line, "aggregate-in-await",
                                f"{piece} is an aggregate: name it in a line before")
            if text.is_word(j) and text.at(j + 1) == "(" and self._uses_braced_default(j, floor):
                self.refuse(line, "braced-default",
                            f"`{piece}` has a braced default argument: call it in a line before")
            j += 1

    def _uses_braced_default(self, i, floor):
        """Does the call at i leave a parameter to its braced default?"""
        text = self.text
        positions = self.facts.braced_helpers.get(text.at(i))
        if positions is None or text.match[i + 1] is None:
            return False
        if text.parent[i] == floor and text.at(i) in self.facts.tasks:
            return False  # What is awaited is a task, whose own defaults have no brace.
        given = _commas(text, i + 1, text.match[i + 1]) + (text.at(i + 2) != ")")
        return max(positions) >= given

    # -- everything else

    def _statement_expression(self, opener):
        text = self.text
        brace = opener + 1
        # EXPECT_DEATH({…}, …) takes a block.
        if text.match[brace] is None or re.fullmatch(r"[A-Z][A-Z_]+", text.at(opener - 1)):
            return
        if any(text.at(j) == ";" and text.parent[j] == brace
               for j in range(brace, text.match[brace])):
            self.refuse(text.tokens[opener].line, "statement-expression", "write plain statements")

    def _await_suspend(self, i):
        text = self.text
        j = i - 1
        while text.at(j) == "::":
            j -= 2
        answer = text.at(j)
        if answer in (".", "->", "void", "bool", "(", ",", "return", "=", ";", "{", "}", "!"):
            return
        self.refuse(text.tokens[i].line, "symmetric-transfer",
                    "start the child inside await_suspend, and answer bool: is there something to"
                    " wait for")

    def _lambda(self, i):
        text = self.text
        before = text.at(i - 1)
        if text.match[i] is None or before == "[" or text.at(i + 1) == "[" or before in (")", "]") \
                or (text.is_word(i - 1) and before not in ("return", *_CO)):
            return  # A subscript, an attribute, an array.
        captures = text.match[i] > i + 1
        j = text.match[i] + 1
        if text.at(j) == "<":
            while text.at(j) not in ("(", "{", ";", ""):
                j += 1
        if text.at(j) == "(":
            j = (text.match[j] or j) + 1
        returns_task = False
        while text.at(j) not in ("{", ";", ")", ",", ""):
            returns_task = returns_task or text.at(j) == "Task"
            j = (text.match[j] or j) + 1 if text.at(j) == "(" else j + 1
        if text.at(j) != "{" or text.match[j] is None or not captures:
            return
        body_end = text.match[j]
        if not returns_task and not any(
                text.at(k) in _CO and text.function_of(k) == j for k in range(j, body_end)):
            return
        opener = text.parent[i]
        keeper = _KEEPER_IN_TESTS if self.path.startswith("tests/") else _KEEPER
        kept = opener is not None and text.at(opener) == "(" \
            and keeper.fullmatch(text.at(opener - 1)) is not None
        if (before != "=" and not kept) or text.at(body_end + 1) == "(":
            self.refuse(text.tokens[i].line, "lambda-coroutine",
                        "name the lambda in a local that outlives the task, or hand what it captures"
                        " to it as parameters")

    def _overaligned(self, i):
        text = self.text
        if text.at(i) == "alignas":
            large = _alignment(text, i, i + 1) > _LARGEST_ALIGNMENT
            declares = text.at(i - 1) not in ("struct", "class")
        else:
            large = True
            declares = text.is_word(i + 1) and text.at(i + 2) in (";", "{", "=", "(", "[")
        if not (large and declares):
            return
        body = text.function_of(i)
        if body is not None and any(text.at(k) in _CO and text.function_of(k) == body
                                    for k in range(body, text.match[body])):
            self.refuse(text.tokens[i].line, "overaligned-local",
                        "a coroutine frame is aligned to 16 bytes: put this on the heap")


def check(root):
    return lint({path: cpp_text.CppText(guard.read(root, path))
                 for path in guard.cpp_sources(root)})


def _story(body, before=""):
    return {"engine/store/story.cpp": f"{before}\nTask<int> story() {{\n{body}\n}}\n"}


def _bad(name, rule, body, before=""):
    return Plant(name, rule, _story(body, before))


def _good(name, body, before=""):
    return Plant(name, None, _story(body, before))


_AGGREGATE = "struct Options { int key; std::string label; };\n"

SELF_TESTS = (
    _bad("an await in the condition of an if", "await-position",
         "if (co_await held()) co_return 1;\nco_return 2;"),
    _bad("an await in a declaration inside a condition", "await-position",
         "if (const bool x = co_await held(); x) co_return 1;\nco_return 2;"),
    _bad("an await in a loop's condition", "await-position",
         "while (co_await more()) work();\nco_return 2;"),
    _bad("an await in a for header", "await-position",
         "for (auto& x : co_await list()) use(x);\nco_return 2;"),
    _bad("an await as a switch's selector", "await-position",
         "switch (co_await kind()) { default: break; }\nco_return 2;"),
    _bad("an await in a function's argument", "await-position",
         "use(co_await number());\nco_return 2;"),
    _bad("an await right of &&", "await-position", "const bool x = a && co_await b();\nco_return 2;"),
    _bad("an await left of ==", "await-position", "const bool x = co_await b() == 1;\nco_return 2;"),
    _bad("an await after !", "await-position", "const bool x = !co_await b();\nco_return 2;"),
    _bad("an await as a side of ?:", "await-position",
         "const int x = c ? 1 : co_await b();\nco_return 2;"),
    _bad("an await that is assigned", "await-position", "x = co_await b();\nco_return 2;"),
    _bad("an await that is assigned to a member", "await-position",
         "this->x = co_await b();\nco_return 2;"),
    _bad("an await in a braced initialiser", "await-position",
         "Options o{co_await b()};\nco_return 2;"),
    _bad("an await as the second of a braced list", "await-position",
         "Options o{1, co_await b()};\nco_return 2;"),
    _bad("a structured binding of an await", "await-position",
         "auto [a, b] = co_await both();\nco_return 2;"),
    _bad("a member of an await's answer", "await-position",
         "const int x = (co_await b()).value;\nco_return 2;"),
    _bad("a comma after an await", "await-position", "int x = co_await b(), y = 2;\nco_return 2;"),
    _bad("a cast of an await", "await-position",
         "const int x = static_cast<int>(co_await b());\nco_return 2;"),
    _bad("a braced argument", "brace-in-await", "co_await send({.key = 1});\nco_return 2;"),
    _bad("a braced temporary, lines below", "brace-in-await",
         "const auto x = co_await send(\n  a,\n  Options{1});\nco_return 2;"),
    _bad("a lambda in an awaited call", "brace-in-await",
         "co_await call([x] { return x; });\nco_return 2;"),
    _bad("a braced argument under co_return", "brace-in-await", "co_return co_await send({1, 2});"),
    _bad("?: in an argument", "conditional-in-await", "co_await send(a ? b : c);\nco_return 2;"),
    _bad("?: between tasks", "conditional-in-await", "co_await (a ? b() : c());\nco_return 2;"),
    _bad("a parenthesised aggregate", "aggregate-in-await",
         "co_await send(Options(1, label()));\nco_return 2;", _AGGREGATE),
    Plant("a parenthesised aggregate of another file", "aggregate-in-await",
          {"engine/types/options.hpp": _AGGREGATE,
           **_story("co_await send(Options(1, label()));\nco_return 2;")}),
    _bad("a braced default argument of a task", "braced-default", "co_return 2;",
         "Task<void> send(int to, Options options = {});"),
    _bad("a braced default argument of a member task", "braced-default", "co_return 2;",
         "Task<Result<int>> Store::put(const Options& options = Options{});"),
    _bad("a helper's braced default argument", "braced-default",
         "co_await send(encode(1));\nco_return 2;",
         _AGGREGATE + "Bytes encode(int x, const Options& options = {});"),
    _bad("an await in a handler", "await-in-catch",
         "try { f(); } catch (const Error& e) {\n  co_await g();\n}\nco_return 2;"),
    _bad("a macro with an await", "await-in-macro", "co_return 2;",
         "#define TRY(x) \\\n  co_await x"),
    _bad("a statement expression", "statement-expression",
         "const int x = ({ f(); 3; });\nco_return 2;"),
    _bad("a capturing lambda coroutine that is invoked", "lambda-coroutine",
         "auto t = [x]() -> Task<int> { co_return x; }();\nco_return 2;"),
    _bad("a capturing lambda coroutine that is passed", "lambda-coroutine",
         "scope.spawn([&x]() -> Task<void> { co_await x.f(); });\nco_return 2;"),
    _bad("the same without a trailing return type", "lambda-coroutine",
         "scope.spawn(1, [this](auto y) { co_await y.f(); });\nco_return 2;"),
    _bad("a capturing lambda coroutine that only tests may run", "lambda-coroutine",
         "run([&x]() -> Task<void> { co_await x.f(); });\nco_return 2;"),
    _bad("a capturing lambda coroutine that is returned", "lambda-coroutine",
         "return [x]() -> Task<int> { co_return x; };"),
    _bad("symmetric transfer", "symmetric-transfer", "co_return 2;",
         "struct A { std::coroutine_handle<> await_suspend(std::coroutine_handle<> h); };"),
    _bad("symmetric transfer behind auto", "symmetric-transfer", "co_return 2;",
         "class A { auto await_suspend(std::coroutine_handle<> h) { return h; } };"),
    _bad("an aggregate awaiter", "awaiter-constructor", "co_return 2;",
         "struct A { Event& e; bool await_ready() { return false; }"
         " void await_suspend(H h) { e.add(h); } void await_resume() {} };"),
    _bad("an over-aligned local", "overaligned-local", "alignas(4096) char block[4096];\nco_return 2;"),
    _bad("a local of an over-aligned type", "overaligned-local", "Block block;\nco_return 2;",
         "struct alignas(64) Block { char bytes[64]; };"),

    _good("the three forms",
          "co_await f();\nconst Result<int> x = co_await g(a, b);\nauto& y = co_await h();\n"
          "(void)co_await f();\nco_return co_await g(x, y);"),
    _good("a branch that is one await", "if (a) co_await f();\nelse co_await g();\n"
          "if (b) [[unlikely]] co_await f();\nfor (int i = 0; i < 3; ++i) co_await f();\nco_return 2;"),
    _good("an await behind a label", "switch (a) { case 1: co_await f(); break; default: break; }\n"
          "co_return 2;"),
    _good("template arguments", "const auto x = co_await f<int, 2>(a);\nco_return 2;"),
    _good("?: and braces before the await",
          "const Options o{.key = a ? 1 : 2, .label = b};\nco_await send(o);\nco_return 2;",
          _AGGREGATE),
    _good("a class with a constructor as temporary", "co_await send(Key(1, 2));\nco_return 2;",
          "struct Key { Key(int a, int b); int a; };"),
    _good("operator co_await", "co_return 2;", "struct T { Awaiter operator co_await() &&; };"),
    _good("a named lambda coroutine",
          "const auto wait = [&x]() -> Task<void> { co_await x.f(); };\nco_await wait();\nco_return 2;"),
    _good("a lambda coroutine without captures, passed to a scope",
          "scope.spawn([](int x) -> Task<void> { co_await f(x); }, 3);\nco_return 2;"),
    _good("a capturing lambda coroutine handed to a process",
          "world.start([&](Context& c) -> Task<void> { co_await f(c); });\nco_return 2;"),
    _good("a capturing lambda that is no coroutine",
          "run([x] { return x; });\nco_return 2;"),
    _good("an awaiter with a constructor", "co_return 2;",
          "class A { public: explicit A(Event& e) : e_(e) {} bool await_ready() { return false; }"
          " bool await_suspend(std::coroutine_handle<> h) { return e_.add(h); } void await_resume() {}"
          " private: Event& e_; };"),
    _good("a nested awaiter, defined outside", "co_return 2;",
          "class [[nodiscard]] S::A : public W { public: A(Event& e) : e_(e) {}"
          " bool await_ready() { return false; } private: Event& e_; };"),
    _good("an awaiter without members", "co_return 2;",
          "struct A { bool await_ready() { return false; } void await_suspend(H) {}"
          " void await_resume() {} };"),
    _good("a braced default argument where nobody awaits", "const int x = f();\nco_return x;",
          _AGGREGATE + "int f(Options o = {});"),
    _good("a helper that gets all of its arguments", "co_await send(encode(1, options));\nco_return 2;",
          _AGGREGATE + "Bytes encode(int x, const Options& options = {});"),
    _good("a task that is called like a helper", "co_await encode(1);\nco_return 2;",
          _AGGREGATE + "Bytes encode(int x, const Options& options = {});\n"
          "Task<void> Store::encode(int x);"),
    _good("a block for a death test", 'EXPECT_DEATH({ f(); g(); }, "x");\nco_return 2;'),
    _good("the words in comments and strings",
          '// if (co_await f()) {\nlog("if (co_await f())");\nco_return 2;'),
)

if __name__ == "__main__":
    sys.exit(guard.run(RULES, check, SELF_TESTS))
