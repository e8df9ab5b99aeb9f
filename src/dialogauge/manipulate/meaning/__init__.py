"""Edits of what a dialogue says: DEAM's four and two more, made on graphs and written as sentences.

:mod:`.settings` holds all that can be set, :mod:`.graphs` is the dialogue while it is edited,
:mod:`.items`, :mod:`.naming` and :mod:`.sentences` what it consists of, :mod:`.opposites` antonyms,
:mod:`.plausible` what can take whose place, :mod:`.missing` what the others would miss,
:mod:`.choosing` which draft is kept. Each edit is a function ``change(talk, settings, rng)`` in a
module of its name.
"""
