"""What a date is of, where that stands before the date: "my birthday on 3 May", "our wedding in June"."""

OF_WHAT = (
    r"(?:(?:my|our|his|her|their|your)\s+(?:[\w'-]+\s+){1,4}?(?:on|in|of)\s+"
    r"|(?:the|an?)\s+(?:[\w'-]+\s+){1,3}?on\s+)?"
)
