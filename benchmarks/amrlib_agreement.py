"""How far our reading of amrlib's models agrees with amrlib itself.

Needs ``pip install amrlib unidecode word2number`` and the corpora: every fourth silver graph of
DEAM's Topical-Chat parses is written by amrlib's serialiser, read by both, aligned and tagged by
both, with the same words and lemmas.

    python benchmarks/amrlib_agreement.py
"""

import logging
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import amrlib
import penman  # type: ignore[import-untyped]
from amrlib.alignments.rbw_aligner import RBWAligner
from amrlib.graph_processing import annotator
from amrlib.models.generate_xfm.model_input_helper import ModelInputHelper
from amrlib.models.parse_xfm.penman_serializer import PenmanDeSerializer, PenmanSerializer
from penman.models.noop import NoOpModel  # type: ignore[import-untyped]

from dialogauge import language
from dialogauge.amr import Graph, decode, encode, files
from dialogauge.amr.amrlib.linear import delinearised, linearised
from dialogauge.amr.amrlib.matching import align
from dialogauge.amr.amrlib.seq2seq import tagged

DATA = Path(os.environ.get("DIALOGAUGE_DATA", "../shared/data"))


def triples(graph: Graph) -> Counter[tuple[str, str, str]]:
    named = graph.concepts
    return Counter(
        (named[edge.source], edge.role, named.get(edge.target, edge.target)) for edge in graph.edges
    )


def read_alike(graph: Graph) -> bool:
    line = PenmanSerializer(f"# ::snt x\n{encode(graph)}").get_graph_string()
    ours = delinearised(line)
    theirs = decode(PenmanDeSerializer(line).get_graph_string())
    return ours is not None and triples(ours) == triples(theirs)


def alignments(graph: Graph, words: Sequence[Any]) -> Counter[str]:
    named = [word.tag_.startswith("NNP") or bool(word.ent_type_) for word in words]
    lemmas = [
        word.text if is_name else word.lemma_.lower()
        for word, is_name in zip(words, named, strict=True)
    ]
    texts = [word.text for word in words]
    ours = align(graph, texts, [word.lemma_ for word in words])
    written = penman.decode(encode(graph), model=NoOpModel())
    aligned = RBWAligner(written, texts, lemmas).alignments
    theirs = {(it.triple[0], at) for at, it in enumerate(aligned) if it and it.is_concept()}
    count = Counter({"variables": len(graph.concepts)})
    for variable in graph.concepts:
        own, other = set(ours.get(variable, ())), {at for it, at in theirs if it == variable}
        count["ours"] += bool(own)
        count["theirs"] += bool(other)
        count["both"] += bool(own and other)
        count["same"] += bool(own & other)
    return count


def tags(line: str) -> Counter[str]:
    words = (word.rstrip(")") for word in line.split())
    return Counter(word for word in words if "~" in word and not word.startswith(":"))


def main() -> None:
    logging.disable()
    nlp = language.load()
    annotator.spacy_nlp = nlp.nlp
    graphs = list(files.read(DATA / "amr" / "deam_parsed_train.txt.gz"))[::4]
    words: Counter[str] = Counter()
    both = theirs = alike = 0
    for graph in graphs:
        alike += read_alike(graph)
        words += alignments(graph, list(nlp(graph.text)))
        helper = ModelInputHelper(f"# ::snt {graph.text}\n{encode(graph)}")
        one, other = tags(helper.get_tagged_oneline()), tags(linearised(tagged(graph, nlp)))
        both, theirs = both + (one & other).total(), theirs + one.total()
    print(f"amrlib {amrlib.__version__}, {len(graphs)} graphs")
    print(f"the same graph read: {alike / len(graphs):.1%}")
    for who in ("ours", "theirs"):
        print(f"variables with a word, {who}: {words[who] / words['variables']:.1%}")
    print(f"the same word where both have one: {words['same'] / words['both']:.1%}")
    print(f"amrlib's tags that are ours too: {both / theirs:.1%}")


if __name__ == "__main__":
    main()
