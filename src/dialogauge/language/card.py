"""The card of the pipeline that ships: what it was made of, how, and how good it is."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .measuring import Row, markdown

if TYPE_CHECKING:
    from spacy.language import Language

ABOUT = "tagger, morphologizer, lemmatizer, parser and names for English, as written and as typed"

CARD = """# language

A spaCy pipeline for English: {about}.

{size:.1f} MB. spaCy's training command on two recipes, seed {seed}, spaCy {spacy}:

```sh
python scripts/build_word_vectors.py runs/word-vectors
python -m dialogauge.language.training train recipes/language.cfg runs/language \\
  --start runs/word-vectors
python -m dialogauge.language.training train recipes/language-names.cfg runs/names \\
  --start runs/language/model-best
python -m dialogauge.language.training package runs/names/model-best FOLDER
```

## Data

| what | licence | used for |
| --- | --- | --- |
| UD English EWT, train | CC BY-SA 4.0 | everything but names |
| GUM, `news` and `interview` (Wikinews) without 12 documents | CC BY | everything, and names |
| all-MiniLM-L6-v2, as the encoder that ships | Apache-2.0 | word vectors |
| WordNet 3.0, as the lexicon that ships | WordNet licence | other names for the texts with names |
| Self-dialogue, Topical-Chat | BSD-3, CDLA-Sharing | which words have a vector, nothing else |

The {vectors} word vectors are what the encoder says of each word alone, its first {width} principal
components. GUM's documents are divided by the sha256 of their names: the first 8 are test
({test}), the next 4 choose the model, with EWT's dev part ({dev}). Almost half of the training
texts are typed as in a chat (`dialogauge.language.chat`): lower case, no punctuation, "dont", "u",
"lol", emoji, several sentences run together. Names are learned in a second stage, a third of them
exchanged for others of the same kind from WordNet. The test parts were measured, never chosen on.

## Results

{table}

In percent. *Gold tokens*: words and sentences given (for GUM: words only). *Raw text*: F1 over
letters, as the CoNLL 2018 script counts. Punctuation counts, labels count with their subtypes.
Names are PERSON, ORG, LOC and MISC (everything else that has a name; days and months have none);
right means same letters and same type.

## Known weaknesses

- Names are weak, below the 70 we aimed for: they were learned from some 25,000 words of news and
  interviews. Where a name stands is found more often than of what kind; MISC is useless.
- Sentences that run on without punctuation and capitals are mostly not split: see
  `sentences` in that row.
- English only: text in other scripts gets tags, but they mean nothing.
- Lemmas come from learned edits: a rare irregular form may keep its ending.
"""


def text(
    nlp: "Language",
    folder: Path,
    rows: Iterable[Row],
    held_out: Mapping[str, Sequence[str]],
    seed: int,
) -> str:
    """The card of a pipeline in a folder."""
    import spacy

    vectors, width = nlp.vocab.vectors.shape
    return CARD.format(
        about=ABOUT,
        seed=seed,
        size=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6,
        spacy=spacy.__version__,
        vectors=f"{vectors:,}",
        width=width,
        table=markdown(rows),
        **{part: ", ".join(n.removeprefix("GUM_") for n in d) for part, d in held_out.items()},
    )
