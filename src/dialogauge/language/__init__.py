"""What the package knows of English: words, their forms, synonyms and antonyms."""

from .lexicon import Lexicon, Sense

__all__ = ["Lexicon", "Sense"]
