"""Chats as JSON: our own objects, OpenAI messages, ShareGPT.

Each ``parse`` takes one record and gives one dialogue. System prompts, tool calls and tool
results are kept as asides: they stay in the transcript and are never scored as turns. An object
may carry our own optional fields (``id``, ``system``, ``references``, ``ratings``, ``level``)
beside its messages.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..dialogue import Dialogue, Turn, convert, decode, loads
from ..errors import RecordError
from .records import Count, Record

#: Roles that speak to or for the machine, not in the conversation.
_ASIDES = frozenset(
    ["system", "developer", "tool", "function", "function_call", "function_response", "observation"]
)
_OURS = ("references", "ratings", "level")


def parse_native(record: Record, name: str, count: Count) -> Dialogue:
    """``{"id": ..., "turns": [{"speaker": ..., "text": ...}, ...]}``."""
    if b'"id"' in record.raw[:64]:  # as we write it: the fast path
        return decode(record.raw, count)
    value = json_object(record, count)
    return convert({**value, "id": str(value.get("id", name))})


def parse_openai(record: Record, name: str, count: Count) -> Dialogue:
    """``{"messages": [...]}`` or a bare list of ``{"role": ..., "content": ...}``."""
    outer, turns = _chat(record, count, ("messages",), _openai_turn)
    return assemble(outer, turns, name, system=outer.get("model") or "")


def _openai_turn(message: Any, field: str) -> Turn:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise RecordError("expected an object with a role", field=field)
    role = message["role"]
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    if content is None and (calls := message.get("tool_calls") or message.get("function_call")):
        return Turn(role, _calls(calls), aside=True)
    speaker = message.get("name")
    named = isinstance(speaker, str) and speaker and role not in _ASIDES
    text = _text(content, f"{field}.content")
    return Turn(str(speaker) if named else role, text, aside=role in _ASIDES)


def _text(content: Any, field: str) -> str:
    """A string, or the text parts of a part list, a line each; images and sound are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _part(part, field) for part in content]
        if texts := [part for part in parts if part is not None]:
            return "\n".join(texts)
    raise RecordError(f"expected text, got {kind(content)}", field=field)


def _part(part: Any, field: str) -> str | None:
    text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
    if text is not None and not isinstance(text, str):
        raise RecordError(f"expected text, got {kind(text)}", field=field)
    return text


def _calls(calls: Any) -> str:
    """Tool calls as ``name(arguments)``, a line each."""
    several = calls if isinstance(calls, list) else [calls]
    functions = [call.get("function", call) for call in several if isinstance(call, dict)]
    return "\n".join(f"{call.get('name')}({call.get('arguments')})" for call in functions)


def parse_sharegpt(record: Record, name: str, count: Count) -> Dialogue:
    """``{"conversations": [{"from": ..., "value": ...}, ...]}``."""
    outer, turns = _chat(record, count, ("conversation", "conversations"), _sharegpt_turn)
    if isinstance(prompt := outer.get("system"), str) and prompt:
        turns.insert(0, Turn("system", prompt, aside=True))
    return assemble(outer, turns, name, system=outer.get("model") or "")


def _sharegpt_turn(message: Any, field: str) -> Turn:
    if not isinstance(message, dict) or not isinstance(message.get("from"), str):
        raise RecordError("expected an object with from and value", field=field)
    if not isinstance(message.get("value"), str):
        raise RecordError(
            f"expected text, got {kind(message.get('value'))}", field=f"{field}.value"
        )
    return Turn(message["from"], message["value"], aside=message["from"] in _ASIDES)


def _chat(
    record: Record, count: Count, fields: Sequence[str], turn: Callable[[Any, str], Turn]
) -> tuple[dict[str, Any], list[Turn]]:
    """The record's object and the turns of its list of messages, which may stand alone."""
    value = loads(record.raw, count)
    outer: dict[str, Any] = value if isinstance(value, dict) else {fields[-1]: value}
    field = next((name for name in fields if name in outer), fields[-1])
    messages = listed(outer.get(field), field)
    return outer, [turn(message, f"{field}[{at}]") for at, message in enumerate(messages)]


def json_object(record: Record, count: Count) -> dict[str, Any]:
    """The record's JSON, which must be an object."""
    value = loads(record.raw, count)
    if not isinstance(value, dict):
        raise RecordError(f"expected a JSON object, got {kind(value)}")
    return value


def listed(value: Any, field: str) -> list[Any]:
    """The value, which must be a list."""
    if not isinstance(value, list):
        raise RecordError(f"expected a list, got {kind(value)}", field=field)
    return value


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "nothing"
    words = {str: "text", bool: "true or false", int: "a number", float: "a number"}
    return words.get(type(value)) or ("a list" if isinstance(value, list) else "an object")


def assemble(outer: dict[str, Any], turns: list[Turn], name: str, system: Any = "") -> Dialogue:
    """A dialogue from its turns and whatever of our own fields stands beside them."""
    identity = outer.get("id", outer.get("conversation_id"))
    fields = {field: outer[field] for field in _OURS if outer.get(field) is not None}
    return convert(
        {
            "id": name if identity in (None, "") else str(identity),
            "turns": turns,
            "system": system if isinstance(system, str) else "",
            **fields,
        }
    )
