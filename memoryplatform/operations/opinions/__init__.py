"""Use-cases of opinions: listing, showing, reviewing, and the consolidations that move them."""
