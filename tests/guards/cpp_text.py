"""C++ as tokens: enough to lint it, not to understand it.

Comments are dropped, strings keep their quotes and lose their content, preprocessor lines stand
apart. Brackets know their partner and every token its innermost open bracket. Angle brackets are
not matched, since that takes a compiler.
"""

import bisect
import dataclasses
import re

_LEXER = re.compile(
    r"""
      (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)")
    | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<splice>\\\n)
    | (?P<newline>\n)
    | (?P<space>[^\S\n]+)
    | (?P<punct><=>|<<=|>>=|\.\.\.|->\*|->|::|<<|>=|<=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
CONTROL = ("if", "while", "for", "switch", "constexpr", "catch")  # What owns parentheses.
_OPENERS = frozenset(_CLOSER_OF)
_CLOSERS = frozenset(_CLOSER_OF.values())


@dataclasses.dataclass(frozen=True)
class Token:
    text: str
    line: int
    kind: str  # word, number, string, char, punct

    @property
    def is_word(self):
        return self.kind == "word"


@dataclasses.dataclass(frozen=True)
class Directive:
    text: str  # One line, comments dropped, strings kept: '#include "engine/types/time.hpp"'.
    line: int


class CppText:
    """tokens: all but the preprocessor's; match[i]: the partner of bracket i, or None;
    parent[i]: the innermost bracket that is open at token i, or None."""

    def __init__(self, text):
        self.text = text
        self._line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.tokens = []
        self.directives = []
        self.code_lines = [""] * (text.count("\n") + 2)  # Index = line; comments, strings blanked.
        self.comment_lines = [""] * len(self.code_lines)
        self.string_lines = [""] * len(self.code_lines)  # The literals of each line, joined.
        self._lex(text)
        self._match_brackets()

    def line_of(self, offset):
        return bisect.bisect_right(self._line_starts, offset)

    def _lex(self, text):
        directive = None  # Parts of the directive being read.
        line_is_blank = True
        line = 1
        directive_line = 0
        for found in _LEXER.finditer(text):
            kind, piece = found.lastgroup, found.group()
            if kind == "delimiter":
                kind = "raw"
            if kind == "newline":
                if directive is not None:
                    self.directives.append(Directive("".join(directive).strip(), directive_line))
                    directive = None
                line_is_blank = True
            elif kind == "comment":
                self.comment_lines[line] += piece
                self.code_lines[line] += " "
                if directive is not None:
                    directive.append(" ")
            elif kind in ("space", "splice"):
                self.code_lines[line] += " "
                if directive is not None:
                    directive.append(" ")
            else:
                if kind in ("raw", "string", "char"):
                    self.string_lines[line] += piece
                    quote = "'" if kind == "char" else '"'
                    shown = quote + quote
                    kind = "char" if kind == "char" else "string"
                else:
                    shown = piece
                self.code_lines[line] += shown
                if line_is_blank and piece == "#":
                    directive, directive_line = [], line
                line_is_blank = False
                if directive is not None:
                    directive.append(piece)
                else:
                    self.tokens.append(Token(shown, line, kind))
            line += piece.count("\n")
        if directive is not None:
            self.directives.append(Directive("".join(directive).strip(), directive_line))

    def _match_brackets(self):
        self.match = [None] * len(self.tokens)
        self.parent = [None] * len(self.tokens)
        stack = []
        for index, token in enumerate(self.tokens):
            if token.kind == "punct" and token.text in _CLOSERS:
                # An #if may open the same block twice: drop what doesn't fit.
                while stack and _CLOSER_OF[self.tokens[stack[-1]].text] != token.text:
                    stack.pop()
                if stack:
                    opener = stack.pop()
                    self.match[opener], self.match[index] = index, opener
            self.parent[index] = stack[-1] if stack else None
            if token.kind == "punct" and token.text in _OPENERS:
                stack.append(index)

    def at(self, index):
        """The text of a token; '' beyond either end."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_word(self, index):
        return 0 <= index < len(self.tokens) and self.tokens[index].is_word

    def ancestors(self, index):
        """The open brackets around a token, innermost first."""
        opener = self.parent[index]
        while opener is not None:
            yield opener
            opener = self.parent[opener]

    def before_angles(self, closer):
        """For the '>' at `closer`: the index before its '<', or -1."""
        depth = 0
        index = closer
        while index >= 0:
            text = self.at(index)
            if text == ">":
                depth += 1
            elif text == "<":
                depth -= 1
                if depth == 0:
                    return index - 1
            elif text in (";", "{", "}"):
                return -1
            elif text in (")", "]") and self.match[index] is not None:
                index = self.match[index]
            index -= 1
        return -1

    def function_of(self, index):
        """The brace that opens the body of the innermost function or lambda around a token."""
        for opener in self.ancestors(index):
            if self.at(opener) == "{" and self._opens_function(opener):
                return opener if self.match[opener] is not None else None
        return None

    def _opens_function(self, brace):
        index = brace - 1
        while self.at(index) in ("const", "mutable", "noexcept", "override", "final"):
            index -= 1
        if self.at(index) == ")" and self.match[index] is not None:
            return self.at(self.match[index] - 1) not in CONTROL
        if self.at(index) == "]":
            return True  # A lambda without parameters.
        # A trailing return type.
        for before in range(index, max(index - 24, -1), -1):
            if self.at(before) == "->":
                return self.at(before - 1) in (")", "]", "const", "mutable", "noexcept")
            if self.at(before) in (";", "{", "}", "="):
                return False
        return False
