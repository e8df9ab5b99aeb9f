"""The learned parser: for each word the piece of graph that it brings, and edges between them.

A text goes through :mod:`.words` (words with their tags and vectors), :mod:`.features` (arrays),
the networks (:mod:`.builtin`), :mod:`.deciding` and :mod:`.rules` (one plan out of all scores) and
:mod:`.assembling` (the graph). :mod:`.inventory` is what was learned beside the weights,
:mod:`.templates`, :mod:`.naming` and :mod:`.numbers` are the notations in between.
"""
