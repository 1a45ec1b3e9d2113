"""One file for each kind of operation. The app imports them all when it is ready, which registers them."""
