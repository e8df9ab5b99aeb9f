"""The card of a folder of concepts: where it comes from, its licence, what was measured."""

from collections.abc import Sequence

import msgspec

from ....knowledge.store import Built
from ....knowledge.vectors import Vectors
from .fit import Trial
from .ridge import Fitted

#: Everyday words whose neighbours a reader can judge.
EVERYDAY = (
    "dog coffee rain happy sad school doctor car music cook sleep money "
    "beach friend computer football movie bread birthday winter"
)


class Facts(msgspec.Struct, frozen=True):
    """What was made and measured."""

    files: list[str]
    built: Built
    vectors: int
    trials: list[Trial]  # the best first, on the edges for choosing
    tested: Trial  # the chosen settings on the edges for testing
    bridge: Fitted


def card(facts: Facts, vectors: Vectors) -> str:
    """The page."""
    built, reading = facts.built, facts.built.reading
    chosen = facts.trials[0]
    return TEMPLATE.format(
        concepts=built.concepts,
        edges=built.edges,
        relations=built.relations,
        lines=reading.lines,
        malformed=reading.malformed,
        files=" ".join(facts.files),
        vectors=facts.vectors,
        settings=chosen.settings,
        chosen=chosen,
        tested=facts.tested,
        trials=_trials(facts.trials),
        bridge=facts.bridge,
        neighbours=_neighbours(vectors),
    )


def _trials(trials: Sequence[Trial]) -> str:
    """The best of each width."""
    best: dict[int, Trial] = {}
    for trial in trials:
        best.setdefault(trial.settings.width, trial)
    return "\n".join(
        f"| {width} | {trial.settings.itself:g} | {trial.settings.typed:g} | "
        f"{trial.settings.power:g} | {trial.uniform:.3f} | {trial.matched:.3f} |"
        for width, trial in sorted(best.items())
    )


def _neighbours(vectors: Vectors) -> str:
    return "\n".join(
        f"| {word} | {', '.join(name for name, _ in vectors.nearest(vectors[word], 9)[1:])} |"
        for word in EVERYDAY.split()
        if word in vectors
    )


TEMPLATE = """# concepts

What people know of everyday things: ConceptNet as a graph, and vectors learned from it.

This work includes data from ConceptNet 4 and ConceptNet 5, which was compiled by the Commonsense
Computing Initiative. ConceptNet is freely available under the Creative Commons
Attribution-ShareAlike licence (CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/) from
https://conceptnet.io. The included data was created by contributors to Commonsense Computing
projects, contributors to Wikimedia projects, Games with a Purpose, Princeton University's WordNet,
DBPedia, OpenCyc, and Umbel. The graph is the data in another form; the vectors and the bridge are
derived from it. **The files of this folder are therefore under CC BY-SA 4.0**, and not under the
licence of the program. Cite Speer, Chin and Havasi (2017), *ConceptNet 5.5: An Open Multilingual
Graph of General Knowledge*.

- `graph.arrays`: {concepts:,} concepts, {edges:,} edges, {relations} relations, of {lines:,} lines
  ({malformed} malformed). ConceptNet 4 as the authors of divisi2 released it; antonyms and denials
  of ConceptNet 5 as the authors of DEAM released them.
- `vectors.arrays`: {vectors:,} concepts by {settings.width}, int8: words with at least three
  neighbours and phrases with at least five.
- `bridge.arrays`: a linear map from the vectors of `{encoder}` to these.

Names of ConceptNet 4 are normalised (`unite state`): they are for looking up, not for writing.

```sh
python -m dialogauge.knowledge concepts {files}
```

## Vectors

Truncated SVD of the matrix of concepts by features (`knowledge/fit.py`): weight of the concept as
its own feature {settings.itself:g}, of the columns that know the relation {settings.typed:g}, power
of the singular values {settings.power:g}. Settings were chosen on 8,000 held-out edges; the numbers
for testing are of another 8,000, with int8 vectors trained without both. No edge of any relation or
direction between the concepts of a held-out one was left in. The vectors that ship were trained
with the same settings on all edges. Two choices were made by eye, from the nearest neighbours:
columns that know the relation were kept although 0.002 of the area could be had without, and a
phrase needs five neighbours.

| area under the curve: held-out edges against pairs of | for choosing | for testing |
| --- | --- | --- |
| concepts drawn uniformly | {chosen.uniform:.3f} | {tested.uniform:.3f} |
| concepts drawn as often as they are ends (matched) | {chosen.matched:.3f} | {tested.matched:.3f} |

The best settings of each width, on the edges for choosing:

| width | itself | typed | power | uniform | matched |
| --- | --- | --- | --- | --- | --- |
{trials}

## Bridge

Ridge regression, penalty {bridge.penalty:g}, fitted to eight tenths of {bridge.concepts:,} names;
one tenth chose the penalty. On the {bridge.tested:,} others the mean cosine of the mapped vector to
the concept's own is {bridge.cosine:.3f}, and to another concept's {bridge.shuffled:.3f}: a guess of
the topic, no more.

## Nearest neighbours

| word | nearest, by cosine |
| --- | --- |
{neighbours}
""".replace("{encoder}", "dialogue-minilm")
