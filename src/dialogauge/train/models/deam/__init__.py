"""DEAM: coherence learnt from damaged meaning, the tokens of a conversation read together.

:mod:`.excerpts` cuts conversations, :mod:`.damage` damages them and knows where and how,
:mod:`.material` makes and keeps all that, :mod:`.cues` balances it and measures what a turn alone
gives away (by its vector and its :mod:`.surface`). :mod:`.rows` makes numbers of it,
:mod:`.reading` says what is read of a token, :mod:`.batch` draws. :mod:`.network` reads,
:mod:`.task` trains, :mod:`.exam` asks.
"""
