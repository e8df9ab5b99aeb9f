"""Words so common that they say little, as two published lists.

``NLTK`` is the English list of nltk's corpora, 179 words: it has *don't* both whole and as the
pieces that tokenizers leave (*don*, *t*). ``ADEM`` is the shorter list, 25 words, with which the
metric ADEM was attacked (Sai et al., *Re-evaluating ADEM*, 2019).

    >>> len(NLTK), len(ADEM), "the" in ADEM, sorted(ADEM - NLTK)
    (179, 25, True, [])
"""

_NLTK = """
i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
he him his himself she she's her hers herself it it's its itself they them their theirs themselves
what which who whom this that that'll these those
am is are was were be been being have has had having do does did doing
a an the and but if or because as until while of at by for with about against between into through
during before after above below to from up down in out on off over under
again further then once here there when where why how
all any both each few more most other some such no nor not only own same so than too very
s t can will just don don't should should've now d ll m o re ve y
ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't
isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't
wasn wasn't weren weren't won won't wouldn wouldn't
"""
NLTK = frozenset(_NLTK.split())

_ADEM = """
a an and are as at be by for from has he in is it its of on that the to was were will with
"""
ADEM = frozenset(_ADEM.split())
