"""What people look at: it shows values that were computed elsewhere, and computes none.

::

    terminal      numbers, texts and tables for a terminal; scores
    evaluations   what ``meta`` found, for a terminal: tables, then sentences
    edits         a dialogue before and after an edit: for a terminal, and a page
    markdown      tables for pages and cards
    figures       a metric against people, intervals side by side, where utterances stand
"""
