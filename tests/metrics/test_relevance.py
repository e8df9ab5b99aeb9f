"""Relevance on an untrained head: echoes, also of turns that are read in several windows."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra: train")
torch.set_num_threads(1)

from dialogauge.dialogue import Dialogue, Turn  # noqa: E402
from dialogauge.metrics import load  # noqa: E402
from dialogauge.metrics.trained import TrainedMetric  # noqa: E402
from dialogauge.metrics.vectors import shared  # noqa: E402
from dialogauge.models import seal  # noqa: E402
from dialogauge.train.export import export  # noqa: E402
from dialogauge.train.models.relevance.network import ResponseSelector, Shape  # noqa: E402

TURNS = 4
MARKET = "We went to the market early and bought bread, cheese and a few apples. "
LONG = (  # windows that are far from their mean
    f"{MARKET * 8}{'The compiler allocates registers by colouring an interference graph. ' * 8}"
    f"{'My sister plays the violin in a small orchestra near the river. ' * 8}"
)


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> TrainedMetric:
    folder, encoder = tmp_path_factory.mktemp("head"), shared()
    width, rows = encoder.config.width, {0: "batch"}
    example = {
        "context": np.ones((2, TURNS, width), np.float32),
        "mask": np.ones((2, TURNS), np.float32),
        "response": np.ones((2, width), np.float32),
    }
    passport = {"encoder": "dialogue-minilm", "encoder_hash": encoder.hash}
    config = {"metric": "relevance", **passport, "turns": TURNS, "width": width}
    network = ResponseSelector(width, Shape())
    export(network, Path(folder), [example], dict.fromkeys(example, rows), {"score": rows}, config)
    seal(folder)
    metric = load(str(folder))
    assert isinstance(metric, TrainedMetric)
    return metric


def last(metric: TrainedMetric, *texts: str) -> float:
    turns = tuple(Turn("ab"[at % 2], text) for at, text in enumerate(texts))
    return metric.score([Dialogue("d", turns)])[0].turns[-1]


@pytest.mark.parametrize("text", [MARKET, LONG], ids=["short", "long"])
def test_an_echo_is_below_every_answer(text: str, head: TrainedMetric) -> None:
    assert last(head, text, text) == pytest.approx(-1, abs=1e-4)
    assert last(head, text, "I see.", text) == pytest.approx(-1, abs=1e-4)
    for answer in ("I see.", "No idea.", "Registers are coloured.", "x"):
        assert last(head, text, answer) > -0.9


@pytest.mark.parametrize("echo", ["{0} {0}", "Well, {0}", "{0} ...", "You said: {0}", '"{0}"'])
def test_an_echo_with_a_word_more_is_below_every_answer(echo: str, head: TrainedMetric) -> None:
    text = MARKET.strip()
    assert last(head, text, echo.format(text)) < -0.5
    assert last(head, text, "I see.") > -0.5


def test_few_words_may_be_said_again(head: TrainedMetric) -> None:
    for text in ("Hi.", "Thank you.", "Good night!"):
        assert last(head, text, text) == pytest.approx(0, abs=1e-4)
    assert last(head, "我们去了市场买了面包和奶酪", "我们去了市场买了面包和奶酪") < -0.9
    assert head.signature.endswith("|echo:words")


def test_a_long_answer_is_its_weakest_window_still(head: TrainedMetric) -> None:
    (parts,) = head.encoder.parts([LONG])
    alone = [last(head, "What did you buy?", part) for part in parts]
    assert len(parts) > 2
    assert last(head, "What did you buy?", LONG) == pytest.approx(min(alone), abs=1e-5)
