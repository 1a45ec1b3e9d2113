"""What an agent believes: formed, restated, moved by evidence, reviewed by people, and followed through it all."""
