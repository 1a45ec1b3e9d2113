"""How much of the disposition may show, from none at 0 to all of it at 1."""

OBJECTIVE = (
    "Be objective. Answer from the evidence alone: leave any temperament, taste and opinion of your own out of what "
    "you conclude and of how you say it. Where the evidence leaves a question open, leave it open."
)
OPINIONATED = (
    "Be openly opinionated. Let this disposition decide what you stress and what you conclude, take a side, and argue "
    "for it in strong words. Facts stay facts: never bend what happened."
)
# Upper end of a band, and what it asks for. Between the two ends the share is named too, so that each step shows.
BANDS = (
    (0.25, "Stay close to the evidence; this disposition may colour your tone a little, and hardly your conclusions."),
    (0.5, "Let the evidence lead; where it leaves room, this disposition may tip what you conclude."),
    (0.75, "Keep the facts straight, and let this disposition shape what you stress and what you conclude."),
    (1.0, "Keep the facts straight; for the rest this disposition decides, and you say plainly what you think."),
)


def verbalise_bias(strength: float) -> str:
    """0.5 is the first of the balanced band."""
    if strength <= 0.0:
        return OBJECTIVE
    if strength >= 1.0:
        return OPINIONATED
    guidance = next(text for end, text in BANDS if strength < end)
    return f"Your disposition weighs {strength:.0%} in your judgements. {guidance}"
