"""Edited graphs written back into their sentences."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.sketch import sketch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialogauge import corpora
from dialogauge.amr import Edge, decode, edits, load_realiser, questions
from dialogauge.amr.differences import Appended, Negated, Removed, Replaced, Shortened, difference
from dialogauge.amr.graph import check, quoted
from dialogauge.amr.questions import names, sentences
from dialogauge.amr.realise import InPlace
from dialogauge.errors import UnknownNameError
from dialogauge.sentence.negation import contractions

from .writing import Writing, at, unnegated


def cases() -> Iterator[tuple[str, ...]]:
    """The edits of edits.txt: kind, text, word, concept (or not), what is written."""
    kind = ""
    for line in Path(__file__).with_name("edits.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ").partition(":")[0]
        elif line and not line.startswith("#"):
            yield kind, *(part.strip() for part in line.split("|"))


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: " ".join((case[0], *case[2:-1])))
def test_an_edit_is_written_back(case: tuple[str, ...], writing: Writing) -> None:
    kind, *what, expected = case
    assert getattr(writing, kind)(*what) == (expected or None)


def test_the_table_is_whole() -> None:
    counts = Counter(kind for kind, *_ in cases())
    assert counts == {"replaced": 69, "negated": 48, "affirmed": 28, "removed": 26} | {
        "exchanged": 14,
        "appended": 6,
    }


def test_a_negated_verb_can_be_another_one_at_the_same_time(writing: Writing) -> None:
    graph = writing.graph_of("She likes dogs.")
    verb = at(graph, "likes")
    edited = edits.negate(edits.replace_concept(graph, verb, "hate-01"), verb)
    assert writing.realise(graph, edited) == "She doesn't hate dogs."


def test_a_verb_can_be_negated_and_have_another_subject_at_the_same_time(writing: Writing) -> None:
    graph = unnegated(writing.graph_of("She likes dogs."))
    they = edits.replace_concept(graph, at(graph, "She"), "they")
    edited = edits.negate(they, at(graph, "likes"))
    assert writing.realise(graph, edited) == "They don't like dogs."
    graph = writing.graph_of("They don't like dogs.")
    she = edits.replace_concept(graph, at(graph, "They"), "she")
    assert writing.realise(graph, edits.affirm(she, at(graph, "like"))) == "She likes dogs."


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("I like dogs. Do you like cats? He left!", 0, "Do you like cats? He left!"),
        ("I like dogs. Do you like cats? He left!", 1, "I like dogs. He left!"),
        ("I like dogs. Do you like cats? He left!", 2, "I like dogs. Do you like cats?"),
    ],
)
def test_a_sentence_goes_with_its_mark(
    writing: Writing, text: str, number: int, expected: str
) -> None:
    graph = writing.graph_of(text)
    edited = edits.remove(graph, sentences(graph)[number])
    assert writing.realise(graph, edited) == expected


SPLICED = (
    "(m / multi-sentence :snt1 (l / love-01 :ARG1 (d / dog)) :snt2 (s / see-01 :ARG0 (y / you)))"
)


def test_clauses_go_like_sentences_where_a_comma_joins_them(writing: Writing) -> None:
    text = "I love your dog, did you see it?"
    graph = writing.aligned(SPLICED, text, l=(1,), d=(3,), s=(7,), y=(6,))
    assert writing.realise(graph, edits.remove(graph, "s")) == "I love your dog."
    assert writing.realise(graph, edits.remove(graph, "l")) == "Did you see it?"


def test_what_is_left_of_a_text_keeps_its_blanks_and_capitals(writing: Writing) -> None:
    graph = writing.graph_of("I like dogs.  Do you like cats?  lol  He left!")
    edited = edits.remove(graph, sentences(graph)[1])
    assert writing.realise(graph, edited) == "I like dogs.  lol  He left!"


def test_classes_say_what_fits_where(writing: Writing) -> None:
    graph = writing.graph_of("She likes old dogs.")
    classes = writing.realiser.classes(graph)
    said = [classes[at(graph, word)] for word in ("She", "likes", "old", "dogs")]
    assert said == ["pronoun", "verb", "adjective", "noun"]


def test_a_realiser_is_loaded_by_name(
    writing: Writing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_realiser().signature == writing.realiser.signature
    with pytest.raises(UnknownNameError, match="did you mean 'edit'"):
        load_realiser("edti")
    monkeypatch.setattr("dialogauge.amr.amrlib.seq2seq.is_folder", lambda path: path == tmp_path)
    monkeypatch.setattr(
        "dialogauge.amr.amrlib.seq2seq.AmrlibGenerator.load", lambda _: writing.realiser
    )
    assert load_realiser(tmp_path) is writing.realiser


def test_an_edited_copy_is_appended_as_it_was_written(writing: Writing) -> None:
    source, target = writing.graph_of("I like the dog."), writing.graph_of("That is true")
    verb = at(source, "like")
    copy = writing.realiser.rewritten(source, edits.negate(source, verb))
    assert copy is not None
    assert check(copy).text == "I don't like the dog."
    both = writing.realiser.rewritten(target, edits.append(target, copy))
    assert both is not None
    assert both.text == "That is true. I don't like the dog"
    check(both)
    spoken = {both.tokens[place].text for own in both.aligned.values() for place in own}
    assert {"true", "like", "dog"} <= spoken
    assert all(both.text[token.start : token.end] == token.text for token in both.tokens)


def test_one_of_several_things_goes_and_the_others_close_up(writing: Writing) -> None:
    graph = writing.aligned(
        "(p / play-01 :ARG0 (s / she) :ARG1 (a / and :op1 (c / chess) :op2 (t / tennis)))",
        "She plays chess and tennis.",
        p=(1,),
        s=(0,),
        c=(2,),
        a=(3,),
        t=(4,),
    )
    assert writing.realise(graph, edits.remove(graph, "t")) == "She plays chess."
    assert writing.realise(graph, edits.remove(graph, "c")) == "She plays tennis."


def test_a_name_is_replaced_as_a_whole(writing: Writing) -> None:
    graph = writing.graph_of("I met Harry Potter in London.")
    owner = next(variable for variable, name in names(graph).items() if name == "Harry Potter")
    node = next(it.target for it in graph.edges if (it.source, it.role) == (owner, ":name"))
    kept = tuple(edge for edge in graph.edges if edge.source != node)
    edited = replace(graph, edges=(*kept, Edge(node, ":op1", quoted("Oscar"))))
    assert writing.realise(graph, edited) == "I met Oscar in London."


def test_a_number_is_replaced_as_it_was_written(writing: Writing) -> None:
    notation = "(h / have-03 :ARG0 (s / she) :ARG1 (d / dog :quant 3))"
    graph = writing.aligned(notation, "She has three dogs.", h=(1,), s=(0,), d=(3,))
    edges = tuple(replace(it, target="5") if it.role == ":quant" else it for it in graph.edges)
    assert writing.realise(graph, replace(graph, edges=edges)) == "She has five dogs."


def test_the_frame_inside_a_noun_gives_another_noun(writing: Writing) -> None:
    notation = "(l / leave-11 :ARG0 (p / person :ARG0-of (t / teach-01) :poss (s / she)))"
    graph = writing.aligned(notation, "Her teacher left.", l=(2,), p=(1,), t=(1,), s=(0,))
    singer = edits.replace_concept(graph, "t", "sing-01")
    assert writing.realise(graph, singer) == "Her singer left."
    assert writing.realise(graph, edits.replace_concept(graph, "p", "dog")) is None


def test_the_difference_names_what_an_edit_did() -> None:
    old = decode("(m / multi-sentence :snt1 (g / go-01 :ARG1 (h / home)) :snt2 (s / stay-01))")
    old = replace(old, text="Go home. Stay.")
    new = decode("(x / left)")
    assert difference(old, edits.replace_concept(old, "h", "away")) == [
        Replaced("h", "home", "away")
    ]
    assert difference(old, edits.negate(old, "g")) == [Negated("g")]
    assert difference(old, edits.remove(old, "h")) == [Removed("h", frozenset({"h"}))]
    assert difference(old, edits.remove(old, "s")) == [Shortened(("s",))]
    appended = edits.append(old, replace(new, text="She left."))
    assert difference(old, appended) == [Appended("She left.")]
    assert difference(old, replace(old, top="g")) == []
    assert difference(old, new) is None


def test_refusals_are_counted_and_unaligned_nodes_refused(writing: Writing) -> None:
    realiser = InPlace(writing.pipeline)
    graph = replace(decode("(l / like-01 :ARG0 (i / i))"), text="I like it.")
    assert realiser.realise(graph, graph) == "I like it."
    assert realiser.realise(graph, edits.negate(graph, "l")) is None
    assert (realiser.counts.graphs, realiser.counts.same, realiser.counts.refused) == (2, 1, 1)
    assert realiser.signature.startswith("edit:2|language|")


def test_the_style_of_contractions_is_that_of_the_text() -> None:
    texts = ("I don't", "I don’t", "i dont", "I do not", "Dogs bark")
    assert [*map(contractions, texts)] == ["straight", "curly", "bare", "none", "straight"]


PIECES = (
    "I you she dogs like likes didn't n't not no never can 'm 're , . ? ! ... 😂 ❤️ :) ( ) \" "
    "a an the Oscar London go went to and but http://x.y #tag LOL don't \n\u2028"
)
ODD = st.text(max_size=60) | st.lists(st.sampled_from(PIECES.split(" ")), max_size=14).map(" ".join)


@given(ODD)
def test_no_edit_of_an_odd_text_raises(writing: Writing, text: str) -> None:
    graph = writing.graph_of(text)
    assert writing.realise(graph, graph) == text
    for variable in islice(graph.concepts, 6):
        changed = [
            edits.negate(graph, variable),
            edits.affirm(graph, variable),
            edits.replace_concept(graph, variable, "she"),
            edits.replace_concept(graph, variable, "eat-up-01"),
            edits.replace_concept(graph, variable, "owl"),
            edits.append(graph, graph),
        ]
        if variable != graph.top:
            changed.append(edits.remove(graph, variable))
        for edited in changed:
            written = writing.realiser.rewritten(graph, edited)
            assert written is None or check(written)
            if written is not None and difference(graph, edited) != []:
                assert written.text != graph.text
                assert all(
                    written.text[token.start : token.end] == token.text for token in written.tokens
                )


@given(st.text(max_size=40), st.sampled_from(["(x / thing)", "(l / like-01 :ARG0 (i / i~e.99))"]))
def test_graphs_without_words_give_their_text_or_nothing(
    writing: Writing, text: str, notation: str
) -> None:
    graph = replace(decode(notation), text=text)
    assert writing.realise(graph, graph) == text
    assert writing.realise(graph, edits.negate(graph, graph.top)) is None


def test_real_utterances_come_back_as_they_are(
    writing: Writing, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    texts = [turn.text for it in corpora.load("self-dialogue")[:40] for turn in it.turns][:300]
    for text, document in zip(texts, writing.pipeline.pipe(texts), strict=True):
        graph = sketch(document)
        assert writing.realise(graph, graph) == text
        frames = [name for name, it in graph.concepts.items() if it.endswith("-01")]
        for variable in set(frames[:2]) - set(questions.negated(graph)):
            written = writing.realiser.rewritten(graph, edits.negate(graph, variable))
            assert written is None or check(written).text != text


def test_a_parse_that_hangs_on_itself_does_not_go_round() -> None:
    """ "to used" as a whole sentence, as hasty typing is sometimes parsed."""
    from spacy.tokens import Doc

    from dialogauge.language import shared
    from dialogauge.sentence.draft import Draft
    from dialogauge.sentence.negation import negate

    vocab = shared().nlp.vocab
    heads, deps = [1, 1], ["mark", "ROOT"]
    document = Doc(vocab, ["to", "used"], heads=heads, deps=deps, tags=["TO", "VB"])
    draft = Draft(document.text, document)
    assert negate(draft, document[1])
    assert "not" in draft.written()[0].split()
