"""How much less fluent a sentence is after its graph was edited and written back.

    python -m benchmarks.fluency [EDITS]      so many written edits of each kind

The measure is the mean loss per token under SmolLM2; a *rise* is that of one text over its own
original, of which the median is printed: of the whole turn, and of the sentences that changed,
where nothing that stayed dilutes the figure. Damage as DEAM mixes it, beside DEAM's own, is
measured by ``python -m benchmarks.manipulate --part fluency``.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.report.markdown import table
from dialogauge.train.language_model import LanguageModel, load

from .realise import KINDS, PIPELINE, cases, graphs

EDITS = 40
DIALOGUES = 100  # that edits are drawn from
HEAD = ("edit", "n", "before", "after", "rise of the turn", "n", "rise of the sentence")


class Losses:
    """The loss per token of texts, each computed once."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._known: dict[str, float] = {}

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """The loss of each text."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known.update(zip(new, self._model.losses(new), strict=True))
        return np.array([self._known[text] for text in texts])

    def rise(self, pairs: Sequence[tuple[str, str]]) -> tuple[int, str, str, str]:
        """How many pairs, the median before, after, and of the rise."""
        before, after = (self([pair[side] for pair in pairs]) for side in (0, 1))
        middle = (f"{np.nanmedian(before):.2f}", f"{np.nanmedian(after):.2f}")
        return len(pairs), *middle, f"{np.nanmedian(after - before):+.2f}"


def main(edits: int) -> None:
    talk = corpora.load("topical-chat", "train")[:DIALOGUES]
    print(table(HEAD, by_edit(Losses(load()), talk, edits)))


def by_edit(losses: Losses, talk: Sequence[Dialogue], sample: int) -> Iterator[tuple[object, ...]]:
    """One row for each kind of edit of :mod:`.realise`."""
    source = graphs([turn.text for each in talk for turn in each.turns])
    every: list[tuple[str, str]] = []
    for kind in KINDS:
        done = ((it.original.text, it.text) for it in cases(kind, 0, source) if it.text)
        pairs = list(islice(done, sample))
        every += pairs
        yield _readings(losses, kind, pairs)
    yield _readings(losses, "all", every)


def _readings(losses: Losses, kind: str, pairs: list[tuple[str, str]]) -> tuple[object, ...]:
    own = list(filter(None, map(changed, pairs)))
    count, *_, rise = losses.rise(own)
    return kind, *losses.rise(pairs), count, rise


def changed(pair: tuple[str, str]) -> tuple[str, str] | None:
    """The sentences of either text that the other does not have; None if there are none in one."""
    old, new = ([it.text.strip() for it in PIPELINE(text).sents] for text in pair)
    gone = " ".join(it for it in old if it not in new)
    come = " ".join(it for it in new if it not in old)
    return (gone, come) if gone and come else None


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EDITS)
