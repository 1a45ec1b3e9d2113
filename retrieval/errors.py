class NothingSearched(Exception):
    """Every channel failed, so an empty answer would be a lie."""

    code = "nothing_searched"

    def __init__(self) -> None:
        super().__init__("The memory can't be searched at the moment.")
