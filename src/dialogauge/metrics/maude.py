"""MaUdE: how well each turn follows what was said, scored as it arrives and without a reference.

A network trained to tell a given response from broken and foreign ones (Sinha et al. 2020) reads
the vectors of the last turns and of the response. Each utterance is encoded once and the context
slides over the vectors, so that a turn costs the same however long the conversation is. A dialogue
can be scored whole, or fed turn by turn:

    chat = load("FOLDER").start()
    chat.add(Turn("user", "Do you like tea?")).value        # NaN: it answers nothing
    chat.add(Turn("bot", "I prefer coffee.")).value         # the same as in a whole dialogue

A turn that says nothing (without a vector, or an aside) has no score and stands in no context. A
long response, read in several windows, follows as well as the one of them that follows worst, so
that a good beginning hides nothing; in a context it is the mean of its windows. The networks that
MaUdE was compared with are run by the same code (``train/models/maude/network.py``); one that reads
words reads the last of them, however long the text.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..dialogue import Dialogue, Turn
from ..encode import Encoder
from ..encode.encoder import POOLINGS, Pooling
from ..scores import Score
from .functions import NAN, from_last_turns
from .trained import LAST, TrainedMetric, batches
from .vectors import preceding, recent, sizes, weakest

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

#: Of a text, the last words that a network of words reads.
WORDS = 64


class Config(msgspec.Struct, frozen=True):
    """The config.json of a trained network."""

    metric: str
    reads: Literal["turns", "joined", "words"]
    encoder: str
    encoder_hash: str
    turns: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    width: int
    pooling: Pooling = "mean"


class Unreferenced(TrainedMetric):
    """A trained network that says how well a response follows its context."""

    config: Config

    def width(self) -> int:
        """That of a text's vector, or as many words as are read."""
        if self.config.reads == "words":
            return WORDS
        return POOLINGS[self.config.pooling].parts * self.encoder.config.width

    def follow(self, contexts: Sequence[Sequence[str]], responses: Sequence[str]) -> Floats:
        """How well each response follows its context, 0 to 1; NaN where either says nothing."""
        texts = list(dict.fromkeys(chain.from_iterable(contexts)))
        speaks = dict(zip(texts, self.encoder.hears(texts), strict=True))
        last = slice(-self.config.turns, None)
        heard = [[text for text in context if speaks[text]][last] for context in contexts]
        return self._follow(heard, responses)

    def _follow(self, heard: Sequence[Sequence[str]], responses: Sequence[str]) -> Floats:
        """The same after contexts that are as long as they are read, and whose turns all speak."""
        if self.config.reads != "turns":
            heard = [[" ".join(texts)] if texts else [] for texts in heard]
        texts = list(dict.fromkeys(text for each in (*heard, responses) for text in each))
        place = {text: row for row, text in enumerate(texts)}
        table, answers = self._answers(self.table(texts), responses, place)
        counts = sizes(answers)
        rows = [[place[text] for text in each] for each in heard]
        repeated = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
        flat = np.fromiter(chain.from_iterable(answers), np.int64, counts.sum())
        return weakest(self._run(table, repeated, flat), answers)

    def table(self, texts: Sequence[str]) -> NDArray[Any]:
        """What the network reads of each text: its vector, or its words."""
        if self.config.reads == "words":
            return word_table(self.encoder, texts)
        return self.encoder.vectors(texts, self.config.pooling)

    def _answers(
        self, table: NDArray[Any], responses: Sequence[str], place: Mapping[str, int]
    ) -> tuple[NDArray[Any], list[list[int]]]:
        """The table with what is read of long responses behind it; each response's rows in it."""
        answers = [[place[text]] for text in responses]
        if self.config.reads == "words":
            return table, answers
        parts, end = [table], len(table)
        for at, windows in enumerate(self.encoder.windows(responses, self.config.pooling)):
            if len(windows) > 1:
                answers[at] = list(range(end, end + len(windows)))
                parts.append(windows)
                end += len(windows)
        return np.concatenate(parts) if len(parts) > 1 else table, answers

    def _run(self, table: NDArray[Any], heard: Sequence[Sequence[int]], answers: Ints) -> Floats:
        """The score of each answer after its context, all of them rows of the table."""
        scores = np.full(len(answers), np.nan)
        # A text without a word has no vector, or word ids of 0 only.
        has_words: NDArray[np.bool_] = (table[:, 0] == table[:, 0]) & (table != 0).any(axis=1)
        turns = self.config.turns if self.config.reads == "turns" else 1
        scorable = (
            at
            for at, (each, answer) in enumerate(zip(heard, answers.tolist(), strict=True))
            if has_words[answer] and any(has_words[text] for text in each)
        )
        for rows in batches(list(scorable)):
            context = np.array([[0] * (turns - len(heard[at])) + [*heard[at]] for at in rows])
            there = [[0] * (turns - len(heard[at])) + [1] * len(heard[at]) for at in rows]
            inputs = {
                "table": np.nan_to_num(table) if table.dtype.kind == "f" else table,
                "context": context.astype(np.int64),
                "mask": np.array(there, np.float32) * has_words[context],
                "response": answers[rows],
            }
            scores[rows] = self.predict(inputs)
        return scores


class Maude(Unreferenced):
    """Each turn of a dialogue as a response to those before it."""

    last = LAST

    def score(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """One score per dialogue: the mean of its turns'."""
        turns = self.config.turns
        read = [recent(self.encoder, dialogue, LAST, turns) for dialogue in dialogues]
        self.table(list(dict.fromkeys(chain.from_iterable(read))))  # the encoder remembers them
        return [
            from_last_turns(dialogue, self._turns(texts)[-LAST:])
            for dialogue, texts in zip(dialogues, read, strict=True)
        ]

    def start(self) -> "_Conversation":
        """A conversation that is scored while it goes on."""
        return _Conversation(self)

    def _turns(self, texts: Sequence[str]) -> Floats:
        """The score of each turn after those before it."""
        before = preceding(np.array(self.encoder.hears(texts), bool), self.config.turns)
        heard = [[texts[at] for at in rows if at >= 0] for rows in before.tolist()]
        return self._follow(heard, texts)


class _Conversation:
    """A conversation so far; its turns' scores are those of the whole dialogue."""

    def __init__(self, metric: Maude) -> None:
        self._metric = metric
        self._turns: deque[str] = deque(maxlen=metric.config.turns)

    def add(self, turn: Turn) -> Score:
        """The score of the next turn."""
        value = NAN
        if not turn.aside:
            value = float(self._metric.follow([list(self._turns)], [turn.text])[0])
            if self._metric.encoder.hears([turn.text])[0]:
                self._turns.append(turn.text)
        return Score(value, (value,))


def word_table(encoder: Encoder, texts: Sequence[str]) -> Ints:
    """The ids of each text's last words, (texts, 64), 0 where there are fewer."""
    table = np.zeros((len(texts), WORDS), np.int64)
    for row, ids in enumerate(encoder.ids(texts)):
        table[row, : min(len(ids), WORDS)] = ids[-WORDS:]
    return table
