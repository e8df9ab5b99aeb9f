"""Treebanks: CoNLL-U files as values, and as spaCy documents.

Two are read: UD English EWT (web text), and of GUM the ``news`` and ``interview`` documents, since
the licences of the others do not let a model ship. Three things are less plain than they look:

- *Words and spaces.* A contraction is one stretch of text and two words (``do`` + ``n't``); words
  are kept as the treebank has them and the space belongs to the last word of the stretch.
- *Names.* GUM brackets every mention of an entity, "the president" too. A name is a mention whose
  head is a proper noun, cut down to the tokens that carry the name (:func:`names`).
- *Not annotated is not "no name".* EWT has no entities: its words have ``name=None``, which spaCy
  reads as missing, where ``""`` would teach that there is no name.
"""

import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ....errors import DataError, InputError

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

#: Genres of GUM whose texts (Wikinews, CC BY) a shipped model may learn from.
_GENRES = ("news", "interview")
#: The parts of the first GUM documents in :func:`divide`'s order; the others are for training.
_HELD_OUT = ["test"] * 8 + ["dev"] * 4
PARTS = ("train", "dev", "test")
#: GUM's types of entity as types of name. Those of the second line are too few to tell
#: apart, and days and months (``time``) are not names of anything.
KINDS = {"person": "PERSON", "organization": "ORG", "place": "LOC"} | dict.fromkeys(
    ("abstract", "event", "object", "substance", "animal", "plant"), "MISC"
)
#: What a name may have inside without being cut: "Arts and Humanities", "J-Lo", "King's Court".
_JOINS = frozenset({"of", "the", "for", "and", "&", "'s", "’s", "-", "–", "/", "'", "de", "."})

#: The ten columns of a line.
_Columns = Sequence[str]

#: Words of a name, at most two joining words between them.
_RUN = re.compile("N(?:j{0,2}N)*")
_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")


class Word(msgspec.Struct, frozen=True):
    """One syntactic word: ``head`` is a place in the sentence, its own place for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    morph: str
    head: int
    dep: str
    space: bool = True
    name: str | None = None  #: "B-PERSON", "I-PERSON", "" outside, None where nobody looked


class Sentence(msgspec.Struct, frozen=True):
    """A tree, and the document it stands in."""

    document: str
    words: tuple[Word, ...]


def ewt(folder: Path, part: str) -> Iterator[Sentence]:
    """A part of UD English EWT: ``train``, ``dev`` or ``test``, as its authors divide it."""
    return read(folder / f"en_ewt-ud-{part}.conllu.gz")


def gum(folder: Path, part: str) -> Iterator[Sentence]:
    """A part of GUM's licensed documents, with names."""
    sentences = list(read(folder / "en_gum-ud-all.conllu.gz", keep=is_licensed))
    parts = divide(sentence.document for sentence in sentences)
    return (sentence for sentence in sentences if parts[sentence.document] == part)


def is_licensed(document: str) -> bool:
    """Whether a GUM document may go into a model that ships.

    >>> is_licensed("GUM_news_nasa"), is_licensed("GUM_fiction_moon")
    (True, False)
    """
    return document.split("_")[1:2] in [[genre] for genre in _GENRES]


def divide(documents: Iterable[str]) -> dict[str, str]:
    """The part of each GUM document: in order of the sha256 of its name, 8 test, 4 dev, the rest.

    >>> sorted(divide(f"GUM_news_{n}" for n in range(14)).values())[:5]
    ['dev', 'dev', 'dev', 'dev', 'test']
    """
    order = sorted(set(documents), key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return dict(zip(order, chain(_HELD_OUT, repeat("train")), strict=False))


def read(path: Path, keep: Callable[[str], bool] = bool) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file, gzipped or not; ``keep`` chooses documents by name."""
    document = path.name
    entities: list[str] = []
    for number, block in _blocks(path):
        for line in block:
            if line.startswith("# newdoc id = "):
                document = line.removeprefix("# newdoc id = ")
                entities = []
            elif line.startswith("# global.Entity = "):
                entities = line.removeprefix("# global.Entity = ").split("-")
        if keep(document):
            yield _placed(block, document, entities, str(path), number)


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines between empty lines, with the number of their first line."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            lines = ((number, line.rstrip("\n")) for number, line in enumerate(file, 1))
            for filled, run in groupby(lines, key=lambda line: bool(line[1])):
                if filled:
                    block = list(run)
                    yield block[0][0], [line for _, line in block]
    except FileNotFoundError:
        remedy = "name the folder with the treebanks"
        raise DataError(f"{path}: there is no such file ({remedy})") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def _placed(
    block: Sequence[str], document: str, entities: Sequence[str], file: str, number: int
) -> Sentence:
    """A sentence; what is wrong with it is an error that says where it begins."""
    lines = [line.split("\t") for line in block if not line.startswith("#")]
    for fields in lines:
        if len(fields) != 10:
            raise InputError(f"expected 10 fields, got {len(fields)}", file=file, line=number)
    try:
        return _sentence(lines, document, entities)
    except (ValueError, LookupError, StopIteration):
        raise InputError("not a treebank's row in this sentence", file=file, line=number) from None


def _sentence(lines: Sequence[_Columns], document: str, entities: Sequence[str]) -> Sentence:
    rows = [fields for fields in lines if fields[0].isdecimal()]
    spaces = {place: _has_space(row) for place, row in enumerate(rows, 1)}
    for stretch in (fields for fields in lines if "-" in fields[0]):
        first, last = map(int, stretch[0].split("-"))
        spaces |= dict.fromkeys(range(first, last), False) | {last: _has_space(stretch)}
    if not rows or [int(row[0]) for row in rows] != list(spaces):
        raise ValueError("words are numbered from 1")
    if not all(0 <= int(row[6]) <= len(rows) for row in rows):
        raise ValueError("a head is a word of the sentence, or 0")
    marks = names(rows, entities) if entities else [None] * len(rows)
    words = (_word(row, spaces[int(row[0])], mark) for row, mark in zip(rows, marks, strict=True))
    return Sentence(document, tuple(words))


def _has_space(row: _Columns) -> bool:
    return "SpaceAfter=No" not in row[9].split("|")


def _word(row: _Columns, space: bool, name: str | None) -> Word:
    number, form, lemma, upos, xpos, morph, head, dep, *_ = row
    above = (int(head) or int(number)) - 1
    kept = "" if morph == "_" else morph
    return Word(form, form if lemma == "_" else lemma, upos, xpos, kept, above, dep, space, name)


def names(rows: Sequence[_Columns], entities: Sequence[str]) -> list[str | None]:
    """The names of a sentence as one mark per word: ``B-PERSON``, ``I-PERSON`` or nothing.

    ``entities`` names the fields of GUM's bracket labels. Where names nest, the outer one counts:
    in "Daughters of the American Revolution Constitution Hall" the hall.
    """
    spans = sorted(_name_spans(rows, entities), key=lambda span: (span[0] - span[1], span[0]))
    marks: list[str | None] = [""] * len(rows)
    for start, end, kind in spans:
        if not any(marks[start:end]):
            marks[start:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - start - 1)
    return marks


def _name_spans(
    rows: Sequence[_Columns], entities: Sequence[str]
) -> Iterator[tuple[int, int, str]]:
    mentions = [
        (start, end, dict(zip(entities, label.split("-"), strict=False)))
        for start, end, label in _mentions(rows)
    ]
    kinds = {_head(rows, s, e): KINDS.get(v.get("etype", ""), "") for s, e, v in mentions}
    for start, end, values in mentions:
        head = _head(rows, start, end)
        anchor = _anchor(rows, head, range(start, end))
        if anchor is not None and (kind := KINDS.get(values.get("etype", ""), "")):
            minimal = (int(n) for n in values.get("minspan", "").split(",") if n.isdigit())
            places = {start + n - 1 for n in minimal} & set(range(start, end))
            own = {place for place in places if _is_part(rows, place, head, kinds)}
            yield *_around(rows, anchor, own), kind


def _head(rows: Sequence[_Columns], start: int, end: int) -> int:
    """The first word of a span whose own head is outside."""
    return next(place for place in range(start, end) if not start < int(rows[place][6]) <= end)


def _anchor(rows: Sequence[_Columns], head: int, span: range) -> int | None:
    """The proper noun that heads a span, or is joined flat to its head: "biologist Ada Bos"."""
    flat = (p for p in span if rows[p][7].startswith("flat") and int(rows[p][6]) == head + 1)
    return next((place for place in (head, *flat) if rows[place][3] == "PROPN"), None)


def _is_part(rows: Sequence[_Columns], place: int, head: int, kinds: Mapping[int, str]) -> bool:
    """Whether a word belongs to the name that a head carries, not to another name beside it.

    GUM's minimal span takes in what is coordinated or attached: "Ada Bos and Max Bos" are two
    names, and so are "Ada Bos of Gent" and "Gent's Mayor Bos". ``kinds`` are those of all mentions
    by their heads. "University of Gent" is one name, and so is "Pride and Prejudice".
    """
    for _ in rows:
        if place in (head, -1):  # -1 is above the root
            break
        dep, above = rows[place][7], int(rows[place][6]) - 1
        kind, other = kinds[head], kinds.get(place)
        if dep == "conj" and above == head and kind == other != "MISC":
            return False
        if dep in ("nmod", "nmod:poss") and kind == "PERSON" and other in ("ORG", "LOC"):
            return False
        place = above
    return True


def _around(rows: Sequence[_Columns], anchor: int, minimal: set[int]) -> tuple[int, int]:
    """The run of the mention's own minimal words around an anchor, joined over short words."""
    inside = {anchor, *(place for place in minimal if rows[place][4].startswith(("NNP", "CD")))}
    marks = "".join(
        "N" if place in inside else "j" if row[1].lower() in _JOINS else "-"
        for place, row in enumerate(rows)
    )
    return next(run.span() for run in _RUN.finditer(marks) if anchor in range(*run.span()))


def _mentions(rows: Sequence[_Columns]) -> Iterator[tuple[int, int, str]]:
    """Bracketed spans: ``(12-person-...`` opens, ``12)`` closes, ``(12-person-...)`` is both.

    A mention with a gap is written in parts, ``12[1/2])``: its parts do not carry a name each.
    """
    open_: dict[str, list[tuple[int, str]]] = {}
    for place, row in enumerate(rows):
        entity = next((m[7:] for m in row[9].split("|") if m.startswith("Entity=")), "")
        for label, closed, closing in _BRACKET.findall(entity):
            if label and closed:
                yield place, place + 1, label
            elif label:
                open_.setdefault(label.split("-")[0], []).append((place, label))
            elif open_.get(closing):
                start, opened = open_[closing].pop()
                yield start, place + 1, opened


def document(vocab: "Vocab", sentences: Sequence[Sentence]) -> "Doc":
    """Sentences in a row as one spaCy document with everything that is known of them."""
    from spacy.tokens import Doc

    words: list[Word] = []
    heads: list[int] = []
    for sentence in sentences:
        heads += [word.head + len(words) for word in sentence.words]
        words += sentence.words
    return Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[word.space for word in words],
        tags=[word.xpos for word in words],
        pos=[word.upos for word in words],
        morphs=[word.morph for word in words],
        lemmas=[word.lemma for word in words],
        heads=heads,
        deps=["ROOT" if word.dep == "root" else word.dep for word in words],
        sent_starts=[place == 0 for sentence in sentences for place in range(len(sentence.words))],
        ents=["O" if word.name == "" else word.name for word in words],
    )
