"""The catalogue: names, families, plug-ins; and what every manipulation of it must keep."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dialogauge.dialogue import Dialogue, Level, Turn, encode
from dialogauge.errors import DialogaugeError, InputError, UnknownNameError
from dialogauge.manipulate.catalogue import (
    FAMILIES,
    MANIPULATIONS,
    MEANING,
    RESPONSES,
    WORDS,
    find,
    names,
)
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.edited import Change, Edited, Span, rewritten
from dialogauge.manipulate.manipulation import Manipulation, Tally
from dialogauge.manipulate.mixtures import (
    Mixture,
    chosen,
    mixed,
    mixture,
    mixtures,
    several,
    some_of,
)
from dialogauge.manipulate.pool import Pool

from .manipulating import differs

HERE = __name__
LOWER = [name for name, each in MANIPULATIONS.items() if each.expect == "lower"]
REWRITING = {each.name for each in (*WORDS, *RESPONSES, *MEANING)}

SAID = (
    "I love green tea, but my sister does not like it.",
    "Do you know when the museum in Paris opens?",
    "She told me that the old dog was bigger than the cat. What a surprise!",
    "No.",
    "ok",
    "",
    "  ",
    "Ich mag keinen Tee, und du?",
    "我不知道。",
    "😀😀 🎉",
    "see https://example.org/a?b=c&d <b>now</b>",
    "He is not happy. He went home and read two books about Rome.",
    "…",
    "half a \ud83d letter",
    "a\tb\nc\x00\x1b[31m",
)
turns = st.builds(
    Turn,
    speaker=st.sampled_from(["a", "b", "c"]),
    text=st.sampled_from(SAID) | st.text(max_size=20),
    aside=st.integers(0, 9).map(lambda number: number == 0),
)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    said = draw(st.lists(turns, min_size=1, max_size=9))
    levels: tuple[Level, ...] = ("dialogue", "dialogue", "turn")
    level = draw(st.sampled_from(levels))
    if level == "turn" or all(turn.aside for turn in said):
        said[-1] = msgspec.structs.replace(said[-1], aside=False)
    return Dialogue("d", tuple(said), level=level)


def reply(context: Sequence[str], seed: int) -> str:
    return f"I think so {seed % 7}."


def translate(texts: Sequence[str]) -> list[str]:
    return [text.replace(" do not ", " don't ") for text in texts]


def other(id: str, *texts: str) -> Dialogue:
    return Dialogue(id, tuple(Turn("ab"[at % 2], text) for at, text in enumerate(texts)))


@cache
def pool() -> Pool:
    """One for all tests: its parser is loaded once and remembers."""
    others = [
        other("x", "Where do you live?", "In a house by the sea.", "That is nice.", "It is."),
        other("y", "I sold my car.", "Why did you do that?", "It was too old.", "I see."),
        other("z", SAID[0], SAID[1]),
    ]
    return Pool(others, reply=reply, translate=translate)


def check(manipulation: Manipulation, dialogue: Dialogue, seed: int, given: Pool) -> Edited | None:
    """What holds for every edit of every dialogue."""
    before, tally = encode(dialogue), Tally()
    edited = manipulation(dialogue, Random(seed), given, tally)
    assert encode(dialogue) == before
    assert manipulation(dialogue, Random(seed), given) == edited
    if edited is None:
        ((_, reason),) = tally.refused
        assert reason
        assert len(reason) < 60
        return None
    assert not tally.refused
    assert differs(manipulation, dialogue, edited.dialogue)
    assert fault(dialogue, edited) == ""
    asides = [[turn for turn in it.turns if turn.aside] for it in (dialogue, edited.dialogue)]
    assert asides[0] == asides[1]
    assert edited.dialogue.with_turns(dialogue.turns) == dialogue
    name = manipulation.name.partition("@")[0]
    if dialogue.level == "turn" and name in REWRITING:
        assert {change.was for change in edited.changes} == {len(dialogue.turns) - 1}
    return edited


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_every_edit_of_any_dialogue(name: str) -> None:
    @settings(max_examples=8 if MANIPULATIONS[name] in MEANING else 30)
    @given(dialogues(), st.integers(0, 2**32))
    def holds(dialogue: Dialogue, seed: int) -> None:
        check(MANIPULATIONS[name], dialogue, seed, pool())

    holds()


@pytest.mark.parametrize("name", LOWER)
def test_every_step_of_every_ladder(name: str) -> None:
    chat = other("d", *SAID[:3], SAID[11], SAID[1], SAID[0], "Where was she?", "I met her there.")
    for severity in (1, 3, 5):
        step = find(f"{name}@{severity}")
        assert step.name == f"{name}@{severity}"
        check(step, chat, 1, pool())


#: Of near-response, which needs a pool that speaks of the same, see test_nearby.
NESTED = [
    each.name
    for each in (*WORDS, *RESPONSES)
    if each.expect == "lower" and each.name != "near-response"
]


@pytest.mark.parametrize("name", NESTED)
def test_a_higher_step_changes_what_a_lower_one_does(name: str) -> None:
    chat = other("d", *(f"{SAID[at % 3]} It is number {at} of them." for at in range(15)))
    lower: dict[int | None, str] = {}
    for severity in (1, 2, 3, 4, 5):
        edited = find(f"{name}@{severity}")(chat, Random(3), pool())
        assert edited is not None
        made = {change.turn: change.after for change in edited.changes}
        assert lower.items() <= made.items()
        lower = made


BAD = {
    "one turn": other("d", SAID[0]),
    "one word": other("d", "yes", "no", "yes", "no"),
    "equal turns": other("d", *["Hello there, my friend."] * 6),
    "one speaker": Dialogue("d", tuple(Turn("a", text) for text in SAID[:4])),
    "empty texts": other("d", "", "", ""),
    "emoji": other("d", "😀", "🎉🎉", "😀"),
    "not English": other("d", SAID[7], SAID[8], "Ça va bien, merci.", SAID[8]),
    "many speakers": Dialogue("d", tuple(Turn(f"s{at}", it) for at, it in enumerate(SAID))),
    "500 turns": other("d", *(f"{SAID[at % 4]} {at % 50}" for at in range(500))),
    "a long turn": other("d", "So?", "word " * 4_000, "I see.", "Well."),
}


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_bad_input_and_an_empty_pool(name: str) -> None:
    empty = pool().of([])  # with the same parser
    empty._reply = empty._translate = None
    for what, dialogue in BAD.items():
        check(MANIPULATIONS[name], dialogue, 1, pool())
        if what != "500 turns":
            check(MANIPULATIONS[name], dialogue, 1, empty)


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_every_manipulation_applies_to_something(name: str) -> None:
    chat = other(
        "d",
        "Do you like dogs, Anna? My sister in Paris has two big dogs.",
        "I love dogs, but I do not like cats.",
        "Why do you not like them? They are so small and quiet.",
        "A cat bit me when I was young. My mother lives in London.",
        "That is sad. Is she happy now?",
        "Yes, she is. She moved from Paris to London with Peter Brown. She bought a fast boat.",
    )
    found = [check(MANIPULATIONS[name], chat, seed, pool()) for seed in range(12)]
    assert any(found)


def test_every_manipulation_says_what_it_is() -> None:
    for name, each in MANIPULATIONS.items():
        assert each.name == name
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert re.fullmatch(r"[A-Z].*\.", each.about), f"{name}: {each.about!r}"
        assert len(each.about) < 120
        assert each.source
    assert len({each.about for each in MANIPULATIONS.values()}) == len(MANIPULATIONS)


def test_families() -> None:
    assert set(FAMILIES) == {"deam", "mesgar", "vakulenko", "dynaeval", "maude", "adem", "all"}
    for members in FAMILIES.values():
        assert set(members) <= set(MANIPULATIONS)
    assert set(FAMILIES["all"]) == set(MANIPULATIONS)
    assert not set(FAMILIES) & set(MANIPULATIONS)
    for name in mixtures():
        assert all(find(member).expect == "lower" for member in FAMILIES[name])


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'permute'"):
        find("premute")
    with pytest.raises(DialogaugeError, match="from 1 to 5"):
        find("permute@9")
    with pytest.raises(DialogaugeError, match="has no severity"):
        find("no-punctuation@2")
    with pytest.raises(UnknownNameError, match="did you mean 'mesgar'"):
        mixture("messgar")
    with pytest.raises(UnknownNameError):
        find("")


def shout(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    """The last turn, shouted."""
    return rewritten(dialogue, {len(dialogue.turns) - 1: "HEY!"}, "shout")


def fail(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    raise RuntimeError("out of order")


def lie(dialogue: Dialogue, rng: Random, pool: Pool) -> Edited:
    return Edited(other(dialogue.id, "so", "what"), (Change(0, 0, "lie", "x", "y"),))


SHOUT = Manipulation("shout", shout, "lower", "mine")
FAIL = Manipulation("fail", fail, "lower", "mine")
LIE = Manipulation("lie", lie, "lower", "mine")
WRONG = Manipulation("wrong", lambda *_: 3, "lower", "mine")  # type: ignore[arg-type]
NEITHER = Manipulation("neither", shout, "worse", "mine")  # type: ignore[arg-type]
NUMBER = 3


def make() -> Manipulation:
    return SHOUT


CHAT = other("c", "Hi.", "Hello.", "Bye.")


@pytest.mark.parametrize("thing", ["SHOUT", "make"])
def test_plug_ins_in_python_code(thing: str) -> None:
    found = find(f"{HERE}:{thing}")
    assert (found.name, found.expect, found.about) == ("shout", "lower", "The last turn, shouted.")
    edited = found(CHAT, Random(1), Pool([]))
    assert edited is not None
    assert edited.dialogue.response == "HEY!"
    assert find(f"{HERE}:{thing}@2").name == "shout@2"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no_such_module:X", "cannot load module 'no_such_module': ModuleNotFoundError"),
        (f"{HERE}:Yours", "has no 'Yours'"),
        (f"{HERE}:NUMBER", "is not a manipulation but int: write Manipulation("),
        (f"{HERE}:NEITHER", "is not a manipulation but Manipulation"),
        (f"{HERE}:shout", "TypeError"),
        (":X", "not of the form 'module:name'"),
        (f"{HERE}:", "not of the form 'module:name'"),
    ],
)
def test_a_plug_in_that_leads_nowhere(name: str, problem: str) -> None:
    with pytest.raises(DialogaugeError, match=re.escape(problem)) as error:
        find(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("thing", "problem"),
    [
        ("FAIL", "'fail' failed: RuntimeError: out of order"),
        ("LIE", "'lie' gives a false account"),
        ("WRONG", "'wrong' must give Edited, got int"),
    ],
)
def test_what_a_plug_in_gives_is_checked(thing: str, problem: str) -> None:
    with pytest.raises(DialogaugeError, match=problem):
        find(f"{HERE}:{thing}")(CHAT, Random(1), Pool([]))


@pytest.mark.parametrize("name", [f"{HERE}:SHOUT", "plugin", "\x1b[31m" * 1000])
def test_a_stranger_gets_shipped_ones_only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing may be run for a stranger")

    for owner in ("named", "installed"):
        monkeypatch.setattr(f"dialogauge.plugins.{owner}", refuse)
    with pytest.raises(DialogaugeError, match="only those may be used") as error:
        find(name, trusted=False)
    assert "\x1b" not in str(error.value)
    assert find("permute@2", trusted=False).name == "permute@2"
    assert chosen(["mesgar"], trusted=False)


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        metadata.EntryPoint("shouting", f"{HERE}:SHOUT", "dialogauge.manipulations"),
        metadata.EntryPoint("broken", "no_such_module:X", "dialogauge.manipulations"),
        metadata.EntryPoint("permute", f"{HERE}:SHOUT", "dialogauge.manipulations"),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    assert names()[-2:] == ("broken", "shouting")
    assert find("shouting").name == "shout"
    assert find("permute") is MANIPULATIONS["permute"]
    with pytest.raises(DialogaugeError, match="the installed manipulation 'broken'"):
        find("broken")


@pytest.mark.parametrize("paper", ["deam", "mesgar"])
def test_one_to_four_in_a_fixed_order(paper: str) -> None:
    ways = {way.name: way.weight for way in mixture(paper).ways}
    steps = FAMILIES[paper]
    assert len(ways) == 15
    assert sum(ways.values()) == pytest.approx(1)
    for name, weight in ways.items():
        used = name.split("+")
        assert weight == pytest.approx(1 / 4 / comb(4, len(used)))
        assert used == [step for step in steps if step in used]  # always in this order


def test_one_of_several() -> None:
    for name in ("vakulenko", "dynaeval", "maude"):
        assert [way.name for way in mixture(name).ways] == list(FAMILIES[name])
        assert {way.weight for way in mixture(name).ways} == {1.0}


def test_draws_follow_the_weights() -> None:
    mesgar, rng = mixture("mesgar"), Random(1)
    drawn = Counter(mesgar.draw(rng).name for _ in range(100_000))
    expected = [100_000 * way.weight for way in mesgar.ways]
    assert chisquare([drawn[way.name] for way in mesgar.ways], expected).pvalue > 0.001


@pytest.mark.parametrize("name", mixtures())
def test_a_mixture_is_a_manipulation(name: str) -> None:
    made = mixture(name).manipulation
    assert (made.name, made.expect) == (name, "lower")
    assert made.about.endswith(".")

    @settings(max_examples=8 if name == "deam" else 30)
    @given(dialogues(), st.integers(0, 2**32))
    def holds(dialogue: Dialogue, seed: int) -> None:
        check(made, dialogue, seed, pool())

    holds()


def test_what_is_chosen() -> None:
    assert [each.name for each in chosen(["mesgar", "permute"])] == ["mesgar", "permute"]
    assert [each.name for each in chosen(["adem", "jumble"])] == list(FAMILIES["adem"])
    assert {each.name for each in chosen(["all"])} == set(MANIPULATIONS)
    assert [each.name for each in chosen(["all"], severity=2)] == [f"{it}@2" for it in LOWER]
    assert mixture("mesgar", 3).ways[0].name == "permute@3"
    assert mixture("deam", 3).ways[4].name == "coreference@3+contradiction@3"


def test_what_is_mixed_is_damage() -> None:
    assert [way.name for way in mixed(["adem"]).ways] == [
        name for name in FAMILIES["adem"] if name in LOWER
    ]
    with pytest.raises(InputError, match="no-punctuation is harmless"):
        mixed(["permute", "no-punctuation"])
    both = mixed(["permute", "dynaeval"])
    assert {way.name: way.weight for way in both.ways} == {
        "permute": 1.0,
        "replace-turn": 0.5,
        "shuffle-speaker": 0.5,
    }
    twice = mixed(["permute", "vakulenko"])
    assert {way.name: way.weight for way in twice.ways}["permute"] == 1.25


def test_a_mixture_of_which_nothing_applies_says_why() -> None:
    nothing = Mixture("m", some_of([find("permute")])).manipulation
    tally = Tally()
    assert nothing(other("d", "Hi."), Random(1), Pool([]), tally) is None
    ((name, reason),) = tally.refused
    assert name == "m"
    assert reason != "nothing changed"


def test_several_edits_are_different_and_depend_on_nothing_else() -> None:
    tally = Tally()
    made = dict(several(find("permute"), CHAT, Pool([]), 40, 7, tally))
    assert len({edited.dialogue.turns for edited in made.values()}) == len(made) <= 5
    assert tally.applied["permute"] == len(made)
    assert tally.refused["permute", "it was drawn before"] == 40 - len(made)
    (first,) = several(find("permute"), CHAT, Pool([]), 1, 7, Tally())
    assert first == (1, made[1])


def edited(**fields: Any) -> Edited:
    right = rewritten(CHAT, {1: "Good day."}, "k")
    change = msgspec.structs.replace(right.changes[0], **fields)
    return Edited(right.dialogue, (change,))


@pytest.mark.parametrize(
    ("account", "problem"),
    [
        (edited(before="x"), "other texts"),
        (edited(was=0), "not as it was"),
        (edited(turn=9), "not there"),
        (edited(turn=-1), "not there"),
        (edited(turn=None, was=None), "not as it was"),
        (edited(spans=()), "differ outside"),
        (edited(spans=(Span((0, 6), (0, 2)),)), "differ outside"),
        (edited(spans=(Span((3, 1), (0, 2)),)), "ends before"),
        (edited(spans=(Span((0, 5), (0, 8)), Span((5, 6), (8, 9)))), "holds no change"),
    ],
)
def test_a_false_account_is_found(account: Edited, problem: str) -> None:
    assert problem in fault(CHAT, account)


def test_a_change_to_an_aside_is_found() -> None:
    chat = Dialogue("d", (Turn("tool", "x", True), Turn("a", "Hi.")))
    assert fault(chat, rewritten(chat, {0: "y"}, "k")) == "an aside was changed"
    twice = rewritten(CHAT, {1: "Good day."}, "k")
    assert fault(CHAT, Edited(twice.dialogue, twice.changes * 2)) == "a turn has two changes"


PAGE = Path(__file__).parents[2] / "docs" / "guide" / "manipulating.md"


def test_the_plug_in_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(# my_edits.py\n.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "my_edits.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = find("my_edits:POLITE")
    check(found, CHAT, 1, Pool([]))
    assert found(CHAT, Random(1), Pool([])) is not None
