"""ConceptNet as a graph, the vectors learned from it, and the bridge from the encoder to them."""
