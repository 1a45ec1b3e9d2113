from collections.abc import Callable

# Called between the bounded parts of long work, with its stage, how many parts are done, and of how many. No
# transaction is open then. It raises where the work is to end.
Step = Callable[[str, int, int], None]


def unnoticed(_stage: str, _done: int, _total: int) -> None:
    """For work that nobody watches."""
