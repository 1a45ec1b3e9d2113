"""`benchmark opinions`: how an opinion's confidence follows its evidence, and that nothing else moves it."""
