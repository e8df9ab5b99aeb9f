"""Edits of what a dialogue says: DEAM's four, made on graphs and written back into sentences.

:mod:`.settings` holds the edits with all that can be set, :mod:`.talk` the dialogue while it is
edited, :mod:`.items` and :mod:`.sentences` what it consists of, :mod:`.opposites` antonyms,
:mod:`.plausible` what can take whose place, :mod:`.choosing` which draft is kept. Each edit is a
function ``change(talk, settings, rng)`` in a module of its name. AMR is imported when an edit is
made, and not before.
"""

from ..manipulation import Manipulation
from .settings import Contradiction, Coreference, Engagement, Irrelevancy

_DEAM = "DEAM (Ghazarian et al., 2022)"
_OURS = "after DEAM (Ghazarian et al., 2022)"

MEANING: dict[str, Manipulation] = {
    each.name: each
    for each in (
        Manipulation("coreference", Coreference(), "lower", _DEAM),
        Manipulation("contradiction", Contradiction(), "lower", _DEAM),
        Manipulation("contradiction-in-place", Contradiction(where="place"), "lower", _OURS),
        Manipulation("negation", Contradiction(where="place", direct=1.0), "lower", _OURS),
        Manipulation("antonym", Contradiction(where="place", direct=0.0), "lower", _OURS),
        Manipulation("irrelevancy", Irrelevancy(), "lower", _DEAM),
        Manipulation("engagement", Engagement(), "lower", _DEAM),
    )
}
