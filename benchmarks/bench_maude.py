"""Scoring every turn with MaUdE: long dialogues, the share of its network, the usual way.

The usual way is that of the released code: for each turn everything said before it is encoded
again. Ours encodes each utterance once and slides a window over the vectors.
"""

from collections.abc import Sequence
from itertools import chain, islice

from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.encode.cache import Memory
from dialogauge.metrics.maude import Maude, maude

from .timing import Bench, best

ROUNDS = 3


def main() -> None:
    turns = chain.from_iterable(each.turns for each in corpora.load("dstc9"))
    texts = list(islice(dict.fromkeys(turn.text for turn in turns if turn.text.strip()), 1600))
    metric = maude()
    _length(metric, texts)
    _again(metric, texts)
    _share(metric, texts)


def _length(metric: Maude, texts: Sequence[str]) -> None:
    """Cost per turn: ten dialogues of 100 turns against a hundred of 10."""
    long, short = dialogues(texts[:1000], 100), dialogues(texts[:1000], 10)
    ours, peer = best(lambda: once(metric, long), lambda: once(metric, short), rounds=ROUNDS)
    # 1.3 times the cost is allowed: at least 1 / 1.3 as fast.
    Bench("maude, 1,000 turns in dialogues of 100", ours, "of 10", peer, 1 / 1.3).show()


def _again(metric: Maude, texts: Sequence[str]) -> None:
    """Dialogues of 40 turns, and everything encoded again for each turn."""
    chats = dialogues(texts[:80], 40)
    ours, peer = best(lambda: once(metric, chats), lambda: naive(metric, chats), rounds=1)
    Bench("maude, dialogues of 40 turns", ours, "encoding all again", peer, 15).show()


def _share(metric: Maude, texts: Sequence[str]) -> None:
    """The network beside the encoder alone."""
    chats, pooling = dialogues(texts, 16), metric.config.pooling
    ours, peer = best(
        lambda: once(metric, chats),
        lambda: forgetful(metric.encoder).vectors(texts, pooling),
        rounds=ROUNDS,
    )
    Bench("maude, 1,600 turns", ours, "encoding them alone", peer, 1 / 1.25).show()


def dialogues(texts: Sequence[str], turns: int) -> list[Dialogue]:
    """The texts as dialogues of so many turns."""
    cuts = [texts[start : start + turns] for start in range(0, len(texts), turns)]
    return [
        Dialogue(f"d{at}", tuple(Turn("ab"[place % 2], text) for place, text in enumerate(cut)))
        for at, cut in enumerate(cuts)
    ]


def once(metric: Maude, chats: Sequence[Dialogue]) -> None:
    """Every turn scored, nothing known before."""
    forgetful(metric.encoder)
    metric.score(chats)


def naive(metric: Maude, chats: Sequence[Dialogue]) -> None:
    """Each turn as a row of its own, all its context encoded for it, one row at a time."""
    for chat in chats:
        texts = [turn.text for turn in chat.turns]
        for at in range(1, len(texts)):
            forgetful(metric.encoder).vectors(texts[:at], metric.config.pooling)
            metric.follow([texts[:at]], [texts[at]])


def forgetful(encoder: Encoder) -> Encoder:
    """The encoder, which has forgotten every text."""
    encoder._memory = {name: Memory(10_000) for name in encoder._memory}
    return encoder
