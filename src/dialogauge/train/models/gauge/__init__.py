"""gauge: a linear model of what people think of conversations, fitted to those who rated theirs.

:mod:`.rows` reads rated conversations as numbers, :mod:`.fit` is the model, :mod:`.task` makes what
ships and its card. What is asked of a conversation stands in ``metrics/evidence.py``; the phrases
by which reactions are known, in ``phrases.toml``.
"""
