"""What the pipeline learns from: runs of a treebank's sentences, some typed as in a chat.

Our readers, the callback for the tokenizer and the list of patterns are the only things added to
spaCy. The packaged folder needs none of them.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ....errors import DataError
from . import chat as habits
from . import measuring
from .gazetteer import patterns, renamed
from .tokenizer import adapt
from .treebank import Sentence, document, ewt, gum

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.training import Example

#: The longest run of sentences that is learned from as one text.
_RUN = 6
#: How often the texts of one pass are written, each time cut and typed in another way.
_WRITINGS = 2
#: The same for the texts with names, which are few.
_NAME_WRITINGS = 3


def register() -> None:
    """Make our readers, our callback and our list of names known to spaCy."""
    from spacy import registry

    registry.readers("dialogauge.treebank.v1", func=_reader)
    registry.readers("dialogauge.names.v1", func=name_reader)
    registry.callbacks("dialogauge.tokenizer.v1", func=lambda: adapt)
    registry.misc("dialogauge.gazetteer.v1", func=patterns)


def _reader(
    folder: Path, part: str, chat: float, seed: int
) -> Callable[["Language"], Iterator["Example"]]:
    """A part of the treebanks as spaCy's examples; ``chat`` is the share typed as in a chat.

    GUM's training documents come twice: they alone have names.
    """
    named = list(gum(Path(folder), part))
    sentences = [*ewt(Path(folder), part), *named, *(named if part == "train" else ())]
    documents = measuring.documents(sentences)
    texts = _training_texts if part == "train" else _development_texts

    def examples(nlp: "Language") -> Iterator["Example"]:
        rng = np.random.default_rng(seed)
        return (_example(nlp, run) for run in texts(documents, chat, rng))

    return examples


def name_reader(
    folder: Path, part: str, more: str | None, rename: float, chat: float, seed: int
) -> Callable[["Language"], Iterator["Example"]]:
    """The texts with names; ``rename`` is the share of sentences that get other names.

    ``more`` is a file of further sentences to train on (:mod:`.names`).
    """
    documents = measuring.documents(gum(Path(folder), part))
    try:
        lines = Path(more).read_bytes().splitlines() if more else []
        silver = [msgspec.json.decode(line, type=Sentence) for line in lines]
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{more}: not a file of sentences with names: {error}") from None

    def typed(run: Sequence[Sentence], rng: np.random.Generator) -> Sequence[Sentence]:
        new = [renamed(s, rng) if rng.random() < rename else s for s in run]
        return habits.typed(new, rng) if rng.random() < chat else new

    def examples(nlp: "Language") -> Iterator["Example"]:
        if part != "train":
            return (_example(nlp, run) for run in documents)
        rng = np.random.default_rng(seed)
        runs = [run for _ in range(_NAME_WRITINGS) for d in documents for run in _runs(d, rng)]
        runs += [[sentence] for sentence in silver]
        order = rng.permutation(len(runs))
        return (_example(nlp, typed(runs[int(place)], rng)) for place in order)

    return examples


def _training_texts(
    documents: Sequence[Sequence[Sentence]], chat: float, rng: np.random.Generator
) -> Iterator[Sequence[Sentence]]:
    """Runs of one to six sentences in random order, some typed as in a chat."""
    for _ in range(_WRITINGS):
        runs = [run for sentences in documents for run in _runs(sentences, rng)]
        for place in rng.permutation(len(runs)):
            run = runs[int(place)]
            yield habits.typed(run, rng) if rng.random() < chat else run


def _runs(sentences: Sequence[Sentence], rng: np.random.Generator) -> Iterator[Sequence[Sentence]]:
    start = 0
    while start < len(sentences):
        end = start + int(rng.integers(1, _RUN + 1))
        yield sentences[start:end]
        start = end


def _development_texts(
    documents: Sequence[Sequence[Sentence]], chat: float, rng: np.random.Generator
) -> Iterator[Sequence[Sentence]]:
    """Whole documents, some of them a second time in lower case without punctuation."""
    for sentences in documents:
        yield sentences
        if rng.random() < chat:
            yield [measuring.plain(sentence) for sentence in sentences]


def _example(nlp: "Language", run: Sequence[Sentence]) -> "Example":
    from spacy.training import Example

    gold = document(nlp.vocab, run)
    return Example(measuring.bare_words(gold), gold)
