"""Edited graphs written back into their sentences."""

from itertools import islice
from pathlib import Path

import pytest
from benchmarks.sketch import sketch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialogauge import corpora, language
from dialogauge.amr import Edge, Graph, Token, decode, edits, load_realiser, questions
from dialogauge.amr.differences import Appended, Negated, Removed, Replaced, Shortened, difference
from dialogauge.amr.graph import check, quoted
from dialogauge.amr.questions import names, sentences
from dialogauge.amr.realise import InPlace
from dialogauge.errors import UnknownNameError
from dialogauge.sentence.negation import contractions

PIPELINE = language.load()
REALISER = InPlace(PIPELINE)


def graph_of(text: str) -> Graph:
    return sketch(PIPELINE(text))


def at(graph: Graph, word: str) -> str:
    """The variable of a word, the name's owner for a name."""
    for variable, places in graph.aligned.items():
        if any(graph.tokens[place].text == word for place in places):
            return variable
    raise AssertionError(f"nothing is aligned to {word!r}")


def unnegated(graph: Graph) -> Graph:
    return replace(graph, edges=tuple(it for it in graph.edges if it.role != ":polarity"))


def replaced(text: str, word: str, concept: str) -> str | None:
    graph = graph_of(text)
    return REALISER.realise(graph, edits.replace_concept(graph, at(graph, word), concept))


def negated(text: str, word: str) -> str | None:
    graph = unnegated(graph_of(text))
    return REALISER.realise(graph, edits.negate(graph, at(graph, word)))


def affirmed(text: str, word: str) -> str | None:
    graph = unnegated(graph_of(text))
    variable = at(graph, word)
    original = edits.negate(graph, variable)
    return REALISER.realise(original, edits.affirm(original, variable))


def removed(text: str, word: str) -> str | None:
    graph = graph_of(text)
    return REALISER.realise(graph, edits.remove(graph, at(graph, word)))


@pytest.mark.parametrize(
    ("text", "word", "concept", "expected"),
    [
        ("She liked the movie.", "liked", "hate-01", "She hated the movie."),
        ("She likes it.", "likes", "go-01", None),
        ("I think it is good.", "think", "talk-01", None),
        ("I think it is good.", "think", "say-01", "I say it is good."),
        ("She tries to win.", "tries", "hope-01", "She hopes to win."),
        ("He waited.", "waited", "make-01", "He made something."),
        ("I love jazz.", "jazz", "window", "I love windows."),
        ("I love jazz.", "jazz", "chess", "I love chess."),
        ("The CG was bad.", "CG", "story", "The story was bad."),
        ("It is a good story.", "story", "music", None),
        ("I was there last year.", "last", "good", None),
        ("He is singing.", "singing", "run-02", "He is running."),
        ("I have seen it.", "seen", "buy-01", "I have bought it."),
        ("Play it again!", "Play", "buy-01", "Buy it again!"),
        ("She gave up her job.", "gave", "like-01", "She liked her job."),
        ("He likes it a lot.", "likes", "give-up-01", "He gives it up a lot."),
        ("I did not watch the game.", "watch", "lose-02", "I did not lose the game."),
        ("A dog barked.", "dog", "owl", "An owl barked."),
        ("I saw an old dog.", "old", "young", "I saw a young dog."),
        ("Two dogs barked.", "dogs", "mouse", "Two mice barked."),
        ("The Dogs bark", "Dogs", "cat", "The Cats bark"),
        ("the DOGS bark", "DOGS", "cat", "the CATS bark"),
        ("It was the biggest day.", "biggest", "bad", "It was the worst day."),
        ("It was a more beautiful day.", "beautiful", "big", "It was a bigger day."),
        ("He quickly left.", "quickly", "slow", "He slowly left."),
        ("We won the game.", "won", "happy", None),
        ("We won the game.", "game", "have-rel-role-91", None),
        ("I have to go now.", "have", "lack-01", None),
        ("Did you wait there?", "wait", "find-01", "Did you find anything there?"),
        ("He waited.", "waited", "seem-01", None),
        ("He is singing.", "singing", "raine-01", "He is raining."),
        ("I made it.", "made", "unmake-01", "I unmade it."),
        ("She bought an old car.", "old", "that", "She bought that car."),
        ("She bought her old car.", "old", "that", None),
        ("I called him a fool.", "called", "mention-01", None),
        ("It won't last long.", "long", "short", None),
    ],
)
def test_a_word_takes_the_form_of_the_one_it_replaces(
    text: str, word: str, concept: str, expected: str | None
) -> None:
    assert replaced(text, word, concept) == expected


@pytest.mark.parametrize(
    ("text", "word", "concept", "expected"),
    [
        ("I'm happy and I like my dog.", "I", "she", "She's happy and she likes her dog."),
        ("She doesn't like him.", "She", "they", "They don't like him."),
        ("She doesn't like him.", "him", "we", "She doesn't like us."),
        ("I don't know.", "I", "he", "He doesn't know."),
        ("You are nice.", "You", "i", "I am nice."),
        ("You aren't nice.", "You", "i", "I am not nice."),
        ("Aren't you nice?", "you", "i", "Aren't I nice?"),
        ("Do you like it?", "you", "she", "Does she like it?"),
        ("He's been there.", "He", "they", "They've been there."),
        ("They have a car.", "They", "it", "It has a car."),
        ("I was there.", "I", "you", "You were there."),
        ("He can swim.", "He", "we", "We can swim."),
        ("My dog loves me.", "me", "he", "His dog loves him."),
        ("She hurt herself.", "She", "i", "I hurt myself."),
        ("He goes home and likes it.", "He", "we", "We go home and like it."),
        ("im happy", "i", "she", "shes happy"),
        ("Then he left.", "he", "i", "Then I left."),
        ("i think he left", "he", "i", "i think i left"),
        ("HE LEFT", "HE", "she", "SHE LEFT"),
        ("I'll go.", "I", "dog", "The dog will go."),
        ("He hates me.", "me", "dog", "He hates the dog."),
        ("That is his car.", "his", "dog", "That is the dog's car."),
        ("I'll go.", "I", "Oscar", "Oscar will go."),
        ("I told my friend.", "I", "dog", "The dog told its friend."),
        ("The dogs bark.", "dogs", "it", "It barks."),
        ("The big dogs bark.", "dogs", "it", None),
        ("You guys are funny.", "You", "she", None),
        ("Oh my god!", "my", "dog", None),
        ("I see you.", "you", "i", "I see myself."),
        ("He said you like it.", "you", "she", "He said she likes it."),
        ("They like it.", "They", "everyone", "Everyone likes it."),
        ("I like the dogs.", "dogs", "something", "I like something."),
        ("Both of us left.", "us", "she", None),
    ],
)
def test_a_pronoun_has_a_case_and_verbs_agree(
    text: str, word: str, concept: str, expected: str | None
) -> None:
    assert replaced(text, word, concept) == expected


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("She likes dogs.", "likes", "She doesn't like dogs."),
        ("I went home.", "went", "I didn't go home."),
        ("They go home.", "go", "They don't go home."),
        ("I really like it.", "like", "I don't really like it."),
        ("I have a dog.", "have", "I don't have a dog."),
        ("I have seen it.", "seen", "I haven't seen it."),
        ("He was seen there.", "seen", "He wasn't seen there."),
        ("He's nice.", "nice", "He's not nice."),
        ("I'm tired.", "tired", "I'm not tired."),
        ("She is nice.", "nice", "She is not nice."),
        ("Dogs are nice.", "nice", "Dogs aren't nice."),
        ("I can swim.", "can", "I can't swim."),
        ("I can swim.", "swim", "I can't swim."),
        ("You should see it.", "see", "You shouldn't see it."),
        ("I'll go.", "go", "I won't go."),
        ("I'd buy it.", "buy", "I wouldn't buy it."),
        ("It might rain.", "rain", "It might not rain."),
        ("Did you go?", "go", "Didn't you go?"),
        ("Are you sure?", "sure", "Aren't you sure?"),
        ("What do you like?", "like", "What don't you like?"),
        ("Who likes dogs?", "likes", "Who doesn't like dogs?"),
        ("Go home!", "Go", "Don't go home!"),
        ("Please tell me.", "tell", "Please don't tell me."),
        ("Let's go.", "Let", "Let's not go."),
        ("I want to go.", "go", "I want not to go."),
        ("I left without saying it.", "saying", None),
        ("After seeing it I left.", "seeing", "After not seeing it I left."),
        ("I had a discussion with him.", "discussion", "I had no discussion with him."),
        ("I never like it.", "like", None),
        ("I like nobody.", "like", None),
        ("You like it, don't you?", "like", None),
        ("I wanna rock.", "wan", "I don't wanna rock."),
        ("Oh, you did?", "did", "Oh, you didn't?"),
        ("She is going to win.", "win", "She is not going to win."),
        ("Let's go.", "go", "Let's not go."),
        ("THEY LIKE IT", "LIKE", "THEY DON'T LIKE IT"),
        ("I liked it too.", "liked", "I didn't like it either."),
        ("i dont know but i like it", "like", "i dont know but i dont like it"),
        ("It’s fun and I like it.", "like", "It’s fun and I don’t like it."),
        ("It is fun and I like it.", "like", "It is fun and I do not like it."),
        ("that was her best song i think.", "think", None),
        ("I think it rains.", "think", "I don't think it rains."),
        ("We are here for a moment it seems.", "seems", None),
        ("Well said. It rains.", "said", None),
        ("hi good thank you . i am fine", "thank", None),
        ("Yes he beat many people", "beat", "Yes he didn't beat many people"),
        ("He must've seen it.", "seen", "He must not have seen it."),
        ("I highly regard him.", "regard", "I don't highly regard him."),
    ],
)
def test_negation(text: str, word: str, expected: str | None) -> None:
    assert negated(text, word) == expected


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("She doesn't like dogs.", "like", "She likes dogs."),
        ("I don't like dogs.", "like", "I like dogs."),
        ("I didn't go home.", "go", "I went home."),
        ("She didn't really want it.", "want", "She really wanted it."),
        ("Didn't you go?", "go", "Did you go?"),
        ("Why did you not tell me?", "tell", "Why did you tell me?"),
        ("Don't go home!", "go", "Go home!"),
        ("He isn't nice.", "nice", "He is nice."),
        ("He's not nice.", "nice", "He's nice."),
        ("I can't swim.", "ca", "I can swim."),
        ("I cannot swim.", "swim", "I can swim."),
        ("I won't go.", "go", "I will go."),
        ("I want not to go.", "go", "I want to go."),
        ("I never saw it.", "saw", "I saw it."),
        ("I have no money.", "have", "I have money."),
        ("I have no idea.", "have", "I have an idea."),
        ("I have no friends.", "have", "I have friends."),
        ("I don't have any friends at all.", "have", "I have some friends."),
        ("I haven't seen it yet.", "seen", "I have seen it already."),
        ("It's impossible.", "impossible", "It's possible."),
        ("i dont know", "know", "i know"),
        (
            "I haven't seen any of those, is he any good?",
            "seen",
            "I have seen some of those, is he any good?",
        ),
        ("She likes dogs.", "likes", None),
        ("Not sure how many people use radios", "sure", None),
        ("I'm not sure about it.", "sure", "I'm sure about it."),
        ("I haven't seen it in a long time.", "seen", None),
        ("I didn't know it until today.", "know", None),
        ("I don't even know it.", "know", "I know it."),
    ],
)
def test_affirmation(text: str, word: str, expected: str | None) -> None:
    assert affirmed(text, word) == expected


def test_a_negated_verb_can_be_another_one_at_the_same_time() -> None:
    graph = graph_of("She likes dogs.")
    verb = at(graph, "likes")
    edited = edits.negate(edits.replace_concept(graph, verb, "hate-01"), verb)
    assert REALISER.realise(graph, edited) == "She doesn't hate dogs."


def test_a_verb_can_be_negated_and_have_another_subject_at_the_same_time() -> None:
    graph = unnegated(graph_of("She likes dogs."))
    they = edits.replace_concept(graph, at(graph, "She"), "they")
    edited = edits.negate(they, at(graph, "likes"))
    assert REALISER.realise(graph, edited) == "They don't like dogs."
    graph = graph_of("They don't like dogs.")
    she = edits.replace_concept(graph, at(graph, "They"), "she")
    assert REALISER.realise(graph, edits.affirm(she, at(graph, "like"))) == "She likes dogs."


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("I play football with my friends.", "friends", "I play football."),
        ("I play this song all day.", "song", "I play all day."),
        ("I think that she is nice.", "nice", "I think so."),
        ("Yes, I know the old man.", "old", "Yes, I know the man."),
        ("I saw an old dog.", "old", "I saw a dog."),
        ("He plays football, tennis, and chess.", "chess", "He plays football, tennis."),
        ("Yesterday I slept in the car.", "Yesterday", "I slept in the car."),
        ("She likes dogs.", "She", "Someone likes dogs."),
        ("She likes dogs.", "dogs", "She likes something."),
        ("What do you play?", "What", None),
        ("He is a teacher.", "He", "Someone is a teacher."),
        ("He looked so weird in that movie.", "weird", None),
        ("Do you like old dogs?", "dogs", "Do you like anything?"),
        ("I don't like your friends.", "friends", "I don't like anyone."),
        ("The dogs bark.", "dogs", "Something barks."),
        ("I want to see it.", "see", "I want to."),
        ("I think he needs to calm down but he is smart.", "calm", None),
        ("That will get them a few more losses.", "few", None),
        ("They saw life two light years away", "years", None),
        ("What if it is a bad book?", "book", None),
        ("He also partakes in a foundation.", "foundation", None),
        ("It's funny that That 70's Show was remade.", "Show", None),
        ("Wow so win or lose they are making money", "lose", None),
        ("I play it over and over.", "over", None),
        ("Miami and Tampa play each other.", "Tampa", None),
        ("TV makes me happy.", "TV", "Something makes me happy."),
    ],
)
def test_a_part_goes_with_its_function_words(text: str, word: str, expected: str | None) -> None:
    assert removed(text, word) == expected


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("I like dogs. Do you like cats? He left!", 0, "Do you like cats? He left!"),
        ("I like dogs. Do you like cats? He left!", 1, "I like dogs. He left!"),
        ("I like dogs. Do you like cats? He left!", 2, "I like dogs. Do you like cats?"),
    ],
)
def test_a_sentence_goes_with_its_mark(text: str, number: int, expected: str) -> None:
    graph = graph_of(text)
    edited = edits.remove(graph, sentences(graph)[number])
    assert REALISER.realise(graph, edited) == expected


@pytest.mark.parametrize(
    ("text", "word", "concept", "new", "expected"),
    [
        ("I can swim.", "can", "possible-01", "impossible-01", "I can't swim."),
        ("I like that dog.", "that", "that", "this", "I like this dog."),
        ("I like these dogs.", "these", "this", "that", "I like those dogs."),
        ("I like that dog.", "that", "that", "big", "I like the big dog."),
        ("I like every dog.", "every", "every", "old", "I like an old dog."),
        ("I like those dogs.", "those", "that", "every", None),
        ("He just left.", "just", "just", "also", "He also left."),
        ("He really left.", "really", "real-04", "definite", "He definitely left."),
        ("Wow, he left.", "Wow", "wow", "yeah", "Yeah, he left."),
        ("Wow, he left.", "Wow", "wow", "big", None),
        ("That is true.", "That", "that", "story", "The story is true."),
        ("That's true.", "That", "that", "they", "They're true."),
        ("I like his car.", "his", "he", "that", None),
        ("I like his car.", "his", "he", "someone", "I like someone's car."),
    ],
)
def test_words_of_closed_classes(
    text: str, word: str, concept: str, new: str, expected: str | None
) -> None:
    place = [it.text for it in PIPELINE(text)].index(word)
    graph = aligned(f"(x / thing :mod (y / {concept}))", text, y=(place,))
    assert REALISER.realise(graph, edits.replace_concept(graph, "y", new)) == expected


SPLICED = (
    "(m / multi-sentence :snt1 (l / love-01 :ARG1 (d / dog)) :snt2 (s / see-01 :ARG0 (y / you)))"
)


def test_clauses_go_like_sentences_where_a_comma_joins_them() -> None:
    text = "I love your dog, did you see it?"
    graph = aligned(SPLICED, text, l=(1,), d=(3,), s=(7,), y=(6,))
    assert REALISER.realise(graph, edits.remove(graph, "s")) == "I love your dog."
    assert REALISER.realise(graph, edits.remove(graph, "l")) == "Did you see it?"


def test_what_is_left_of_a_text_keeps_its_blanks_and_capitals() -> None:
    graph = graph_of("I like dogs.  Do you like cats?  lol  He left!")
    edited = edits.remove(graph, sentences(graph)[1])
    assert REALISER.realise(graph, edited) == "I like dogs.  lol  He left!"


def test_classes_say_what_fits_where() -> None:
    graph = graph_of("She likes old dogs.")
    classes = REALISER.classes(graph)
    said = [classes[at(graph, word)] for word in ("She", "likes", "old", "dogs")]
    assert said == ["pronoun", "verb", "adjective", "noun"]


def test_a_realiser_is_loaded_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_realiser().signature == REALISER.signature
    with pytest.raises(UnknownNameError, match="did you mean 'edit'"):
        load_realiser("edti")
    monkeypatch.setattr("dialogauge.amr.amrlib.seq2seq.is_folder", lambda path: path == tmp_path)
    monkeypatch.setattr("dialogauge.amr.amrlib.seq2seq.AmrlibGenerator.load", lambda _: REALISER)
    assert load_realiser(tmp_path) is REALISER


@pytest.mark.parametrize(
    ("text", "added", "expected"),
    [
        ("I like dogs.", "She left.", "I like dogs. She left."),
        ("I like dogs", "She left.", "I like dogs. She left"),
        ("i like dogs", "she left .", "i like dogs. she left"),
        ("i like dogs!", "She left", "i like dogs! she left."),
        ("Do you?", "I don't.", "Do you? I don't."),
        ("I like dogs :)", "She left.", "I like dogs :) She left."),
    ],
)
def test_a_sentence_comes_in_the_style_of_the_text(text: str, added: str, expected: str) -> None:
    graph = graph_of(text)
    edited = edits.append(graph, graph_of(added))
    assert REALISER.realise(graph, edited) == expected


def test_an_edited_copy_is_appended_as_it_was_written() -> None:
    source, target = graph_of("I like the dog."), graph_of("That is true")
    verb = at(source, "like")
    copy = REALISER.rewritten(source, edits.negate(source, verb))
    assert copy is not None
    assert check(copy).text == "I don't like the dog."
    both = REALISER.rewritten(target, edits.append(target, copy))
    assert both is not None
    assert both.text == "That is true. I don't like the dog"
    check(both)
    spoken = {both.tokens[place].text for own in both.aligned.values() for place in own}
    assert {"true", "like", "dog"} <= spoken
    assert all(both.text[token.start : token.end] == token.text for token in both.tokens)


def aligned(notation: str, text: str, **places: tuple[int, ...]) -> Graph:
    tokens = tuple(Token(it.text, it.idx, it.idx + len(it)) for it in PIPELINE(text))
    return replace(decode(notation), text=text, tokens=tokens, aligned=places)


def test_one_of_several_things_goes_and_the_others_close_up() -> None:
    graph = aligned(
        "(p / play-01 :ARG0 (s / she) :ARG1 (a / and :op1 (c / chess) :op2 (t / tennis)))",
        "She plays chess and tennis.",
        p=(1,),
        s=(0,),
        c=(2,),
        a=(3,),
        t=(4,),
    )
    assert REALISER.realise(graph, edits.remove(graph, "t")) == "She plays chess."
    assert REALISER.realise(graph, edits.remove(graph, "c")) == "She plays tennis."


def test_a_name_is_replaced_as_a_whole() -> None:
    graph = graph_of("I met Harry Potter in London.")
    owner = next(variable for variable, name in names(graph).items() if name == "Harry Potter")
    node = next(it.target for it in graph.edges if (it.source, it.role) == (owner, ":name"))
    kept = tuple(edge for edge in graph.edges if edge.source != node)
    edited = replace(graph, edges=(*kept, Edge(node, ":op1", quoted("Oscar"))))
    assert REALISER.realise(graph, edited) == "I met Oscar in London."


def test_a_number_is_replaced_as_it_was_written() -> None:
    notation = "(h / have-03 :ARG0 (s / she) :ARG1 (d / dog :quant 3))"
    graph = aligned(notation, "She has three dogs.", h=(1,), s=(0,), d=(3,))
    edges = tuple(replace(it, target="5") if it.role == ":quant" else it for it in graph.edges)
    assert REALISER.realise(graph, replace(graph, edges=edges)) == "She has five dogs."


def test_the_frame_inside_a_noun_gives_another_noun() -> None:
    notation = "(l / leave-11 :ARG0 (p / person :ARG0-of (t / teach-01) :poss (s / she)))"
    graph = aligned(notation, "Her teacher left.", l=(2,), p=(1,), t=(1,), s=(0,))
    singer = edits.replace_concept(graph, "t", "sing-01")
    assert REALISER.realise(graph, singer) == "Her singer left."
    assert REALISER.realise(graph, edits.replace_concept(graph, "p", "dog")) is None


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


def test_refusals_are_counted_and_unaligned_nodes_refused() -> None:
    realiser = InPlace(PIPELINE)
    graph = replace(decode("(l / like-01 :ARG0 (i / i))"), text="I like it.")
    assert realiser.realise(graph, graph) == "I like it."
    assert realiser.realise(graph, edits.negate(graph, "l")) is None
    assert (realiser.counts.graphs, realiser.counts.same, realiser.counts.refused) == (2, 1, 1)
    assert realiser.signature.startswith("edit:2|language|")


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("I don't", "straight"),
        ("I don’t", "curly"),
        ("i dont", "bare"),
        ("I do not", "none"),
        ("Dogs bark", "straight"),
    ],
)
def test_the_style_of_contractions_is_that_of_the_text(text: str, style: str) -> None:
    assert contractions(text) == style


PIECES = (
    "I you she dogs like likes didn't n't not no never can 'm 're , . ? ! ... 😂 ❤️ :) ( ) \" "
    "a an the Oscar London go went to and but http://x.y #tag LOL don't \n\u2028"
)
ODD = st.text(max_size=60) | st.lists(st.sampled_from(PIECES.split(" ")), max_size=14).map(" ".join)


@given(ODD)
def test_no_edit_of_an_odd_text_raises(text: str) -> None:
    graph = graph_of(text)
    assert REALISER.realise(graph, graph) == text
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
            written = REALISER.rewritten(graph, edited)
            assert written is None or check(written)
            if written is not None and difference(graph, edited) != []:
                assert written.text != graph.text
                assert all(
                    written.text[token.start : token.end] == token.text for token in written.tokens
                )


@given(st.text(max_size=40), st.sampled_from(["(x / thing)", "(l / like-01 :ARG0 (i / i~e.99))"]))
def test_graphs_without_words_give_their_text_or_nothing(text: str, notation: str) -> None:
    graph = replace(decode(notation), text=text)
    assert REALISER.realise(graph, graph) == text
    assert REALISER.realise(graph, edits.negate(graph, graph.top)) is None


def test_real_utterances_come_back_as_they_are(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOGAUGE_DATA", str(data))
    texts = [turn.text for it in corpora.load("self-dialogue")[:40] for turn in it.turns][:300]
    for text, document in zip(texts, PIPELINE.pipe(texts), strict=True):
        graph = sketch(document)
        assert REALISER.realise(graph, graph) == text
        frames = [name for name, it in graph.concepts.items() if it.endswith("-01")]
        for variable in set(frames[:2]) - set(questions.negated(graph)):
            written = REALISER.rewritten(graph, edits.negate(graph, variable))
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
