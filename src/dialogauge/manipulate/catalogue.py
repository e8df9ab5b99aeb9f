"""The catalogue: every manipulation by its name, in one table.

A manipulation is named in one of three ways: a name of :data:`MANIPULATIONS`; ``"module:name"``,
one in Python code that can be imported; a name that an installed package gives in the entry-point
group ``dialogauge.manipulations``. The last two run what they name, so whoever acts for a stranger
passes ``trusted=False`` and gets the first only. ``name@3`` is the same at severity 3.

    >>> find("permute").expect, find("permute@3").name
    ('lower', 'permute@3')
"""

import reprlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from .. import plugins
from ..dialogue import Dialogue
from ..errors import DialogaugeError, UnknownNameError
from ..language import stopwords
from . import contractions, grammar, nearby, responses, speakers, turns, words
from .checking import fault
from .deam import Meaning
from .edited import Edited
from .manipulation import SEVERITIES, DoesNotApply, Edit, Expect, Manipulation, at
from .meaning.settings import (
    Contradiction,
    Coreference,
    Engagement,
    Irrelevancy,
    NameExchange,
    SelfContradiction,
)
from .pool import Pool
from .rewriting import Rewrite, Rewriting
from .turns import Arranging

_MAUDE, _ADEM, _DCGEVAL, _DYNAEVAL = "MaUdE", "ADEM re-evaluation", "DCGEval", "DynaEval"
_MESGAR, _VAKULENKO = "Mesgar et al.", "Vakulenko et al."
_OWN = "dialogauge"
_DEAM, _OURS = "DEAM (Ghazarian et al., 2022)", "after DEAM (Ghazarian et al., 2022)"


def _one_turn(name: str, rewrite: Rewrite, expect: Expect, source: str) -> Manipulation:
    """A manipulation that rewrites turns one by one."""
    return Manipulation(name, Rewriting(name, rewrite), expect, source)


_STOPWORDS = words.Without(stopwords.NLTK, "179 stop words of NLTK")
_COMMONEST = words.Without(stopwords.ADEM, "25 commonest stop words")
#: Edits of the words of a turn.
WORDS = (
    _one_turn("word-drop", words.drop, "lower", _MAUDE),
    _one_turn("word-order", words.order, "lower", _MAUDE),
    _one_turn("word-repeat", words.repeat, "lower", _MAUDE),
    _one_turn("cut-off", words.cut_off, "lower", _OWN),
    _one_turn("reverse", words.reverse, "lower", _ADEM),
    _one_turn("jumble", words.jumble, "lower", _ADEM),
    _one_turn("repeat-half", words.repeat_half, "lower", _ADEM),
    _one_turn("nouns-pronouns-verbs", grammar.NOUNS_PRONOUNS_VERBS, "lower", _ADEM),
    _one_turn("only-nouns", grammar.NOUNS, "lower", _ADEM),
    _one_turn("no-entities", grammar.Nameless(), "same", _ADEM),
    # Readers forgave this one: 4.2 of 5 on average.
    _one_turn("no-stopwords", _STOPWORDS, "same", _ADEM),
    _one_turn("no-25-stopwords", _COMMONEST, "same", _ADEM),
    _one_turn("no-punctuation", words.no_punctuation, "same", _ADEM),
    Manipulation("lower-case", Rewriting("lower-case", words.lower_case, case=True), "same", _OWN),
    _one_turn("contractions", contractions.contractions, "same", _OWN),
    _one_turn("synonyms", grammar.synonyms, "same", _ADEM),
)
#: Edits of the order and the company of turns.
TURNS = (
    Manipulation("permute", Arranging(turns.permute), "lower", _VAKULENKO),
    Manipulation("permute-speaker", Arranging(turns.permute_speaker), "lower", _VAKULENKO),
    Manipulation("move-turn", Arranging(turns.move_turn), "lower", _MESGAR),
    Manipulation("insert-turn", Arranging(turns.insert_turn), "lower", _MESGAR),
    Manipulation("replace-turn", Arranging(turns.replace_turn), "lower", _DYNAEVAL),
    Manipulation("shuffle-speaker", Arranging(turns.shuffle_speaker), "lower", _DYNAEVAL),
    Manipulation("swap-halves", Arranging(turns.swap_halves), "lower", _VAKULENKO),
    Manipulation("splice", Arranging(turns.splice), "lower", _VAKULENKO),
    Manipulation("drop-turn", Arranging(turns.drop_turn), "lower", _MESGAR),
)
_CONFUSED = Rewriting("speaker.confusion", speakers.speaker_confusion)
#: Other responses in the place of one.
RESPONSES = (
    _one_turn("random-response", responses.random_response, "lower", _DCGEVAL),
    _one_turn("other-response", responses.other_response, "lower", _MAUDE),
    _one_turn("near-response", nearby.near_response, "lower", _OWN),
    _one_turn("echo", responses.echo, "lower", _ADEM),
    _one_turn("generic", responses.generic, "lower", _ADEM),
    _one_turn("generated-elsewhere", responses.generated_elsewhere, "lower", _MAUDE),
    # MaUdE lists a trained model's responses among the good ones, though its own score falls for
    # them; *Re-evaluating ADEM* wants 1 of 5 for those of a model that was hardly trained. What a
    # small model says seldom answers anything; of a large one expect "same".
    _one_turn("generated", responses.generated, "lower", _ADEM),
    _one_turn("back-translation", responses.back_translation, "same", _MAUDE),
    Manipulation("speaker-confusion", _CONFUSED, "lower", _DCGEVAL),
    Manipulation("swapped-line", speakers.SwappedLines(), "lower", _OWN),
    _one_turn("temporal-skip", responses.temporal_skip, "lower", _DCGEVAL),
)
_IN_PLACE = Contradiction(where="place")
_NEGATED, _OPPOSITE = (Contradiction(where="place", direct=share) for share in (1.0, 0.0))
#: Edits of what is said.
MEANING = (
    Manipulation("coreference", Meaning(Coreference()), "lower", _DEAM),
    Manipulation("contradiction", Meaning(Contradiction()), "lower", _DEAM),
    Manipulation("contradiction-in-place", Meaning(_IN_PLACE), "lower", _OURS),
    Manipulation("negation", Meaning(_NEGATED), "lower", _OURS),
    Manipulation("antonym", Meaning(_OPPOSITE), "lower", _OURS),
    Manipulation("irrelevancy", Meaning(Irrelevancy()), "lower", _DEAM),
    Manipulation("engagement", Meaning(Engagement()), "lower", _DEAM),
    Manipulation("self-contradiction", Meaning(SelfContradiction()), "lower", _OWN),
    Manipulation("name-exchange", Meaning(NameExchange()), "lower", _OWN),
)

#: Every manipulation that ships; the first line of its edit's docstring is the help text.
MANIPULATIONS = {each.name: each for each in (*WORDS, *TURNS, *RESPONSES, *MEANING)}

#: What belongs together: the manipulations of a paper in the order in which they are made, and all.
FAMILIES: dict[str, tuple[str, ...]] = {
    "deam": ("coreference", "contradiction", "irrelevancy", "engagement"),
    "mesgar": ("permute", "move-turn", "shuffle-speaker", "replace-turn"),
    "vakulenko": ("permute", "permute-speaker", "swap-halves", "splice"),
    "dynaeval": ("replace-turn", "shuffle-speaker"),
    "maude": ("word-drop", "word-order", "word-repeat", "other-response", "generated-elsewhere"),
    "adem": (
        "no-punctuation",
        "no-stopwords",
        "no-25-stopwords",
        "nouns-pronouns-verbs",
        "no-entities",
        "synonyms",
        "jumble",
        "reverse",
        "only-nouns",
        "repeat-half",
        "generic",
        "echo",
    ),
    "all": tuple(MANIPULATIONS),
}

_ENTRY_POINTS = "dialogauge.manipulations"


def names() -> tuple[str, ...]:
    """Every name :func:`find` knows: those that ship, then those of installed packages."""
    return tuple(dict.fromkeys((*MANIPULATIONS, *sorted(plugins.installed(_ENTRY_POINTS)))))


def find(name: str, trusted: bool = True) -> Manipulation:
    """The manipulation of that name, ``"module:name"`` or entry point, perhaps ``@severity``.

    ``trusted=False`` is for names that come from somebody else (a request, a file): it knows the
    names of :data:`MANIPULATIONS` and runs nothing.
    """
    plain, sign, severity = name.rpartition("@") if "@" in name else (name, "", "")
    if sign and severity not in map(str, SEVERITIES):
        steps = f"{SEVERITIES[0]} to {SEVERITIES[-1]}"
        raise DialogaugeError(f"{reprlib.repr(name)}: a severity is a number from {steps}")
    manipulation = _found(plain, trusted)
    if sign and manipulation.expect == "same":
        raise DialogaugeError(f"{manipulation.name} is harmless: it has no severity")
    if sign:
        manipulation = at(manipulation, int(severity))
    if plain in MANIPULATIONS:
        return manipulation
    guarded = _Guarded(manipulation.name, manipulation.edit)
    return msgspec.structs.replace(manipulation, edit=guarded)


def _found(name: str, trusted: bool) -> Manipulation:
    if name in MANIPULATIONS:
        return MANIPULATIONS[name]
    if not trusted:
        raise DialogaugeError(
            f"{reprlib.repr(name)} is not a manipulation that ships with dialogauge, and here only "
            f"those may be used: {', '.join(MANIPULATIONS)}"
        )
    if ":" in name:
        named = plugins.named(name, "module:name")
        return _made(lambda: named, repr(name))
    installed = plugins.installed(_ENTRY_POINTS)
    if name in installed:
        return _made(installed[name].load, f"the installed manipulation {name!r}")
    raise UnknownNameError("manipulation", name, (*names(), *FAMILIES))


class _Guarded(msgspec.Struct, frozen=True):
    """An edit of somebody else's: what it raises and what it gives are checked."""

    name: str
    edit: Edit

    @property
    def about(self) -> str:
        """What the edit says of itself."""
        return getattr(self.edit, "about", None) or self.edit.__doc__ or ""

    def __call__(self, dialogue: Dialogue, rng: Random, pool: Pool) -> Edited | None:
        """The edit, or one clear error."""
        try:
            edited: Any = self.edit(dialogue, rng, pool)
        except (DoesNotApply, DialogaugeError):
            raise
        except Exception as error:  # code that is not ours may raise anything
            problem = f"{type(error).__name__}: {error}"
            raise DialogaugeError(f"manipulation {self.name!r} failed: {problem}") from error
        if edited is None:
            return None
        if not isinstance(edited, Edited):
            given = type(edited).__name__
            raise DialogaugeError(f"manipulation {self.name!r} must give Edited, got {given}")
        if problem := fault(dialogue, edited):
            raise DialogaugeError(f"manipulation {self.name!r} gives a false account: {problem}")
        return edited


def _made(get: Callable[[], Any], what: str) -> Manipulation:
    """A manipulation from whatever ``get`` gives: one, or something that makes one when called."""
    manipulation = plugins.made(get, what, lambda it: isinstance(it, Manipulation))
    if not isinstance(manipulation, Manipulation) or manipulation.expect not in ("lower", "same"):
        raise DialogaugeError(
            f"{what} is not a manipulation but {type(manipulation).__name__}: "
            "write Manipulation(name, edit, 'lower' or 'same', source)"
        )
    return manipulation
