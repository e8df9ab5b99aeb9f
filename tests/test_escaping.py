"""Text from data cannot act on a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.escaping import printable


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain text, naïve 日本語 🙂 שלום", "plain text, naïve 日本語 🙂 שלום"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m", r"\x9b31m"),
        ("a\x00\x07\x08\x7f", r"a\x00\x07\x08\x7f"),
        ("user\u202egpj.exe", r"user\u202egpj.exe"),
        ("\u2066\u2069\u2028\u2029", r"\u2066\u2069\u2028\u2029"),
        ("one\ntwo\r\tthree", r"one\ntwo\r\tthree"),
        ("half \ud83d of a character", r"half \ud83d of a character"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("", ""),
    ],
)
def test_known_cases(text: str, wanted: str) -> None:
    assert printable(text) == wanted


def test_newlines_and_tabs_stay_when_asked() -> None:
    assert printable("a\n\tb\r\x1b", keep="\n\t") == "a\n\tb\\r\\x1b"


@given(st.text(st.characters(), max_size=50))
def test_what_comes_out_is_harmless_and_can_be_encoded(text: str) -> None:
    found = printable(text)
    found.encode()
    assert not any(unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} for letter in found)
    overrides = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not any(unicodedata.bidirectional(letter) in overrides for letter in found)
    assert printable(found) == found
