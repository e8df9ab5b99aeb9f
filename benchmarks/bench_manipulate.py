"""Edits per second: words and turns, and meaning once dialogues are parsed, beside naive loops.

Seconds are those of the processor, since targets are for a core and the machine may be shared.

The naive author of a word or turn edit works on plain dictionaries: a deep copy so that the input
stays as it was, the same edit, a diff of every turn to say what changed, and JSON out and in again
between the stages. The naive author of a meaning edit parses a dialogue each time it is edited.
"""

import copy
import json
import time
from collections.abc import Sequence
from difflib import SequenceMatcher
from random import Random

from dialogauge import corpora
from dialogauge.amr.parser.builtin import Builtin
from dialogauge.dialogue import Dialogue, encode
from dialogauge.errors import DataError
from dialogauge.manipulate import catalogue
from dialogauge.manipulate.catalogue import MANIPULATIONS, TURNS, WORDS
from dialogauge.manipulate.manipulation import seeded
from dialogauge.manipulate.pool import Pool

from .manipulate import some
from .timing import best

DIALOGUES, PARSED = 300, 12
TAGGED = {"nouns-pronouns-verbs", "only-nouns", "no-entities", "synonyms"}
MEANING = tuple(each.name for each in catalogue.MEANING)
QUICK = tuple(each.name for each in (*WORDS, *TURNS) if each.name not in TAGGED)
TARGETS = {"words and turns": 2000, "meaning": 20}  # dialogues/s on one core


def main() -> None:
    try:
        talk = [each for each in corpora.load("topical-chat") if each.level == "dialogue"]
    except DataError:
        print("manipulate: needs Topical-Chat: set DIALOGAUGE_DATA")
        return
    chats = some(talk, DIALOGUES)
    pool = Pool(chats)
    plain = [json.loads(encode(each)) for each in chats]
    ours, theirs = best(
        lambda: edits(chats, QUICK, pool),
        lambda: naive(plain, len(QUICK)),
        rounds=3,
        clock=time.process_time,
    )
    show("words and turns", len(chats) * len(QUICK), ours, "dictionaries and JSON", theirs)
    few = some(talk, PARSED)
    remembering, again = Pool(few), Pool(few, parser=Builtin.load())
    edits(few, MEANING, remembering)  # parsed now
    ours, theirs = best(
        lambda: edits(few, MEANING, remembering),
        lambda: edits(few, MEANING, again),
        rounds=2,
        clock=time.process_time,
    )
    show("meaning", len(few) * len(MEANING), ours, "parsing each time", theirs)


def edits(chats: Sequence[Dialogue], names: Sequence[str], pool: Pool) -> int:
    """Each manipulation of each dialogue; how many applied."""
    return sum(
        MANIPULATIONS[name](chat, seeded(0, chat.id, name), pool) is not None
        for chat in chats
        for name in names
    )


def naive(chats: Sequence[dict[str, list[dict[str, str]]]], times: int) -> int:
    """So many shuffles of the words of a turn, as one would write it by hand."""
    edits = 0
    rng = Random(0)
    for chat in chats:
        for _ in range(times):
            edited = copy.deepcopy(chat)
            turn = rng.choice(edited["turns"][1:])
            words = turn["text"].split()
            rng.shuffle(words)
            turn["text"] = " ".join(words)
            changes = [
                SequenceMatcher(None, old["text"].split(), new["text"].split()).get_opcodes()
                for old, new in zip(chat["turns"], edited["turns"], strict=True)
            ]
            row = json.dumps({"dialogue": edited, "changes": changes})
            edits += json.loads(row)["dialogue"] != chat
    return edits


def show(what: str, count: int, ours: float, peer: str, theirs: float) -> None:
    speed, target = count / ours, TARGETS[what]
    met = "met" if speed >= target else "MISSED"
    print(
        f"manipulate, {what}: {speed:,.0f} dialogues/s on one core (target {target:,}: {met}); "
        f"{peer}: {count / theirs:,.0f}, {theirs / ours:.1f} times as fast",
        flush=True,
    )
