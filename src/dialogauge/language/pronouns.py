"""The personal pronouns of English as one table.

A row is a person; its columns are the five forms that a pronoun has: as subject (``nom``), as
object (``acc``), before a noun (``gen``: *my* call), for the noun (``poss``: a call of *mine*) and
where it is the subject too (``refl``). One form may stand in several places: *her* is ``acc`` and
``gen``, *you* is any number. :func:`readings` answers with all of them.
"""

from collections.abc import Iterator

import msgspec

CASES = ("nom", "acc", "gen", "poss", "refl")

#: Person, number, gender ("any" where the form does not say), then a form per case. What is rarer
#: comes later.
_TABLE = """
1 sing any  | I     me    my     mine    myself
2 sing any  | you   you   your   yours   yourself
3 sing masc | he    him   his    his     himself
3 sing fem  | she   her   her    hers    herself
3 sing neut | it    it    its    its     itself
1 plur any  | we    us    our    ours    ourselves
2 plur any  | you   you   your   yours   yourselves
3 plur any  | they  them  their  theirs  themselves
3 sing any  | they  them  their  theirs  themself
3 sing any  | one   one   one's  one's   oneself
2 plur any  | y'all y'all y'all's y'all's yourselves
2 sing any  | thou  thee  thy    thine   thyself
"""

#: Other ways to write a form of the table.
_OTHERS = """
i I, u you, ya you, ur your, 'em them, yall y'all, ya'll y'all, meself myself, hisself himself,
theirselves themselves, ourself ourselves
"""
_SPELLINGS = dict(map(str.split, _OTHERS.split(",")))


class Pronoun(msgspec.Struct, frozen=True):
    """One form in one place of the table."""

    text: str
    person: int
    number: str
    gender: str
    case: str


def _read(table: str) -> Iterator[Pronoun]:
    for line in table.strip().splitlines():
        row, _, forms = line.partition("|")
        person, number, gender = row.split()
        for case, text in zip(CASES, forms.split(), strict=True):
            yield Pronoun(text, int(person), number, gender, case)


#: Every form in every place, in the order of the table.
PRONOUNS = tuple(_read(_TABLE))


def readings(word: str) -> tuple[Pronoun, ...]:
    """All that a word can be as a pronoun; nothing for other words.

    >>> [(form.case, form.gender) for form in readings("HER")]
    [('acc', 'fem'), ('gen', 'fem')]
    """
    plain = word.lower().replace("’", "'")
    text = _SPELLINGS.get(plain, plain)
    return tuple(form for form in PRONOUNS if form.text == text)
