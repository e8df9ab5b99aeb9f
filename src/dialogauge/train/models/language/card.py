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
python scripts/build_silver_names.py runs/silver-names.jsonl
python -m dialogauge.language.training train recipes/language-names.cfg runs/names \\
  --start runs/language/model-best --names runs/silver-names.jsonl
python -m dialogauge.language.training package runs/names/model-best FOLDER
```

## Data

| what | licence | used for |
| --- | --- | --- |
| UD English EWT, train | CC BY-SA 4.0 | everything but names |
| GUM, `news` and `interview` (Wikinews) without 12 documents | CC BY | everything, and names |
| all-MiniLM-L6-v2, as the encoder that ships | Apache-2.0 | word vectors |
| AMR graphs of STS (BAMBOO) | STS: CC BY-SA; graphs: none stated | names, from a parser |
| AMR graphs of Topical-Chat (DEAM), train | CDLA-Sharing; graphs: none stated | the same |
| QALD-9-AMR, train | Apache-2.0 | names, by people |
| WordNet 3.0, as the lexicon that ships | WordNet licence | other names; what a word may name |
| Self-dialogue, Topical-Chat | BSD-3, CDLA-Sharing | which words have a vector, nothing else |

The {vectors} word vectors are what the encoder says of each word alone, its first {width} principal
components. GUM's documents are divided by the sha256 of their names: the first 8 are test
({test}), the next 4 choose the model, with EWT's dev part ({dev}). Almost half of the training
texts are typed as in a chat (`dialogauge.language.chat`): lower case, no punctuation, "dont", "u",
"lol", emoji, several sentences run together.

Names are learned in a second stage, which leaves the rest as it is: from GUM's training documents,
and from some 7,500 sentences whose AMR graphs say what their names name, mostly as a parser saw it
(`scripts/build_silver_names.py`). In a third of the sentences names are exchanged for others of the
same kind from WordNet. What WordNet knows a word to name is looked up by spaCy's `attribute_ruler`
(here `gazetteer`) and shown to the part that finds names as `ENT_ID`. No sentence of GUM's dev and
test documents is among the others.

The test parts were measured, never chosen on. The test names have been looked at three times: twice
for an earlier second stage, without those sentences and that look-up, and once for this one. In
between the conversion of GUM's layer was mended: "Ada Bos and Max Bos" and "Ada Bos of Gent" are
two names, not one. That was seen in training and dev documents, where it changes 10 of 1,567 names;
in the test documents it makes 445 names of 413. Of the rise from 48.4 to 55.2 it is 2.5 to 5.0
points, and this stage 1.8 to 4.3. Names on gold tokens:

| | as converted before | mended |
| --- | ---: | ---: |
| dev, earlier stage | 64.3 | 64.7 |
| dev, this stage | 71.8 | 72.5 |
| test, earlier stage | 48.4 | 50.9 |
| test, this stage | 50.2 | 55.2 |

## Results

{table}

In percent. *Gold tokens*: words and sentences given (for GUM: words only). *Raw text*: F1 over
letters, as the CoNLL 2018 script counts. Punctuation counts, labels count with their subtypes.
Names are PERSON, ORG, LOC and MISC (everything else that has a name; days and months have none);
right means same letters and same type.

## Known weaknesses

- Names are below the 70 we aimed for. Where one stands is found more often than of what kind it is,
  and MISC is hardly known. A country that acts, as a team or a government, is ORG in GUM and mostly
  LOC here. Four dev documents say little: the test documents are 17 points harder.
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
