"""What is learnt from, made once and kept: excerpts, each damaged in many ways, and harmless edits.

To damage meaning takes a parser and a while, so that excerpts are made in parts, each a file in the
run's folder: a run that was stopped goes on with the next part. Foreign turns come from the same
corpus, because those of another are told by their style.
"""

import multiprocessing
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from ....atomic import writing
from ....dialogue import Dialogue
from ....encode.session import cores
from ....errors import DialogaugeError
from ....manipulate.catalogue import find
from ....manipulate.manipulation import Manipulation, same_text, seeded
from ....manipulate.pool import Pool, Translate
from ....manipulate.responses import sentences
from ...data import Half, Material
from ...recipe import AtLeastOne
from ...written import Decided
from .damage import Broken, Damaged, breaks, damaged, names
from .excerpts import Cutting, excerpts

#: Excerpts of a part, and from how many missing parts on they are made by several processes.
_PART, _MANY = 250, 3
#: Where more of a turn than this differs, it is the turn as a whole that is wrong.
_WORDS = 0.6
#: Edits that leave the sense as it is.
HARMLESS = ("synonyms", "no-punctuation", "contractions", "lower-case", "back-translation")


class Excerpt(msgspec.Struct, frozen=True, array_like=True):
    """Some turns of a conversation, what was made of them, and other words for each turn."""

    id: str
    turns: tuple[tuple[str, str], ...]  # speaker, text
    worse: tuple[Damaged, ...]
    same: tuple[tuple[str, ...], ...]  # of each turn, texts that say the same


class Making(Cutting, frozen=True, forbid_unknown_fields=True):
    """How excerpts are cut and damaged."""

    damage: tuple[str, ...] = ()  # manipulations; none: all of damage.CAUSES
    harmless: tuple[str, ...] = HARMLESS
    tries: AtLeastOne = 1  # of each damage of meaning, to learn from


class _Job(NamedTuple):
    """Excerpts that are made together."""

    cut: list[Dialogue]
    pool: Pool  # where what is foreign to them comes from
    tries: int


class Maker:
    """Makes the excerpts of a run and keeps them."""

    def __init__(
        self,
        making: Making,
        seed: int,
        folder: Path,
        translate: Translate | None = None,
        written: Sequence[Decided] = (),
    ) -> None:
        self.making, self.seed, self.folder, self.translate = making, seed, folder, translate
        self.written = written

    @property
    def _asked(self) -> tuple[str, ...]:
        return self.making.damage or names()

    def make(self, material: Material, half: Half) -> list[Excerpt]:
        """The excerpts of one half."""
        jobs = list(self._jobs(material, half))
        missing = [job for job in jobs if not self._path(job).exists()]
        if len(missing) >= _MANY:
            self._make_beside(missing)
        made = [excerpt for job in jobs for excerpt in self._part(job)]
        own = self._written(half)
        rest = len(made) - len(own)
        both = zip(own, made[rest:], strict=True)
        return made[:rest] + [way for chat, first in both for way in _ways(chat, first)]

    def _written(self, half: Half) -> list[Decided]:
        """Those of a half; programs damage the first way, so that every other is turned round."""
        own = [each for each in self.written if each.side == half]
        return [each.turned() if at % 2 else each for at, each in enumerate(own)]

    def _make_beside(self, jobs: Sequence[_Job]) -> None:
        """Make parts in as many processes as there are cores; what one fails at is made later.

        They are forked, so that nothing but files comes back, and before this process has a network
        of its own, whose threads would not be there.
        """
        context = multiprocessing.get_context("fork")
        shares = [jobs[at :: cores()] for at in range(cores())]
        workers = [
            context.Process(target=self._make_all, args=(share,), daemon=True) for share in shares
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def _make_all(self, jobs: Sequence[_Job]) -> None:
        """Make some parts; whoever waits for them meets what goes wrong again, and says it."""
        with suppress(DialogaugeError, KeyboardInterrupt):
            for job in jobs:
                self._part(job)

    def _jobs(self, material: Material, half: Half) -> Iterator[_Job]:
        """The parts; what is foreign to a part comes from its corpus."""
        tries = self.making.tries if half == "train" else 1
        corpora = defaultdict[int, list[Dialogue]](list)
        origins = material.origins(half)
        for dialogue, number in zip(material.dialogues(half), origins, strict=True):
            corpora[number].append(dialogue.spoken)
        for corpus in corpora.values():
            pool = Pool(corpus, translate=self.translate)
            cut = list(excerpts(corpus, self.making, self.seed))
            yield from _parts(cut, pool, tries)
        written = [each.ways[0] for each in self._written(half)]  # one way: it takes a while
        yield from _parts(written, Pool(written, translate=self.translate), 1)

    def _part(self, job: _Job) -> list[Excerpt]:
        path = self._path(job)
        if not path.exists():
            if self.translate:  # which remembers: one call of its program is enough
                turns = (turn for excerpt in job.cut for turn in excerpt.turns)
                self.translate([it for turn in turns for it in sentences(turn.text)])
            made = [self._made(excerpt, job) for excerpt in job.cut]
            with writing(path) as file:
                file.write(msgspec.json.encode(made))
        return msgspec.json.decode(path.read_bytes(), type=list[Excerpt])

    def _made(self, excerpt: Dialogue, job: _Job) -> Excerpt:
        worse = tuple(damaged(excerpt, self._asked, job.pool, self.seed, job.tries))
        same = harmless(excerpt, self.making.harmless, job.pool, self.seed)
        turns = tuple((turn.speaker, turn.text) for turn in excerpt.turns)
        return Excerpt(excerpt.id, turns, worse, same)

    def _path(self, job: _Job) -> Path:
        turns = [each.turns for each in job.cut]
        facts = msgspec.json.encode((self.making, self._asked, self.seed, job.tries, turns))
        return self.folder / f"excerpts-{sha256(facts).hexdigest()[:16]}.json"


def _parts(cut: list[Dialogue], pool: Pool, tries: int) -> Iterator[_Job]:
    for start in range(0, len(cut), _PART):
        yield _Job(cut[start : start + _PART], pool, tries)


def _ways(chat: Decided, first: Excerpt) -> Iterator[Excerpt]:
    """Both ways of a conversation, each with what breaks it; programs damaged the first, too."""
    one, two = chat.ways
    worse = (*broken(chat, 0), *first.worse)
    yield msgspec.structs.replace(first, id=one.id, worse=worse)
    turns = tuple((turn.speaker, turn.text) for turn in two.turns)
    yield Excerpt(two.id, turns, tuple(broken(chat, 1)), ((),) * len(turns))


def broken(chat: Decided, way: int) -> Iterator[Damaged]:
    """One way, each time with another later turn from the other, to learn from."""
    for edited in chat.edits(way):
        turns = tuple((turn.speaker, turn.text) for turn in edited.dialogue.turns)
        where = (_told(it, len(turns[it.turn][1])) for it in breaks(edited, chat.name))
        yield Damaged(chat.name, turns, tuple(where))


def _told(broken: Broken, length: int) -> Broken:
    """The same, without words where most of the turn is other words."""
    some = sum(end - start for start, end in broken.spans) <= _WORDS * length
    return broken if some else Broken(broken.turn)


def harmless(
    excerpt: Dialogue, names: Sequence[str], pool: Pool, seed: int
) -> tuple[tuple[str, ...], ...]:
    """Of each turn what some harmless manipulations make of it, each text once."""
    others: list[dict[str, None]] = [{} for _ in excerpt.turns]
    for name in names:
        edited = everywhere(name)(excerpt, seeded(seed, excerpt.id, name), pool)
        for change in edited.changes if edited else ():
            if change.turn is not None and not same_text(change.before, change.after):
                others[change.turn][change.after] = None
    return tuple(tuple(texts) for texts in others)


def everywhere(name: str) -> Manipulation:
    """A harmless manipulation, of every turn."""
    edit = find(name)
    share = msgspec.structs.replace(edit.edit, share=1.0)  # type: ignore[type-var]
    return msgspec.structs.replace(edit, edit=share)
