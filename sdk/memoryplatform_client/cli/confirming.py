"""Asking before something is gone."""

import sys

from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.output import Output


def confirm(out: Output, warning: str, *, word: str) -> None:
    """Raises unless the word is typed. Nobody is asked where nobody sits: there it takes --yes."""
    if not sys.stdin.isatty():
        raise BadUsage(f"{warning} Say --yes where nobody can be asked.")
    out.note(f"{warning} Type {word} to go on:")
    if sys.stdin.readline().strip() != word:
        raise CommandFailed("Nothing was deleted.", Exit.FAILED)
