"""Text to vectors on ONNX Runtime: each distinct text once, whatever its neighbours.

``reader`` cuts texts into ``windows`` of tokens, ``words`` finds these, ``batching`` sorts windows
into batches by length, ``external`` sees where a graph keeps its weights, ``session`` runs it,
``fitting`` asks whether all of them fit, ``cache`` remembers vectors in memory and on disk,
``encoder`` puts them together.
"""

from .encoder import Counts, Encoder, Tokens

__all__ = ["Counts", "Encoder", "Tokens"]
