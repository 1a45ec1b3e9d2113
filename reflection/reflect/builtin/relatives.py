"""Words for those whom somebody has, and who do things of their own. As parts of a pattern."""

RELATIVES = (
    "aunt|boss|boyfriend|brother|colleague|cousin|coworker|dad|father|fianc\u00e9e?|fiancee?|flatmate|friend|girlfriend"
    "|grandfather|grandma|grandmother|grandpa|husband|landlord|manager|mom|mother|mum|neighbou?r|nephew|niece|parent"
    "|partner|roommate|sister|teacher|uncle|wife"
)
CHILDREN = "baby|child|children|daughter|kid|son"
ANIMALS = "cat|dog|horse|kitten|pet|puppy|rabbit"
