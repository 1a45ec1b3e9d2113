"""Renders the chart without Helm, for the part of its template language that the chart uses.

Actions: fields of `.` and `$`, variables, `range`, `if`, `not`, and the functions quote, toYaml and nindent. Anything
else is an error, so that the chart does not outgrow this file unnoticed.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ACTION = re.compile(r"(\{\{-?)\s*(.*?)\s*(-?\}\})", re.DOTALL)
RANGE = re.compile(r"range (?:\$(\w+)(?:, \$(\w+))? := )?(\S+)")


@dataclass
class Scope:
    root: Any
    dot: Any
    variables: dict[str, Any]

    def find(self, path: str) -> Any:
        if path == ".":
            return self.dot
        head, *names = path.split(".")
        value = self.dot if head == "" else self.root if head == "$" else self.variables[head.removeprefix("$")]
        for name in names:
            value = value[name]
        return value

    def evaluate(self, text: str) -> Any:
        first, *functions = [part.strip() for part in text.split("|")]
        value = not self.find(first.removeprefix("not ")) if first.startswith("not ") else self.find(first)
        for function in functions:
            value = apply(function, value)
        return value


def apply(function: str, value: Any) -> Any:
    if function == "quote":
        return json.dumps(str(value))
    if function == "toYaml":
        return yaml.safe_dump(value, default_flow_style=False).rstrip()
    if function.startswith("nindent "):
        return "".join(f"\n{' ' * int(function.split()[1])}{line}" for line in value.splitlines())
    raise ValueError(f"The chart's tests don't know the function {function}.")


def split(text: str) -> list[str]:
    """Texts and actions by turns, without the spaces that `{{-` removes."""
    parts, place = [], 0
    for found in ACTION.finditer(text):
        before = text[place : found.start()]
        parts += [before.rstrip() if found[1] == "{{-" else before, found[2]]
        place = found.end()
    return [*parts, text[place:]]


def render(text: str, scope: Scope) -> str:
    parts = split(text)
    output, end = render_block(parts, 0, scope)
    assert end == len(parts), "an action has no end"
    return output


def render_block(parts: list[str], place: int, scope: Scope) -> tuple[str, int]:
    """The text up to the `end` of the block, and the place after it."""
    output = ""
    while place < len(parts):
        output += parts[place]
        if place + 1 == len(parts):
            return output, len(parts)
        action, place = parts[place + 1], place + 2
        if action == "end":
            return output, place
        if action.startswith(("range ", "if ")):
            text, place = render_action(action, parts, place, scope)
            output += text
        else:
            output += str(scope.evaluate(action))
    return output, place


def render_action(action: str, parts: list[str], place: int, scope: Scope) -> tuple[str, int]:
    _, after = render_block_silently(parts, place)
    if action.startswith("if "):
        shown = scope.evaluate(action.removeprefix("if "))
        return (render_block(parts, place, scope)[0] if shown else ""), after
    found = RANGE.fullmatch(action)
    assert found is not None, action
    first, second, path = found.groups()
    items = scope.find(path)
    pairs = items.items() if isinstance(items, Mapping) else enumerate(items)
    output = ""
    for key, value in sorted(pairs) if isinstance(items, Mapping) else pairs:
        named = {first: key, second: value} if second else {first: value} if first else {}
        output += render_block(parts, place, Scope(scope.root, value, scope.variables | named))[0]
    return output, after


def render_block_silently(parts: list[str], place: int) -> tuple[str, int]:
    """Finds the end of a block."""
    depth = 1
    while depth:
        action, place = parts[place + 1], place + 2
        depth += 1 if action.startswith(("range ", "if ")) else -1 if action == "end" else 0
    return "", place


def render_chart(folder: Path, **changes: Any) -> list[dict[str, Any]]:
    """The objects of all templates. `changes` are values as `autoscaling__enabled=False`."""
    values = yaml.safe_load((folder / "values.yaml").read_text())
    for name, value in changes.items():
        *path, last = name.split("__")
        target = values
        for part in path:
            target = target[part]
        target[last] = value
    root = {"Values": values, "Release": {"Name": "memory"}}
    objects = []
    for template in sorted((folder / "templates").glob("*.yaml")):
        text = render(template.read_text(), Scope(root, root, {}))
        objects += [one for one in yaml.safe_load_all(text) if one]
    return objects
