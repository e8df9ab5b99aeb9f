"""Words per second of the whole pipeline, beside its tagger alone and spaCy's blank tokenizer.

All three read the same sentences of UD EWT's dev part in turns; the peers do less, so the ratios
say what lemmas, parses and names cost, and how far the tokenizer is from being the slow part.
"""

import os
from collections.abc import Callable
from pathlib import Path

import spacy

from dialogauge import language
from dialogauge.train.models.language.treebank import document, ewt

from .timing import best

SENTENCES = 1000
ROUNDS = 3


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if "DIALOGAUGE_DATA" not in os.environ:
        print("language: needs the treebanks: set DIALOGAUGE_DATA")
        return
    nlp = language.load().nlp
    blank = spacy.blank("en")
    folder = Path(os.environ["DIALOGAUGE_DATA"]) / "treebank"
    texts = [document(blank.vocab, [s]).text for s in ewt(folder, "dev")][:SENTENCES]
    words = sum(len(blank(text)) for text in texts)

    def reading(pipeline: spacy.Language, *leave_out: str) -> Callable[[], object]:
        return lambda: [len(doc) for doc in pipeline.pipe(texts, disable=list(leave_out))]

    rest = [name for name in nlp.pipe_names if name not in ("tok2vec", "tagger")]
    whole, tagger, tokenizer = best(
        reading(nlp), reading(nlp, *rest), reading(blank), rounds=ROUNDS
    )
    print(
        f"language: {words / whole:,.0f} words/s for the whole pipeline; tokens and tags alone "
        f"{words / tagger:,.0f} ({whole / tagger:.1f} times as fast), spaCy's blank tokenizer "
        f"{words / tokenizer:,.0f} ({whole / tokenizer:.1f} times as fast)",
        flush=True,
    )
