from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """Cosines of an embedder, and what a cue weighs on the same scale.

    The defaults are for bge-small-en-v1.5, whose unrelated texts lie at about 0.5 and whose related ones from 0.65 up.
    They were chosen on LoCoMo and LongMemEval sessions glued without their gaps: `shift`, `decay` and the cues by the
    sum of both boundary F1, `back` and the margins between that and the share of interleaved turns that end in the
    right episode. In doubt a turn stays where it is: an episode cut in two costs its facts their context, one too long
    is cut by its size. Another embedder needs its own.
    """

    shift: float = 0.62  # below it a turn has left its episode
    back: float = 0.68  # from here on it may have come back to another one
    margin: float = 0.07  # by which that one must fit better
    answer_margin: float = 0.02  # the same for the answer of an agent
    decay: float = 0.6  # of the topic with every turn: the last three or four make it up
    asked: float = 0.2
    brief: float = 0.15  # at most
    reply: float = 0.08
    leave: float = 0.1
    greeting: float = 0.25  # of the beginnings of LoCoMo's sessions 92 % greet, of its other turns 1 %
    away: float = 0.04
    back_cue: float = 0.05
