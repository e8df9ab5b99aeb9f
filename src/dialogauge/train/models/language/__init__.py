"""The English pipeline: tags, lemmas, parses and names, by spaCy's own training."""
