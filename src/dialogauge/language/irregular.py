"""Forms of English words that neither rules nor large tables get right, as tables to review.

What is here was chosen by hand: verbs and degrees with forms of their own, the commoner of two
spellings where a large table puts the rarer one first, contractions, and nouns without a singular.
Entries are separated by ``|``; a tag of two letters (``VB``) stands for all that begin with it.
"""

from collections.abc import Iterator


def _entries(table: str) -> Iterator[list[str]]:
    for line in table.splitlines():
        yield from (entry.strip().split(None, 2) for entry in line.split("|") if entry.strip())


#: Lemma, tag, form.
_FORMS = """
person NNS people       | staff NNS staff         | shrimp NNS shrimp       | elk NNS elk
abdomen NNS abdomens    | aneurysm NNS aneurysms  | layup NNS layups        | regimen NNS regimens
snob NNS snobs          | e-mail NNS e-mails      | penny NNS pennies       | cloth NNS cloths
die NNS dice            | genius NNS geniuses     | cactus NNS cacti        | index NNS indexes
medium NNS media        | oz NNS oz               | antenna NNS antennas    | formula NNS formulas
can VBD could           | will VBD would          | shall VBD should        | may VBD might
can VBN canned          | bid VBD bid             | bust VBN busted         | fit VBN fit
forecast VBD forecast   | gown VBN gowned         | lie VBN lied            | light VBD lit
light VBN lit           | prove VBN proven        | sting VBG stinging      | wake VBN woken
channel VBN channeled   | enrol VBD enrolled      | enrol VBN enrolled      | enrol VBG enrolling
program VBD programmed  | program VBN programmed  | program VBG programming
mimic VBD mimicked      | mimic VBN mimicked      | mimic VBG mimicking
unmake VBD unmade       | unmake VBN unmade       | overcast VBD overcast   | overcast VBN overcast
overspend VBD overspent | overspend VBN overspent | overshoot VBD overshot
badly RBR worse         | badly RBS worst         | ill JJR worse           | ill JJS worst
little JJR less         | little JJS least        | little RBR less         | little RBS least
much JJR more           | much JJS most           | much RBR more           | much RBS most
many JJR more           | many JJS most           | far JJR further         | far JJS furthest
old JJR older           | old JJS oldest          | fun JJR more fun        | fun JJS most fun
"""
FORMS = {(lemma, tag): form for lemma, tag, form in _entries(_FORMS)}

#: Form, tag, lemma.
_LEMMAS = """
's VB be                | 'm VB be                | 're VB be               | 've VB have
'd VB have              | 'd MD would             | 'll MD will             | s VB be
m VB be                 | re VB be                | r VB be                 | ve VB have
v VB have               | d MD would              | ll MD will              | ai VB be
am VB be                | is VB be                | are VB be               | was VB be
were VB be              | ca MD can               | wo MD will              | sha MD shall
n't RB not              | nt RB not               | gon VBG go              | wan VB want
got VB get              | left VBD leave          | left VBN leave          | programmed VB program
programming VB program  | better RB well          | best RB well            | worse RB badly
worst RB badly          | better JJ good          | best JJ good            | more JJ more
most JJ most            | less JJ less            | least JJ least          | more RB more
most RB most            | less RB less            | least RB least          | later RBR late
further RB far          | further JJR far         | people NNS people       | data NNS data
media NNS media         | thanks NNS thanks       | regards NNS regards     | pants NNS pants
trousers NNS trousers   | glasses NNS glasses     | goods NNS goods         | i PRP I
me PRP I                | him PRP he              | her PRP she             | us PRP we
's PRP we               | them PRP they           | 'em PRP they            | u PRP you
ur PRP$ your            | mine PRP my             | yours PRP your          | hers PRP her
ours PRP our            | theirs PRP their        | an DT a                 | these DT this
those DT that
"""
LEMMAS = {(form, tag): lemma for form, tag, lemma in _entries(_LEMMAS)}

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
CLITICS = {
    "am": "'m",
    "are": "'re",
    "is": "'s",
    "has": "'s",
    "have": "'ve",
    "had": "'d",
    "would": "'d",
    "will": "'ll",
    "not": "n't",
}
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
