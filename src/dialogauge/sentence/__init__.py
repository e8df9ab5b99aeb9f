"""Writing English: a parsed sentence, some words of it changed, and what follows from the change.

:mod:`.draft` is a sentence whose words are slots; the other modules change slots and mend what
hangs on them: :mod:`.agreement` (persons, tenses, auxiliaries), :mod:`.negation` and
:mod:`.affirmation`, :mod:`.substitution` (a word for another: :mod:`.nominal`, :mod:`.pronominal`,
:mod:`.verbal`, :mod:`.closed`), :mod:`.removal` with :mod:`.filling` and :mod:`.clauses`. What a
verb wants is :mod:`.valency`, the word for a concept :mod:`.lexical`. :mod:`.wordlists` reads
``words.toml``, the lists that all of them ask for.
"""
