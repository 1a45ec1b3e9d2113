class StartError(Exception):
    """The service can't start or can't go on. Its text is one sentence for the person who typed `up`."""


class Interrupted(Exception):
    """Ctrl-C, or a signal that asks for the same."""
