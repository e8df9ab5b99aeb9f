"""Inflection: known forms of English, both ways, and a treebank's forms put back."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks.inflection import PAIRS, lemmatised, restored, sample, share, tokens
from hypothesis import given
from hypothesis import strategies as st

from dialogauge.errors import MissingExtraError
from dialogauge.language import inflection, spelling
from dialogauge.language.inflection import Form, inflect, lemma
from dialogauge.language.irregular import NEGATIVES

PERSON_1 = "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"
VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=12)


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("be", "be are is was been being"),
        ("have", "have have has had had having"),
        ("do", "do do does did done doing"),
        ("go", "go go goes went gone going"),
        ("take", "take take takes took taken taking"),
        ("stop", "stop stop stops stopped stopped stopping"),
        ("try", "try try tries tried tried trying"),
        ("die", "die die dies died died dying"),
        ("agree", "agree agree agrees agreed agreed agreeing"),
        ("panic", "panic panic panics panicked panicked panicking"),
        ("travel", "travel travel travels traveled traveled traveling"),
        ("vlog", "vlog vlog vlogs vlogged vlogged vlogging"),
        ("retweet", "retweet retweet retweets retweeted retweeted retweeting"),
        ("unfriend", "unfriend unfriend unfriends unfriended unfriended unfriending"),
        ("unmake", "unmake unmake unmakes unmade unmade unmaking"),
        ("underthink", "underthink underthink underthinks underthought underthought underthinking"),
        ("overspend", "overspend overspend overspends overspent overspent overspending"),
        ("misread", "misread misread misreads misread misread misreading"),
        ("foresee", "foresee foresee foresees foresaw foreseen foreseeing"),
        ("come up", "come up/come up/comes up/came up/come up/coming up"),
        ("ghost-write", "ghost-write/ghost-write/ghost-writes/ghost-wrote/ghost-written"),
    ],
)
def test_verbs(base: str, forms: str) -> None:
    expected = forms.split("/" if "/" in forms else None)
    assert [inflect(base, Form("", tag)) for tag in VERB_TAGS][: len(expected)] == expected


@pytest.mark.parametrize(
    ("base", "plural"),
    [
        ("dog", "dogs"),
        ("child", "children"),
        ("person", "people"),
        ("mouse", "mice"),
        ("wife", "wives"),
        ("city", "cities"),
        ("toy", "toys"),
        ("church", "churches"),
        ("quiz", "quizzes"),
        ("photo", "photos"),
        ("sheep", "sheep"),
        ("goldfish", "goldfish"),
        ("pants", "pants"),
        ("crisis", "crises"),
        ("knowledge", "knowledges"),
        ("selfie", "selfies"),
        ("DVD", "DVDs"),
        ("1990", "1990s"),
        ("café", "cafés"),
        ("mother-in-law", "mothers-in-law"),
        ("railway car", "railway cars"),
        ("ex-wife", "ex-wives"),
        ("American", "Americans"),
    ],
)
def test_nouns(base: str, plural: str) -> None:
    assert inflect(base, Form("", "NNS")) == plural
    assert inflect(base, Form("", "NN")) == base


@pytest.mark.parametrize(
    "forms",
    [
        "good/better/best",
        "bad/worse/worst",
        "far/further/furthest",
        "big/bigger/biggest",
        "nice/nicer/nicest",
        "happy/happier/happiest",
        "simple/simpler/simplest",
        "beautiful/more beautiful/most beautiful",
        "glitchy/glitchier/glitchiest",
    ],
)
def test_degrees(forms: str) -> None:
    base, more, most = forms.split("/")
    assert inflect(base, Form("", "JJR")) == more
    assert inflect(base, Form("", "JJS")) == most


@pytest.mark.parametrize(
    ("like", "form"),
    [
        (Form("go", "VBP", PERSON_1), "am"),
        (Form("go", "VBP", "Number=Plur|Person=3"), "are"),
        (Form("go", "VBP"), "are"),
        (Form("'m", "VBP"), "'m"),
        (Form("am", "VBP"), "am"),
        (Form("goes", "VBZ"), "is"),
        (Form("went", "VBD", "Number=Sing|Person=1"), "was"),
        (Form("went", "VBD", "Number=Sing|Person=2"), "were"),
        (Form("went", "VBD", "Mood=Sub|Number=Sing|Person=3"), "were"),
        (Form("Weren't", "VBD"), "Weren't"),
        (Form("can", "MD"), "be"),
        (Form("WENT", "VBD"), "WAS"),
    ],
)
def test_be_agrees(like: Form, form: str) -> None:
    assert inflect("be", like) == form


@pytest.mark.parametrize(
    ("base", "like", "form"),
    [
        ("have", Form("'s", "VBZ"), "'s"),
        ("will", Form("'d", "MD"), "'ll"),
        ("would", Form("’ll", "MD"), "'d"),
        ("can", Form("wo", "MD"), "ca"),
        ("will", Form("can't", "MD"), "won't"),
        ("do", Form("isn't", "VBZ"), "doesn't"),
        ("be", Form("dont", "VBP"), "aren't"),
        ("walk", Form("'s", "VBZ"), "walks"),
        ("walk", Form("doesn't", "VBZ"), "walks"),
        ("must", Form("went", "VBD"), "must"),
        ("can", Form("went", "VBD"), "could"),
        # capitals
        ("buy", Form("SOLD", "VBD"), "BOUGHT"),
        ("buy", Form("Sold", "VBD"), "Bought"),
        ("buy", Form("sold", "VBD"), "bought"),
        ("mouse", Form("Cats", "NNS"), "Mice"),
        ("NATO", Form("dog", "NN"), "NATO"),
        ("Paris", Form("london", "NNP"), "Paris"),
        ("dog", Form("I", "PRP"), "Dog"),
    ],
)
def test_the_form_of_another_token(base: str, like: Form, form: str) -> None:
    assert inflect(base, like) == form


@pytest.mark.parametrize(
    ("form", "tag", "base"),
    [
        ("went", "VBD", "go"),
        ("saw", "VBD", "see"),
        ("saw", "VBP", "saw"),
        ("found", "VBD", "find"),
        ("lay", "VBD", "lie"),
        ("lay", "VB", "lay"),
        ("better", "JJR", "good"),
        ("better", "RBR", "well"),
        ("mice", "NNS", "mouse"),
        ("Children", "NNS", "child"),
        ("States", "NNPS", "State"),
        ("Paris", "NNP", "Paris"),
        ("DVDs", "NNS", "DVD"),
        ("1970s", "NNS", "1970s"),
        ("travelled", "VBD", "travel"),
        ("traveled", "VBD", "travel"),
        ("colours", "NNS", "colour"),
        ("colors", "NNS", "color"),
        ("realised", "VBN", "realise"),
        ("realized", "VBN", "realize"),
        ("vlogging", "VBG", "vlog"),
        ("googled", "VBD", "google"),
        ("WAS", "VBD", "be"),
        ("'s", "VBZ", "be"),
        ("'s", "POS", "'s"),
        ("’ve", "VBP", "have"),
        ("'d", "MD", "would"),
        ("'d", "VBD", "have"),
        ("'ll", "MD", "will"),
        ("wo", "MD", "will"),
        ("ca", "MD", "can"),
        ("n't", "RB", "not"),
        ("don't", "VBP", "do"),
        ("Doesn’t", "VBZ", "do"),
        ("cant", "MD", "can"),
        ("won't", "MD", "will"),
        ("weren't", "VBD", "be"),
        ("me", "PRP", "I"),
        ("them", "PRP", "they"),
        ("her", "PRP$", "her"),
        ("dog", "XX", "dog"),
    ],
)
def test_lemmas(form: str, tag: str, base: str) -> None:
    assert lemma(form, tag) == base


def test_a_negative_comes_back() -> None:
    for full, negative in NEGATIVES.items():
        assert lemma(negative, "VBP") == lemma(full, "MD" if full in ("can", "will") else "VBP")


def test_the_form_of_a_token_of_spacy() -> None:
    token = SimpleNamespace(text="Went", tag_="VBD", morph="Tense=Past|VerbForm=Fin")
    assert Form.of(token) == Form("Went", "VBD", "Tense=Past|VerbForm=Fin")


@given(LETTERS, st.sampled_from(sorted(spelling.ENDINGS)))
def test_a_regular_form_can_be_undone(word: str, tag: str) -> None:
    form = spelling.regular(word, tag)
    if form != word and not form.startswith(("more ", "most ")):
        assert word in spelling.bases(form, tag)


@given(LETTERS, st.sampled_from(sorted(spelling.ENDINGS)))
def test_every_base_gives_the_form(form: str, tag: str) -> None:
    assert all(spelling.regular(base, tag) == form for base in spelling.bases(form, tag))


@given(st.sampled_from(["walk", "stop", "try", "go", "take", "make", "see", "buy", "put", "vlog"]))
def test_verbs_come_back(verb: str) -> None:
    for tag in VERB_TAGS:
        assert lemma(inflect(verb, Form("", tag)), tag) == verb


@given(st.text(), st.text(), st.sampled_from([*sorted(spelling.ENDINGS), "NN", "MD", "", "XX"]))
def test_any_text_has_a_form_and_a_lemma(word: str, like: str, tag: str) -> None:
    assert isinstance(inflect(word, Form(like, tag, like)), str)
    assert isinstance(lemma(word, tag), str)


@pytest.mark.parametrize("tag", ["NNS", "VBD", "VBG", "JJR", "MD", "NNPS", ""])
@pytest.mark.parametrize("text", ["", " ", "\x00\x1b", "собака", "犬", "😀", "?!", "a" * 100_000])
def test_what_is_no_english_word_stays_as_it_is(text: str, tag: str) -> None:
    assert inflect(text, Form("", tag)) == text
    assert lemma(text, tag) == text


def test_long_texts_are_not_kept() -> None:
    inflection._inflected.cache_clear()
    inflect("b" * 100_000, Form("c" * 100_000, "NNS"))
    assert inflection._inflected.cache_info().currsize == 0


def test_without_the_extra_one_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    inflection._tables.cache_clear()
    inflection._inflected.cache_clear()
    with pytest.raises(MissingExtraError, match=r"inflection needs .*dialogauge\[language\]"):
        inflect("walk", Form("ran", "VBD"))
    inflection._tables.cache_clear()


def test_no_pickle_is_loaded() -> None:
    """In a process of its own, where nothing was imported before: words known and unknown."""
    code = """
import pickle
def refuse(*_, **__): raise SystemExit("something was unpickled")
pickle.load = pickle.loads = refuse
from dialogauge.language.inflection import Form, inflect, lemma
from dialogauge.language.spelling import ENDINGS
for tag in ENDINGS:
    for word in ("walk", "frobnicate", "Zzyx", "skibidi-rizz"):
        lemma(inflect(word, Form("x", tag)), tag)
import lemminflect
assert not hasattr(lemminflect.Inflections(), "morph_style_model")
assert not hasattr(lemminflect.Lemmatizer(), "oov_lemmatizer")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_forms_of_the_treebank_are_put_back(data: Path) -> None:
    pairs = sample(tokens(data, "test"))
    assert len(pairs) == PAIRS
    assert share(map(restored, pairs)) >= 0.97
    assert share(restored(token) for token in pairs if not token.contraction) >= 0.97
    assert share(restored(token, told=False) for token in pairs) >= 0.945


def test_the_lemmas_of_the_treebank_are_found(data: Path) -> None:
    assert share(map(lemmatised, tokens(data, "test"))) >= 0.98
