"""`benchmark opinions`: how an opinion moves with the facts that arrive, and that it moves by nothing else."""
