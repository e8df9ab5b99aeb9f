"""Pronouns and stop words: tables of English, and what may be asked of them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.language.pronouns import CASES, PRONOUNS, Pronoun, readings
from dialogauge.language.stopwords import ADEM, NLTK


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


@given(st.sampled_from(PRONOUNS), st.sampled_from([str.lower, str.upper, str.capitalize]))
def test_a_form_is_read_in_any_case(form: Pronoun, written: Callable[[str], str]) -> None:
    assert form in readings(written(form.text))


@pytest.mark.parametrize(
    ("word", "text"), [("Y’all", "y'all"), ("'em", "them"), ("u", "you"), ("hisself", "himself")]
)
def test_other_spellings(word: str, text: str) -> None:
    assert {form.text for form in readings(word)} == {text}


@given(st.text())
def test_any_text_can_be_asked_for(text: str) -> None:
    assert all(form in PRONOUNS for form in readings(text))


@pytest.mark.parametrize("text", ["", "table", "h" * 100_000, "\x00", "он", "😀"])
def test_what_is_no_pronoun_has_no_reading(text: str) -> None:
    assert readings(text) == ()


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
