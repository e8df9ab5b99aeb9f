"""``python -m benchmarks.inflection``: how well inflection puts a treebank's forms back.

5,000 tokens of the test part of UD EWT: every noun, verb, auxiliary, adjective and adverb whose
Penn tag asks for a form other than the lemma (NNS, VBZ, VBP, VBD, VBN, VBG, MD, JJR, JJS, RBR,
RBS), filled up with base forms (NN, VB, JJ, RB) taken at equal distances. Names are left out: they
hardly inflect. Given are the lemma, the tag and the features that the annotators wrote, and what
must come out is the token, capitals and the shape of an apostrophe aside; typing errors and
abbreviations stay in.

Features do not say whether a token is contracted ("is" or "'s"), so there are two figures: one
*told* only that it is, as the form of a token to be replaced tells it, and one *untold*.
"""

import gzip
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dialogauge.language.inflection import Form, inflect, lemma

CLASSES = frozenset({"NOUN", "VERB", "AUX", "ADJ", "ADV"})
INFLECTED = frozenset({"NNS", "VBZ", "VBP", "VBD", "VBN", "VBG", "MD", "JJR", "JJS", "RBR", "RBS"})
BASE = frozenset({"NN", "VB", "JJ", "RB"})
PAIRS = 5000


class Token(NamedTuple):
    """What the annotators wrote of a token."""

    form: str
    lemma: str
    tag: str
    features: str

    @property
    def typo(self) -> bool:
        """Whether it is marked as a typing error."""
        return "Typo=Yes" in self.features

    @property
    def contraction(self) -> str:
        """Any token that is contracted in the same way; nothing if this one is not."""
        if plain(self.form) in ("ca", "wo", "sha"):
            return "sha"
        return "'ll" if len(self.form) > 1 and plain(self.form).startswith("'") else ""


def tokens(data: Path, part: str) -> list[Token]:
    """The tokens of a part of EWT that belong to an inflecting class."""
    path = data / "treebank" / f"en_ewt-ud-{part}.conllu.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = (line.split("\t") for line in file if line[0].isdigit())
        words = [row for row in rows if row[0].isdigit() and row[3] in CLASSES]
    every = (Token(row[1], row[2], row[4], row[5]) for row in words)
    return [token for token in every if token.tag in INFLECTED | BASE]


def sample(tokens: Iterable[Token]) -> list[Token]:
    """All inflected forms, and base forms at equal distances up to :data:`PAIRS`."""
    everything = list(tokens)
    inflected = [token for token in everything if token.tag in INFLECTED]
    base = [token for token in everything if token.tag in BASE]
    missing = PAIRS - len(inflected)
    return inflected + [base[place * len(base) // missing] for place in range(missing)]


def restored(token: Token, *, told: bool = True) -> bool:
    """Whether lemma, tag and features give the form."""
    like = Form(token.contraction if told else "", token.tag, token.features)
    return plain(inflect(token.lemma, like)) == plain(token.form)


def lemmatised(token: Token) -> bool:
    """Whether form and tag give the lemma."""
    return lemma(token.form, token.tag).lower() == token.lemma.lower()


def plain(text: str) -> str:
    """Small letters, straight apostrophes."""
    return text.lower().replace("’", "'").replace("`", "'")


def share(answers: Iterable[bool]) -> float:
    """The share that is true."""
    given = list(answers)
    return sum(given) / len(given)


def figures(data: Path, part: str = "test") -> Iterator[tuple[str, str]]:
    """Name and value of each figure."""
    pairs = sample(tokens(data, part))
    inflected = [token for token in pairs if token.tag in INFLECTED]
    full = [token for token in pairs if not token.contraction]
    misses = [token for token in pairs if not restored(token)]
    everything = tokens(data, part)
    yield "form from lemma, contraction told", f"{share(map(restored, pairs)):.2%}"
    yield "  of inflected forms alone", f"{share(map(restored, inflected)):.2%} of {len(inflected)}"
    yield "  of full forms alone", f"{share(map(restored, full)):.2%} of {len(full)}"
    yield "  misses", f"{len(misses)}, of them typing errors {sum(t.typo for t in misses)}"
    correct = share(restored(token) for token in pairs if not token.typo)
    yield "  without typing errors", f"{correct:.2%}"
    untold = share(restored(token, told=False) for token in pairs)
    yield "form from lemma, contraction untold", f"{untold:.2%}"
    yield "lemma from form", f"{share(map(lemmatised, everything)):.2%} of {len(everything)}"


if __name__ == "__main__":
    for name, value in figures(Path(os.environ.get("DIALOGAUGE_DATA") or "../shared/data")):
        print(f"{name:<40}{value}")
