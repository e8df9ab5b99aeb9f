"""What is learnt from, made once and kept: excerpts, each damaged in many ways, and harmless edits.

To damage meaning takes a parser and a while, so that excerpts are made in parts, each a file in the
run's folder: a run that was stopped goes on with the next part. Foreign turns come from the same
corpus, because those of another are told by their style.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from ....atomic import writing
from ....dialogue import Dialogue
from ....manipulate.catalogue import find
from ....manipulate.manipulation import same_text, seeded
from ....manipulate.pool import Pool, Translate
from ...data import Half, Material
from .damage import Damaged, damaged, names
from .excerpts import Cutting, excerpts

#: Excerpts of a part.
_PART = 250
#: Edits that leave the sense as it is.
_HARMLESS = ("synonyms", "no-punctuation", "contractions", "lower-case", "back-translation")


class Excerpt(msgspec.Struct, frozen=True, array_like=True):
    """Some turns of a conversation, what was made of them, and other words for each turn."""

    id: str
    turns: tuple[tuple[str, str], ...]  # speaker, text
    worse: tuple[Damaged, ...]
    same: tuple[tuple[str, ...], ...]  # of each turn, texts that say the same


class Making(Cutting, frozen=True, forbid_unknown_fields=True):
    """How excerpts are cut and damaged."""

    damage: tuple[str, ...] = ()  # manipulations; none: all of damage.CAUSES
    harmless: tuple[str, ...] = _HARMLESS


class Maker:
    """Makes the excerpts of a run and keeps them."""

    def __init__(
        self, making: Making, seed: int, folder: Path, translate: Translate | None = None
    ) -> None:
        self.making, self.seed, self.folder, self.translate = making, seed, folder, translate

    def make(
        self, material: Material, half: Half, told: Callable[[int, int], None] = lambda *_: None
    ) -> list[Excerpt]:
        """The excerpts of one half; ``told`` hears how many parts there are of how many."""
        made = list[Excerpt]()
        jobs = list(self._jobs(material, half))
        for number, (cut, pool) in enumerate(jobs):
            made += self._part(cut, pool)
            told(number + 1, len(jobs))
        return made

    def _jobs(self, material: Material, half: Half) -> Iterator[tuple[list[Dialogue], Pool]]:
        """Excerpts that are made together, and where what is foreign to them comes from."""
        corpora = defaultdict[int, list[Dialogue]](list)
        origins = material.origins(half)
        for dialogue, number in zip(material.dialogues(half), origins, strict=True):
            corpora[number].append(dialogue.spoken)
        for corpus in corpora.values():
            pool = Pool(corpus, translate=self.translate)
            cut = list(excerpts(corpus, self.making, self.seed))
            for start in range(0, len(cut), _PART):
                yield cut[start : start + _PART], pool

    def _part(self, cut: Sequence[Dialogue], pool: Pool) -> list[Excerpt]:
        path = self.folder / f"excerpts-{self._digest(cut)}.json"
        if not path.exists():
            made = [self._made(excerpt, pool) for excerpt in cut]
            with writing(path) as file:
                file.write(msgspec.json.encode(made))
        return msgspec.json.decode(path.read_bytes(), type=list[Excerpt])

    def _made(self, excerpt: Dialogue, pool: Pool) -> Excerpt:
        worse = tuple(damaged(excerpt, self.making.damage or names(), pool, self.seed))
        same = harmless(excerpt, self.making.harmless, pool, self.seed)
        turns = tuple((turn.speaker, turn.text) for turn in excerpt.turns)
        return Excerpt(excerpt.id, turns, worse, same)

    def _digest(self, cut: Sequence[Dialogue]) -> str:
        facts = msgspec.json.encode((self.making, self.seed, [each.turns for each in cut]))
        return sha256(facts).hexdigest()[:16]


def harmless(
    excerpt: Dialogue, names: Sequence[str], pool: Pool, seed: int
) -> tuple[tuple[str, ...], ...]:
    """Of each turn what some harmless manipulations make of it, each text once."""
    others: list[dict[str, None]] = [{} for _ in excerpt.turns]
    for name in names:
        edit = find(name)
        share = msgspec.structs.replace(edit.edit, share=1.0)  # type: ignore[type-var]
        everywhere = msgspec.structs.replace(edit, edit=share)
        edited = everywhere(excerpt, seeded(seed, excerpt.id, name), pool)
        for change in edited.changes if edited else ():
            if change.turn is not None and not same_text(change.before, change.after):
                others[change.turn][change.after] = None
    return tuple(tuple(texts) for texts in others)
