"""What every extraction prompt says about reading a passage and writing a fact."""

EARLIER_RULE = """\
What is headed "earlier" was read before: it helps to understand who and what is meant, and no fact is taken from it."""

FACT_RULES = """\
How a fact is written
- It can be read alone, years later, by somebody who never saw the passage. Put names where the passage has "I", \
"you", "she" or "the company". If a person appears both by a relation and by a name, join them: with "my neighbour \
had an accident" in one turn and "Tomasz is still in hospital" in another about the same person, write "Tomasz, Ana's \
neighbour, had an accident".
- It tells a whole matter: the question with its answer, the proposals with the decision, the event with its outcome \
and what people felt about it. Do not cut one story into a fact a sentence, and do not press two matters into one.
- It says who said, did, felt or wanted it, and the reasons they gave. A guess stays a guess and a plan stays a plan.
- Numbers, amounts, names, titles and quoted words stay exactly as given. Keep "first", "new", "favourite", "again", \
"no longer": a later question may hang on such a word. Keep photos, videos, songs, books, links and files that are \
mentioned or shared, with what they show.
- Dates are worked out from the date, weekday and zone of the turn that says them: "last Friday" in a turn of Tuesday, \
11 June 2024 is Friday, 7 June 2024; the calendar in the passage names the days. Where only a month or a year is \
known, only that is written. Nothing is invented.
- It is written in the language of the passage. A name keeps its spelling.
- Greetings, thanks, filler, and general knowledge that anybody could look up are left out, unless the agent gave it \
as an answer: then it belongs to what the agent did.

The networks
- world: what is or was so: about people, places, things, and what others think or like.
- experience: what the agent itself did, said, recommended, found or was told to do. First person, with what the user \
had asked for: "I suggested three hikes near Bergen to Ana, who had asked for a day trip without a car".
- opinion: what the agent itself believes or judges. First person, with a confidence from 0 to 1 that follows how \
firmly it was put. What somebody else believes is world.

The fields of a fact
- number: 1 for the first fact, 2 for the next.
- what: the account, in full sentences. The date and the place that the whole fact has go to `when` and `where`.
- when: the date in words, with the weekday where the day is known: "Friday, 7 June 2024"; empty if there is none.
- where: the place; empty if there is none.
- who: sentences that say who the people are and what they are to each other, as far as `what` does not say it.
- why: sentences with reasons, feelings and what it means to them, as far as `what` does not say it.
- network: world, experience or opinion. kind: event if it happened or will happen at a time that can be told, else \
conversation.
- occurred_start, occurred_end: for an event, YYYY-MM-DD or YYYY-MM-DDTHH:MM with the last day included; only YYYY-MM \
or YYYY if no more is known; empty for what has no date.
- entities: the people, organizations, places, products and concepts that it is about, by the fullest name that the \
passage gives, each once, with the kind PERSON, ORGANIZATION, LOCATION, PRODUCT, CONCEPT or OTHER.
- causes: other facts of your answer that this one causes, is caused_by, enables or prevents: their number as target, \
and a strength from 0 to 1. Only where the passage says or plainly shows it.
- relationships: lasting ties such as works_at, lives_in, married_to, favourite_colour, has_children, with subject, \
relation in snake_case, object, a sentence as text, valid_from and valid_until where known, and object_is_value true \
where the object is a plain value such as "blue" or "3".
- confidence: for an opinion, else null.
- turns: the numbers of the turns that it rests on.
A field that the passage does not fill is empty. Do not say the same thing in two fields."""
