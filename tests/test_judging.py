"""A metric against people: who may be judged on what, and that no work is done for nothing."""

from collections.abc import Sequence
from typing import Any

import pytest

import dialogauge as dg
from dialogauge import corpora
from dialogauge.contrast import Contrast
from dialogauge.errors import DialogaugeError
from dialogauge.judging import discriminations, keep_apart
from dialogauge.metrics import METRICS, by_dialogue, by_response, by_turn, is_trained, load
from dialogauge.scores import Score

TEST_SETS = [name for name in corpora.names() if corpora.info(name).role == "test"]


class Plain:
    """A stranger's metric, as little as it may be."""

    name, signature = "plain", "plain|v:1"

    def score(self, dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        return [Score(float(len(each.turns))) for each in dialogues]


def plain(**fields: object) -> Any:
    return type("Plain", (Plain,), fields)()


def rated(at: int) -> dg.Dialogue:
    turns = (dg.Turn("user", "Hi"), *[dg.Turn("bot", "word " * at)] * at)
    return dg.Dialogue(f"d{at}", turns, ratings={"Overall": (at, at + 1)})


def test_a_metric_that_does_not_say_counts_as_trained() -> None:
    assert TEST_SETS
    for corpus in TEST_SETS:
        with pytest.raises(DialogaugeError, match=r"plain does not say .* `trained = False`\)"):
            keep_apart(corpus, [load("bleu"), plain()])
        with pytest.raises(DialogaugeError, match="plain was trained"):
            keep_apart(corpus, [plain(trained=True)])
        keep_apart(corpus, [plain(trained=False)])
    keep_apart("zhao-dailydialog", [plain(), plain(trained=True)])
    keep_apart("my/file.jsonl", [plain(), plain(trained=True)])


@pytest.mark.parametrize("said", [None, 0, "no", True])
def test_only_false_says_that_it_was_not(said: object) -> None:
    assert is_trained(plain(trained=said))


def test_functions_are_not_trained() -> None:
    """The README judges one on a test set."""
    questions = by_turn("questions", lambda chat: [turn.text.count("?") for turn in chat.turns])
    others = by_dialogue("one", lambda chat: 1.0), by_response("two", lambda text, references: 2.0)
    for corpus in TEST_SETS:
        keep_apart(corpus, [questions, *others])


def test_what_ships_says_whether_it_was_trained() -> None:
    learnt = {name for name in METRICS if is_trained(load(name))}
    assert learnt == {
        *("gauge", "relevance", "maude", "bert-ruber", "deam"),
        *("dynaeval", "dynaeval-so-far", "dynaeval-research"),
        # the cosines of an encoder that was taught
        *("cosim", "bertscore", "embedding-average", "vector-extrema", "greedy-matching"),
    }
    assert all(isinstance(load(name).trained, bool) for name in METRICS)


def test_a_plain_metric_is_scored_and_judged_on_other_sets() -> None:
    dialogues = [rated(at) for at in range(1, 9)]
    judgement = dg.judge(plain(), dialogues, "Overall")
    assert judgement.evaluations[0].headline.value == 1


def test_turns_of_whole_dialogues_are_not_computed() -> None:
    def refuse(dialogues: Sequence[dg.Dialogue]) -> list[Score]:
        raise AssertionError("nobody asked for turns")

    metric = plain(trained=False)
    metric.score, metric.whole = refuse, lambda some: [float(len(each.turns)) for each in some]
    dialogues = [rated(at) for at in range(1, 9)]
    assert dg.judge(metric, dialogues, "Overall").evaluations[0].headline.value == 1
    pairs = [Contrast(rated(at + 1), rated(at), "shorter", ()) for at in range(1, 9)]
    assert discriminations(metric, pairs)["plain"].accuracy.value == 1
