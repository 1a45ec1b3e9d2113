class StartError(Exception):
    """The service can't start or can't go on. Its text is one sentence for the caller of `up`."""


class Interrupted(Exception):
    """Ctrl-C, or a signal that asks for the same."""
