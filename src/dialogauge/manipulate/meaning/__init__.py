"""Edits of what a dialogue says: DEAM's four, made on graphs and written back into sentences.

:mod:`.settings` holds all that can be set, :mod:`.graphs` is the dialogue while it is edited,
:mod:`.items` and :mod:`.sentences` what it consists of, :mod:`.opposites` antonyms,
:mod:`.plausible` what can take whose place, :mod:`.choosing` which draft is kept. Each edit is a
function ``change(talk, settings, rng)`` in a module of its name.
"""
