"""The making of the English pipeline that ships, by spaCy's own training command.

Word vectors, a first config of spaCy's (parsing), silver sentences, whose names nobody has checked,
read by what the first made, and a second config that keeps it and learns names on top. A stage lies
in its own folder of ``training``, says in ``done.json`` what came of it, and is done once. The
development parts of the treebanks choose the model; the test parts are only measured.
"""

import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from .... import corpora
from ....atomic import reporting, write_json, writing
from ....errors import DataError, MissingExtraError
from ....language.pipeline import OURS, open_pipeline
from ... import recipe as recipes
from ...card import Outcome, Section, table
from ...recipe import AtLeastOne, DataFile, Recipe, data_folder
from . import measuring
from .names import write_silver
from .rows import register
from .treebank import PARTS, ewt, gum
from .vectors import write_vectors

if TYPE_CHECKING:
    from spacy.language import Language

NOTES = """\
- GUM's documents are divided by the sha256 of their names; its other genres are under licences that
  do not let a model ship, and are not read. Development parts choose the model, test parts are only
  measured.
- A part of the training texts is typed as in a chat: lower case, no punctuation, "dont", "u",
  "lol", emoji, several sentences run together.
- Names are learned in a second stage, which leaves the rest as it is. In a part of the sentences
  they are exchanged for others of the same kind from WordNet. What WordNet knows a word to name is
  looked up by spaCy's `attribute_ruler` (here `gazetteer`) and shown to the part that finds names
  as `ENT_ID`.
- Names are PERSON, ORG, LOC and MISC (everything else that has a name; days and months have none).
- Sentences that run on without punctuation and capitals are hard to split: see `sentences` there.
- Lemmas come from learned edits: a rare irregular form may keep its ending.
- English only: text in other scripts gets tags, but they mean nothing.
"""

#: Sections of a spaCy config that only training reads.
_TRAINING_ONLY = ("paths", "system", "corpora", "training", "initialize", "pretraining")


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of spaCy's training command."""

    config: str  # a file of spaCy's, by its path or by its name among the recipes
    changes: dict[str, Any] = {}  # of its keys: {"training.max_steps": 100}


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The stages, and what they are given beside the treebanks."""

    parsing: Stage
    names: Stage
    corpora: tuple[str, ...] = ()  # conversations whose words have a vector
    graphs: tuple[DataFile, ...] = ()  # AMR graphs that say what names name
    words: AtLeastOne = 24_000  # with a vector while it is trained
    kept: AtLeastOne = 17_500  # vectors that ship; rarer words share the nearest of these
    width: AtLeastOne = 64  # of a vector


class _Done(msgspec.Struct, frozen=True):
    """What a stage says when it is done."""

    seconds: float
    facts: dict[str, float]


def make(recipe: Recipe, settings: Settings, out: Path) -> Outcome:
    """Do the stages that are not done yet, then package what came of them."""
    require_extra()
    work, treebank = out / "training", data_folder("treebank")
    silver = work / "silver" / "sentences.jsonl"
    parsed, named = (work / name / "model-best" for name in ("parsing", "naming"))

    def fit(stage: Stage, start: Path, **changes: str) -> Callable[[Path], dict[str, float]]:
        given = {"paths.treebank": str(treebank), "paths.start": str(start), **changes}
        return lambda to: _fit(stage, to, {"system.seed": recipe.seed, **given})

    encoder, files = recipe.backbone.name, [each.path("amr") for each in settings.graphs]
    stages: dict[str, Callable[[Path], dict[str, float]]] = {
        "vectors": lambda to: write_vectors(
            to, treebank, encoder, settings.corpora, settings.words, settings.width
        ),
        "parsing": fit(settings.parsing, work / "vectors"),
        "silver": lambda to: write_silver(to / silver.name, files, open_pipeline(parsed, OURS)),
        "naming": fit(settings.names, parsed, **{"paths.names": str(silver)}),
    }
    done = {name: _stage(work / name, todo) for name, todo in stages.items()}
    nlp = _package(named, out, recipe, settings.kept)
    results = measuring.table(nlp, treebank)
    return Outcome(
        sections=(
            Section("Data", _data(recipe, settings, treebank)),
            Section("Stages", _stages(done)),
            Section("Results", f"{measuring.markdown(results)}\n{measuring.LEGEND}"),
        ),
        packages=("spacy", "numpy"),
        steps=int(sum(each.facts.get("steps", 0) for each in done.values())),
        best=measuring.summary(results),
        seconds=sum(each.seconds for each in done.values()),
    )


def require_extra() -> None:
    """Raise :class:`MissingExtraError` unless spaCy is installed."""
    if find_spec("spacy") is None:
        raise MissingExtraError("training a language pipeline", "language")


def _stage(folder: Path, todo: Callable[[Path], dict[str, float]]) -> _Done:
    """What came of a stage, which is done if it was not."""
    path = folder / "done.json"
    if not path.exists():
        began = perf_counter()
        with reporting(folder):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        facts = todo(folder)
        for empty in folder.rglob("lookups.bin"):
            empty.unlink()  # spaCy does without; its ending is a pickle's
        with writing(path) as file:
            file.write(msgspec.json.encode(_Done(perf_counter() - began, facts)))
    return msgspec.json.decode(path.read_bytes(), type=_Done)


def _fit(stage: Stage, out: Path, given: Mapping[str, Any]) -> dict[str, float]:
    """Run spaCy's training command, which speaks on stderr; what its log says."""
    from spacy.cli.init_config import fill_config
    from spacy.cli.train import train
    from spacy.util import load_config

    config = Path(stage.config)
    config = config if config.is_file() else recipes.folder() / config
    if not config.is_file():
        raise DataError(f"{config}: there is no such recipe")
    register()
    filled = load_config(config, overrides={**given, **stage.changes})
    log = out / "log.jsonl"
    logger = {"@loggers": "spacy.ConsoleLogger.v3", "output_file": str(log)}
    filled["training"]["logger"] = logger
    filled.to_disk(out / "config.cfg")
    with redirect_stdout(sys.stderr):
        fill_config(out / "config.cfg", out / "config.cfg", silent=True)
        train(out / "config.cfg", out)
    moments = [msgspec.json.decode(line) for line in log.read_bytes().splitlines()]
    best = max(moments, key=lambda moment: float(moment["score"]))
    return {"steps": moments[-1]["step"], "best step": best["step"], "score": best["score"]}


def _package(trained: Path, out: Path, recipe: Recipe, kept: int) -> "Language":
    """A trained pipeline as a folder that ships: without what only training reads."""
    import spacy

    with reporting(out):
        nlp = spacy.load(trained)
        _merge_vectors(nlp, kept)
        nlp.meta.update(name="dialogauge", description=recipe.about, license="CC BY-SA 4.0")
        nlp.to_disk(out)
        (out / "vocab" / "lookups.bin").unlink(missing_ok=True)  # empty; its ending is a pickle's
        config = nlp.config
        for section in _TRAINING_ONLY:
            config.pop(section, None)
        config.to_disk(out / "config.cfg")
    version = spacy.__version__
    write_json(out / "config.json", {"model": OURS, "name": recipe.name, "spacy": version})
    return nlp


def _merge_vectors(nlp: "Language", rows: int) -> None:
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


def _data(recipe: Recipe, settings: Settings, treebank: Path) -> str:
    """What was read, under which licence, and how much of it."""
    head = ("what", "licence", "used for", *(f"sentences, {part}" for part in PARTS))
    read = (
        ("UD English EWT", "CC BY-SA 4.0", "everything but names", ewt),
        ("GUM, `news` and `interview`", "CC BY", "everything, and names", gum),
    )
    held = [
        (name, licence, use, *(len(list(part(treebank, each))) for each in PARTS))
        for name, licence, use, part in read
    ]
    others = [
        *((f"`{each.file}`", each.licence or "not stated", "names") for each in settings.graphs),
        *((name, corpora.info(name).licence, "choosing words") for name in settings.corpora),
        (f"`{recipe.backbone.name}`", "see its card", "word vectors"),
        ("WordNet 3.0, as the lexicon that ships", "WordNet licence", "other names; looking up"),
    ]
    listed = ""
    for part in PARTS[1:]:
        names = sorted({s.document.removeprefix("GUM_") for s in gum(treebank, part)})
        listed += f"- {part}: {', '.join(names)}\n"
    return (
        f"{table(head, held)}\n{table(('what', 'licence', 'used for'), others)}\n"
        f"Documents of GUM that are held out:\n\n{listed}"
    )


def _stages(done: Mapping[str, _Done]) -> str:
    rows = []
    for name, stage in done.items():
        facts = ", ".join(f"{fact} {value:,.6g}" for fact, value in stage.facts.items())
        rows.append((name, facts, f"{stage.seconds:,.0f} s"))
    return table(("stage", "what came of it", "time"), rows)
