"""What the package knows of English: words, their forms and meanings, and how sentences are built.

The lexicon comes with every install. :func:`load` gives a pipeline that tags and parses; it needs
the extra ``language`` (spaCy), which is imported when it is called and not before.
"""

from .inflection import Form, inflect, lemma
from .lexicon import Lexicon, Sense
from .pipeline import Pipeline, load, shared

__all__ = ["Form", "Lexicon", "Pipeline", "Sense", "inflect", "lemma", "load", "shared"]
