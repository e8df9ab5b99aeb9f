"""Pronouns and stop words: tables of English, and what may be asked of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.errors import UnknownNameError
from dialogauge.language.pronouns import CASES, GENDERS, PRONOUNS, other, readings
from dialogauge.language.stopwords import ADEM, NLTK

WORDS = sorted({form.text for form in PRONOUNS})


@pytest.mark.parametrize(
    ("word", "gender", "case", "expected"),
    [
        ("he", "fem", None, "she"),
        ("him", "fem", None, "her"),
        ("his", "fem", "gen", "her"),
        ("his", "fem", "poss", "hers"),
        ("her", "masc", "gen", "his"),
        ("her", "masc", "acc", "him"),
        ("itself", "masc", None, "himself"),
        ("She", "masc", None, "He"),
        ("SHE", "neut", None, "IT"),
    ],
)
def test_another_gender(word: str, gender: str, case: str | None, expected: str) -> None:
    assert other(word, gender=gender, case=case) == expected


@pytest.mark.parametrize(
    ("word", "person", "expected"),
    [
        ("I", 2, "you"),
        ("me", 2, "you"),
        ("mine", 2, "yours"),
        ("we", 3, "they"),
        ("ourselves", 2, "yourselves"),
        ("yourself", 1, "myself"),
        ("you", 1, "I"),
        ("they", 1, "we"),
        ("y'all", 1, "we"),
        ("Y’all", 1, "We"),
        ("thee", 1, "me"),
        ("'em", 1, "us"),
        ("u", 1, "I"),
    ],
)
def test_another_person(word: str, person: int, expected: str) -> None:
    assert other(word, person=person) == expected


def test_another_number() -> None:
    assert other("I", number="plur") == "we"
    assert other("it", number="plur") == "they"
    assert other("them", number="sing", gender="fem") == "her"
    assert other("themselves", number="sing") == "themself"


def test_singular_they_is_a_reading_behind_the_plural() -> None:
    assert [(form.number, form.gender) for form in readings("they")] == [
        ("plur", "any"),
        ("sing", "any"),
    ]


def test_each_person_has_each_case() -> None:
    rows: dict[tuple[int, str, str], set[str]] = {}
    for form in PRONOUNS:
        rows.setdefault((form.person, form.number, form.gender), set()).add(form.case)
    assert all(cases == set(CASES) for cases in rows.values())
    assert {person for person, _, _ in rows} == {1, 2, 3}


@given(st.sampled_from(WORDS), st.sampled_from(CASES))
def test_asking_for_nothing_new_keeps_the_case(word: str, case: str) -> None:
    found = other(word, case=case)
    if case in {form.case for form in readings(word)}:
        assert found is not None
        assert case in {form.case for form in readings(found)}
    else:
        assert found is None


@given(st.sampled_from(WORDS), st.sampled_from([1, 2, 3]), st.sampled_from(GENDERS))
def test_the_answer_is_what_was_asked_for(word: str, person: int, gender: str) -> None:
    found = other(word, person=person, gender=gender)
    assert found is not None
    forms = readings(found)
    assert person in {form.person for form in forms}
    if (person, forms[0].number) == (3, "sing") and gender != "any":
        assert gender in {form.gender for form in forms}


@given(st.text())
def test_any_text_can_be_asked_for(text: str) -> None:
    assert (other(text, person=1) is None) == (readings(text) == ())


@pytest.mark.parametrize("text", ["", "table", "h" * 100_000, "\x00", "он", "😀"])
def test_what_is_no_pronoun_has_no_other(text: str) -> None:
    assert readings(text) == ()
    assert other(text, person=1) is None


def test_an_unknown_property_is_one_clear_error() -> None:
    with pytest.raises(UnknownNameError, match="no gender is called 'female'"):
        other("he", gender="female")
    with pytest.raises(UnknownNameError, match="no person is called '4'"):
        other("he", person=4)
    with pytest.raises(UnknownNameError, match="no number is called"):
        other("table", number="dual")
    with pytest.raises(UnknownNameError, match="no case is called"):
        other("he", case="dative")


def test_stop_words() -> None:
    assert len(NLTK) == 179
    assert len(ADEM) == 25
    assert ADEM < NLTK
    assert {"don't", "don", "t", "ain", "shouldn't", "should've", "that'll", "y", "ma"} <= NLTK
    assert not {"would", "could", "dog", "yes", "I"} & NLTK


def test_stop_words_are_those_of_nltk_where_it_has_them() -> None:
    from nltk.corpus import stopwords

    try:
        published = set(stopwords.words("english"))
    except LookupError:
        pytest.skip("needs the corpus stopwords of nltk")
    assert published >= NLTK if len(published) > 179 else published == NLTK
