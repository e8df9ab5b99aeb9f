"""DEAM: coherence learnt from damaged meaning, the tokens of a conversation read together.

:mod:`.excerpts` cuts conversations, :mod:`.damage` damages them and knows where and how,
:mod:`.cues` leaves out what a turn alone gives away, :mod:`.rows` makes numbers of it,
:mod:`.network` reads, :mod:`.task` trains.
"""
