"""``python -m dialogauge.knowledge OUT FILE...``: store, vectors, bridge and card, from ConceptNet.

``OUT`` is the model folder to write, the files are those that :func:`~.store.build` reads. This is
how the folder ``concepts`` that ships was made; it takes about ten minutes on one core.
"""

import sys
from pathlib import Path

import msgspec
import numpy as np

from .... import models
from ....atomic import reporting, write_json, writing
from ....errors import DialogaugeError
from ....knowledge.shipped import BRIDGE, STORE, VECTORS
from ....knowledge.store import Store, build
from ....printable import printable
from .card import Facts, card
from .fit import Held, choose, graph_of, hold_out, judge, learn, without
from .ridge import fit_bridge

SEED = 0


def make(to: Path, files: list[Path]) -> Facts:
    """Write a model folder of concepts and say what it is worth."""
    with reporting(to):
        to.mkdir(parents=True, exist_ok=True)
    built = build(files, to / STORE)
    store = Store.open(to / STORE)
    graph = graph_of(store)
    rng = np.random.default_rng(SEED)
    held: list[Held] = list(hold_out(graph, rng))
    trials = choose(without(graph, held), held[0], rng)
    settings = trials[0].settings
    trained = learn(without(graph, held), settings, rng)
    tested = judge(trained.rows(np.arange(len(trained))), held[1], settings)
    vectors = learn(graph, settings, rng)
    vectors.save(to / VECTORS)
    bridge, fitted = fit_bridge(vectors, rng)
    bridge.save(to / BRIDGE)
    facts = Facts([file.name for file in files], built, len(vectors), trials, tested, fitted)
    config = {"model": "concepts", "name": to.name, "width": vectors.width}
    write_json(to / "config.json", config)
    _write(to / "card.md", card(facts, vectors).encode())
    models.seal(to)
    return facts


def _write(path: Path, content: bytes) -> None:
    with writing(path) as file:
        file.write(content)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python -m dialogauge.knowledge OUT FILE...")
    try:
        print(msgspec.json.encode(make(Path(sys.argv[1]), list(map(Path, sys.argv[2:])))).decode())
    except DialogaugeError as error:
        sys.exit(printable(str(error)))
