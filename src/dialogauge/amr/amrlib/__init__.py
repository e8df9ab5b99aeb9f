"""Parsers and generators of amrlib by their folders: :mod:`.seq2seq` runs one, :mod:`.linear` is
the form of a graph that they read and write, :mod:`.matching` finds the words of its nodes.
"""
