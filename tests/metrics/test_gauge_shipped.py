"""The gauge that ships: what it must see, what it must not believe, and what it must not hide.

The thresholds stand a little below what these weights do, so that worse ones are not shipped; they
are no targets. Those, and what is missed, are in docs/reproductions/gauge.md.
"""

import math
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.stats import norm

from dialogauge import contrast, formats, models
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.errors import DialogaugeError
from dialogauge.metrics import load
from dialogauge.metrics.gauge import Gauge
from dialogauge.scores import Score

EXAMPLES = Path(__file__).parents[2] / "examples"
ASPECTS = 7


@pytest.fixture(scope="module")
def metric() -> Gauge:
    loaded = load("gauge")
    assert isinstance(loaded, Gauge)
    return loaded


def chat(
    *texts: str, speakers: tuple[str, ...] = ("user", "bot"), level: str = "dialogue"
) -> Dialogue:
    turns = tuple(Turn(speakers[at % len(speakers)], text) for at, text in enumerate(texts))
    return Dialogue("1", turns, level="turn" if level == "turn" else "dialogue")


PETS = (
    "Hi! How are you?",
    "I'm doing great, thanks! I just came back from a hike with my dog.",
    "Nice, what kind of dog do you have?",
    "I have a golden retriever called Sam. Do you have any pets?",
    "No, but I'd love to have a cat.",
    "Cats are lovely. What holds you back?",
    "I work a lot, and my flat is small.",
    "That makes sense. Maybe a shelter would let you visit the cats there.",
    "That's a great idea!",
    "I could look one up near you, if you like.",
)


def told(metric: Gauge, place: int, *texts: str) -> Score:
    """The score of that conversation with other texts from a place on."""
    return metric.score([chat(*PETS[:place], *texts, *PETS[place + len(texts) :])])[0]


def test_a_healthy_conversation_is_scored_in_full(metric: Gauge) -> None:
    (score,) = metric.score([chat(*PETS)])
    assert score.interval is not None
    assert 0 <= score.interval[0] < score.value < score.interval[1] <= 1
    assert [math.isnan(value) for value in score.turns] == [True, False] * 5
    assert len(score.aspects) == ASPECTS
    assert all(0 < value < 1 for value in score.aspects.values())
    assert score.causes == ()


def test_what_the_partner_objects_to_is_marked_at_the_turn_before(metric: Gauge) -> None:
    score = told(metric, 5, "I have a golden retriever called Sam.", "But you said that before.")
    named = {(cause.turn, cause.name) for cause in score.causes}
    assert (5, "the partner objects") in named
    assert (5, "repeats itself") in named
    assert int(np.nanargmin(score.turns)) == 5
    assert score.value < metric.score([chat(*PETS)])[0].value


@pytest.mark.parametrize(
    "said", ["Huh, what?", "Sorry, I didn't understand.", "Sorry, what do you mean by that?"]
)
def test_who_is_not_understood_is_asked_again(metric: Gauge, said: str) -> None:
    score = told(metric, 5, "Green goes up the telephone.", said)
    assert (5, "the partner asks again") in {(it.turn, it.name) for it in score.causes}


def test_the_partner_s_turns_have_no_score_and_the_broken_one_is_lowest(metric: Gauge) -> None:
    strange = "The Treaty of Westphalia was signed in 1648.", "What has that to do with cats?"
    score = told(metric, 7, *strange)
    assert all(math.isnan(score.turns[at]) for at in range(0, 10, 2))
    assert int(np.nanargmin(score.turns)) == 7
    assert (7, "does not follow") in {(it.turn, it.name) for it in score.causes}


def test_a_bot_that_loops_is_disliked(metric: Gauge) -> None:
    looped = [text if at % 2 == 0 else PETS[1] for at, text in enumerate(PETS)]
    good, bad = metric.score([chat(*PETS), chat(*looped)])
    assert bad.value < good.value - 0.2
    assert bad.aspects["not repetitive"] < good.aspects["not repetitive"]


def test_an_answer_is_judged_alone(metric: Gauge) -> None:
    asked = ("What are you reading?", "A novel about a lighthouse keeper.", "Is it good?")
    people = ("Mia", "Tom")
    good, bad, short = metric.score(
        [
            chat(*asked, text, speakers=people, level="turn")
            for text in (
                "Yes, the keeper is a wonderful character.",
                "My favourite colour is Tuesday.",
                "Is it good?",
            )
        ]
    )
    assert good.value > bad.value
    assert good.value > short.value
    assert good.aspects == {}
    assert [math.isnan(value) for value in good.turns] == [True, True, True, False]


def test_without_a_partner_the_interval_is_wider(metric: Gauge) -> None:
    person, bots = metric.score([chat(*PETS), chat(*PETS, speakers=("assistant", "bot"))])
    assert width(bots) > width(person)
    (alone,) = metric.score([chat(PETS[1], PETS[3], speakers=("bot",))])
    assert alone.interval is not None
    assert 0 < alone.value < 1


@pytest.mark.parametrize(
    ("dialogue", "why"),
    [
        (chat("Hallo, wie geht es dir heute morgen?", "Danke, mir geht es gut, und dir?",
              "Auch gut, ich gehe gleich schwimmen."), "not English"),
        (chat("Hello there", "🙂", "Well?", "🙂"), "says nothing that can be read"),
        (chat("你好吗？今天天气很好。", "我很好，谢谢。你呢？"), "not English"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_nan_with_a_reason(
    metric: Gauge, dialogue: Dialogue, why: str
) -> None:
    (score,) = metric.score([dialogue])
    assert math.isnan(score.value)
    assert score.interval is None
    assert [cause.name for cause in score.causes] == [why]


def width(score: Score) -> float:
    """Of the interval, on the scale of the model, where no end of the range can narrow it."""
    assert score.interval is not None
    low, high = norm.ppf(np.clip(score.interval, 1e-6, 1 - 1e-6))
    return float(high - low)


@pytest.mark.parametrize(
    "dialogue",
    [
        chat("Hi", "Hi"),
        chat(*["word " * 50] * 20),
        chat(
            "Fix it", "```py\nfor i in range(10):\n    print(i)\n```", "Thanks", "<b>Sure</b> & ok"
        ),
        chat("Explain it.", "The cat sat on the mat. " * 200, "And then?", "It ran away. " * 300),
        chat("x" * 200_000, "y " * 100_000),
    ],
)
def test_odd_conversations_have_a_wider_interval_or_none(metric: Gauge, dialogue: Dialogue) -> None:
    score, usual = metric.score([dialogue, chat(*PETS)])
    if math.isnan(score.value):
        assert score.causes
    else:
        assert width(score) > width(usual) + 0.1


def test_five_people_are_one_side_and_its_partners(metric: Gauge) -> None:
    people = ("a", "b", "c", "d", "e")
    (score,) = metric.score([chat("Hi all", "Hello", "Good day", "Hey", *PETS, speakers=people)])
    assert [at for at, value in enumerate(score.turns) if not math.isnan(value)] == [1, 6, 11]


def test_a_turn_keeps_its_place_behind_turns_that_are_not_read(metric: Gauge) -> None:
    said = (
        "🙂",
        "",
        *PETS[:5],
        "I have a golden retriever called Sam.",
        "You already told me that.",
    )
    short, long = metric.score([chat(*said), chat(*["Yes.", "No."] * 600, *said[2:])])
    for score, first in ((short, 2), (long, 1200)):
        assert (first + 5, "the partner objects") in {(it.turn, it.name) for it in score.causes}
        assert not math.isnan(score.turns[first + 5])
    assert math.isnan(short.turns[1])
    assert all(math.isnan(value) for value in long.turns[:200])


def test_a_reply_of_a_bot_is_judged_with_how_it_went(metric: Gauge) -> None:
    asked = PETS[:5]
    angry = ("Hi!", "I like tea.", "You don't make any sense.", "I like tea.", "I'd love a cat.")
    fine, bad, people = metric.score(
        [
            chat(*asked, PETS[5], speakers=("user", "assistant"), level="turn"),
            chat(*angry, PETS[5], speakers=("user", "assistant"), level="turn"),
            chat(*angry, PETS[5], speakers=("Mia", "Tom"), level="turn"),
        ]
    )
    assert bad.value < fine.value
    assert bad.value < people.value
    assert bad.causes == ()  # what went wrong before is not the answer's
    assert [math.isnan(value) for value in bad.turns] == [True] * 5 + [False]


def test_length_alone_buys_little(metric: Gauge) -> None:
    more = chat(*PETS[:8], *PETS[2:8])
    once, again = metric.score([chat(*PETS[:8]), more])
    assert again.value < once.value + 0.05


def test_minimal_pairs_and_twins(metric: Gauge) -> None:
    told = {}
    for name in ("minimal-pairs", "twins"):
        pairs = list(contrast.read(EXAMPLES / f"{name}.contrasts"))
        good = metric.score([pair.better for pair in pairs])
        bad = metric.score([pair.worse for pair in pairs])
        told[name] = sum(two.value < one.value for one, two in zip(good, bad, strict=True))
    assert told["minimal-pairs"] >= 80
    assert told["twins"] >= 12


def test_of_two_conversations_people_would_like_the_one_that_listens(metric: Gauge) -> None:
    whole, broken = formats.read(str(EXAMPLES / "talk.txt"))
    good, bad = metric.score([whole.spoken, broken.spoken])
    assert good.value > bad.value
    assert (3, "the partner objects") in {(it.turn, it.name) for it in bad.causes}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"heads": {"partner": ["near"]}}, "has not the shape"),
        ({"heads": {"partner": ["no such number"]}}, "'no such number', which is no number here"),
        ({"heads": {}}, "has no 'partner': train it again"),
        ({"reads": {"relevance": "0", "deam": "0"}}, "was fitted to another relevance"),
        ({"reads": {}}, "was fitted to another relevance"),
        ({"named": {"objects": "high"}}, "named.objects"),
    ],
)
def test_a_model_of_another_version_is_refused(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(models.find("gauge"), folder)
    config = msgspec.json.decode((folder / "config.json").read_bytes()) | change
    (folder / "config.json").write_bytes(msgspec.json.encode(config))
    models.seal(folder)
    with pytest.raises(DialogaugeError) as error:
        load(str(folder))
    assert problem in str(error.value)
