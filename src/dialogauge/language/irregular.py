"""Forms of English words that neither rules nor large tables get right, as tables to review.

What is here was chosen by hand: verbs and degrees with forms of their own, the commoner of two
spellings where a large table puts the rarer one first, contractions, and nouns without a singular.
``irregular.tsv`` beside this module has a line for each form of a lemma and each lemma of a form;
a tag of two letters (``VB``) stands for all that begin with it.
"""

from importlib.resources import files as resources


def _answers(wanted: str) -> dict[tuple[str, str], str]:
    lines = (resources(__package__) / "irregular.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {(word, tag): answer for asked, word, tag, answer in rows if asked == wanted}


#: The form of a lemma for a tag.
FORMS = _answers("form")
#: The lemma of a form with a tag.
LEMMAS = _answers("lemma")

#: Nouns whose plural is written like the singular (and all that end in *fish*), units among them.
_UNCHANGED = """
aircraft bison cattle clergy cod corps data deer dice elk fish hovercraft livestock media moose
offspring people police salmon series sheep shrimp spacecraft species staff squid swine trout tuna
vermin youth cm mm km kg mg ml ft hz kw mw gb mb kb mph bpd mmbtu usd eur jpy
"""
UNCHANGED = frozenset(_UNCHANGED.split())

#: Modal verbs that have no other form, and degrees that are their own lemma.
MODALS = frozenset({"must", "ought", "might", "could", "would", "should"})
DEGREES = frozenset({"more", "most", "less", "least"})

#: A full form and what is left of it behind another word ("she's", "they'd").
_CLITICS = "am 'm, are 're, is 's, has 's, have 've, had 'd, would 'd, will 'll, not n't"
CLITICS = dict(map(str.split, _CLITICS.split(",")))
#: What is left of a full form before "n't" where that is cut off as a token of its own.
CLIPPED = {"can": "ca", "will": "wo", "shall": "sha"}

_NEGATED = "is are was were have has had do does did could would should might must need ought dare"
#: A full form and its negative in one token: ``"do": "don't"``.
NEGATIVES = {full: f"{CLIPPED.get(full, full)}n't" for full in [*_NEGATED.split(), *CLIPPED]}
#: Negatives, also without apostrophe, and what they negate: ``"dont": "do"``.
POSITIVES = {"cannot": "can", "ain't": "is", "aint": "is"} | {
    written: full
    for full, negative in NEGATIVES.items()
    for written in (negative, negative.replace("'", ""))
}
