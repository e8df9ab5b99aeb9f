"""Which word can stand for another one without harm.

Most words have several senses, the commonest in talk is not always the first, and some words live
in phrases of their own: "I beg to differ", "a big fan". So a word is replaced where it means mostly
one thing and the other word does too, and where neither the grammar around it nor the list of words
that were found to go wrong speaks against it.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from ..language import stopwords
from ..sentence.wordlists import lists

if TYPE_CHECKING:
    from spacy.tokens import Token

    from ..language import Lexicon, Sense

#: The parts of speech that carry the content: first letters of Penn tags, and WordNet's.
PARTS = {"N": "n", "V": "v", "J": "a", "R": "r"}
#: Words that stay as they are.
_LEFT_ALONE = frozenset[str]().union(*lists(__file__, "synonyms").values())
#: Adverbs that are replaced where they make an adjective stronger: not in "Really?", "pretty much".
_DEGREES = frozenset({"pretty", "really"})
_FIXED = frozenset({"compound", "fixed", "flat", "compound:prt"})


def has_content(word: "Token") -> bool:
    """Whether a word names something that another word can name, and is nobody's name."""
    if word.tag_[:1] not in PARTS or word.tag_ in ("NNP", "NNPS", "RP") or word.ent_type_:
        return False
    lemma = word.lemma_.lower()
    shouted = word.is_upper and len(word) > 1  # as abbreviations: "TELEVISION" is not "TV"
    if word.lower_ in stopwords.NLTK or lemma in _LEFT_ALONE or shouted:
        return False
    if lemma in _DEGREES and not _strengthens(word):
        return False
    # "Good talking to you" is tagged as a noun.
    if lemma.endswith("ing") and word.tag_[0] in "NV":
        return False
    alone = word.dep_ not in _FIXED and word.dep_ not in ("aux", "cop")
    # What follows a verb may not follow another: "remember to".
    return alone and not any(it.dep_ in _FIXED or it.dep_ == "xcomp" for it in word.children)


def _strengthens(word: "Token") -> bool:
    head = word.head
    return head.i > word.i and head.tag_.startswith("JJ") and head.lower_ not in ("much", "many")


@lru_cache(maxsize=20_000)
def equivalent(word: str, part: str) -> str | None:
    """A word for the same that can hardly be taken for anything else.

    >>> equivalent("movie", "n"), equivalent("buy", "v"), equivalent("music", "n")
    ('film', 'purchase', None)
    """
    sense = meaning(word, part)
    own = set(lexicon().lemmas(word, part))
    if sense is None or word not in own:  # "films" taken for a singular
        return None
    fit = [
        (other.count, name)
        for name in sense.words
        if name.isalpha() and name.islower() and len(name) > 3 and name not in own
        if (other := meaning(name, part)) and other.synset == sense.synset
        if other.count >= max(4, sense.count / 5)  # what is rare stands out
    ]
    return max(fit)[1] if fit else None


def likeliest(word: str, part: str) -> str | None:
    """The first of all synonyms, of whatever sense."""
    return next(iter(lexicon().substitutes(word, part)), None)


def meaning(word: str, part: str) -> "Sense | None":
    """The sense that a word has more often than all others together."""
    senses = lexicon().senses(word, part)
    often = senses and 2 * senses[0].count >= sum(sense.count for sense in senses)
    return senses[0] if often else None


def lexicon() -> "Lexicon":
    """WordNet, which is loaded when it is first asked."""
    from ..language.lexicon import Lexicon

    return Lexicon.load()
