"""The edits of meaning: what they change, where, and that nothing stops them but a reason."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import msgspec
import pytest
from benchmarks.rates import exchanges
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dialogauge import corpora
from dialogauge.amr import InPlace
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.dialogue import Dialogue, Turn, normalise
from dialogauge.language.lexicon import Lexicon
from dialogauge.language.stopwords import is_english
from dialogauge.manipulate import catalogue
from dialogauge.manipulate.deam import Meaning
from dialogauge.manipulate.edited import Edited
from dialogauge.manipulate.manipulation import Tally, alike, seeded
from dialogauge.manipulate.manipulation import at as harder
from dialogauge.manipulate.meaning import naming
from dialogauge.manipulate.meaning.choosing import Bigrams
from dialogauge.manipulate.meaning.coreference import mismatch
from dialogauge.manipulate.meaning.graphs import count
from dialogauge.manipulate.meaning.items import exchanged, items
from dialogauge.manipulate.meaning.opposites import conceptnet, of_same_kind, wordnet
from dialogauge.manipulate.meaning.plausible import alike as near
from dialogauge.manipulate.meaning.sentences import asks, states
from dialogauge.manipulate.meaning.settings import (
    RELEASED,
    Contradiction,
    Coreference,
    Engagement,
    Irrelevancy,
    NameExchange,
    SelfContradiction,
    Settings,
)
from dialogauge.manipulate.pool import DoesNotApply, Pool

from .manipulating import CHAT, SAID

MEANING = {each.name: each for each in catalogue.MEANING}


def dialogue(*texts: str, speakers: str = "ab", **more: object) -> Dialogue:
    turns = tuple(Turn(speakers[at % len(speakers)], text) for at, text in enumerate(texts))
    return replace(Dialogue("d1", turns), **more)


#: A chat in which something is named more than once.
NAMED = dialogue(
    "I live in Paris. Do you know it?",
    "I was in Paris twice. My brother lives in London. I have three old cats.",
    "I like Paris in summer. What is London like?",
    "It is loud. Many people live in London. My cats like the big park.",
)


def texts(settings: Settings, chat: Dialogue, pool: Pool) -> set[str]:
    """What an edit makes of turns, over some seeds."""
    return {change.after for each in every(settings, chat, pool) for change in each.changes}


def every(settings: Settings, chat: Dialogue, pool: Pool, seeds: int = 12) -> Iterator[Edited]:
    for seed in range(seeds):
        try:
            yield Meaning(settings)(chat, Random(seed), pool)
        except DoesNotApply:
            continue


@pytest.mark.parametrize("name", sorted(MEANING))
def test_contract(name: str, pool: Pool) -> None:
    """Deterministic, never the same, untouched turns byte for byte, spans that differ."""
    chat, kind = (NAMED, name) if name in ("name-exchange", "self-contradiction") else (CHAT, "")
    settings = MEANING[name].edit.settings  # type: ignore[attr-defined]
    before, made = msgspec.json.encode(chat), 0
    for seed in range(8):
        edited = MEANING[name](chat, seeded(seed, name), pool)
        assert edited == MEANING[name](chat, seeded(seed, name), pool)
        if edited is None:
            continue
        made += 1
        assert not alike(chat, edited.dialogue)
        changed = {change.turn: change for change in edited.changes}
        for at, (old, new) in enumerate(zip(chat.turns, edited.dialogue.turns, strict=True)):
            assert (old == new) == (at not in changed)
            assert old.speaker == new.speaker
        for change in edited.changes:
            assert change.kind.startswith(kind or settings.__class__.__name__.lower())
            assert change.spans
            for span in change.spans:
                assert change.before[slice(*span.before)] != change.after[slice(*span.after)]
    assert made >= 4
    assert msgspec.json.encode(chat) == before


def test_every_entry_says_what_it_does() -> None:
    told = [each.about for each in MEANING.values()]
    assert len(set(told)) == len(told)
    assert all(sentence.endswith(".") for sentence in told)
    assert all(each.expect == "lower" for each in MEANING.values())


@pytest.mark.parametrize("case", ["i he person", "it they number", "she it gender", "we i number"])
def test_mismatch(case: str) -> None:
    old, new, kind = case.split()
    assert mismatch(old, new) == kind == mismatch(new, old)


def test_coreference_uses_the_pronouns_of_the_conversation(pool: Pool) -> None:
    chat = dialogue("She likes tea.", "He bought a car. He drives it.", "He is nice.")
    kinds, words = set(), set()
    for edited in every(Coreference(nouns=0.0), chat, pool):
        kinds |= {change.kind for change in edited.changes}
        for change in edited.changes:
            words |= set(change.after.lower().replace(".", "").split())
    assert "coreference.gender" in kinds
    assert words & {"she", "he", "him", "her"}
    assert not words & {"i", "you", "we", "they", "me", "us", "them"}
    released = Coreference(nouns=0.0, pronouns="any", plausible=False)
    assert "You like tea." in texts(released, chat, pool)


def test_coreference_takes_nouns_of_other_turns(pool: Pool) -> None:
    chat = dialogue("The school is nice.", "It has a garden.", "I love music.")
    found = [it for each in every(Coreference(nouns=1.0), chat, pool) for it in each.changes]
    nouns = {it.after for it in found if it.kind == "coreference.noun"}
    assert nouns == {"The music has a garden."}  # "it" means the school: that is no damage
    drawn = every(Coreference(nouns=1.0, plausible=False), chat, pool)
    assert "The school has a garden." in {it.after for each in drawn for it in each.changes}


def test_nouns_of_any_place_as_the_released_code(pool: Pool) -> None:
    chat = dialogue("We sleep in the garden.", "It is nice.")
    paper = Coreference(nouns=1.0, plausible=False)
    released = replace(paper, of="all")
    assert "The garden is nice." in texts(released, chat, pool) - texts(paper, chat, pool)


def test_negation_is_never_doubled(pool: Pool) -> None:
    chat = dialogue("I like dogs.", "I don't like cats.")
    edit = Contradiction(where="place", direct=1.0, share=1.0)
    edited = Meaning(edit)(chat, Random(1), pool)
    assert [turn.text for turn in edited.dialogue.turns] == ["I don't like dogs.", "I like cats."]
    assert {change.kind for change in edited.changes} == {"contradiction.negation"}


def test_a_negation_that_is_there_may_be_lifted_and_no_other(pool: Pool) -> None:
    chat = dialogue("I like dogs.", "I don't like cats.")
    edit = Contradiction(where="place", direct=0.0, share=1.0, lifts=True)
    edited = Meaning(edit)(chat, Random(1), pool)
    assert [turn.text for turn in edited.dialogue.turns] == ["I like dogs.", "I like cats."]
    with pytest.raises(DoesNotApply):
        Meaning(edit)(dialogue("I like dogs.", "I like cats."), Random(1), pool)


def test_negations_from_the_top_as_the_released_code(pool: Pool) -> None:
    chat = dialogue("I think that dogs bark. I like music.", "Me too.")
    paper = Contradiction(where="place", direct=1.0)
    first = "I don't think that dogs bark. I like music."
    assert texts(paper, chat, pool) == {first, "I think that dogs bark. I don't like music."}
    assert texts(replace(paper, spread=False), chat, pool) == {first}


def test_questions_are_not_contradicted(pool: Pool) -> None:
    chat = dialogue("Do you like dogs?", "Where did you go", "Did you see it")
    with pytest.raises(DoesNotApply):
        Meaning(Contradiction(where="place"))(chat, Random(1), pool)


def test_antonym_in_place(pool: Pool) -> None:
    chat = dialogue("We bought an old house.", "I love it.")
    edit = Contradiction(where="place", direct=0.0, share=1.0)
    edited = Meaning(edit)(chat, Random(1), pool)
    assert edited.dialogue.turns[0].text in (
        "We bought a new house.",
        "We bought a young house.",
        "We sold an old house.",
    )
    assert edited.dialogue.turns[1].text == "I hate it."


def test_contradiction_comes_later_from_the_same_speaker(pool: Pool) -> None:
    chat = dialogue("I like dogs.", "Me too.", "That is a nice day.", "Yes.", speakers="ab")
    edited = Meaning(Contradiction(direct=1.0))(chat, Random(3), pool)
    assert edited.dialogue.turns[0] == chat.turns[0]
    assert edited.dialogue.turns[2].text == "That is a nice day. I don't like dogs."
    assert [change.turn for change in edited.changes] == [2]


def test_antonyms_are_of_main_senses() -> None:
    assert wordnet("old", "a") == ("young", "new")
    assert wordnet("make", "v") == ()  # "unmake" is nothing that people say
    four = Contradiction().relations
    assert set(conceptnet("begin", four)) == {"end", "stop"}
    assert of_same_kind("day", "n", conceptnet("day", four)) == ("night",)
    assert of_same_kind("think", "v", conceptnet("think", four)) == ()
    assert conceptnet("cold", ("NotHasProperty",)) == ("hot",)
    assert conceptnet("cold", ()) == ()


def test_antonyms_that_talk_does_not_mean(pool: Pool) -> None:
    chat = dialogue("So?", "It is a hard thing. The tea was cool. I find it funny.")
    edit = Contradiction(where="place", direct=0.0, antonyms=1.0)
    said = {turn.text for each in every(edit, chat, pool) for turn in each.dialogue.turns[1:]}
    assert not any(word in text for text in said for word in ("soft", "warm", "hot", "lose"))


def test_what_may_be_anybody_is_no_wrong_pronoun(pool: Pool) -> None:
    chat = dialogue("I like tea.", "You would think so.", "They like it.")
    said = {it.after for each in every(Coreference(nouns=0.0), chat, pool) for it in each.changes}
    assert not said & {"I would think so.", "They would think so."}


def test_irrelevancy_says_no_word_of_the_turn_again(pool: Pool) -> None:
    chat = dialogue("I love Paris and Rome.", "Paris is a city.", "My sister saw Rome.")
    for edited in every(Irrelevancy(share=1.0), chat, pool):
        assert not {"I love Rome and Rome.", "I love Paris and Paris."} & {
            turn.text for turn in edited.dialogue.turns
        }


def test_items_and_their_types(parser: Builtin) -> None:
    graph = parser.parse(["My sister plays the old piano in Paris."])[0]
    assert graph is not None
    found = {item.word: item.type for item in items(graph, 0)}
    assert found["play"] == "concept"
    assert found["piano"] == "arg"
    assert found["old"] == "mod"
    assert "i" not in found


def test_irrelevancy_exchanges_words_of_other_turns(pool: Pool) -> None:
    lexicon, types = Lexicon.load(), {"concept", "arg", "op", "mod"}
    said = {lemma for word in normalise(" ".join(SAID)).split() for lemma in lexicon.lemmas(word)}
    for edited in every(Irrelevancy(), CHAT, pool, 20):
        for change in edited.changes:
            assert set(change.kind.replace("irrelevancy.", "").split("+")) <= types
            new = [change.after[slice(*span.after)] for span in change.spans]
            words = [word for part in new for word in normalise(part).split()]
            assert all(said & set(lexicon.lemmas(word)) for word in words if len(word) > 3)


def test_a_name_becomes_another_of_its_class_in_one_turn(pool: Pool) -> None:
    found = list(every(NameExchange(), NAMED, pool))
    assert {it.kind for each in found for it in each.changes} == {"name-exchange.city"}
    assert all(len(each.changes) == 1 for each in found)
    said = {it.after for each in found for it in each.changes}
    assert "I live in London. Do you know it?" in said
    assert "I was in London twice. My brother lives in London." not in said


def test_all_mentions_of_a_turn_and_small_letters(pool: Pool) -> None:
    others = [dialogue("I was in Berlin.", "My uncle saw Paris.", f"Well, {n}.") for n in range(4)]
    own = Pool(others, parser=pool._parser, realiser=pool._realiser)
    assert {it.name for it in naming.of_pool(own)} == {"Berlin", "Paris"}
    chat = dialogue("i love paris. paris is big.", "why do you love paris?", "ok.")
    found = texts(NameExchange(), chat, own)
    assert found == {"i love berlin. berlin is big.", "why do you love berlin?"}


def test_a_name_that_is_said_once_stays(pool: Pool) -> None:
    chat = dialogue("I live in Paris.", "My brother lives in London.", "I see.")
    with pytest.raises(DoesNotApply, match="no name is said in two turns"):
        Meaning(NameExchange())(chat, Random(1), pool)


RECANTED = dialogue(
    "Hello there! Do you like pets? I have two old dogs.",
    "I do. They are nice.",
    "I live near a lake. The water is cold. Is that far from you?",
    "I think so. It takes an hour.",
    "We can meet at the weekend. I will bring some bread. What do you think?",
)


def test_a_speaker_contradicts_themselves_in_one_sentence(pool: Pool) -> None:
    found = [it for each in every(SelfContradiction(), RECANTED, pool, 40) for it in each.changes]
    inserted = set[str]()
    for change in found:
        assert change.turn in (2, 4)
        (span,) = change.spans
        clause = change.after[slice(*span.after)]
        inserted.add(clause)
        assert change.before[slice(*span.before)].endswith(".")  # one of its sentences
        assert clause.endswith(".")
        assert len(change.after.split()) <= len(change.before.split()) + 4
    assert "I don't have two old dogs." in inserted
    assert any(it.kind == "self-contradiction.number" for it in found)
    assert any(it.kind == "self-contradiction.opposite" for it in found)
    assert not any("?" in it or "Hello" in it or "They" in it for it in inserted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Why?", "I don't have two old dogs. Why?"),
        ("It rains here.", "It rains here. I don't have two old dogs."),
        ("It rains", "It rains. I don't have two old dogs"),
        ("It rains. Why?", "I don't have two old dogs. Why?"),
    ],
)
def test_where_the_contradiction_stands(text: str, wanted: str, pool: Pool) -> None:
    chat = dialogue("I have two old dogs.", "I see.", text)
    denied = SelfContradiction(ways=("denied",))
    assert texts(denied, chat, pool) == {wanted}
    with pytest.raises(DoesNotApply, match="nobody speaks again later"):
        Meaning(denied)(dialogue("I have two old dogs.", "I see."), Random(1), pool)


def test_what_asks_or_greets_is_not_said_again(pool: Pool) -> None:
    chat = dialogue(
        "Hi, I like dogs.", "I do.", "Do you like cats? I love cats.", "No.", "I see it."
    )
    assert not any("dogs" in it or "cats" in it for it in texts(Contradiction(), chat, pool))
    assert any("dogs" in it for it in texts(Contradiction(plausible=False), chat, pool))


WORDY = dialogue(
    "My uncle bought a red car in Rome, and my aunt cooked a fresh soup for the quiet neighbour.",
    "The old teacher painted a green door while her student cleaned a broken lamp in Paris.",
    "A young doctor sold the blue boat because his cousin wanted a small garden with roses.",
    "The brave farmer visited a cold island, and the singer repaired a loud piano in Berlin.",
)


def test_irrelevancy_meets_its_rate(pool: Pool) -> None:
    asked, made = exchanges([WORDY] * 8, pool)
    assert asked > 3 * 8  # several items of a turn
    assert made == asked


def test_all_mentions_of_a_name_are_exchanged(parser: Builtin) -> None:
    graph = parser.parse(["Paris is big. I love Paris."])[0]
    assert graph is not None
    old = next(it for it in items(graph, 0) if it.name == "Paris")
    named = exchanged(graph, old, replace(old, name="Rome"))
    assert InPlace(parser.pipeline).realise(graph, named) == "Rome is big. I love Rome."


def test_items_of_the_same_turn_as_the_released_code(pool: Pool) -> None:
    chat = dialogue("My dog chased the cat.", "My mother visited the town.")
    paper = Irrelevancy(plausible=False)
    released = replace(paper, own=True)
    doubled = {"My cat chased the cat.", "My mother visited the mother."}
    assert doubled & texts(released, chat, pool)
    assert not doubled & texts(paper, chat, pool)


def test_words_of_one_meaning_are_not_exchanged() -> None:
    assert near("begin", "start")
    assert not near("dog", "music")


#: As paper and code: whether anything refers to it or not.
ANY = Engagement(missed=False)


def test_engagement_loses_the_question(pool: Pool) -> None:
    chat = dialogue("Hi there.", "I have two cats. Do you have a pet?")
    edited = Meaning(replace(ANY, ways=("question",)))(chat, Random(1), pool)
    assert edited.dialogue.turns[1].text == "I have two cats."
    assert edited.changes[0].kind == "engagement.question"


def test_engagement_loses_the_deepest_sentence(pool: Pool) -> None:
    text = "I agree. My brother bought a big old house near the wide river. I like it. Bye."
    chat = dialogue("Hi there.", text, level="turn")
    edit = replace(ANY, ways=("sentence",))
    assert Meaning(edit)(chat, Random(1), pool).dialogue.response == "I agree. I like it. Bye."
    rest = replace(edit, rest=True)
    assert Meaning(rest)(chat, Random(1), pool).dialogue.response == "I agree."


def test_engagement_loses_the_longest_sentence_as_the_released_code(pool: Pool) -> None:
    deep = "I guess he said she knows that they sleep."
    long = "You gave my mother fresh bread, cheese and milk yesterday."
    chat = dialogue("Hi there.", f"{deep} {long}", level="turn")
    assert texts(replace(ANY, ways=("sentence",)), chat, pool) == {long}
    assert texts(replace(ANY, ways=("sentence",), by="size"), chat, pool) == {deep}


def test_engagement_loses_a_detail(pool: Pool) -> None:
    chat = dialogue("Hi there.", "I bought bread and cheese.", level="turn")
    found = {it.dialogue.response for it in every(replace(ANY, ways=("detail",)), chat, pool)}
    assert found <= {"I bought bread.", "I bought cheese.", "I bought something."}
    assert found


def test_engagement_stops_as_the_released_code(pool: Pool) -> None:
    several = dialogue("Hi there.", "I bought bread and cheese. I am happy.", level="turn")
    assert texts(replace(ANY, ways=("detail",)), several, pool)
    assert not texts(replace(ANY, ways=("detail",), single=True), several, pool)
    chat = dialogue("I have a cat. Do you have a pet?", "I sleep.")
    assert len(list(every(replace(ANY, ways=("question",)), chat, pool))) == 12
    # The turn that has nothing to lose is the first that is chosen in half of the draws.
    assert 0 < len(list(every(replace(ANY, ways=("question",), stop=True), chat, pool))) < 12


@pytest.mark.parametrize(
    ("text", "answer", "left"),
    [
        ("I like dogs. Do you have a pet?", "No, I do not.", {"I like dogs."}),
        ("I like dogs. Do you like cats?", "My brother loves cats.", {"I like dogs."}),
        ("I see. My sister bought a horse.", "What colour is the horse?", {"I see."}),
        ("I live here. I saw my sister.", "How is she doing now?", {"I live here."}),
        ("Well. I won a big race last year.", "That's amazing.", {"Well."}),
        # Nothing refers to what could go.
        ("I like dogs. My sister bought a horse.", "Dogs are great.", set()),
        ("I like dogs. Do you have a pet?", "How old are you?", set()),
        ("I like dogs. Do you like dogs?", "Yes.", set()),
    ],
)
def test_engagement_loses_what_is_missed(
    text: str, answer: str, left: set[str], pool: Pool
) -> None:
    chat = dialogue("Hi there.", text, answer)
    assert texts(Engagement(ways=("question", "sentence")), chat, pool) == left
    assert texts(ANY, chat, pool)


def test_engagement_loses_a_detail_that_is_spoken_of(pool: Pool) -> None:
    said, detail = "I see. My sister bought a horse.", Engagement(ways=("detail",))
    found = texts(detail, dialogue("Hi there.", said, "Is the horse old?"), pool)
    assert found == {"I see. My sister bought something."}
    assert not texts(detail, dialogue("Hi there.", said, "I see."), pool)


def test_engagement_leaves_a_question_unanswered(pool: Pool) -> None:
    said, detail = "We sold the old house. Do you live there?", Engagement(ways=("detail",))
    chat, other = (dialogue(it, said, level="turn") for it in ("What did you do?", "I see."))
    assert texts(Engagement(ways=("sentence",)), chat, pool) == {"Do you live there?"}
    assert texts(detail, chat, pool) == {"We sold something. Do you live there?"}
    assert not texts(Engagement(), other, pool)


def test_sentences_that_ask(parser: Builtin) -> None:
    graph = parser.parse(["I like dogs. Do you like cats"])[0]
    assert graph is not None
    from dialogauge.amr.questions import sentences

    first, second = sentences(graph)
    assert states(graph, first)
    assert asks(graph, second)


@pytest.mark.parametrize("name", sorted(MEANING))
def test_only_the_judged_turn_and_no_aside(name: str, pool: Pool) -> None:
    turns = [*CHAT.turns, Turn("tool", "I love this house. Do you like it?", aside=True)]
    turns += [Turn("a", SAID[1]), Turn("b", SAID[4])]
    chat = Dialogue("d1", tuple(turns), level="turn")
    for seed in range(6):
        edited = MEANING[name](chat, seeded(seed, name), pool)
        if edited:
            assert [change.turn for change in edited.changes] == [len(turns) - 1]
            assert edited.dialogue.turns[:-1] == chat.turns[:-1]


@pytest.mark.parametrize(
    "name", ["coreference", "negation", "antonym", "engagement", "irrelevancy"]
)
def test_ladders_keep_what_lower_steps_did(name: str, pool: Pool) -> None:
    for seed in range(4):
        steps = [harder(MEANING[name], s)(CHAT, seeded(seed), pool) for s in (1, 3, 5)]
        texts = [{it.turn: it.after for it in step.changes} for step in steps if step]
        for low, high in pairwise(texts):
            assert low.keys() <= high.keys()
            if name != "coreference":  # two pronouns may meet in one turn
                assert all(high[at] == text for at, text in low.items())
    assert len(texts[-1]) >= len(texts[0])


BAD = {
    "one turn": dialogue("I like dogs."),
    "one word": dialogue("Yes", "No", "Ok"),
    "empty": dialogue("", "   ", ""),
    "marks": dialogue("!!!", "...", "?"),
    "one speaker": dialogue(*SAID, speakers="a"),
    "five speakers": dialogue(*SAID, speakers="abcde"),
    "identical": dialogue(*["I like dogs."] * 6),
    "many": dialogue(*SAID * 84),
    "German": dialogue("Magst du Hunde?", "Ja, ich mag Hunde sehr gern.", "Ich auch nicht."),
    "Chinese": dialogue("你喜欢狗吗？", "我非常喜欢狗。"),
    "emoji": dialogue("🐶🐶🐶 I like it 🎉", "👍 me too!! 🏳️‍🌈", "🙂"),
    "addresses": dialogue("https://a.example/?q=1 I like it", "see http://b.example/x.y#z ok"),
    "very long": dialogue("I like dogs. " * 800_000, "I like cats.", "She does not like them."),
    "PENMAN": dialogue('(h / hate-01 :ARG0 "x")', "I (like / it) :polarity - ~e.3", "\x00\ud800 I"),
}


@pytest.mark.parametrize("chat", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("name", sorted(MEANING))
def test_bad_input(name: str, chat: Dialogue, pool: Pool) -> None:
    tally = Tally()
    edited = MEANING[name](chat, Random(1), pool, tally)
    assert tally.applied[name] + sum(tally.refused.values()) == 1
    if edited:
        assert not alike(chat, edited.dialogue)


@pytest.mark.parametrize("bad", ["one turn", "empty", "marks", "German", "Chinese"])
def test_reasons(bad: str, pool: Pool) -> None:
    tally = Tally()
    assert MEANING["coreference"](BAD[bad], Random(1), pool, tally) is None
    ((_, reason),) = tally.refused
    assert reason in (
        "there is one turn only",
        "the turns are empty or very long",
        "the text is not English",
    )


_SOME = """I you she they like hate dog dogs not don't is was the a , . ? ! and because who 3 Paris
( ) 's “ 🙂 http://x.y ... it's its her"""
_WORDS = st.sampled_from(["\n", *_SOME.split()])


@settings(max_examples=25)
@given(
    texts=st.lists(st.lists(_WORDS, max_size=9).map(" ".join), min_size=2, max_size=4),
    seed=st.integers(),
)
def test_any_words(pool: Pool, texts: list[str], seed: int) -> None:
    chat = dialogue(*texts)
    for name, manipulation in MEANING.items():
        edited = manipulation(chat, seeded(seed, name), pool)
        if edited:
            changed = {change.turn for change in edited.changes}
            for at, turn in enumerate(edited.dialogue.turns):
                assert (turn == chat.turns[at]) == (at not in changed)
                assert turn.text.strip() or not chat.turns[at].text.strip()


def test_released_settings_apply(pool: Pool) -> None:
    for name, edit in RELEASED.items():
        assert any(every(edit, CHAT, pool)), name
    assert not any(getattr(edit, "plausible", True) for edit in RELEASED.values())


@pytest.mark.parametrize("edit", [Coreference, Contradiction, Irrelevancy, Engagement])
def test_candidates_at_random_as_in_the_paper(edit: Callable[..., Settings], pool: Pool) -> None:
    assert any(every(edit(plausible=False), CHAT, pool))


def test_counts_and_english() -> None:
    assert [count(0.1, size) for size in (0, 5, 10, 29, 30)] == [1, 1, 1, 2, 3]
    assert is_english(["I think that it is fine."])
    assert not is_english(["Ich glaube das nicht.", "Doch, ganz sicher."])


def test_bigrams_know_what_was_said() -> None:
    known = Bigrams(["I like dogs.", "I like cats.", "Dogs like me."])
    assert known.surprise("I like dogs.") < known.surprise("Dogs I like.")
    assert known.between("like", "i", "dogs") < known.between("cats", "i", "dogs")


def test_real_dialogues(data: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Topical-Chat nearly everything applies, and untouched turns stay as they were."""
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    talks = corpora.load("topical-chat", "train")[:12]
    own = Pool(talks, parser=pool._parser, realiser=pool._realiser)
    made = 0
    for chat in talks:
        for name, manipulation in MEANING.items():
            edited = manipulation(chat, seeded(1, chat.id, name), own)
            if edited:
                made += 1
                changed = {change.turn for change in edited.changes}
                same = [at for at, turn in enumerate(chat.turns) if at not in changed]
                assert all(chat.turns[at] == edited.dialogue.turns[at] for at in same)
    assert made >= 0.8 * len(talks) * len(MEANING)
