"""Answers that are wrong in four ways, each told by another ability (DCGEval's Table 3).

The paper's authors labelled what chatbots did wrong and did not release the labels. Here programs
make such errors of what people answered, on dialogues that no training sees:

- *commonsense*: a thing that one says nothing of here, or the opposite of what is meant;
- *core-semantics*: denied, or about the same things and beside the point;
- *temporal*: an answer to what was said earlier;
- *role*: I for you, or another person.

A metric tells such an answer if it is below the one that was given.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ..dialogue import Dialogue, Turn
from ..manipulate.manipulation import seeded
from ..manipulate.pool import Pool
from ..meta import Estimate, Resampling, discriminate
from ..metrics import Metric
from ..train.models.dcgeval.rows import damaged
from .exams import held
from .page import UNKNOWN

#: What makes each kind of error.
ERRORS: Mapping[str, tuple[str, ...]] = {
    "commonsense": ("irrelevancy", "antonym"),
    "core-semantics": ("negation", "near-response"),
    "temporal": ("temporal-skip",),
    "role": ("speaker-confusion", "coreference"),
}
#: Turns of an item, the answer among them; a dialogue is asked for so many items of an error.
_TURNS, _OF_EACH = 5, 2
_SEED = 1

#: A given answer and a wrong one, as turn-level items.
Pairs = Sequence[tuple[Dialogue, Dialogue]]


def cases(corpora: Sequence[str], each: int) -> dict[str, Pairs]:
    """So many wrong answers of each kind, from all of the corpora alike, as far as there are."""
    share, made = (
        -(-each // len(corpora)),
        {error: list[tuple[Dialogue, Dialogue]]() for error in ERRORS},
    )
    for corpus in corpora:
        dialogues = sorted(held(corpus, shortest=4), key=lambda it: it.digest)  # of any topic
        pool = Pool(dialogues)
        for error, names in ERRORS.items():
            found = (pair for it in dialogues for pair in _wrong(it, error, names, pool))
            made[error] += islice(found, share)
    return {error: pairs[:each] for error, pairs in made.items()}


def _wrong(
    dialogue: Dialogue, error: str, names: Sequence[str], pool: Pool
) -> Iterator[tuple[Dialogue, Dialogue]]:
    """Some answers of a dialogue, each with a wrong one of a kind."""
    rng = seeded(_SEED, dialogue.id, error)
    places = range(3, len(dialogue.turns))
    for at in rng.sample(places, min(_OF_EACH, len(places))):
        turns = dialogue.turns[max(0, at + 1 - _TURNS) : at + 1]
        item = Dialogue(f"{dialogue.id}-{at}", turns, level="turn")
        for name in rng.sample(names, len(names)):
            text = damaged(item, name, rng, pool)
            if text is not None:
                wrong = (*turns[:-1], Turn(turns[-1].speaker, text))
                yield item, Dialogue(f"{item.id}~{error}", wrong, level="turn")
                break


def told(
    metric: Metric, wrong: Mapping[str, Pairs], settings: Resampling | None = None
) -> dict[str, Estimate]:
    """How often a metric puts the given answer above the wrong one, error by error."""
    errors = [error for error, pairs in wrong.items() for _ in pairs]
    good, bad = zip(*(pair for pairs in wrong.values() for pair in pairs), strict=True)
    better, worse = ([each.turns[-1] for each in metric.score(some)] for some in (good, bad))
    sources = [item.id.rpartition("-")[0] for item in good]
    found = discriminate(better, worse, sources, errors, settings)
    return {error: found.causes.get(error, UNKNOWN) for error in wrong}
