"""Models that ship without their weights, filled on the user's machine with numpy alone.

Such a folder holds everything but the large tensors: the graph, and a plan (:mod:`.plan`) that says
from which published tensor each is made. :mod:`.tensors` reads those, :mod:`.numbers` is the
arithmetic of int8, which making a model uses too, :mod:`.download` gets a file by its hash, and
:mod:`.filling` writes the finished folder.
"""
