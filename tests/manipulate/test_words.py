"""Edits of the words of a turn: known values, and what holds for every text."""

from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogauge import corpora
from dialogauge.dialogue import Dialogue, Turn
from dialogauge.language import stopwords
from dialogauge.manipulate import grammar, words
from dialogauge.manipulate.catalogue import WORDS
from dialogauge.manipulate.checking import fault
from dialogauge.manipulate.grammar import Nameless, synonyms
from dialogauge.manipulate.manipulation import DoesNotApply, Manipulation, Tally, seeded
from dialogauge.manipulate.pool import Pool
from dialogauge.manipulate.rewriting import Place, Rewrite
from dialogauge.manipulate.words import Without

from .manipulating import dialogues, keeps_the_contract, response, steps, talk

BY_NAME = {each.name: each for each in WORDS}
TAGGED = {"nouns-pronouns-verbs", "only-nouns", "no-entities", "synonyms", "contractions"}
PLAIN = [each for each in WORDS if each.name not in TAGGED]


def rewritten(rewrite: Rewrite, text: str, seed: int = 0) -> str:
    return rewrite(Place(talk("Hello.", text), 1, Pool([])), Random(seed))


def edited(name: str, text: str, seed: int = 0) -> str:
    return response(BY_NAME[name], talk("Hello.", text), Pool([]), seed)


def test_the_table_is_complete() -> None:
    assert " ".join(BY_NAME) == (
        "word-drop word-order word-repeat cut-off reverse jumble repeat-half nouns-pronouns-verbs "
        "only-nouns no-entities no-stopwords no-25-stopwords no-punctuation "
        "lower-case contractions synonyms"
    )
    same = {name for name, each in BY_NAME.items() if each.expect == "same"}
    assert same == {
        "no-entities",
        "no-stopwords",
        "no-25-stopwords",
        "no-punctuation",
        "lower-case",
        "contractions",
        "synonyms",
    }
    assert all(each.about.endswith(".") and "\n" not in each.about for each in WORDS)


@pytest.mark.parametrize("manipulation", PLAIN, ids=lambda each: each.name)
@given(dialogue=dialogues(), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_the_contract(manipulation: Manipulation, dialogue: Dialogue, seed: int) -> None:
    keeps_the_contract(manipulation, dialogue, seed)


@pytest.mark.parametrize("name", sorted(TAGGED))
@given(dialogue=dialogues(), seed=st.integers(0, 9))
@settings(max_examples=40)
def test_the_contract_with_a_tagger(name: str, dialogue: Dialogue, seed: int) -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    keeps_the_contract(BY_NAME[name], dialogue, seed)


@given(st.lists(st.sampled_from(["one", "two", "Three", "four."]), min_size=2, max_size=12))
def test_words_are_dropped_moved_and_repeated(said: list[str]) -> None:
    text = " ".join(said)
    for seed in range(3):
        dropped = rewritten(words.drop, text, seed).split()
        assert not Counter(dropped) - Counter(said)
        doubled = rewritten(words.repeat, text, seed).split()
        assert len(doubled) > len(said)
        assert set(doubled) == set(said)
        half = rewritten(words.repeat_half, text, seed).split()
        assert len(half) == len(said) + len(said) // 2
        if len({word.casefold() for word in said}) > 1:
            ordered = rewritten(words.order, text, seed).split()
            assert ordered != said
            assert Counter(ordered) == Counter(said)


def test_drop_takes_its_rate_and_falls_back_to_an_order() -> None:
    text = " ".join(map(str, range(4000)))
    kept = len(rewritten(words.drop, text).split())
    assert 0.47 < kept / 4000 < 0.53
    lengths = Counter(len(rewritten(words.drop, "to be", seed).split()) for seed in range(400))
    # None drawn is one dropped; both drawn are both in another order.
    assert 60 < lengths[2] < 140
    assert lengths[1] == 400 - lengths[2]


def test_every_order_is_as_likely() -> None:
    drawn = Counter(rewritten(words.order, "a b c", seed) for seed in range(3000))
    assert len(drawn) == 5  # all but the text itself
    assert all(450 < count < 750 for count in drawn.values())


def test_repeat_as_the_released_code() -> None:
    made = {rewritten(words.repeat_one, "i have two dogs", seed) for seed in range(9)}
    assert made == {"i i i i", "i have have have"}


def test_repeats_stand_behind_their_word() -> None:
    made = rewritten(words.repeat_half, "a b c d", 3).split()
    assert sorted(set(made)) == ["a", "b", "c", "d"]
    assert made == sorted(made)


def test_signs_are_words_when_reversed_or_jumbled() -> None:
    assert edited("reverse", "will it rain tonight ?") == "? tonight rain it will"
    assert edited("reverse", "Well, I don't know x.com.") == ". x.com know don't I, Well"
    assert Counter(
        edited("jumble", "Stop, you!").replace(",", " ,").replace("!", " !").split()
    ) == (Counter(["Stop", ",", "you", "!"]))


def test_lists_of_words_are_left_out() -> None:
    assert edited("no-stopwords", "I do like the red car.") == "like red car."
    assert edited("no-25-stopwords", "It is the end of the day, I think.") == "end day, I think."
    assert edited("no-25-stopwords", "The dog and  cat") == "dog  cat"
    tally = Tally()
    assert BY_NAME["no-stopwords"](talk("Hi", "I will do"), Random(0), Pool([]), tally) is None
    assert tally.refused == {("no-stopwords", "no word would be left"): 1}


def test_punctuation_inside_words_stays() -> None:
    text = "Well... I don't (really) know—it's 3.5 at https://x.org/?a, isn't it?!"
    assert edited("no-punctuation", text) == (
        "Well I don't really know—it's 3.5 at https://x.org/?a, isn't it"
    )


def test_what_words_are() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    like = "I'm really happy that you like the dog."
    assert edited("nouns-pronouns-verbs", like) == "I'm you like dog"
    assert edited("only-nouns", "The old man bought two red cars.") == "man cars"
    assert edited("no-entities", "I live in Paris, France.") == "I live in."
    assert edited("synonyms", "He bought a movie.") == "He purchased a film."
    assert edited("synonyms", "It was a mistake!") == "It was an error!"


def refused(name: str, text: str) -> str:
    tally = Tally()
    assert BY_NAME[name](talk("Hello.", text), Random(0), Pool([]), tally) is None
    return next(reason for _, reason in tally.refused)


@pytest.mark.parametrize("seed", range(12))
def test_a_sign_that_stands_alone_is_no_word(seed: int) -> None:
    assert "?" in edited("word-drop", "is it far ?", seed)
    for name in ("word-repeat", "repeat-half"):
        assert edited(name, "well , is it ! far ?", seed).count("?") == 1
    for name in ("word-order", "jumble"):
        assert edited(name, "Come - in !", seed).casefold().split() != ["come", "in"]
        made = edited(name, "Yes ! ! ! no", seed)
        assert made.index("no") < made.index("Yes")


@pytest.mark.parametrize(
    "name", ["word-drop", "word-order", "word-repeat", "repeat-half", "reverse", "jumble"]
)
def test_one_word_with_signs_is_one_word(name: str) -> None:
    assert refused(name, "Yes .") == "it has one word only"
    assert refused(name, "- Yes !!") == "it has one word only"


def test_what_reads_the_same_backwards_is_not_reversed() -> None:
    assert refused("reverse", "Bye bye!") == "there is no other order"


def test_stop_words_leave_the_sense_and_no_stray_signs() -> None:
    for text in ("I do not like it.", "I have no clue.", "Don ’ t worry.", "I can’t swim."):
        assert refused("no-stopwords", text) == "it would lose a negation"
    bold = Without(stopwords.NLTK, "", sure=False)
    assert rewritten(bold, "I don’t like the red car.") == "like red car."
    assert edited("no-25-stopwords", "It is not the end.") == "not end."
    assert edited("no-stopwords", "He paid 6 M in the U.S. for it.") == "paid 6 M U.S."
    text = "You are right, way back then. Well, I have owned two, how about you?"
    assert edited("no-stopwords", text) == "right, way back. Well, owned two"
    assert refused("no-stopwords", "What's it about?") == "too little would be left"


def test_a_face_is_punctuation() -> None:
    assert edited("no-punctuation", "Great chat :D bye ;P see you at 5:D") == (
        "Great chat bye see you at 5:D"
    )


def test_only_what_is_missed_makes_worse() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    name = "nouns-pronouns-verbs"
    assert refused(name, "I like the Lakers.") == "nobody would miss what goes"
    assert edited(name, "I don't like the Lakers.") == "I do like Lakers"
    assert refused(name, "I really loved it!") == "nobody would miss what goes"
    assert edited(name, "That's good  poetry.") == "poetry"
    assert edited("only-nouns", "I don ’ t hate vegetables .") == "vegetables"
    assert edited("only-nouns", "Johnson ’ s new car is red .").startswith("Johnson")


def test_names_that_would_be_missed_can_stay() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    for text in ("I live in Paris, France.", "It is at Nashville airport."):
        with pytest.raises(DoesNotApply, match="a name would be missed"):
            rewritten(Nameless(sure=True), text)
    assert rewritten(Nameless(sure=True), "Are you a Beatles fan?") == "Are you a fan?"
    assert refused("no-entities", "Don ’ t worry .") == "it has no such word"


@pytest.mark.parametrize(
    "text",
    [
        "It was good talking to you.",
        "I beg to differ.",
        "I remember to call her.",
        "That is pretty much it.",
        "He is a big fan.",
        "What does his dad do?",
        "I watch TV.",
    ],
)
def test_words_with_a_life_of_their_own_stay(text: str) -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    assert refused("synonyms", text) == "it has no such word"


def test_synonyms_as_the_paper_are_bolder() -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    text = "I enjoy good music."
    with pytest.raises(DoesNotApply, match="no such word"):
        rewritten(synonyms, text)
    assert rewritten(partial(synonyms, sure=False), text) == "I love respectable euphony."


@pytest.mark.parametrize("manipulation", PLAIN, ids=lambda each: each.name)
def test_ladders_keep_what_they_did(manipulation: Manipulation) -> None:
    dialogue = talk(*(f"This is turn number {at}, and the end of it." for at in range(12)))
    if manipulation.expect == "lower":
        made = steps(manipulation, dialogue, 5)
        assert [len(each.changes) for each in made] == [3, 5, 7, 9, 11]
        for less, more in pairwise(made):
            assert set(less.changes) < set(more.changes)


@pytest.mark.parametrize("manipulation", WORDS, ids=lambda each: each.name)
def test_long_texts_take_no_more_than_their_length(manipulation: Manipulation) -> None:
    for text in ("word " * 40_000, "x" * 200_000, "! ? " * 50_000, " " * 200_000 + "x"):
        tally = Tally()
        manipulation(talk("Hi.", text), Random(0), Pool([]), tally)
        assert tally.asked[manipulation.name] == 1


def test_a_long_text_is_not_tagged() -> None:
    with pytest.raises(DoesNotApply, match="too long"):
        grammar.tagged("x" * (grammar.LONGEST + 1))


@pytest.mark.parametrize("manipulation", WORDS, ids=lambda each: each.name)
def test_half_a_character_is_no_reason_to_change(manipulation: Manipulation) -> None:
    made = manipulation(talk("Hi.", "\ud800"), Random(0), Pool([]))
    assert made is None


def test_real_dialogues(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    chats = list(corpora.load("topical-chat"))[:40] + list(corpora.load("usr-topical"))[:20]
    for manipulation in PLAIN:
        tally = Tally()
        for chat in chats:
            made = manipulation(chat, seeded(1, chat.id, manipulation.name), Pool([]), tally)
            if made is not None:
                assert fault(chat, made) == ""
        small = 20 if manipulation.name == "lower-case" else 0  # as the others are written
        assert tally.applied[manipulation.name] >= 50 - small


def test_small_letters_are_a_change_where_they_are_harmless() -> None:
    chat = talk("So?", "I saw Tom in Paris.", level="turn")
    lower = BY_NAME["lower-case"]
    assert response(lower, chat, Pool([])) == "i saw tom in paris."
    tally = Tally()
    assert lower(talk("So?", "i see", level="turn"), Random(0), Pool([]), tally) is None
    assert tally.refused == {("lower-case", "it has no capital"): 1}


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("I am here, and they are not.", "I'm here, and they're not."),
        ("I do not know if it is late.", "I don't know if it's late."),
        ("That is why you cannot go.", "That's why you can't go."),
        ("We will see if he is tired.", "We'll see if he's tired."),
        ("They have been there.", "They've been there."),
    ],
)
def test_contractions_there_and_back(full: str, short: str) -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    for text, wanted in ((full, short), (short, full)):
        assert (
            response(BY_NAME["contractions"], talk("So?", text, level="turn"), Pool([])) == wanted
        )


@pytest.mark.parametrize(
    "text",
    [
        "Don't you know?",
        "Tom's dog saw my sister's cat.",
        "Yes, I am.",
        "I know how old he is.",
        "I have a dog.",
        "Let's see.",
        "I'd go.",
        "The dog that is here barks.",
        "I don ’ t know .",
        "dont ask me, it is late",
    ],
)
def test_what_is_not_clear_stays(text: str) -> None:
    pytest.importorskip("spacy", reason="needs the extra: language")
    for seed in range(3):
        edit = BY_NAME["contractions"]
        assert edit(talk("So?", text, level="turn"), Random(seed), Pool([])) is None


def test_a_turn_that_is_cut_off_promises_more() -> None:
    said = "I am well. We went to the beach with the kids yesterday, it was fun!"
    chat = Dialogue("d", (Turn("a", "How are you?"), Turn("b", said)))
    for seed in range(20):
        edited = BY_NAME["cut-off"](chat, Random(seed), Pool([]))
        assert edited is not None
        text = edited.dialogue.turns[1].text
        assert said.startswith(text)
        assert text.split()[-1] in ("to", "the", "with", "was")
    short = Dialogue("d", (Turn("a", "How are you?"), Turn("b", "Fine, thanks.")))
    assert BY_NAME["cut-off"](short, Random(0), Pool([])) is None
