r"""Text from data, made safe to show.

A transcript may hold an escape sequence that repaints the terminal, or a direction override that
makes one name look like another. Whatever came from a file passes through :func:`printable` on its
way to a person.

    >>> print(printable("bot\x1b[2J\u202e"))
    bot\x1b[2J\u202e
    >>> print(printable("one\ntwo"), printable("one\ttwo", keep="\t").expandtabs(4))
    one\ntwo one two
"""

import re

#: C0 and C1 controls, DEL, line and paragraph separators, direction controls, lone surrogates.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}


def printable(text: str, keep: str = "") -> str:
    """The text with each character that could act on a terminal written out as an escape.

    ``keep`` names characters to let through, such as ``"\\n\\t"``.
    """
    return _UNSAFE.sub(lambda match: _escaped(match[0], keep), text)


def harmless_json(lines: str) -> str:
    r"""The same lines of JSON with each such character written as JSON escapes it.

    >>> print(harmless_json('{"text": "\x9b31m \u202e"}'))
    {"text": "\u009b31m \u202e"}
    """
    return _UNSAFE.sub(lambda it: it[0] if it[0] == "\n" else f"\\u{ord(it[0]):04x}", lines)


def _escaped(character: str, keep: str) -> str:
    if character in keep:
        return character
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
