"""Scoring every turn with MaUdE: long dialogues, the share of its network, the usual way.

The usual way is that of the released code: for each turn everything said before it is encoded
again. Ours encodes each utterance once and slides a window over the vectors.
"""

from collections.abc import Sequence
from itertools import chain, islice

from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.metrics.maude import Maude, maude

from .timing import Bench, best

ROUNDS = 3


def main() -> None:
    said = chain.from_iterable(each.turns for each in corpora.load("dstc9"))
    texts = list(islice(dict.fromkeys(turn.text for turn in said if turn.text.strip()), 1600))
    _length(texts)
    _again(texts)
    _share(texts)


def _length(texts: Sequence[str]) -> None:
    """Cost per turn: ten dialogues of 100 turns against a hundred of 10."""
    long, short = dialogues(texts[:1000], 100), dialogues(texts[:1000], 10)
    ours, peer = best(lambda: fresh().score(long), lambda: fresh().score(short), rounds=ROUNDS)
    # 1.3 times the cost is allowed: at least 1 / 1.3 as fast.
    Bench("maude, 1,000 turns in dialogues of 100", ours, "of 10", peer, 1 / 1.3).show()


def _again(texts: Sequence[str]) -> None:
    """Dialogues of 40 turns, and everything encoded again for each turn."""
    chats = dialogues(texts[:80], 40)
    ours, peer = best(lambda: fresh().score(chats), lambda: naive(chats), rounds=1)
    Bench("maude, dialogues of 40 turns", ours, "encoding all again", peer, 15).show()


def _share(texts: Sequence[str]) -> None:
    """The network beside the encoder alone."""
    chats = dialogues(texts, 16)
    ours, peer = best(
        lambda: fresh().score(chats), lambda: Encoder.load().vectors(texts), rounds=ROUNDS
    )
    Bench("maude, 1,600 turns", ours, "encoding them alone", peer, 1 / 1.25).show()


def dialogues(texts: Sequence[str], turns: int) -> list[Dialogue]:
    """The texts as dialogues of so many turns."""
    cuts = [texts[start : start + turns] for start in range(0, len(texts), turns)]
    return [
        Dialogue(f"d{at}", tuple(Turn("ab"[place % 2], text) for place, text in enumerate(cut)))
        for at, cut in enumerate(cuts)
    ]


def fresh() -> Maude:
    """The metric with an encoder that remembers nothing."""
    metric = maude()
    metric.encoder = Encoder.load()
    return metric


def naive(chats: Sequence[Dialogue]) -> None:
    """Each turn as a row of its own, all its context encoded for it, one row at a time."""
    metric = fresh()
    for chat in chats:
        texts = [turn.text for turn in chat.turns]
        for at in range(1, len(texts)):
            _forget(metric.encoder).vectors(texts[:at])
            metric.follow([texts[:at]], [texts[at]])


def _forget(encoder: Encoder) -> Encoder:
    encoder._memory._known.clear()
    encoder._memory._size = 0
    return encoder
