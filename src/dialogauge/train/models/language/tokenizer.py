"""Where words begin and end: spaCy's English tokenizer, adapted to the treebanks and to chat.

spaCy already splits "don't", "dont" and "gonna" as the treebanks do. Changed are runs of one sign
("!!!" is one token, as in EWT), emoji with their tone, contractions in capitals, slashes between
words and a few words. The parts of a contraction keep the norm of their letters, as in training,
where words come from a treebank. The rules are saved with the pipeline: loading it needs none of
this.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

#: Signs that people repeat, as a run of one sign.
_RUNS = tuple(rf"{sign}{{2,}}" for sign in (r"!", r"\?", "[!?]", r"\*", "=", "_", "<", ">", "~"))
#: A picture with what modifies it: colour, skin tone, the joiners of a family.
_EMOJI = (
    "[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2600-\u27bf]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?)*"
)
#: Between two words: a slash, a run of signs, a picture.
_INFIXES = (_EMOJI, r"(?<=[^\W\d_]{2})/(?=[^\W\d_]{2})", r"(?<=\w)[!?]{2,}(?=\w)")
#: Words that spaCy does not split, or should not, with a bar between their parts.
_WORDS = "wan|na gim|me lem|me out|ta a|lot e-mail e-mails and|/|or lol idk"


def adapt(nlp: "Language") -> "Language":
    """Give a pipeline the tokenizer rules of this module."""
    from spacy.symbols import ORTH
    from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

    tokenizer, defaults = nlp.tokenizer, nlp.Defaults
    whole = (_EMOJI, *_RUNS)
    tokenizer.prefix_search = compile_prefix_regex([*whole, *defaults.prefixes]).search
    tokenizer.suffix_search = compile_suffix_regex([*whole, *defaults.suffixes]).search
    tokenizer.infix_finditer = compile_infix_regex([*_INFIXES, *defaults.infixes]).finditer
    rules = {text: tuple(part[ORTH] for part in parts) for text, parts in tokenizer.rules.items()}
    for text, parts in [*rules.items(), *_capitals(rules), *_spellings()]:
        tokenizer.add_special_case(text, [{ORTH: part} for part in parts])
    return nlp


def _capitals(rules: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Contractions in capitals; short ones without an apostrophe are other words ("IM", "ID")."""
    for text, parts in rules.items():
        letters = text.replace("'", "").replace("’", "")
        clear = len(letters) < len(text) or len(text) > 3
        if len(parts) > 1 and letters.isalpha() and clear and text.upper() not in rules:
            yield text.upper(), tuple(part.upper() for part in parts)


def _spellings() -> Iterator[tuple[str, tuple[str, ...]]]:
    for word in _WORDS.split():
        text, parts = word.replace("|", ""), tuple(word.split("|"))
        yield text, parts
        yield text.capitalize(), (parts[0].capitalize(), *parts[1:])
        yield text.upper(), tuple(part.upper() for part in parts)
