"""Cosines of an embedder, and what a cue weighs on the same scale.

They are for bge-small-en-v1.5, whose unrelated texts lie at about 0.5 and whose related ones from 0.65 up. They were
chosen on LoCoMo and LongMemEval sessions glued without their gaps: SHIFT, DECAY and the cues by the sum of both
boundary F1, BACK and the margins between that and the share of interleaved turns that end in the right episode. In
doubt a turn stays where it is: an episode cut in two costs its facts their context, one too long is cut by its size.
Another embedder needs its own.
"""

SHIFT = 0.62  # below it a turn has left its episode
BACK = 0.68  # from here on it may have come back to another one
MARGIN = 0.07  # by which that one must fit better
ANSWER_MARGIN = 0.02  # the same for the answer of an agent
DECAY = 0.6  # of the topic with every turn: the last three or four make it up
ASKED = 0.2
BRIEF = 0.15  # at most
REPLY = 0.08
LEAVE = 0.1
GREETING = 0.25  # of the beginnings of LoCoMo's sessions 92 % greet, of its other turns 1 %
AWAY = 0.04
BACK_CUE = 0.05
