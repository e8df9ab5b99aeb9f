"""Every known way to damage a dialogue, or to change it without harm.

:mod:`.manipulation` says what a manipulation is, :mod:`.edited` what it gives, :mod:`.pool` where
foreign words come from. :mod:`.words`, :mod:`.turns`, :mod:`.responses` and :mod:`.meaning` hold
the edits, :mod:`.catalogue` lists them all, and :mod:`.mixtures` draws from several as papers do.
"""
