r"""PENMAN, the notation of AMR graphs, read without recursion and with a place for each mistake.

::

    node   := "(" variable "/" concept branch* ")"
    branch := role (node | variable | constant)

``#`` starts a comment; ``# ::snt Hello`` gives a graph its text. A concept or a constant may carry
the places of its words: ``hate-01~e.5`` is the sixth. The package penman reads all this too; why
it is not used says *Decisions* in docs/architecture.md. This reader says where it stopped:

    >>> read("(h / hate-01 :ARG0 (s / she)")
    Traceback (most recent call last):
        ...
    dialogauge.amr.notation.NotationError: line 1: expected a role or ")", found the end
        (h / hate-01 :ARG0 (s / she)
                                    ^
"""

import re
from collections.abc import Iterator

import msgspec

from ..errors import InputError
from ..escaping import printable

#: The deepest nesting that is read; the deepest published graph we know has 13 levels.
DEEPEST = 500

_SPACE = r" \t\r\n\v\f"
_SYMBOL = rf'[^{_SPACE}"()/:~]+'
_KINDS = {
    "comment": r"\#[^\n]*",
    "string": r'"(?:[^"\\\n]|\\[^\n])*"',
    "(": r"\(",
    ")": r"\)",
    "/": "/",
    "role": ":" + _SYMBOL,
    "symbol": _SYMBOL,
    "alignment": r"~(?:[a-z]\.?)?[0-9]{1,9}(?:,[0-9]{1,9})*",
    "unknown": rf"[^{_SPACE}]",
}
_LEXEME = re.compile(f"[{_SPACE}]*(?:" + "|".join(f"({form})" for form in _KINDS.values()) + ")")
_ORDER = ("", *_KINDS)  # the number of a group -> its kind
_NAMES = {"symbol": "a name", "string": "a string", "role": "a role", "end": "the end"}
_AROUND = 60  # characters of a line that are shown on each side of a mistake


class NotationError(InputError):
    """A text is not PENMAN; ``excerpt`` shows the line with a caret below the place."""

    def __init__(self, problem: str, line: int, excerpt: str) -> None:
        super().__init__(problem, line=line)
        self.excerpt = excerpt

    @property
    def summary(self) -> str:
        """The mistake in one line."""
        return f"line {self.line}: {self.problem}"

    def __str__(self) -> str:
        return f"{self.summary}\n{self.excerpt}"


class Written(msgspec.Struct, frozen=True):
    """What a text in PENMAN says, roles still as they were written."""

    top: str
    concepts: dict[str, str]
    branches: list[tuple[str, str, str]]  # node, role, variable or constant
    places: dict[str, tuple[int, ...]]  # variable -> places of its words
    comments: dict[str, str]  # what followed "# ::key"


class _Lexeme(msgspec.Struct, frozen=True):
    kind: str
    text: str
    start: int


class _Lexemes:
    """The words of a text one after the other; comments are put aside."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.comments: dict[str, str] = {}
        self._rest = self._lexemes()
        self.next: _Lexeme = next(self._rest)

    def take(self, *kinds: str) -> _Lexeme:
        """The next one, which must be of one of these kinds."""
        lexeme = self.next
        if lexeme.kind not in kinds:
            expected = " or ".join(_NAMES.get(kind, f'"{kind}"') for kind in kinds)
            shown = "the end" if lexeme.kind == "end" else repr(printable(lexeme.text[:20]))
            raise self.error(f"expected {expected}, found {shown}", lexeme.start)
        self.next = next(self._rest)
        return lexeme

    def places(self) -> tuple[int, ...]:
        """The places of an alignment, if one comes next."""
        if self.next.kind != "alignment":
            return ()
        return tuple(int(number) for number in re.findall("[0-9]+", self.take("alignment").text))

    def error(self, problem: str, start: int) -> NotationError:
        """A mistake at a character."""
        line = 1 + self._text.count("\n", 0, start)
        first = self._text.rfind("\n", 0, start) + 1
        before = printable(self._text[max(first, start - _AROUND) : start].expandtabs(1))
        after = printable(self._text[start : start + _AROUND].split("\n")[0].expandtabs(1))
        return NotationError(problem, line, f"    {before}{after}\n    {' ' * len(before)}^")

    def _lexemes(self) -> Iterator[_Lexeme]:
        end = 0
        for match in _LEXEME.finditer(self._text):
            group = match.lastindex or 0
            if _ORDER[group] == "comment":
                for part in match[group].split("::")[1:]:
                    key, _, value = part.partition(" ")
                    self.comments.setdefault(key.strip(), value.strip())
            else:
                yield _Lexeme(_ORDER[group], match[group], match.start(group))
                end = match.end()
        while True:
            yield _Lexeme("end", "", end)


def read(text: str) -> Written:
    """What one graph in PENMAN says; :class:`NotationError` where it is not one."""
    lexemes = _Lexemes(text)
    written = Written("", {}, [], {}, lexemes.comments)
    opened: list[str] = []
    while True:
        opened.append(_open(lexemes, written, len(opened)))
        while opened:  # the branches of what is open, up to one that opens a node
            lexeme = lexemes.take("role", ")")
            if lexeme.kind == ")":
                opened.pop()
                continue
            lexemes.places()  # a role may carry places too; they are not kept
            if lexemes.next.kind == "(":
                written.branches.append((opened[-1], lexeme.text, ""))
                break
            target = lexemes.take("symbol", "string", "(").text
            _mark(written, opened[-1], lexemes.places())
            written.branches.append((opened[-1], lexeme.text, target))
        else:
            lexemes.take("end")
            return msgspec.structs.replace(written, top=next(iter(written.concepts)))


def _open(lexemes: _Lexemes, written: Written, depth: int) -> str:
    """Read ``( variable / concept``, and finish the branch that leads here."""
    bracket = lexemes.take("(")
    if depth >= DEEPEST:
        raise lexemes.error(f"nested deeper than {DEEPEST} brackets", bracket.start)
    variable = lexemes.take("symbol")
    if variable.text in written.concepts:
        raise lexemes.error(f"the variable {variable.text} is defined twice", variable.start)
    lexemes.take("/")
    written.concepts[variable.text] = lexemes.take("symbol", "string").text
    _mark(written, variable.text, lexemes.places())
    if written.branches:
        source, role, _ = written.branches[-1]
        written.branches[-1] = (source, role, variable.text)
    return variable.text


def _mark(written: Written, variable: str, places: tuple[int, ...]) -> None:
    if places:
        marked = written.places.get(variable, ())
        written.places[variable] = tuple(sorted({*marked, *places}))
