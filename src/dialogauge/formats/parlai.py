"""ParlAI's two layouts.

- Conversations: one JSON object per line, ``{"dialog": [[{"id": ..., "text": ...}, ...], ...]}``;
  ``context`` (a persona) is kept as asides.
- Exchanges: one per line, either ``text:...<TAB>labels:...<TAB>episode_done:True`` or a JSON object
  with the same fields; ``text`` is what A says, the first of ``labels`` what B answers.
"""

import re
from collections.abc import Iterator
from typing import IO, Any

from ..dialogue import Dialogue, Turn, mend
from ..errors import RecordError
from .messages import assemble, json_object, kind, listed
from .records import Count, Record, lines, within_limit

_DONE = re.compile(rb'episode_done"?\s*:\s*(true|1)\b', re.IGNORECASE)


def parse_conversation(record: Record, name: str, count: Count) -> Dialogue:
    """A dialogue from ``{"dialog": [...]}``."""
    outer = json_object(record, count)
    turns = [
        _turn(message, f"context[{at}]", aside=True)
        for at, message in enumerate(listed(outer.get("context") or [], "context"))
    ]
    for at, exchange in enumerate(listed(outer.get("dialog"), "dialog")):
        messages = exchange if isinstance(exchange, list) else [exchange]
        turns += [_turn(message, f"dialog[{at}]", aside=False) for message in messages]
    return assemble(outer, turns, name)


def _turn(message: Any, field: str, aside: bool) -> Turn:
    if not isinstance(message, dict) or not isinstance(message.get("text"), str):
        raise RecordError("expected an object with id and text", field=field)
    return Turn(str(message.get("id") or "speaker"), message["text"], aside)


def cut_episodes(stream: IO[bytes]) -> Iterator[Record]:
    """The exchanges up to and including ``episode_done``, as one record."""
    group: list[Record] = []
    size = 0
    for line in lines(stream):
        group.append(line)
        size += len(line.raw)
        within_limit(size, group[0].line)
        if _DONE.search(line.raw):
            yield _episode(group)
            group, size = [], 0
    if group:
        yield _episode(group)


def _episode(group: list[Record]) -> Record:
    return Record(group[0].line, b"\n".join(line.raw for line in group), tuple(group))


def parse_episode(record: Record, name: str, count: Count) -> Dialogue:
    """A dialogue from the exchanges of one episode."""
    turns = []
    for line in record.value:
        exchange = _exchange(line, count)
        answer = exchange.get("labels", exchange.get("eval_labels"))
        answer = answer[0] if isinstance(answer, list) and answer else answer
        for speaker, text in (("A", exchange.get("text")), ("B", answer)):
            if isinstance(text, str):
                turns.append(Turn(speaker, text))
            elif text or speaker == "A":
                raise RecordError(f"expected text, got {kind(text)}", line=line.line, field="text")
    return Dialogue(name, tuple(turns))


def _exchange(line: Record, count: Count) -> dict[str, Any]:
    if line.raw.lstrip().startswith(b"{"):
        try:
            return json_object(line, count)
        except RecordError as error:
            raise RecordError(error.problem, line=line.line) from None
    text = mend(line.raw.decode("utf-8", "surrogateescape"), count)
    fields = dict(part.partition(":")[::2] for part in text.split("\t"))
    exchange: dict[str, Any] = {
        field.strip(): value.replace(r"\n", "\n").replace(r"\t", "\t")
        for field, value in fields.items()
    }
    if "labels" in exchange:
        exchange["labels"] = exchange["labels"].split("|")
    return exchange
