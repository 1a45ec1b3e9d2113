"""A history of three months between Maya and her assistant, and questions about it."""

# ruff: noqa: E501  # a message is one line

from typing import NamedTuple


class Said(NamedTuple):
    at: str
    role: str
    text: str


class Asked(NamedTuple):
    """`evidence` is a part of the message that holds the answer; None if nothing in the history does."""

    question: str
    evidence: str | None


HISTORY = [
    Said("2026-03-02T18:04:00+01:00", "user", "Hi! I'm Maya, 34, and I live in Leipzig with my husband Tom."),
    Said("2026-03-02T18:04:30+01:00", "assistant", "Nice to meet you, Maya! What can I help you with?"),
    Said(
        "2026-03-02T18:06:00+01:00",
        "user",
        "I work as a physiotherapist at Sankt Georg, three days a week. My office days are Tuesday, Wednesday and Friday.",
    ),
    Said("2026-03-02T18:06:20+01:00", "assistant", "Got it. I will keep those days in mind."),
    Said("2026-03-02T18:09:00+01:00", "user", "We have two kids: Jonas is 7 and Frieda turns 4 on 12 August."),
    Said("2026-03-02T18:10:00+01:00", "user", "Jonas is allergic to hazelnuts, so please never suggest nut cakes."),
    Said("2026-03-02T18:10:30+01:00", "assistant", "Understood: no hazelnuts for Jonas."),
    Said("2026-03-05T07:41:00+01:00", "user", "I ran 10k in 58 minutes this morning, my best time so far!"),
    Said("2026-03-05T07:41:20+01:00", "assistant", "Congratulations on the new personal best!"),
    Said("2026-03-05T07:43:00+01:00", "user", "Thanks! I'm training for the Rennsteiglauf half marathon on 16 May."),
    Said(
        "2026-03-08T20:15:00+01:00",
        "user",
        "Tom wants to repaint the kitchen. We picked a sage green from Farrow & Ball called Vert De Terre.",
    ),
    Said("2026-03-08T20:16:00+01:00", "assistant", "A calm colour. Do you need help with the quantity?"),
    Said("2026-03-08T20:17:00+01:00", "user", "Yes, the walls are 42 square metres in total."),
    Said(
        "2026-03-08T20:17:40+01:00",
        "assistant",
        "With two coats you need about 84 square metres of coverage, so two 5-litre tins of Estate Emulsion will do.",
    ),
    Said(
        "2026-03-11T12:30:00+01:00", "user", "My sister Leonie called: she is moving to Lisbon for a job at Farfetch."
    ),
    Said("2026-03-11T12:31:00+01:00", "assistant", "Exciting news! When does she start?"),
    Said("2026-03-11T12:32:00+01:00", "user", "On the first of June. She already found a flat in Alfama."),
    Said("2026-03-14T21:02:00+01:00", "user", "I can't sleep again. I read Range by David Epstein until two."),
    Said("2026-03-14T21:03:00+01:00", "assistant", "Was it good at least?"),
    Said("2026-03-14T21:03:30+01:00", "user", "Loved it. Much better than Deep Work, which I gave up after 50 pages."),
    Said(
        "2026-03-18T16:20:00+01:00",
        "user",
        "The dentist moved my appointment. It is now on Tuesday June 9 at 8:30, with Dr. Okafor.",
    ),
    Said("2026-03-18T16:20:30+01:00", "assistant", "Noted. Tuesday is one of your office days, by the way."),
    Said("2026-03-18T16:21:30+01:00", "user", "Right, I'll ask my colleague Petra to swap with me."),
    Said("2026-03-21T10:00:00+01:00", "user", "Our old Golf failed the inspection. The repair would cost 2,300 euros."),
    Said("2026-03-21T10:02:00+01:00", "user", "We decided to sell it and go for a cargo bike instead."),
    Said("2026-03-21T10:02:40+01:00", "assistant", "Do you have a model in mind?"),
    Said("2026-03-21T10:04:00+01:00", "user", "The Urban Arrow Family. Tom test-rode it at Rotor in Plagwitz."),
    Said("2026-03-25T19:45:00+01:00", "user", "Frieda's kindergarten is closed from 30 March to 2 April."),
    Said("2026-03-25T19:46:00+01:00", "assistant", "Will the grandparents help out?"),
    Said(
        "2026-03-25T19:46:40+01:00", "user", "My mother Ingrid takes her. She lives in Halle, only half an hour away."
    ),
    Said("2026-03-28T09:12:00+01:00", "user", "Can you help me plan Jonas's birthday? It's on 18 April."),
    Said(
        "2026-03-28T09:13:00+01:00",
        "assistant",
        "Sure! How about a treasure hunt in the Clara-Zetkin-Park, with pizza afterwards?",
    ),
    Said("2026-03-28T09:15:00+01:00", "user", "Treasure hunt, yes. He invited eight children from his class."),
    Said("2026-03-28T09:16:00+01:00", "user", "The cake will be a lemon cake in the shape of a dinosaur."),
    Said("2026-04-02T22:10:00+02:00", "user", "I had an argument with Petra about the holiday plan at work."),
    Said("2026-04-02T22:11:00+02:00", "assistant", "I'm sorry to hear that. Do you want to talk about it?"),
    Said(
        "2026-04-02T22:12:30+02:00",
        "user",
        "Not now. But I got the two weeks in August that I wanted, from the 3rd on.",
    ),
    Said("2026-04-06T15:00:00+02:00", "user", "We booked the ferry: Rostock to Trelleborg on 4 August, cabin 512."),
    Said("2026-04-06T15:01:00+02:00", "assistant", "Sweden! Where will you stay?"),
    Said("2026-04-06T15:02:00+02:00", "user", "In a red cottage near Växjö that belongs to Tom's colleague Anders."),
    Said("2026-04-09T08:20:00+02:00", "user", "The Wi-Fi password at the cottage is Blåbär2026, please remember it."),
    Said(
        "2026-04-09T08:20:30+02:00", "assistant", "I would rather keep passwords in a password manager, but I noted it."
    ),
    Said(
        "2026-04-12T13:40:00+02:00", "user", "My knee hurts since the long run yesterday. 18 kilometres were too much."
    ),
    Said(
        "2026-04-12T13:41:00+02:00",
        "assistant",
        "As a physiotherapist you know best, but two days of rest and some cycling instead would be gentle on it.",
    ),
    Said(
        "2026-04-15T20:30:00+02:00", "user", "The knee is fine again. It was the old shoes; I bought Brooks Ghost 16."
    ),
    Said("2026-04-18T21:55:00+02:00", "user", "The party was a success. Jonas got a microscope from Tom's parents."),
    Said("2026-04-18T21:56:00+02:00", "assistant", "What did he look at first?"),
    Said("2026-04-18T21:57:00+02:00", "user", "A dead wasp. He wants to be a scientist now."),
    Said("2026-04-22T17:05:00+02:00", "user", "I signed the contract for the cargo bike. Delivery is on 20 May."),
    Said("2026-04-22T17:06:00+02:00", "assistant", "What colour did you choose?"),
    Said("2026-04-22T17:06:30+02:00", "user", "Black, with the rain cover. It cost 6,190 euros."),
    Said(
        "2026-04-25T11:15:00+02:00", "user", "For dinner we usually cook at six. Tom doesn't eat meat, I do sometimes."
    ),
    Said("2026-04-25T11:16:00+02:00", "assistant", "Shall I suggest vegetarian recipes by default?"),
    Said("2026-04-25T11:16:40+02:00", "user", "Yes please. The kids love the lentil bolognese."),
    Said(
        "2026-04-29T18:00:00+02:00", "user", "My brother-in-law Paul and his wife Samira had a baby girl called Noor."
    ),
    Said("2026-04-29T18:01:00+02:00", "user", "She was born on Monday and weighs 3,400 grams."),
    Said("2026-05-03T09:30:00+02:00", "user", "We sold the Golf for 1,150 euros to a student from Grünau."),
    Said("2026-05-06T07:55:00+02:00", "user", "I can't find the health insurance card. Mine is with the TK."),
    Said("2026-05-06T07:56:00+02:00", "assistant", "You can order a new one in the TK app under Service."),
    Said("2026-05-10T19:20:00+02:00", "user", "Mother's day breakfast in bed! Frieda painted a purple giraffe for me."),
    Said("2026-05-13T16:45:00+02:00", "user", "I'll take the train to Oberhof on Friday, it leaves at 14:12."),
    Said("2026-05-13T16:46:00+02:00", "assistant", "Good luck for the half marathon! Where do you sleep?"),
    Said("2026-05-13T16:46:30+02:00", "user", "At the youth hostel, together with my running partner Birte."),
    Said("2026-05-17T10:05:00+02:00", "user", "I finished in 2 hours and 9 minutes. The last hill nearly killed me."),
    Said("2026-05-17T10:06:00+02:00", "assistant", "That's fantastic! Rest well today."),
    Said("2026-05-20T18:30:00+02:00", "user", "The cargo bike is here! Frieda named it Hugo."),
    Said(
        "2026-05-23T11:07:00+02:00",
        "user",
        "Tom got an offer from the Fraunhofer institute; he's a materials engineer.",
    ),
    Said("2026-05-23T11:08:00+02:00", "assistant", "Will he take it?"),
    Said("2026-05-23T11:09:00+02:00", "user", "He is thinking about it. At the moment he still works at Siltronic."),
    Said("2026-05-26T20:00:00+02:00", "user", "Our neighbour Herr Wolff complained about the bike in the hallway."),
    Said("2026-05-26T20:01:00+02:00", "assistant", "Maybe the courtyard has a rack?"),
    Said("2026-05-26T20:02:00+02:00", "user", "We rented a garage in the Karl-Heine-Straße now, 45 euros a month."),
    Said("2026-05-28T21:30:00+02:00", "user", "I started learning Swedish on Duolingo, every evening after nine."),
    Said("2026-05-28T21:31:00+02:00", "assistant", "Lycka till! That means good luck."),
    Said("2026-05-30T08:15:00+02:00", "user", "😴😴😴"),
    Said("2026-05-30T08:16:00+02:00", "user", "Ich habe gestern vergessen, die Tomaten zu gießen."),
    Said("2026-05-30T08:17:00+02:00", "assistant", "```python\nprint('water the tomatoes at 19:00')\n```"),
    Said("2026-05-31T12:00:00+02:00", "user", "Leonie flies to Lisbon tonight. I'm already missing her."),
    Said("2026-05-31T12:01:00+02:00", "assistant", "You could visit her in autumn, when the flights are cheap."),
    Said("2026-05-31T12:02:00+02:00", "user", "Good idea. The autumn holidays begin on 10 October."),
]

QUESTIONS = [
    Asked("What is the user's name?", "I'm Maya"),
    Asked("Which city does Maya live in?", "I live in Leipzig"),
    Asked("Where does Maya work?", "Sankt Georg"),
    Asked("On which days is Maya in the office?", "office days are Tuesday"),
    Asked("What is Jonas allergic to?", "allergic to hazelnuts"),
    Asked("How fast did Maya run 10k?", "10k in 58 minutes"),
    Asked("Which half marathon is Maya training for?", "Rennsteiglauf half marathon"),
    Asked("What colour is the kitchen going to be?", "sage green"),
    Asked("How many square metres are the kitchen walls?", "42 square metres"),
    Asked("How many tins of paint did you tell me to buy?", "two 5-litre tins"),
    Asked("Where is my sister moving to?", "moving to Lisbon"),
    Asked("When does Leonie start her new job?", "On the first of June"),
    Asked("Which book did Maya like better than Deep Work?", "Range by David Epstein"),
    Asked("When is the dentist appointment?", "Tuesday June 9 at 8:30"),
    Asked("How much would the repair of the Golf have cost?", "2,300 euros"),
    Asked("Which cargo bike did we choose?", "Urban Arrow Family"),
    Asked("Where does Maya's mother live?", "She lives in Halle"),
    Asked("What kind of cake does Jonas get for his birthday?", "lemon cake"),
    Asked("Which cabin did we book on the ferry?", "cabin 512"),
    Asked("Who owns the cottage in Sweden?", "Tom's colleague Anders"),
    Asked("What is the Wi-Fi password of the cottage?", "Blåbär2026"),
    Asked("Which running shoes did Maya buy?", "Brooks Ghost 16"),
    Asked("What did Jonas get from Tom's parents?", "a microscope"),
    Asked("Does Tom eat meat?", "Tom doesn't eat meat"),
    Asked("What is the name of Paul and Samira's baby?", "a baby girl called Noor"),
    Asked("How did Frieda name the cargo bike?", "Frieda named it Hugo"),
    Asked("What is the registration number of the motorboat?", None),
]

# Dates that messages name, as days in the speaker's zone; None: the message is about no date.
DATES = {
    "16 May": ("2026-05-16", "2026-05-17"),
    "Tuesday June 9 at 8:30": ("2026-06-09", "2026-06-10"),
    "It's on 18 April": ("2026-04-18", "2026-04-19"),
    "closed from 30 March to 2 April": ("2026-03-30", "2026-04-03"),
    "Trelleborg on 4 August": ("2026-08-04", "2026-08-05"),
    "Delivery is on 20 May": ("2026-05-20", "2026-05-21"),
    "begin on 10 October": ("2026-10-10", "2026-10-11"),
    "On the first of June": ("2026-06-01", "2026-06-02"),
    "office days are Tuesday": None,
    "weighs 3,400 grams": ("2026-04-27", "2026-04-28"),
    "every evening after nine": None,
    "42 square metres": None,
    "2 hours and 9 minutes": None,
}
