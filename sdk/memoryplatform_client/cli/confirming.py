"""Confirmation before a deletion."""

import sys

from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.output import Output


def confirm(out: Output, warning: str, *, word: str) -> None:
    """Raises unless the user types the word. Without a terminal there is no prompt, and --yes is required."""
    if not sys.stdin.isatty():
        raise BadUsage(f"{warning} There is no terminal for a prompt: confirm with --yes.")
    out.note(f"{warning} Type {word} to go on:")
    if sys.stdin.readline().strip() != word:
        raise CommandFailed("Nothing was deleted.", Exit.FAILED)
