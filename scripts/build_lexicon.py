"""Make ``src/dialogauge/language/lexicon.zst`` from WordNet 3.0.

    sudo apt-get install wordnet-base        # Debian and Ubuntu: files in /usr/share/wordnet
    python scripts/build_lexicon.py          # or: build_lexicon.py WORDNET_FOLDER OUTPUT

The same WordNet gives the same text on every run, and the same zstd packs it into the same bytes.
The script prints the sha256 of the file, which belongs into ``SHA256`` of ``language/lexicon.py``;
that module also describes the format.

What is read: the words of each synset and the pointers to antonyms, to hypernyms and from an
adjective to the head of its cluster (``data.*``), the order of a word's senses (``index.*``), how
often annotators chose a sense (``cntlist.rev``) and irregular forms (``*.exc``). Glosses and all
other pointers stay behind.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import zstandard

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSE_KEY_TYPES = {"n": "1", "v": "2", "a": "3", "r": "4", "s": "5"}
OUTPUT = Path(__file__).parent.parent / "src/dialogauge/language/lexicon.zst"


class Word(NamedTuple):
    """A word in a synset, and the number that tells its senses apart in one file."""

    name: str  # with its syntactic marker, as in "preceding(a)"
    lex_id: int

    @property
    def plain(self) -> str:
        """The word as people write it."""
        return self.name.partition("(")[0]


class Synset(NamedTuple):
    """Words that mean one thing."""

    key: tuple[str, str]  # part of speech and offset: WordNet's address
    lex_file: str
    kind: str  # like the part of speech, but "s" for an adjective satellite
    words: tuple[Word, ...]
    pointers: tuple[tuple[str, ...], ...]  # symbol, offset, part of speech, source and target


def rows(path: Path) -> Iterator[list[str]]:
    """The fields of each line; lines that begin with two blanks are the licence."""
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("  "):
            yield line.partition(" | ")[0].split()


def synset(pos: str, row: list[str]) -> Synset:
    size = int(row[3], 16)
    words = tuple(Word(row[i], int(row[i + 1], 16)) for i in range(4, 4 + 2 * size, 2))
    first = 5 + 2 * size
    starts = range(first, first + 4 * int(row[first - 1]), 4)
    return Synset(
        (pos, row[0]), row[1], row[2], words, tuple(tuple(row[i : i + 4]) for i in starts)
    )


def read_synsets(wordnet: Path) -> list[Synset]:
    return [
        synset(pos, row) for pos, name in FILES.items() for row in rows(wordnet / f"data.{name}")
    ]


def sense_key(synset: Synset, word: Word, heads: dict[str, Word]) -> str:
    """WordNet's name of a sense; a satellite is named after the head of its cluster."""
    head = ":"
    if synset.kind == "s":
        near = [heads[p[1]] for p in synset.pointers if p[0] == "&" and p[1] in heads]
        head = f"{near[0].name.lower()}:{near[0].lex_id:02d}"
    kind = SENSE_KEY_TYPES[synset.kind]
    return f"{word.plain.lower()}%{kind}:{synset.lex_file}:{word.lex_id:02d}:{head}"


def read_counts(wordnet: Path, synsets: list[Synset]) -> dict[tuple[tuple[str, str], str], int]:
    """How often annotators chose a synset for a word: (synset, word) -> count."""
    tagged = {key: int(count) for key, _, count in rows(wordnet / "cntlist.rev")}
    heads = {entry.key[1]: entry.words[0] for entry in synsets if entry.kind == "a"}
    return {
        (entry.key, word.plain.lower()): tagged.get(sense_key(entry, word, heads), 0)
        for entry in synsets
        for word in entry.words
    }


def synset_lines(synsets: list[Synset]) -> list[str]:
    return [" ".join([entry.key[0], *(word.plain for word in entry.words)]) for entry in synsets]


def sense_lines(wordnet: Path, synsets: list[Synset]) -> list[str]:
    number = {entry.key: index for index, entry in enumerate(synsets)}
    counts = read_counts(wordnet, synsets)
    senses: dict[str, list[str]] = {}
    for pos, name in FILES.items():
        for row in rows(wordnet / f"index.{name}"):
            for offset in row[-int(row[2]) :]:
                count = counts[(pos, offset), row[0]]
                sense = f"{number[pos, offset]}" + (f":{count}" if count else "")
                senses.setdefault(row[0], []).append(sense)
    return [f"{word} {' '.join(senses[word])}" for word in sorted(senses)]


def antonym_lines(synsets: list[Synset]) -> list[str]:
    number = {entry.key: index for index, entry in enumerate(synsets)}
    return [
        f"{number[entry.key]} {int(ends[:2], 16) - 1} {number[pos, offset]} {int(ends[2:], 16) - 1}"
        for entry in synsets
        for symbol, offset, pos, ends in entry.pointers
        if symbol == "!"
    ]


def above_lines(synsets: list[Synset]) -> list[str]:
    """Of each synset the ones above it: hypernyms, classes of an instance, a satellite's head."""
    number = {entry.key: index for index, entry in enumerate(synsets)}
    return [
        " ".join(
            str(number[pos, offset])
            for symbol, offset, pos, _ in entry.pointers
            if symbol in ("@", "@i") or (symbol == "&" and entry.kind == "s")
        )
        for entry in synsets
    ]


def irregular_lines(wordnet: Path) -> list[str]:
    return [
        " ".join([pos, *row])
        for pos, name in FILES.items()
        for row in rows(wordnet / f"{name}.exc")
    ]


def build(wordnet: Path) -> bytes:
    """The lexicon's text: a header, then its sections."""
    synsets = read_synsets(wordnet)
    sections = {
        "synsets": synset_lines(synsets),
        "senses": sense_lines(wordnet, synsets),
        "antonyms": antonym_lines(synsets),
        "irregular": irregular_lines(wordnet),
        "above": above_lines(synsets),
    }
    lengths = {name: len(lines) for name, lines in sections.items()}
    header = {"lexicon": 1, "source": "WordNet 3.0", "sections": lengths}
    lines = [json.dumps(header), *(line for section in sections.values() for line in section)]
    return ("\n".join(lines) + "\n").encode("ascii")


def main(wordnet: Path = Path("/usr/share/wordnet"), output: Path = OUTPUT) -> None:
    text = build(wordnet)
    packed = zstandard.ZstdCompressor(level=19).compress(text)
    output.write_bytes(packed)
    print(f"{output}: {len(packed):,} bytes, {len(text):,} unpacked")
    print(f"sha256: {sha256(packed).hexdigest()}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
