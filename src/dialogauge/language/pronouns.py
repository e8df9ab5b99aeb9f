"""The personal pronouns of English as one table, and questions asked of it.

A row is a person; its columns are the five forms that a pronoun has:

========= ============================ =====================
case      stands                       as in
========= ============================ =====================
nom       as subject                   **I** called
acc       as object                    call **me**
gen       before a noun                **my** call
poss      for the noun                 a call of **mine**
refl      where it is the subject too  I call **myself**
========= ============================ =====================

One form may stand in several places: *her* is ``acc`` and ``gen``, *you* is any number. A question
answers with all of them, or takes the ``case`` if the caller knows it.

    >>> other("he", gender="fem"), other("me", person=2), other("Their", person=1)
    ('she', 'you', 'Our')
    >>> other("her", case="gen", gender="masc"), other("her", case="acc", gender="masc")
    ('his', 'him')
    >>> other("table", person=1) is None
    True
"""

from collections.abc import Iterator

import msgspec

from ..errors import UnknownNameError

CASES = ("nom", "acc", "gen", "poss", "refl")
NUMBERS = ("sing", "plur")
GENDERS = ("masc", "fem", "neut", "any")

#: Person, number, gender ("any" where the form does not say), then a form per case. The first row
#: that fits is the answer to a question: what is rarer comes later.
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
SPELLINGS = {
    "i": "I",
    "u": "you",
    "ya": "you",
    "ur": "your",
    "'em": "them",
    "yall": "y'all",
    "ya'll": "y'all",
    "meself": "myself",
    "hisself": "himself",
    "theirselves": "themselves",
    "ourself": "ourselves",
}


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
    if len(word) > _LONGEST:
        return ()
    plain = word.lower().replace("’", "'")
    text = SPELLINGS.get(plain, plain)
    return tuple(form for form in PRONOUNS if form.text == text)


_LONGEST = max(len(word) for word in [*SPELLINGS, *(form.text for form in PRONOUNS)])


def other(
    word: str,
    *,
    person: int | None = None,
    number: str | None = None,
    gender: str | None = None,
    case: str | None = None,
) -> str | None:
    """The pronoun that differs from a word in what is named and agrees with it otherwise.

    ``case`` is that of the word: it chooses between readings and is kept. Gender is kept where the
    new person has one. None for a word that is no pronoun (of that case).

    >>> other("himself", gender="fem"), other("ours", number="sing"), other("IT", number="plur")
    ('herself', 'mine', 'THEY')
    """
    _check(person, number, gender, case)
    for form in readings(word):
        if case in (None, form.case):
            found = _nearest(
                person or form.person, number or form.number, gender or form.gender, form.case
            )
            return _cased(found, word)
    return None


def _nearest(person: int, number: str, gender: str, case: str) -> str:
    """The first form of that person, number and case, of the gender if there is one of it."""
    fitting = [
        form for form in PRONOUNS if (form.person, form.number, form.case) == (person, number, case)
    ]
    return next((form for form in fitting if form.gender == gender), fitting[0]).text


def _check(person: int | None, number: str | None, gender: str | None, case: str | None) -> None:
    asked = (("number", number, NUMBERS), ("gender", gender, GENDERS), ("case", case, CASES))
    for kind, value, known in (("person", person and str(person), ("1", "2", "3")), *asked):
        if value is not None and value not in known:
            raise UnknownNameError(kind, str(value), known)


def _cased(text: str, like: str) -> str:
    """With the capitals of another pronoun; those of *I* say nothing."""
    if text == "I" or like == "I":
        return text
    if len(like) > 1 and like.isupper():
        return text.upper()
    return text[0].upper() + text[1:] if like[:1].isupper() else text
