"""The line that divides what a model answers from what it notes for us, found while the text still arrives."""

DELIMITER = "=====NOTES====="
DECORATION = " \t\r*#`"  # what models like to put around a line


class Splitter:
    """Everything before the line is for the reader, everything after it is not, however the text is cut into pieces."""

    def __init__(self) -> None:
        self.notes: str | None = None  # None: the line has not come
        self._held = ""
        self._begins_line = True

    def feed(self, piece: str) -> str:
        """What may be shown now. The beginning of a line is held back while it could still become the delimiter."""
        if self.notes is not None:
            self.notes += piece
            return ""
        *lines, last = (self._held + piece).split("\n")
        self._held = ""
        shown: list[str] = []
        for number, line in enumerate(lines):
            if self._divides(line):
                self._begin_notes("\n".join([line, *lines[number + 1 :], last]))
                return "".join(shown)
            shown.append(f"{line}\n")
            self._begins_line = True
        return "".join(shown) + self._feed_open_line(last)

    def end(self) -> str:
        """What was held back and turned out to be text."""
        held, self._held = self._held, ""
        return held

    def _feed_open_line(self, line: str) -> str:
        if self._divides(line):
            self._begin_notes(line)
            return ""
        if self._begins_line and DELIMITER.startswith(line.lstrip(DECORATION)):
            self._held = line
            return ""
        self._begins_line = False
        return line

    def _divides(self, line: str) -> bool:
        return self._begins_line and line.lstrip(DECORATION).startswith(DELIMITER)

    def _begin_notes(self, text: str) -> None:
        self.notes = text.partition(DELIMITER)[2]
