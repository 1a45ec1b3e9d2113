class NothingSearched(Exception):
    """Every channel failed, so an empty answer would be a lie."""

    code = "nothing_searched"

    def __init__(self) -> None:
        super().__init__("The memory can't be searched at the moment.")


class Overloaded(Exception):
    """More recalls wait than can be answered in time."""

    code = "overloaded"

    def __init__(self) -> None:
        super().__init__("Too many recalls wait here at the moment. Try again in a while.")
