"""What a caller and a reviewer see of opinions, and what they may do with them."""
