"""`completion`: a script that lets the shell complete commands, actions and options."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.session import Session

NAME = "memoryplatform"
SHELLS = ("bash", "zsh", "fish")
BASH = """\
_memoryplatform() {{
    local place="" word index=1
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    COMPREPLY=()
    while (( index < COMP_CWORD && index < 3 )); do
        word="${{COMP_WORDS[index]}}"
        case " {places} " in
            *" ${{place:+$place/}}$word "*) place="${{place:+$place/}}$word" ;;
            *) break ;;
        esac
        (( index += 1 ))
    done
    case "$place $before" in
{values}
    esac
    case "$place" in
{words}
    esac
    if [[ ${{#COMPREPLY[@]}} -eq 0 && "$current" != -* && -n "$place" ]]; then
        COMPREPLY=( $(compgen -f -- "$current") )
    fi
}}
complete -F _memoryplatform memoryplatform
"""
ZSH_START = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"


@dataclass(frozen=True)
class Place:
    """A command or an action, such as `banks/create`. `values`: the choices of an option."""

    path: tuple[str, ...]
    summary: str
    words: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, tuple[str, ...]], ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def run(session: Session, given: Given) -> int:
    from memoryplatform_client.cli.program import build_parser  # which imports this module

    places = list(walk(build_parser(argparse.ArgumentParser)))
    script = write_fish(places) if given.shell == "fish" else write_bash(places)
    script = ZSH_START + script if given.shell == "zsh" else script
    if session.out.as_json:
        session.out.json({"shell": given.shell, "script": script})
    else:
        session.out.piece(script)
    return Exit.DONE


def walk(parser: argparse.ArgumentParser, path: tuple[str, ...] = (), summary: str = "") -> Iterator[Place]:
    """The parser and everything below it. Argparse has no public list of the arguments of a parser."""
    actions = parser._actions  # noqa: SLF001
    below = next((one for one in actions if isinstance(one, argparse._SubParsersAction)), None)  # noqa: SLF001
    names: dict[str, argparse.ArgumentParser] = dict(below.choices) if below else {}
    summaries = {one.dest: one.help or "" for one in below._choices_actions} if below else {}  # noqa: SLF001
    options = [(name, one) for one in actions for name in one.option_strings if name.startswith("--")]
    chosen = [one for one in actions if not one.option_strings and one.choices and one is not below]
    yield Place(
        path,
        summary,
        (*names, *(str(word) for one in chosen for word in one.choices or ())),
        tuple((name, one.help or "") for name, one in options),
        tuple((name, tuple(str(value) for value in one.choices)) for name, one in options if one.choices),
    )
    for name, one in names.items():
        yield from walk(one, (*path, name), summaries.get(name, ""))


def write_bash(places: list[Place]) -> str:
    values = [
        f'        "{name_place(place)} {option}") {offer(choices)}; return ;;'
        for place in places
        for option, choices in place.values
    ]
    words = [f'        "{name_place(place)}") {offer(list_words(place))} ;;' for place in places]
    named = " ".join(name_place(place) for place in places if place.path)
    return BASH.format(places=named, values="\n".join(values), words="\n".join(words))


def name_place(place: Place) -> str:
    return "/".join(place.path)


def offer(words: Sequence[str]) -> str:
    return f'COMPREPLY=( $(compgen -W "{" ".join(words)}" -- "$current") )'


def list_words(place: Place) -> list[str]:
    return [*place.words, *(name for name, _ in place.options)]


def write_fish(places: list[Place]) -> str:
    lines = [
        f"complete -c {NAME} -f -n __fish_use_subcommand -a {one} -d {shlex.quote(told)}"
        for one, told in below(places, ())
    ]
    for place in places:
        if not place.path:
            continue
        condition = f"__fish_seen_subcommand_from {place.path[0]}"
        if len(place.path) > 1:
            condition += f"; and __fish_seen_subcommand_from {place.path[1]}"
        actions = dict(below(places, place.path))
        if actions:
            condition += f"; and not __fish_seen_subcommand_from {' '.join(actions)}"
        start = f"complete -c {NAME} -n {shlex.quote(condition)}"
        lines += [f"{start} -f -a {one} -d {shlex.quote(told)}" for one, told in actions.items()]
        lines += [f"{start} -f -a {one}" for one in place.words if one not in actions]
        choices = dict(place.values)
        for option, told in place.options:
            taken = f" -x -a {shlex.quote(' '.join(choices[option]))}" if option in choices else ""
            lines.append(f"{start} -l {option.removeprefix('--')}{taken} -d {shlex.quote(told.replace('%%', '%'))}")
    return "\n".join(lines) + "\n"


def below(places: list[Place], path: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(one.path[-1], one.summary) for one in places if one.path and one.path[:-1] == path]


COMMAND = Command("completion", "Print the completion script of a shell.", add_arguments, run)
