"""Metrics on vectors: the definitions, what cannot be scored, and life without torch."""

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dialogauge.dialogue import Dialogue, Turn
from dialogauge.encode import Encoder, Tokens
from dialogauge.errors import DialogaugeError, ModelError
from dialogauge.metrics import METRICS, checked, load, vectors
from dialogauge.metrics.vectors import (
    Bertscore,
    Cosim,
    Embedded,
    bertscore,
    cosim,
    embedding_average,
    greedy_matching,
    vector_extrema,
)
from dialogauge.scores import Score

AGAINST = ("embedding-average", "vector-extrema", "greedy-matching", "bertscore")

#: Words and vectors that one can compute with.
WORDS = {
    "east": (1.0, 0.0),
    "north": (0.0, 2.0),
    "west": (-3.0, 0.0),
    "northeast": (1.0, 1.0),
}


class Compass(Encoder):
    """An encoder of four words whose vectors are known."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def signature(self) -> str:
        return "compass|sha256:0"

    def tokens(self, texts: Sequence[str], layers: int = 0) -> list[Tokens]:
        self.asked += texts
        return [
            Tokens(
                tuple(list(WORDS).index(word) for word in text.replace("|", " ").split()),
                np.array(
                    [WORDS[word] for word in text.replace("|", " ").split()], np.float32
                ).reshape(-1, 2),
                np.zeros(2, np.float32),
            )
            for text in texts
        ]

    def hears(self, texts: Sequence[str]) -> list[bool]:
        return [bool(each.ids) for each in self.tokens(texts)]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [list(each.ids) for each in self.tokens(texts)]

    def windows(self, texts: Sequence[str], pooling: str = "mean") -> list[np.ndarray]:
        """As if these were remembered: a window for each text between bars."""
        asked = [*self.asked]
        windows = [Compass.vectors(self, text.split("|")) for text in texts]
        self.asked = asked
        return windows

    def vectors(self, texts: Sequence[str], pooling: str = "mean") -> np.ndarray:
        nothing = np.full(2, np.nan)
        return np.array(
            [each.vectors.mean(axis=0) if each.ids else nothing for each in self.tokens(texts)]
        )


def item(response: str, *references: str) -> Dialogue:
    return Dialogue(
        "d", (Turn("a", "hi"), Turn("b", response)), references=references, level="turn"
    )


def value(metric: Embedded, response: str, *references: str) -> float:
    (score,) = checked(metric, [item(response, *references)])
    assert math.isnan(score.turns[0])
    assert score.turns[1] == score.value or math.isnan(score.value)
    return score.value


def chat(*texts: str) -> Dialogue:
    return Dialogue("d", tuple(Turn("ab"[at % 2], text) for at, text in enumerate(texts)))


HALF = math.sqrt(0.5)


def test_cosim_by_hand() -> None:
    talk = chat("east", "east", "north", "northeast", "", "west", "east")
    (score,) = checked(cosim(encoder=Compass()), [talk])
    expected = [math.nan, 1, 0, HALF, math.nan, -HALF, -1]  # nothing stands between
    assert score.turns == pytest.approx(expected, nan_ok=True)
    assert score.value == pytest.approx((1 + 0 + HALF - HALF - 1) / 5)


def test_cosim_of_a_long_turn_is_that_of_its_farthest_window() -> None:
    (score,) = checked(cosim(encoder=Compass()), [chat("east", "east | north", "northeast", "| ")])
    windows = [(1, 0), (0, 2)]
    mean = np.mean(windows, axis=0)  # of words, which are its tokens
    expected = [math.nan, 0, float(mean @ (1, 1) / np.linalg.norm(mean) / math.sqrt(2)), math.nan]
    assert score.turns == pytest.approx(expected, nan_ok=True)


def test_cosim_without_neighbours_is_nan() -> None:
    for talk in (chat("east"), chat("", ""), chat("", "east", "")):
        (score,) = checked(cosim(encoder=Compass()), [talk])
        assert math.isnan(score.value)
        assert len(score.turns) == len(talk.turns)


def test_cosim_scores_the_last_turns_of_a_long_dialogue() -> None:
    compass = Compass()
    metric = cosim(Cosim(last=3), compass)
    (score,) = checked(metric, [chat("west", "east", "", "east", "north", "northeast")])
    assert score.turns == pytest.approx([math.nan] * 3 + [1, 0, HALF], nan_ok=True)
    assert "west" not in compass.asked
    assert "|last:3|" in metric.signature


def test_embedding_average_by_hand() -> None:
    metric = embedding_average(Compass())
    assert value(metric, "east north", "east") == pytest.approx(1 / math.sqrt(5))
    assert value(metric, "west", "east") == pytest.approx(-1)
    assert value(metric, "west", "east", "north", "west") == pytest.approx(1)


def test_vector_extrema_by_hand() -> None:
    metric = vector_extrema(Compass())
    assert value(metric, "east west north", "north") == pytest.approx(2 / math.sqrt(13))
    assert value(metric, "east west", "east") == pytest.approx(-1)  # of 1 and -3, -3 is extreme


def test_greedy_matching_by_hand() -> None:
    metric = greedy_matching(Compass())
    # east and north both match northeast by 0.71; northeast's best is the same.
    assert value(metric, "east north", "northeast") == pytest.approx(HALF)
    # east 1, west -1 on one side, east 1 on the other.
    assert value(metric, "east west", "east") == pytest.approx((0 + 1) / 2)


def test_bertscore_by_hand() -> None:
    (score,) = checked(bertscore(encoder=Compass()), [item("east north", "east")])
    precision, recall = 0.5, 1.0
    f1 = 2 * precision * recall / (precision + recall)
    assert score.value == pytest.approx(f1)
    assert score.aspects == pytest.approx({"precision": precision, "recall": recall, "f1": f1})
    (score,) = checked(bertscore(encoder=Compass()), [item("west", "east")])
    assert (score.value, score.aspects["recall"]) == pytest.approx((0.0, -1.0))


def test_bertscore_takes_the_reference_with_the_best_f1() -> None:
    metric = bertscore(encoder=Compass())
    (score,) = checked(metric, [item("east north", "west", "east", "east north", "north")])
    assert score.aspects == pytest.approx({"precision": 1, "recall": 1, "f1": 1})


def test_bertscore_with_idf_by_hand() -> None:
    corpus = ["east", "east", "east north"]
    metric = bertscore(Bertscore(idf=True), corpus, Compass())
    east, north, west = math.log(4 / 4), math.log(4 / 2), math.log(4 / 1)
    (score,) = checked(metric, [item("north west", "east north")])
    assert score.aspects["precision"] == pytest.approx(north / (north + west))  # west: 0
    assert score.aspects["recall"] == pytest.approx((0 * east + 1 * north) / (east + north))
    # East is in every text and has no weight; alone it must still be comparable.
    assert value(metric, "east", "east") == pytest.approx(1)


def test_idf_is_fixed_and_in_the_signature() -> None:
    one = bertscore(Bertscore(idf=True), ["east"], Compass()).signature
    other = bertscore(Bertscore(idf=True), ["west", "\ud800"], Compass()).signature
    assert "|idf:yes|" in one
    assert len({one, other, bertscore(encoder=Compass()).signature}) == 3
    for settings, corpus in ((Bertscore(idf=True), []), (Bertscore(), ["east"])):
        with pytest.raises(DialogaugeError, match="idf and the texts of a corpus go together"):
            bertscore(settings, corpus)


@pytest.mark.parametrize("name", AGAINST)
def test_what_cannot_be_compared(name: str) -> None:
    metric = METRICS[name](encoder=Compass())
    assert value(metric, "", "east") == 0  # type: ignore[arg-type]
    assert value(metric, "", "", "east") == 0  # type: ignore[arg-type]
    assert value(metric, "east", "", "east") == pytest.approx(1)  # type: ignore[arg-type]
    for response, references in (("east", ()), ("east", ("", "")), ("", ("",))):
        assert math.isnan(value(metric, response, *references))  # type: ignore[arg-type]
    whole = Dialogue("d", (Turn("a", "east"),), references=("east",))
    assert math.isnan(checked(metric, [whole])[0].value)


@pytest.mark.parametrize("name", AGAINST)
def test_chunks_of_pairs_do_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = METRICS[name](encoder=Compass())
    items = [item("east north", "west", "north", "east"), item("west", "east", ""), item("east")]
    whole = metric.score(items)
    monkeypatch.setattr(vectors, "PAIRS", 2)
    assert repr(metric.score(items)) == repr(whole)


def test_meaning_counts() -> None:
    for name in AGAINST:
        near, far = load(name).score(
            [
                item("He bought a new car.", "He purchased an automobile."),
                item("The soup is too salty.", "He purchased an automobile."),
            ]
        )
        assert near.value > far.value + 0.05, name


def test_an_answer_is_nearer_than_a_change_of_subject() -> None:
    question = "Which films do you like?"
    on, off = load("cosim").score(
        [chat(question, "I love old horror films."), chat(question, "My knee hurts when it rains.")]
    )
    assert on.value > off.value


def test_the_encoder_is_shared_and_loaded_late(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []

    def once(source: object) -> Encoder:
        loaded.append(source)
        return Compass()

    vectors.shared.cache_clear()
    monkeypatch.setattr(Encoder, "load", once)
    try:
        metrics = [load(name) for name in (*AGAINST, "cosim")]
        assert [metric.score([]) for metric in metrics] == [[]] * 5
        for metric in metrics:
            metric.score([item("east", "east")] if metric.name != "cosim" else [chat("east")])
        assert loaded == [vectors.ENCODER]
    finally:
        vectors.shared.cache_clear()


def test_signatures_name_the_encoder() -> None:
    for name in (*AGAINST, "cosim"):
        metric = load(name)
        assert f"|encoder:{vectors.shared().signature}" in metric.signature
        assert "|onnxruntime:" in metric.signature
        assert "|tokenizers:" in metric.signature


def test_a_folder_that_is_no_encoder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"not a model folder: it has no manifest.json"):
        cosim(encoder=tmp_path).score([chat("a", "b")])


def test_real_items_keep_their_scores_in_any_company() -> None:
    items = [item(f"I saw {n} of them.", f"There were {n + 1}.", "None.") for n in range(9)]
    for name in AGAINST:
        metric = load(name)
        together = metric.score(items)
        vectors.shared()._token_memory = type(vectors.shared()._token_memory)()
        alone: list[Score] = [metric.score([each])[0] for each in items[::-1]][::-1]
        assert [s.value for s in together] == pytest.approx([s.value for s in alone], abs=1e-4)


BLOCKED = """
import sys
sys.modules["torch"] = None
import dialogauge
sys.argv = ["dialogauge", "score", sys.argv[1], "--metric", "relevance,cosim", "--json"]
from dialogauge.cli import main
main()
"""

WATCHED = """
import sys
import dialogauge as dg
dg.score(dg.read(sys.argv[1]), ["relevance", "cosim"])
assert not {"torch", "transformers"} & set(sys.modules)
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    turns = [{"speaker": "a", "text": "Hello you!"}, {"speaker": "b", "text": "Hi!"}]
    path.write_text(json.dumps({"id": "d", "turns": turns}) + "\n")
    return path


def test_scoring_needs_no_torch() -> None:
    chats = Path(__file__).parents[2] / "examples" / "chats.jsonl"
    command = [sys.executable, "-c", BLOCKED, str(chats)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines()[1:]:
        scores = json.loads(line)["scores"]
        assert all(-1 <= scores[name]["value"] <= 1 for name in ("relevance", "cosim"))


def test_scoring_never_imports_torch(talk: Path) -> None:
    subprocess.run([sys.executable, "-c", WATCHED, str(talk)], check=True)


def test_importing_and_listing_load_no_runtime() -> None:
    code = (
        "import sys, dialogauge\n"
        "from dialogauge.metrics import names, describe, load\n"
        "[(describe(name), name == 'cosim' and load(name)) for name in names()]\n"
        "assert not {'torch', 'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
