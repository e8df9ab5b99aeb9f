"""Long turns: what stands after a good beginning counts, with the weights that ship."""

import math

import numpy as np
import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder
from dialogauge.metrics import load
from dialogauge.metrics.maude import Maude
from dialogauge.metrics.trained import TrainedMetric
from dialogauge.metrics.vectors import cosim

QUESTION = "What did you do at the market with your sister on Saturday?"
ANSWER = "At the market my sister and I bought bread and cheese on Saturday, and we talked a lot. "
GOOD = ANSWER * 36  # more than 600 words
ENDS = {
    "an insult": "You are a stupid liar, nobody likes you, and I hope that you lose your job. ",
    "another topic": "The compiler allocates registers by colouring an interference graph. ",
}
LONG = ["cosim", "relevance", "maude"]


def chat(*texts: str) -> Dialogue:
    return Dialogue("d", tuple(Turn("ab"[at % 2], text) for at, text in enumerate(texts)))


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", [*LONG, "dynaeval", "dynaeval-so-far"])
def test_what_follows_six_hundred_good_words_is_heard(
    name: str, end: str, request: pytest.FixtureRequest
) -> None:
    if (name, end) == ("maude", "an insult"):
        reason = "one sentence 36 times is broken to MaUdE: an insult is no worse"
        request.applymarker(pytest.mark.xfail(strict=True, reason=reason))
    assert len(GOOD.split()) > 600
    good, spoilt = load(name).score([chat(QUESTION, GOOD), chat(QUESTION, GOOD + 6 * ENDS[end])])
    assert abs(good.value - spoilt.value) > 1e-3
    if name in LONG:  # weakest windows fall; a graph of two turns is no judge
        assert spoilt.turns[1] < good.turns[1]


@pytest.mark.parametrize("name", ["cosim", "relevance"])
def test_one_insult_is_a_crumb_and_two_are_a_window(name: str) -> None:
    ends = (GOOD + count * ENDS["an insult"] for count in range(3))
    good, one, two = (
        score.turns[1] for score in load(name).score([chat(QUESTION, e) for e in ends])
    )
    assert one == pytest.approx(good, abs=1e-3)  # what docs/guide/metrics.md says
    assert two < good - 0.3


@pytest.mark.parametrize("name", LONG)
def test_a_long_response_is_its_weakest_window(name: str) -> None:
    metric = load(name)
    text = GOOD + 6 * ENDS["another topic"]
    encoder: Encoder = metric.encoder  # type: ignore[attr-defined]
    (parts,) = encoder.parts([text])
    alone = [metric.score([chat(QUESTION, part)])[0].turns[1] for part in parts]
    (whole,) = metric.score([chat(QUESTION, text, "I see.")])
    assert len(parts) > 5
    assert whole.turns[1] == pytest.approx(min(alone), abs=1e-5)
    assert math.isfinite(whole.turns[2])  # the long turn is context there


def test_turn_by_turn_is_the_whole() -> None:
    metric = load("maude")
    assert isinstance(metric, Maude)
    talk = chat(QUESTION, GOOD, "", "I see.", GOOD + ENDS["an insult"], "中" * 700, "Oh!")
    listener = metric.start()
    online = [listener.add(turn).value for turn in talk.turns]
    np.testing.assert_allclose(online, metric.score([talk])[0].turns, atol=1e-6)


SHORT = ["Do you like tea?", "I prefer coffee.", "Where do you live?", "In a town by the sea."]


@pytest.mark.parametrize("blanks", [0, 12])
@pytest.mark.parametrize("name", LONG)
def test_the_first_of_the_last_turns_know_what_was_before_them(name: str, blanks: int) -> None:
    texts = [f"{SHORT[at % 4]} {at % 7}" for at in range(1030)]
    texts[30:30] = ["\u200b"] * blanks
    metric = load(name)
    (whole,), (beginning,) = metric.score([chat(*texts)]), metric.score([chat(*texts[:60])])
    border = len(texts) - 1000
    assert all(map(math.isnan, whole.turns[:border]))
    assert np.array_equal(whole.turns[border:60], beginning.turns[border:], equal_nan=True)


@pytest.mark.parametrize("blank", ["", "  ", "\u200b", "\x01"])
@pytest.mark.parametrize("name", LONG)
def test_a_turn_without_a_vector_takes_no_place(name: str, blank: str) -> None:
    metric = load(name)
    (spoken,), (score,) = (
        metric.score([chat(*SHORT)]),
        metric.score([chat(SHORT[0], *[blank] * 9, *SHORT[1:], blank)]),
    )
    scored = [turn for turn in score.turns if not math.isnan(turn)]
    assert scored == [*spoken.turns[1:]]
    assert len(scored) == len(SHORT) - 1


def test_turns_without_a_vector_take_no_place_in_a_conversation() -> None:
    metric = load("maude")
    assert isinstance(metric, Maude)
    talk = chat(SHORT[0], *["\u200b"] * 9, *SHORT[1:])
    listener = metric.start()
    online = [listener.add(turn).value for turn in talk.turns]
    assert np.array_equal(online, metric.score([talk])[0].turns, equal_nan=True)
    assert not math.isnan(online[-1])


def test_both_halves_of_bert_ruber_hear_the_end() -> None:
    def item(response: str) -> Dialogue:
        turns = (Turn("a", QUESTION), Turn("b", response))
        return Dialogue("d", turns, references=(ANSWER,), level="turn")

    good, spoilt = load("bert-ruber").score([item(GOOD), item(GOOD + 6 * ENDS["another topic"])])
    for half in ("referenced", "unreferenced"):
        assert spoilt.aspects[half] != good.aspects[half]
    assert spoilt.aspects["unreferenced"] < good.aspects["unreferenced"]


@pytest.mark.parametrize("name", ["embedding-average", "greedy-matching", "bertscore"])
def test_all_tokens_are_compared(name: str) -> None:
    def item(response: str, reference: str) -> Dialogue:
        turns = (Turn("a", QUESTION), Turn("b", response))
        return Dialogue("d", turns, references=(reference,), level="turn")

    spoilt = GOOD + 6 * ENDS["another topic"]
    same, other, back = load(name).score([item(GOOD, GOOD), item(spoilt, GOOD), item(GOOD, spoilt)])
    assert same.value == pytest.approx(1)
    assert other.value < 0.999
    assert back.value == pytest.approx(other.value)


@pytest.mark.parametrize("name", [*LONG, "dynaeval"])
def test_a_long_turn_keeps_its_score_in_any_company(name: str) -> None:
    metric = load(name)
    talks = [chat("Hi.", "Hello!"), chat(QUESTION, GOOD, "Nice."), chat("So?", "x" * 10**6, "No.")]
    together = metric.score(talks)
    for talk, score in zip(talks[::-1], together[::-1], strict=True):
        (alone,) = metric.score([talk])
        assert np.array_equal(alone.turns, score.turns, equal_nan=True)


def test_short_turns_bring_no_further_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    predict = TrainedMetric.predict

    def counted(self: TrainedMetric, inputs: dict[str, np.ndarray], digits: int = 6) -> np.ndarray:
        rows.append(len(inputs["response"]))
        return predict(self, inputs, digits)

    monkeypatch.setattr(TrainedMetric, "predict", counted)
    for name in ("maude", "relevance"):
        load(name).score([chat("Do you like tea?", "I do.", "Me too.")])
    assert rows == [2, 2]
    load("relevance").score([chat(QUESTION, GOOD)])
    assert rows[-1] > 4


def test_a_metric_may_ask_for_wider_windows() -> None:
    wide = cosim(encoder=Encoder.load(threads=1, max_tokens=512))
    assert "|tokens:512|" in wide.signature
    short, long = chat(QUESTION, ANSWER), chat(QUESTION, GOOD)
    assert wide.score([short])[0].value == load("cosim").score([short])[0].value
    assert wide.score([long])[0].value != load("cosim").score([long])[0].value
