"""The making of the English pipeline that ships.

::

    treebanks ─► sentences ─► runs of them, some typed as in a chat ─► spacy train ─► package
                (treebank)    (chat, gazetteer)                       (recipes)

Training is spaCy's own command: the recipe is a spaCy config, and the only things added to spaCy
are two readers, ``dialogauge.treebank.v1`` and ``dialogauge.names.v1``, one callback,
``dialogauge.tokenizer.v1``, and one list of patterns, ``dialogauge.gazetteer.v1``. The packaged
folder needs none: ``spacy.load(folder)`` is enough.

Two recipes, one after the other: the second keeps what the first made and learns names on top.

    python -m dialogauge.language.training train recipes/language.cfg runs/language
    python scripts/build_silver_names.py runs/silver-names.jsonl
    python -m dialogauge.language.training train recipes/language-names.cfg runs/names \\
      --start runs/language/model-best --names runs/silver-names.jsonl
    python -m dialogauge.language.training package runs/names/model-best FOLDER
    python -m dialogauge.language.training measure

The development parts of the treebanks choose the model; the test parts are only measured.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from .... import models
from ....atomic import reporting, write_json, writing
from ....errors import DataError, DialogaugeError, MissingExtraError, OutputError
from ....language.pipeline import OURS, open_pipeline
from . import card, measuring
from . import chat as habits
from .gazetteer import patterns, renamed
from .tokenizer import adapt
from .treebank import Sentence, document, ewt, gum

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.training import Example

#: The longest run of sentences that is learned from as one text.
RUN = 6
#: How often the texts of one pass are written, each time cut and typed in another way.
WRITINGS = 2
#: The same for the texts with names, which are few.
NAME_WRITINGS = 3
#: How many word vectors ship; rarer words share the vector of the nearest of these.
ROWS = 17_500
#: Sections of a spaCy config that only training reads.
TRAINING_ONLY = ("paths", "system", "corpora", "training", "initialize", "pretraining")


def treebank_folder() -> Path:
    """The folder ``treebank`` of ``DIALOGAUGE_DATA``."""
    if root := os.environ.get("DIALOGAUGE_DATA"):
        return Path(root) / "treebank"
    raise DataError("no treebanks: set DIALOGAUGE_DATA, or name their folder with --treebank")


def train(recipe: Path, out: Path, *, treebank: Path, start: Path, **changes: Any) -> Path:
    """Run spaCy's training command; the folder of the best pipeline.

    ``start`` is a pipeline with word vectors and, for a second stage, what the first one made;
    ``changes`` override the recipe.
    """
    require_extra()
    from spacy.cli.init_config import fill_config
    from spacy.cli.train import train as spacy_train
    from spacy.util import load_config

    if not recipe.is_file():
        raise DataError(f"{recipe}: there is no such recipe")
    register()
    with reporting(out):
        out.mkdir(parents=True, exist_ok=True)
    filled = out / "config.cfg"
    paths = {"paths.treebank": str(treebank), "paths.start": str(start)}
    load_config(recipe, overrides={**paths, **changes}).to_disk(filled)
    fill_config(filled, filled, silent=True)
    spacy_train(filled, out)
    return out / "model-best"


def require_extra() -> None:
    """Raise :class:`MissingExtraError` unless spaCy is installed."""
    if find_spec("spacy") is None:
        raise MissingExtraError("training a language pipeline", "language")


def register() -> None:
    """Make our readers, our callback and our list of names known to spaCy."""
    from spacy import registry

    registry.readers("dialogauge.treebank.v1", func=reader)
    registry.readers("dialogauge.names.v1", func=name_reader)
    registry.callbacks("dialogauge.tokenizer.v1", func=lambda: adapt)
    registry.misc("dialogauge.gazetteer.v1", func=patterns)


def reader(
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

    ``more`` is a file of further sentences to train on (``scripts/build_silver_names.py``).
    """
    documents = measuring.documents(gum(Path(folder), part))
    silver = _sentences(Path(more)) if more else []

    def typed(run: Sequence[Sentence], rng: np.random.Generator) -> Sequence[Sentence]:
        new = [renamed(s, rng) if rng.random() < rename else s for s in run]
        return habits.typed(new, rng) if rng.random() < chat else new

    def texts(rng: np.random.Generator) -> Iterator[Sequence[Sentence]]:
        runs = [run for _ in range(NAME_WRITINGS) for d in documents for run in _runs(d, rng)]
        runs += [[sentence] for sentence in silver]
        return (typed(runs[int(place)], rng) for place in rng.permutation(len(runs)))

    def examples(nlp: "Language") -> Iterator["Example"]:
        runs = texts(np.random.default_rng(seed)) if part == "train" else documents
        return (_example(nlp, run) for run in runs)

    return examples


def _sentences(path: Path) -> list[Sentence]:
    try:
        lines = path.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Sentence) for line in lines]
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: not a file of sentences with names: {error}") from None


def _training_texts(
    documents: Sequence[Sequence[Sentence]], chat: float, rng: np.random.Generator
) -> Iterator[Sequence[Sentence]]:
    """Runs of one to six sentences in random order, some typed as in a chat."""
    for _ in range(WRITINGS):
        runs = [run for sentences in documents for run in _runs(sentences, rng)]
        for place in rng.permutation(len(runs)):
            run = runs[int(place)]
            yield habits.typed(run, rng) if rng.random() < chat else run


def _runs(sentences: Sequence[Sentence], rng: np.random.Generator) -> Iterator[Sequence[Sentence]]:
    start = 0
    while start < len(sentences):
        end = start + int(rng.integers(1, RUN + 1))
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


def package(trained: Path, out: Path, *, treebank: Path) -> Path:
    """A trained pipeline as a folder that ships: without training's settings, carded and sealed."""
    require_extra()
    import spacy

    if out.exists():
        raise OutputError(f"{out} exists: name another folder")
    register()
    with reporting(out):
        nlp = spacy.load(trained)
        merge_vectors(nlp, ROWS)
        seed = nlp.config.interpolate()["training"]["seed"]
        nlp.meta.update(name="dialogauge", description=card.ABOUT, license="CC BY-SA 4.0")
        nlp.to_disk(out)
        (out / "vocab" / "lookups.bin").unlink(missing_ok=True)  # empty; its ending is a pickle's
        config = nlp.config
        for section in TRAINING_ONLY:
            config.pop(section, None)
        config.to_disk(out / "config.cfg")
    write_json(out / "config.json", {"model": OURS, "name": OURS, "spacy": spacy.__version__})
    rows = list(measuring.table(nlp, treebank))
    with writing(out / "card.md") as file:
        held_out = {part: _documents(treebank, part) for part in ("test", "dev")}
        file.write(card.text(nlp, out, rows, held_out, seed).encode())
    models.seal(out, nested=True)
    return out


def merge_vectors(nlp: "Language", rows: int) -> None:
    """Keep the first vectors, those of the commonest words, and point the others' words to them."""
    from spacy.vectors import Vectors

    table = nlp.vocab.vectors
    if len(table.data) <= rows:
        return
    kept = table.data[:rows].copy()
    nearest = np.argmax(table.data[rows:] @ kept.T, axis=1)
    merged = Vectors(strings=nlp.vocab.strings, data=kept)
    for key, row in table.key2row.items():
        merged.add(key, row=int(row if row < rows else nearest[row - rows]))
    nlp.vocab.vectors = merged


def _documents(treebank: Path, part: str) -> list[str]:
    return sorted({sentence.document for sentence in gum(treebank, part)})


def main() -> None:
    """The commands of this module; a user's mistake is one line."""
    import typer

    app = typer.Typer(add_completion=False, help="Train and measure the English pipeline.")
    app.command("train")(_train_command)
    app.command("package")(_package_command)
    app.command("measure")(_measure_command)
    try:
        app()
    except DialogaugeError as error:
        typer.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None


def _train_command(
    recipe: Path,
    out: Path,
    treebank: Path | None = None,
    start: Path | None = None,
    names: Path | None = None,
) -> None:
    """Train, starting from the pipeline that ships (its word vectors) unless another is named.

    ``names`` are more sentences for the recipe of names (``scripts/build_silver_names.py``).
    """
    start = start or models.open_folder(OURS)
    changes = {"paths.names": str(names)} if names else {}
    train(recipe, out, treebank=treebank or treebank_folder(), start=start, **changes)


def _package_command(trained: Path, out: Path, treebank: Path | None = None) -> None:
    """Measure a trained pipeline and write the folder that ships."""
    print(package(trained, out, treebank=treebank or treebank_folder()))


def _measure_command(
    folder: Path | None = None, treebank: Path | None = None, part: str = "test"
) -> None:
    """Print the table of the card: the pipeline that ships, or the one in a folder."""
    require_extra()
    pipeline = open_pipeline(folder or models.open_folder(OURS), str(folder or OURS))
    print(measuring.markdown(measuring.table(pipeline.nlp, treebank or treebank_folder(), part)))


if __name__ == "__main__":
    main()
