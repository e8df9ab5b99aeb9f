"""DCGEval: rank responses by their text and their cognition graph, then learn people's scale."""
