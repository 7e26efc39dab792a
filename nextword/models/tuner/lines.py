"""Files of JSON lines in the forms that the field uses: chats, pairs and prompts.

    {"messages": [{"role": "user", "content": "who?"}, {"role": "assistant", "content": "anna"}]}
    {"prompt": "who?", "chosen": "anna", "rejected": "the goat"}
    {"prompt": "who?"}

Leaves out: what is done with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from examiner.errors import UserError
from nextword.corpora import text

Found = TypeVar("Found")
Turns = list[tuple[str, list[str]]]  # the role and the words of each turn


def read(path: Path, of_line: Callable[[dict[str, Any]], Found]) -> list[Found]:
    """What each line of a file holds; `UserError` names the line and what is wrong with it.

    of_line: raises ValueError with what is wrong. Empty lines are left out.
    """
    try:
        written = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", "") or "it is not UTF-8 text"
        raise UserError(f"{path} cannot be read: {why}") from error
    found = []
    for n, line in enumerate(written.split("\n"), 1):  # a text may hold other ends of lines
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ValueError('expected an object, such as {"prompt": "…"}')
            found.append(of_line(value))
        except ValueError as error:  # a JSONDecodeError is one
            raise UserError(f"{path}, line {n}: {error}") from error
        except RecursionError as error:
            raise UserError(f"{path}, line {n}: it is nested too deeply") from error
    if not found:
        raise UserError(f"{path} is empty: expected a JSON object on each line")
    return found


def words(value: dict[str, Any], key: str, *, may_be_empty: bool = False) -> list[str]:
    """The words of a text of a line, in small letters, as the networks of words read them.

    >>> words({"prompt": "Who found it?"}, "prompt")
    ['who', 'found', 'it', '?']
    """
    written = value.get(key)
    if not isinstance(written, str):
        raise ValueError(f'expected a text as "{key}", got {json.dumps(written)[:40]}')
    found = text.words(written, lower=True)
    if not found and not may_be_empty:
        raise ValueError(f'"{key}" is empty')
    return found


def turns(line: dict[str, Any]) -> Turns:
    """The turns of a chat; the last one with something to learn is the assistant's.

    >>> turns({"messages": [{"role": "user", "content": "Who?"},
    ...                     {"role": "assistant", "content": "Anna."}]})
    [('user', ['who', '?']), ('assistant', ['anna', '.'])]
    """
    messages = line.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ValueError('expected "messages", a list of objects with "role" and "content"')
    found = []
    for each in messages:
        role = each.get("role")
        if role not in ("user", "assistant"):
            raise ValueError(f'"role" must be "user" or "assistant", got {json.dumps(role)}')
        found.append((role, words(each, "content")))
    if not any(role == "assistant" for role, _ in found):
        raise ValueError("the assistant says nothing in this chat: there is nothing to learn")
    return found
