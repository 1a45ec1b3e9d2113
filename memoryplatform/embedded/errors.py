class StartError(Exception):
    """The service can't start or can't go on. Its text is one sentence for the person who typed `up`."""


class Interrupted(Exception):  # noqa: N818 - it reports no error: somebody asked for the end
    """Ctrl-C, or a signal that asks for the same."""
