"""Response selection: find the turn that really came next.

The wrong answers are the other responses of the batch, other turns of the same dialogue, which
share its topic and its speakers, and the nearest of many responses of other dialogues, which say
nearly what the right one says. A wrong answer with the same words as the right one is no wrong
answer and is left out of the sum.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
import torch
from torch import Tensor

from ....dialogue import Dialogue
from ....encode.encoder import Vectors
from ....errors import DialogaugeError
from ...vectors import Ints

#: Of how many random responses the nearest are taken, and from which cosine on two say the same.
_POOL = 4096
SAME = 0.9

#: Out of how many responses the right one must be found in validation.
_CHOICES = 20


class Pairs(msgspec.Struct, frozen=True):
    """Contexts with their true next turns, as rows of ``texts``; -1 where there was no turn."""

    texts: tuple[str, ...]  # each once
    context: Ints  # (pairs, turns), the last turn last
    response: Ints  # (pairs,)
    turns: Ints  # all turns of all dialogues, one after the other
    start: Ints  # (pairs,): where in `turns` the dialogue begins
    length: Ints  # (pairs,): how many turns it has
    place: Ints  # (pairs,): which of them is the response

    def __len__(self) -> int:
        return len(self.response)


class Batch(msgspec.Struct, frozen=True):
    """Which pairs, and which answers stand against each of them beside the batch's own."""

    pairs: Ints  # (batch,)
    others: Ints  # (batch, others)


def pairs(dialogues: Sequence[Dialogue], turns: int) -> Pairs:
    """Each turn after the first with at most ``turns`` turns before it; blank ones are no turns.

    >>> from dialogauge.dialogue import Turn
    >>> chat = Dialogue("1", (Turn("A", "Hi."), Turn("B", "Hello."), Turn("A", "Hi.")))
    >>> both = pairs([chat], 2)
    >>> both.texts, both.context.tolist(), both.response.tolist()
    (('Hi.', 'Hello.'), [[-1, 0], [0, 1]], [1, 0])
    """
    texts: dict[str, int] = {}
    spoken: list[int] = []
    windows: list[list[int]] = []
    answers: list[tuple[int, int, int, int]] = []
    for dialogue in dialogues:
        said = [turn.text for turn in dialogue.turns if turn.text.strip()]
        ids = [texts.setdefault(text, len(texts)) for text in said]
        padded = [-1] * turns + ids
        for place in range(1, len(ids)):
            windows.append(padded[place : place + turns])
            answers.append((ids[place], len(spoken), len(ids), place))
        spoken += ids
    if not answers:
        raise DialogaugeError("no dialogue has a turn with a context: there is nothing to learn")
    response, *places = np.array(answers).T
    return Pairs(tuple(texts), np.array(windows), response, np.array(spoken), *places)


def batches(pairs: Pairs, size: int, others: int, rng: np.random.Generator) -> list[Batch]:
    """One epoch in random order, each pair with ``others`` other turns of its dialogue."""
    drawn = rng.integers(0, pairs.length[:, None] - 1, (len(pairs), others))
    elsewhere = drawn + (drawn >= pairs.place[:, None])  # any turn but the response
    negatives = pairs.turns[pairs.start[:, None] + elsewhere]
    order = rng.permutation(len(pairs))
    cuts = [order[start : start + size] for start in range(0, len(order), size)]
    return [Batch(cut, negatives[cut]) for cut in cuts]


def nearest(
    pairs: Pairs, vectors: Vectors, batch: Batch, count: int, rng: np.random.Generator
) -> Batch:
    """The batch with the ``count`` nearest of :data:`_POOL` random responses added to each pair.

    Near by the vectors of ``pairs.texts``; what is as near as :data:`SAME` says the same.
    """
    pool = np.unique(rng.choice(pairs.response, _POOL))
    right = pairs.response[batch.pairs]
    cosines = _unit(vectors[right]) @ _unit(vectors[pool]).T  # (batch, pool)
    cosines[cosines > SAME] = -1
    wanted = min(count, len(pool))
    near = np.argpartition(-cosines, wanted - 1, axis=1)[:, :wanted]
    return Batch(batch.pairs, np.concatenate([batch.others, pool[near]], 1))


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def loss(context: Tensor, response: Tensor, others: Tensor, wrong: Tensor, scale: Tensor) -> Tensor:
    """Softmax over all responses of the batch and the pair's own others, and over all contexts.

    The second half asks which context a response belongs to, so that an answer which fits
    everywhere is no good answer. Unit vectors in:

    (batch, width), (batch, width), (batch, others, width); ``wrong`` (batch, batch + others) is
    False where an answer is not a wrong one: the right one itself and its equals.
    """
    inside = context @ response.T  # (batch, batch)
    beside = (context.unsqueeze(1) * others).sum(-1)  # (batch, others)
    logits = torch.cat([inside, beside], 1) * scale
    right = inside.diagonal() * scale
    answers = logits.masked_fill(~wrong, -torch.inf)
    contexts = (inside.T * scale).masked_fill(~wrong[:, : len(right)].T, -torch.inf)
    return (_surprise(right, answers) + _surprise(right, contexts)) / 2


def _surprise(right: Tensor, against: Tensor) -> Tensor:
    """The mean of -log of the share that the right one has."""
    return (torch.logsumexp(torch.cat([right[:, None], against], 1), 1) - right).mean()


def wrong(pairs: Pairs, batch: Batch) -> Tensor:
    """Which answers are wrong ones: (batch, batch + others)."""
    response = pairs.response[batch.pairs]
    answers = np.concatenate([np.tile(response, (len(response), 1)), batch.others], 1)
    return torch.from_numpy(answers != response[:, None])


def choices(pairs: Pairs, limit: int) -> tuple[Ints, Ints]:
    """At most ``limit`` pairs, and for each the right response among others: column 0 is right."""
    rng = np.random.default_rng(0)  # always the same exam
    picked = np.sort(rng.permutation(len(pairs))[:limit])
    answers = rng.choice(pairs.response, (len(picked), _CHOICES))
    answers[:, 0] = pairs.response[picked]
    return picked, answers


def measures(scores: Tensor, answers: Ints) -> dict[str, float]:
    """How often the right answer is first, and its mean reciprocal rank; ties count as half."""
    rivals = torch.from_numpy(answers[:, 1:] != answers[:, :1]).to(scores.device)
    right, others = scores[:, :1], scores[:, 1:]
    above = ((others > right) & rivals).sum(1) + 0.5 * ((others == right) & rivals).sum(1)
    return {
        f"hits@1/{_CHOICES}": float((above < 0.5).double().mean()),
        "mrr": float((1 / (1 + above.double())).mean()),
    }
