"""``python -m benchmarks.amr``: how good and how fast the built-in AMR parser is.

Smatch is measured with the smatch package, 10 restarts and a fixed seed, after ``:wiki`` is taken
out. The finer scores are F1 over multisets that are compared graph by graph (docs/guide/amr.md
defines them). ``python -m benchmarks.amr --sample 100`` looks at every n-th graph only, so that
about 100 of a set are left.
"""

import argparse
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import smatch

from dialogauge.amr import Graph, encode, files
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.amr.parser.templates import split_sense
from dialogauge.atomic import writing
from dialogauge.encode.session import cores
from dialogauge.report.markdown import table

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "amr.md"
DATA = Path(os.environ.get("DIALOGAUGE_DATA") or Path(__file__).parents[2] / "shared" / "data")

#: Set -> file, and the Smatch that is to be reached.
SETS = {
    "Little Prince (gold)": ("little_prince_first1000.txt.gz", 0.55),
    "QALD-9 test (gold)": ("qald-9-amr-test.txt", 0.50),
    "Topical-Chat (silver)": ("deam_parsed_valid.txt.gz", 0.60),
}
TRAINED = ("deam_parsed_train.txt.gz", "qald-9-amr-train.txt", "bamboo_sts.amr.gz")
PRONOUNS = frozenset({"i", "you", "he", "she", "it", "we", "they"})
RESTARTS, SEED = 10, 1234
#: How often these sets were looked at, this time included: say so when you measure again.
LOOKS = 7

Items = Iterable[Any]


def concepts(graph: Graph) -> Items:
    """Every concept."""
    return graph.concepts.values()


def polarity(graph: Graph) -> Items:
    """The concepts that carry ``:polarity -``."""
    edges = (edge for edge in graph.edges if edge.role == ":polarity" and edge.target == "-")
    return (graph.concepts[edge.source] for edge in edges)


def unknown(graph: Graph) -> Items:
    """The ``amr-unknown`` nodes."""
    return (concept for concept in graph.concepts.values() if concept == "amr-unknown")


def pronoun_arguments(graph: Graph) -> Items:
    """Role and pronoun of each ``:ARG`` edge that ends in a pronoun."""
    for edge in graph.edges:
        concept = graph.concepts.get(edge.target)
        if concept in PRONOUNS and edge.role.startswith(":ARG"):
            yield edge.role, concept


def framed_pronouns(graph: Graph) -> Items:
    """Frame, role and pronoun of each ``:ARG`` edge that ends in a pronoun."""
    for edge in graph.edges:
        concept = graph.concepts.get(edge.target)
        if concept in PRONOUNS and edge.role.startswith(":ARG"):
            yield graph.concepts[edge.source], edge.role, concept


def names(graph: Graph) -> Items:
    """The words of each name."""
    for variable, concept in graph.concepts.items():
        if concept == "name":
            parts = [e for e in graph.edges if e.source == variable and e.role.startswith(":op")]
            yield tuple(part.target for part in parts)


#: Fine score -> what is compared, and the F1 that is to be reached.
FINE: dict[str, tuple[Callable[[Graph], Items], float | None]] = {
    "concepts": (concepts, 0.75),
    "polarity": (polarity, 0.80),
    "amr-unknown": (unknown, 0.85),
    "pronoun arguments": (pronoun_arguments, 0.80),
    "the same with the frame": (framed_pronouns, None),
    "names": (names, 0.65),
}

Pair = tuple[Graph | None, Graph]  # parsed, true


def f1(matched: float, parsed: float, true: float) -> float:
    return 2 * matched / (parsed + true) if parsed + true else float("nan")


def fine(pairs: Sequence[Pair], items: Callable[[Graph], Items]) -> tuple[float, int]:
    """F1 over all graphs, and how many items the true ones have."""
    matched = written = true = 0
    for parsed, gold in pairs:
        ours, theirs = Counter(items(parsed) if parsed else ()), Counter(items(gold))
        matched += (ours & theirs).total()
        written += ours.total()
        true += theirs.total()
    return f1(matched, written, true), true


def triples(text: str, prefix: str) -> tuple[Any, Any, Any]:
    """Instances, attributes and relations as smatch reads them, variables renamed."""
    line = re.sub(r':wiki\s+("[^"]*"|\S+)', "", " ".join(text.split()))
    read = smatch.amr.AMR.parse_AMR_line(line)
    read.rename_node(prefix)
    parts: tuple[Any, Any, Any] = read.get_triples()
    return parts


def match(parsed: Graph | None, gold: Graph) -> tuple[int, int, int, Counter[str]]:
    """Matched, made and true triples, and what did not match by class."""
    theirs = triples(encode(gold), "b")
    total = sum(map(len, theirs))
    if parsed is None:
        return 0, 0, total, Counter({"no graph": total})
    ours = triples(encode(parsed), "a")
    mapping, matched = smatch.get_best_match(*ours, *theirs, "a", "b")
    smatch.match_triple_dict.clear()
    return matched, sum(map(len, ours)), total, Counter(lost(ours, theirs, mapping))


def lost(ours: Any, theirs: Any, mapping: Sequence[int]) -> Iterator[str]:
    """A class for each true triple that the parse does not have."""
    to_gold = {f"a{at}": f"b{other}" for at, other in enumerate(mapping) if other >= 0}
    concept = {to_gold.get(node): name for _, node, name in ours[0]}
    edges = {(to_gold.get(a), to_gold.get(b)): role for role, a, b in ours[2]}
    attributes = {(role, to_gold.get(a), value) for role, a, value in ours[1]}
    named = {node: name for _, node, name in theirs[0]}
    for _, node, name in theirs[0]:
        if concept.get(node) != name:
            yield _lost_concept(concept.get(node), name)
    for role, node, value in theirs[1]:
        if (role, node, value) not in attributes:
            yield f"constant of :{re.sub('[0-9]+$', '', role)}"
    for role, source, target in theirs[2]:
        if edges.get((source, target)) == role:
            continue
        if (source, target) in edges:
            yield "wrong role between the right nodes"
        elif source in concept and target in concept:
            yield f"edge missing: :{re.sub('[0-9]+$', '', role)}"
        else:
            kind = "frame" if split_sense(named[source])[1] else "other"
            yield f"edge of a missing node ({kind})"


def _lost_concept(parsed: str | None, name: str) -> str:
    if parsed and split_sense(parsed)[0] == split_sense(name)[0]:
        return "concept: another sense"
    if not parsed:
        return "concept: missing node"
    kind = "frame" if split_sense(name)[1] else "name or entity" if "-" in name else "word"
    return f"concept: another {kind}"


class Result(msgspec.Struct, frozen=True):
    """A set, parsed: the graphs, and for each its matched, made and true triples and losses."""

    pairs: list[Pair]
    matches: list[tuple[int, int, int, Counter[str]]]

    def smatch(self, without: frozenset[str] = frozenset()) -> float:
        """F1 over the graphs whose text is not among some."""
        kept = [
            match
            for (_, gold), match in zip(self.pairs, self.matches, strict=True)
            if gold.text.lower() not in without
        ]
        matched, parsed, true = (sum(column) for column in zip(*(m[:3] for m in kept), strict=True))
        return f1(matched, parsed, true)

    def losses(self) -> list[tuple[str, float]]:
        """The classes of lost triples, in per cent of all true ones."""
        true = sum(match[2] for match in self.matches)
        classes = sum((match[3] for match in self.matches), Counter[str]())
        return [(name, 100 * count / true) for name, count in classes.most_common(12)]


def measure(parser: Builtin, file: str, sample: int) -> Result:
    """Parse a set and compare."""
    gold = list(files.read(DATA / "amr" / file))
    gold = gold[:: max(1, len(gold) // sample)] if sample else gold
    pairs = list(zip(parser.parse([graph.text for graph in gold]), gold, strict=True))
    random.seed(SEED)
    smatch.iteration_num = RESTARTS + 1
    return Result(pairs, [match(parsed, graph) for parsed, graph in pairs])


def trained_on() -> frozenset[str]:
    """The texts of the corpora that the parser was trained on."""
    paths = (DATA / "amr" / name for name in TRAINED)
    return frozenset(graph.text.lower() for path in paths for graph in files.read(path))


def speed(parser: Builtin) -> Iterator[str]:
    """Utterances a second on DSTC9 text, together and one at a time."""
    from dialogauge import corpora

    dialogues = corpora.load("dstc9")
    texts = list(dict.fromkeys(turn.text for each in dialogues for turn in each.turns))[:2400]
    parser.parse(texts[-100:])  # warm
    load = os.getloadavg()[0]
    begun, worked = time.perf_counter(), time.process_time()
    parser.parse(texts[:2000])
    together, worked = time.perf_counter() - begun, time.process_time() - worked
    begun = time.perf_counter()
    for text in texts[2000:2300]:
        parser.parse([text])
    alone = time.perf_counter() - begun
    yield (
        f"Speed on DSTC9 text with {cores()} cores: {2000 / together:.0f} utterances/s together "
        f"({2000 / worked:.0f} per second of one core's time), {300 / alone:.0f} one at a time; "
        f"other work on the machine at that time: a load of {load:.1f}."
    )


def page(parser: Builtin, sample: int) -> Iterator[str]:
    """The page, line by line."""
    yield "# The built-in AMR parser, measured"
    yield ""
    yield "Written by `python -m benchmarks.amr`; [amr.md](../guide/amr.md) defines the scores."
    yield f"These sets were measured {LOOKS - 1} times before, for earlier weights and rules."
    yield ""
    results = {name: measure(parser, file, sample) for name, (file, _) in SETS.items()}
    yield scores(results)
    yield ""
    yield from speed(parser)
    yield ""
    yield "What costs most: true triples that the parse does not have, in per cent of all."
    for name, result in results.items():
        yield f"\n**{name}**\n"
        losses = ((each, f"{share:.1f}") for each, share in result.losses())
        yield table(("class", "per cent"), losses)


def scores(results: dict[str, Result]) -> str:
    """The table of scores."""
    seen = trained_on()
    measured = results.values()
    floors = ", ".join(f"{floor:.2f}" for _, floor in SETS.values())
    apart = (f"{each.smatch(seen):.3f}" for each in measured)
    rows: list[tuple[object, ...]] = [
        ("Smatch F1", floors, *(f"{each.smatch():.3f}" for each in measured)),
        ("without sentences that training has too", "", *apart),
    ]
    for label, (items, floor) in FINE.items():
        shares = (fine(each.pairs, items) for each in measured)
        rows.append((label, floor or "", *(f"{score:.3f} (n={count})" for score, count in shares)))
    return table(("score", "to reach", *results), rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", type=int, default=0, help="graphs of each set; 0: all")
    options.add_argument("--model", default="amr", help="name or folder of the parser")
    given = options.parse_args()
    lines = []
    for line in page(Builtin.load(given.model), given.sample):
        print(line, flush=True)
        lines.append(line)
    if not given.sample:
        with writing(PAGE) as file:
            file.write("\n".join([*lines, ""]).encode())


if __name__ == "__main__":
    main()
