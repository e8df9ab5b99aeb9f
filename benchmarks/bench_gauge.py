"""gauge: dialogues of ten turns a second, and what it costs beyond encoding and `deam`."""

from dialogauge.dialogue import Dialogue
from dialogauge.encode import Encoder
from dialogauge.metrics import load
from dialogauge.metrics.gauge import Gauge
from dialogauge.reproduce.exams import held

from .timing import Bench, best

TURNS, CHATS = 10, 100
CORPUS = "self-dialogue"
ROUNDS = 3
#: Dialogues a second that are wanted.
WANTED = 60


def main() -> None:
    whole = [each for each in held(CORPUS) if len(each.turns) >= TURNS][:CHATS]
    chats = [Dialogue(each.id, each.turns[:TURNS]) for each in whole]
    texts = [turn.text for each in chats for turn in each.turns]
    metric = load("gauge")
    assert isinstance(metric, Gauge)
    read = metric.reader.metrics

    def forget() -> Encoder:
        """An encoder that remembers nothing, for all of them."""
        fresh = Encoder.load()
        metric.encoder = metric.reader.encoder = fresh
        for each in read.values():
            each.encoder = fresh
        return fresh

    ours, encoding, deam, loading = best(
        lambda: (forget(), metric.score(chats)),
        lambda: forget().vectors(texts),
        lambda: (forget(), read["deam"].score(chats)),
        forget,
        rounds=ROUNDS,
    )
    ours, encoding, deam = (each - loading for each in (ours, encoding, deam))
    print(f"gauge: {len(chats) / ours:.0f} dialogues of {TURNS} turns a second (wanted: {WANTED})")
    what = f"gauge without deam, {len(texts)} turns"
    Bench(what, ours - deam, "encoding alone", encoding, 1 / 1.3).show()
