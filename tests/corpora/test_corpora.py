"""Every corpus is read whole: counts, raters, references and known values of the real files."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialogauge import corpora
from dialogauge.dialogue import Dialogue
from dialogauge.errors import DataError, UnknownNameError
from dialogauge.reproduce import released

Load = Callable[..., tuple[Dialogue, ...]]

TURNS = {
    "fed-dialogue": 1715,
    "fed-turn": 3888,
    "dstc9": 62342,
    "convai2-grade": 1800,
    "empathetic-grade": 900,
    "dailydialog-grade": 900,
    "usr-topical": 4032,
    "zhao-dailydialog": 4248,
    "engage": 1200,
    "multiref": 2460,
    "convai2018": 46890,
    "dailydialogpp-dev": 67500,
    "dailydialogpp-test": 67410,
    "dailydialogpp-positives": 147180,
    "dailydialog": 102979,
    "topical-chat": 58464,
    "topical-chat-turns": 531134,
    "personachat": 9884,
    "self-dialogue": 373728,  # the number its README gives
    "cmu-dog": 134180,  # 134,197 published, 17 of them blank
    "ji2022": 52790,
    "schema-guided": 49724,  # 49,726 published, 2 of them blank
}


def test_names_are_those_of_the_counts() -> None:
    assert set(corpora.names()) == set(TURNS)


@pytest.mark.parametrize("name", TURNS)
def test_corpus_is_what_the_table_says(load: Load, name: str) -> None:
    corpus, dialogues = corpora.info(name), load(name)
    assert len(dialogues) == corpus.items
    assert sum(len(dialogue.turns) for dialogue in dialogues) == TURNS[name]
    assert len({dialogue.id for dialogue in dialogues}) == corpus.items
    assert all(dialogue.id.startswith(f"{name}:") for dialogue in dialogues)
    assert {dialogue.level for dialogue in dialogues} == {corpus.level}
    assert {aspect for dialogue in dialogues for aspect in dialogue.ratings} == set(corpus.aspects)
    assert corpus.licence
    assert corpus.citation
    assert corpus.about.endswith(".")
    if corpus.level == "turn":
        assert all(
            len(dialogue.turns) == 1 or dialogue.turns[-1].speaker != dialogue.turns[-2].speaker
            for dialogue in dialogues
        )


def test_roles() -> None:
    roles = {name: corpora.info(name).role for name in corpora.names()}
    tests = {name for name, role in roles.items() if role == "test"}
    assert tests >= {"fed-dialogue", "fed-turn", "dstc9", "convai2-grade", "empathetic-grade"}
    assert {name for name, role in roles.items() if role == "tuning"} == {
        "dailydialog-grade",
        "dailydialogpp-dev",
        "zhao-dailydialog",
        "engage",
        "usr-topical",
        "multiref",
        "convai2018",
    }
    judged = {name for name, role in roles.items() if role != "training"}
    assert set(corpora.held_out()) == judged - {"convai2018"}  # whose bots say what others say


def test_fed(load: Load) -> None:
    for name, systems in (
        ("fed-dialogue", {"Mitsuku": 44, "Human": 41, "Meena": 40}),
        ("fed-turn", {"Mitsuku": 132, "Human": 123, "Meena": 120}),
    ):
        dialogues = load(name)
        assert Counter(dialogue.system for dialogue in dialogues) == systems
        assert {len(given) for one in dialogues for given in one.ratings.values()} == {5}
        assert {turn.speaker for one in dialogues for turn in one.turns} == {"User", "System"}
    assert len(load("fed-dialogue")[0].ratings) == 11
    assert len(load("fed-turn")[0].ratings) == 9
    assert {dialogue.responder for dialogue in load("fed-turn")} == {"System"}
    assert load("fed-turn")[0].ratings["Overall"] == (2, 1, 3, 3, 4)


def test_a_rater_without_an_answer_is_nan_in_his_place(load: Load) -> None:
    recovery = [dialogue.ratings["Error recovery"] for dialogue in load("fed-dialogue")]
    missing = [index for given in recovery for index, x in enumerate(given) if math.isnan(x)]
    assert len(missing) > 100
    assert set(missing) == {0, 1, 2, 3, 4}
    assert not np.isnan([dialogue.ratings["Overall"] for dialogue in load("fed-dialogue")]).any()
    given = [x for one in load("dstc9") for numbers in one.ratings.values() for x in numbers]
    assert sum(map(math.isnan, given)) == 236


def test_dstc9(load: Load) -> None:
    dialogues = load("dstc9")
    systems = Counter(dialogue.system for dialogue in dialogues)
    assert systems == {f"chatbot{number}": 200 for number in range(1, 12)}
    raters = [len(dialogue.ratings["overall"]) for dialogue in dialogues]
    assert sum(raters) == 6473
    assert Counter(raters) == {3: 2075, 2: 123, 1: 2}
    assert {dialogue.responder for dialogue in dialogues} == {"System"}
    # a line without a speaker continues the turn before it
    assert any("\n" in turn.text for dialogue in dialogues for turn in dialogue.turns)


@pytest.mark.parametrize(
    ("name", "systems", "contexts"),
    [("convai2-grade", 4, 258), ("empathetic-grade", 2, 147), ("dailydialog-grade", 2, 149)],
)
def test_grade(load: Load, name: str, systems: int, contexts: int) -> None:
    dialogues = load(name)
    assert set(Counter(dialogue.system for dialogue in dialogues).values()) == {150}
    assert len({dialogue.system for dialogue in dialogues}) == systems
    assert {len(dialogue.ratings["coherence"]) for dialogue in dialogues} <= {8, 9, 10, 11}
    assert len({dialogue.context_key for dialogue in dialogues}) == contexts
    assert {len(dialogue.references) for dialogue in dialogues} == {1}


def test_grade_raters_and_released_means_agree(load: Load) -> None:
    for name, folder in (("convai2-grade", "convai2"), ("empathetic-grade", "empathetic")):
        means = [dialogue.rating("coherence") for dialogue in load(name)]
        people = released.load(f"grade:{folder}").people
        np.testing.assert_allclose(means, people, atol=6e-5)  # printed with four decimals


def test_usr(load: Load) -> None:
    dialogues = load("usr-topical")
    assert len({dialogue.context_key for dialogue in dialogues}) == 60
    assert set(Counter(dialogue.system for dialogue in dialogues).values()) == {60}
    assert len({dialogue.system for dialogue in dialogues}) == 6
    assert {len(given) for one in dialogues for given in one.ratings.values()} == {3}
    by_truth = {True: 0, False: 1}
    for dialogue in dialogues:
        assert len(dialogue.references) == by_truth[dialogue.system == "Original Ground Truth"]


def test_small_turn_sets(load: Load) -> None:
    assert {len(dialogue.ratings["engagement"]) for dialogue in load("engage")} == {3}
    assert len({dialogue.context_key for dialogue in load("zhao-dailydialog")}) == 100
    assert (
        np.ptp([dialogue.rating("appropriateness") for dialogue in load("zhao-dailydialog")]) == 4
    )
    multiref = load("multiref")
    assert len({dialogue.context_key for dialogue in multiref}) == 100
    assert set(Counter(dialogue.system for dialogue in multiref).values()) == {100}
    assert {len(dialogue.references) for dialogue in multiref} == {4}
    for name in ("zhao-dailydialog", "engage", "multiref"):
        assert {dialogue.responder for dialogue in load(name)} == {"B"}


def test_dailydialogpp(load: Load) -> None:
    for name, contexts in (("dailydialogpp-dev", 1028), ("dailydialogpp-test", 1142)):
        levels = Counter(dialogue.rating("level") for dialogue in load(name))
        assert levels == {2.0: 5 * contexts, 1.0: 5 * contexts, 0.0: 5 * contexts}
        for dialogue in load(name):
            expected = 4 if dialogue.rating("level") == 2 else 5
            assert dialogue.response not in dialogue.references
            # one context of dev lists the same positive response twice, some a positive as random
            assert len(dialogue.references) in (expected, expected - 1)
    assert not any(dialogue.ratings for dialogue in load("dailydialogpp-positives"))


def test_published_splits(load: Load) -> None:
    assert len(load("dailydialog", "train")) == 11118
    assert len(load("dailydialog", "validation")) == len(load("dailydialog", "test")) == 1000
    assert len(load("topical-chat", "train")) == 531
    for split in ("valid_freq", "valid_rare", "test_freq", "test_rare"):
        assert len(load("topical-chat", split)) == 539
    sizes = [len(load("cmu-dog", split)) for split in ("train", "valid", "test")]
    assert sizes == [3373, 229, 619]
    assert [len(load("ji2022", split)) for split in ("free", "icebreaker")] == [6 * 215, 6 * 204]


def test_topical_chat(load: Load) -> None:
    names = [dialogue.id.rsplit(":", 1)[1] for dialogue in load("topical-chat")]
    assert len(set(names)) == len(names)  # the part of train repeats none of the other splits
    for dialogue in load("topical-chat"):
        assert dialogue.speakers == ("agent_1", "agent_2")
        assert all(one.speaker != two.speaker for one, two in pairwise(dialogue.turns))
    rated = [one.ratings["overall"] for one in load("topical-chat") if one.ratings]
    assert len(rated) == 4 * 539
    assert {len(given) for given in rated} == {2}
    quality = Counter(one.rating("quality") for one in load("topical-chat-turns"))
    assert set(quality) == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_ji2022(load: Load) -> None:
    dialogues = load("ji2022")
    assert {dialogue.speakers for dialogue in dialogues} == {("user", "bot")}
    assert {dialogue.responder for dialogue in dialogues} == {"bot"}
    assert all(
        one.speaker != two.speaker for each in dialogues for one, two in pairwise(each.turns)
    )
    assert all(turn.text for dialogue in dialogues for turn in dialogue.turns)
    assert {len(given) for one in dialogues for given in one.ratings.values()} == {1}
    for start in range(0, len(dialogues), 6):  # a rater talks with six, of which one is a check
        systems = [dialogue.system for dialogue in dialogues[start : start + 6]]
        assert systems.count("QualityControl") == 1
        assert len(set(systems)) == 6


def test_convai2018(load: Load) -> None:
    dialogues = load("convai2018")
    assert {dialogue.responder for dialogue in dialogues} == {"bot"}
    assert {dialogue.rating("overall") for dialogue in dialogues} == {1.0, 2.0, 3.0, 4.0, 5.0}
    said = {who: Counter[str]() for who in ("human", "bot")}  # the bot is who says things again
    for turn in (turn for dialogue in dialogues for turn in dialogue.turns):
        if len(turn.text.split()) >= 5:
            said[turn.speaker][turn.text.lower()] += 1
    again = {who: sum(n for n in it.values() if n > 2) / it.total() for who, it in said.items()}
    assert again["human"] < 0.1
    assert again["bot"] > 0.15


def test_ji2022_higher_is_better(load: Load) -> None:
    def mean(system: str, aspect: str) -> float:
        ratings = [one.rating(aspect) for one in load("ji2022") if one.system == system]
        return float(np.mean(ratings))

    systems = {dialogue.system for dialogue in load("ji2022")}
    worst, *_, best = sorted(systems, key=lambda system: mean(system, "overall"))
    assert (worst, best, len(systems)) == ("QualityControl", "A", 11)
    # the bot that says again and again what it loves, and the one that answers at random
    assert mean("D", "not repetitive") < -0.4 < 0.6 < mean("QualityControl", "not repetitive")
    for dialogue in load("ji2022"):
        seven = [z for aspect, (z,) in dialogue.ratings.items() if aspect != "overall"]
        assert len(seven) == 7
        assert dialogue.rating("overall") == pytest.approx(np.mean(seven))


def test_released_deam(load: Load) -> None:
    printed = {
        "deam:fed-coherence": 0.468,
        "deam:fed-overall": 0.547,
        "deam:dstc9-coherence": 0.190,
        "deam:dstc9-overall": 0.199,
    }
    for name, expected in printed.items():
        pairs = released.load(name)
        value = stats.spearmanr(pairs.metric, pairs.people).statistic
        assert f"{value:.3f}" == f"{expected:.3f}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grade:convai2", (0.496, 0.503, 0.356)),
        ("grade:empathetic", (0.350, 0.344, 0.243)),
        ("quantidce:convai2", (0.554, 0.554, 0.395)),
        ("quantidce:empathetic", (0.412, 0.393, 0.274)),
    ],
)
def test_released_grade_and_quantidce(
    load: Load, name: str, expected: tuple[float, float, float]
) -> None:
    pairs = released.load(name)
    statistics = (stats.pearsonr, stats.spearmanr, stats.kendalltau)  # kendalltau is tau-b
    for statistic, value in zip(statistics, expected, strict=True):
        found = statistic(pairs.metric, pairs.people).statistic
        assert f"{found:.3f}" == f"{value:.3f}"


def test_deam_labels_are_the_means_that_we_read(load: Load) -> None:
    people = released.load("deam:dstc9-overall").people
    ours = [dialogue.rating("overall") for dialogue in load("dstc9")]
    np.testing.assert_allclose(np.sort(people), np.sort(ours), atol=1e-9)  # another order


def test_listing(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    rows = {row["name"]: row for row in corpora.listing()}
    assert tuple(rows) == corpora.names()
    assert all(row["present"] for row in rows.values())
    dstc9 = rows["dstc9"]
    assert (dstc9["items"], dstc9["aspects"], dstc9["role"]) == (2200, 11, "test")
    monkeypatch.delenv("DIALOGAUGE_DATA")
    monkeypatch.setenv("DIALOGAUGE_CACHE", str(tmp_path))
    assert not any(row["present"] for row in corpora.listing())


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'fed-turn'"):
        corpora.load("fed-turns")
    with pytest.raises(UnknownNameError, match="validation"):
        corpora.load("dailydialog", "valid")
    with pytest.raises(UnknownNameError):
        corpora.get("deam")
    with pytest.raises(UnknownNameError):
        corpora.get("nothing")


def test_absent_files_say_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DIALOGAUGE_DATA", raising=False)
    monkeypatch.setenv("DIALOGAUGE_CACHE", str(tmp_path))
    with pytest.raises(DataError, match="run: dialogauge corpora get fed-turn"):
        corpora.load("fed-turn")
    with pytest.raises(DataError, match=r"cannot be downloaded.*merged.*DIALOGAUGE_DATA"):
        corpora.load("cmu-dog")
    monkeypatch.setenv("DIALOGAUGE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="DIALOGAUGE_DATA is"):
        corpora.load("fed-turn")
