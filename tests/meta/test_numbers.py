"""Published and known numbers, on the real sets, through the whole pipeline."""

from pathlib import Path

import numpy as np
import pytest

import dialogauge as dg
from dialogauge import corpora
from dialogauge.encode import Encoder
from dialogauge.meta import Resampling
from dialogauge.metrics.vectors import cosim

QUICK = Resampling(resamples=200)


@pytest.fixture(autouse=True)
def _here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))


@pytest.mark.parametrize(
    ("corpus", "aspect", "oracle"),
    [
        ("fed-dialogue", "Overall", 0.719),
        ("dstc9", "overall", 0.251),
        ("usr-topical", "Overall", 0.704),
        ("fed-turn", "Overall", 0.491),
        ("convai2-grade", "coherence", 0.317),
        ("dailydialog-grade", "coherence", 0.125),
        ("empathetic-grade", "coherence", 0.035),
    ],
)
def test_identity_oracle(corpus: str, aspect: str, oracle: float) -> None:
    judged = dg.judge("turn-count", corpora.load(corpus), aspect, QUICK)
    assert judged.evaluations[0].confounds.oracle.value == pytest.approx(oracle, abs=0.005)


@pytest.fixture(scope="module")
def published(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    """MiniLM as it was published, in int8: what ships was taught, so that it is no floor."""
    pytest.importorskip("torch", reason="needs the extra: train")
    from dialogauge.train.models.encoder.task import TEXTS, bring, sample
    from dialogauge.train.recipe import Chosen

    folder = tmp_path_factory.mktemp("published") / "minilm"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIALOGAUGE_DATA", str(data))
        texts = sample("self-dialogue", 2 * TEXTS)
    bring(Chosen(), folder, name="minilm", texts=texts, int8=True, command="")
    return Encoder.load(folder)


@pytest.mark.parametrize(("aspect", "floor"), [("Coherent", 0.325), ("Overall", 0.309)])
def test_the_floor_of_an_encoder_that_was_not_taught(
    published: Encoder, aspect: str, floor: float
) -> None:
    judged = dg.judge(cosim(encoder=published), corpora.load("fed-dialogue"), aspect, QUICK)
    assert judged.evaluations[0].headline.value == pytest.approx(floor, abs=0.01)


def test_int8_is_close_to_its_original(published: Encoder) -> None:
    from dialogauge.train.backbone import load
    from dialogauge.train.recipe import Chosen

    held = [each for each in corpora.load("self-dialogue") if corpora.split(each) == "test"]
    texts = [turn.text for dialogue in held for turn in dialogue.turns][:2000]
    theirs, ours = load(Chosen()).encode(texts), published.vectors(texts)
    norms = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours, axis=1)
    assert np.nanmean((theirs * ours).sum(axis=1) / norms) >= 0.995


def test_the_best_trivial_baseline_on_fed() -> None:
    judged = dg.judge("random", corpora.load("fed-dialogue"), "Overall", QUICK)
    baseline = judged.evaluations[0].confounds.baseline
    assert baseline is not None
    assert baseline.name == "words-per-human-turn"
    assert baseline.correlation.value == pytest.approx(0.488, abs=0.005)
    assert judged.evaluations[0].objections  # a coin toss must never count as a result
