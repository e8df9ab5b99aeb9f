"""Cognition graphs: conversations of four turns a second, beside one conversation at a time."""

from dialogauge.amr.loading import Remembering, load_parser
from dialogauge.cognition import cognition_graphs
from dialogauge.cognition import graph as cognition
from dialogauge.dialogue import Dialogue
from dialogauge.reproduce.exams import held

from .timing import Bench, best

TURNS, CHATS = 4, 300
CORPUS = "self-dialogue"
ROUNDS = 3
#: Conversations a second that are wanted.
WANTED = 150


def main() -> None:
    whole = [each for each in held(CORPUS) if len(each.turns) >= TURNS][:CHATS]
    chats = [Dialogue(each.id, each.turns[:TURNS]) for each in whole]
    parser, remembered = load_parser()._parser, cognition.parser

    def forget() -> Remembering:
        """A parser that remembers nothing."""
        fresh = Remembering(parser)
        cognition.parser = lambda: fresh  # type: ignore[assignment]
        return fresh

    ours, alone = best(
        lambda: (forget(), cognition_graphs(chats)),
        lambda: (forget(), [cognition_graphs([each]) for each in chats]),
        rounds=ROUNDS,
    )
    cognition.parser = remembered
    print(f"graphs: {len(chats) / ours:.0f} conversations a second (wanted: {WANTED})")
    Bench(f"cognition graphs of {CHATS} conversations", ours, "one at a time", alone, 1.5).show()
