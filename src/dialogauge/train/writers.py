"""Translators and language models by the names that users give them, in a command or a recipe.

Can be imported anywhere: what needs the extra ``train`` is loaded when such a name is given.
"""

from ..errors import InputError
from ..manipulate.pool import Reply, Translate
from . import require_extra


def translator(name: str) -> Translate:
    """Texts into another language and back: ``apertium``, or two models, ``THERE,BACK``."""
    if name == "apertium":
        from ..manipulate.translation import apertium

        return apertium()
    there, _, back = (part.strip() for part in name.partition(","))
    if not (there and back):
        raise InputError(f"{name!r} is no translator: name apertium, or two models, THERE,BACK")
    require_extra()
    from .marian import load

    return load(there, back)


def replies(name: str) -> Reply:
    """What a language model would say next: ``smollm2``, or a folder."""
    require_extra()
    from .language_model import load

    return load(name).reply
