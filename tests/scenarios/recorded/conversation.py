"""Lena talks to her assistant Sol in six sessions. Sixteen facts change on the way, and some only seem to.

`CHANGES`: words of a memory that must have ended after a session, and words of the memory that holds instead.
`STANDING`: words of memories that must not end, although something similar is said later.
`DATES`: words of a memory, and the first day of its event, as precisely as it was said.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Session:
    at: str
    lines: tuple[str, ...]  # "Name: text"


@dataclass(frozen=True)
class Change:
    """Words that the text of the memory must all contain. No `after`: nothing holds instead."""

    before: tuple[str, ...]
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """`answer` are words of a right answer. Empty: memory is silent, and the answer says so."""

    question: str
    answer: tuple[str, ...] = ()


SESSIONS = (
    Session(
        "2025-03-03T18:00:00+00:00",  # a Monday
        (
            ("Lena: Hi Sol! I'm Lena, 31. I live in Bristol and I draw for Hartmoor Games, full time since 2021."),
            (
                "Sol: Nice to meet you, Lena! A studio illustrator in Bristol, that sounds like good company: the"
                " city has a lively scene for comics and games. I can help you to keep track of deadlines, to "
                "collect references, or simply to think aloud about a picture that does not want to work. What "
                "are you drawing at the moment, and is it for the studio or for yourself?"
            ),
            (
                "Lena: At work a card game. In my free time a book cover for Ines Duarte, it is due on March 28. "
                "Ines and I have a call every Thursday."
            ),
            (
                "Sol: Noted: the cover is due on March 28. A cover beside a full-time job needs small, regular "
                "steps. You could begin with five thumbnails that differ only in their light, choose one of them "
                "together with Ines in your call, and keep the last week free for the lettering, which always "
                "takes longer than planned. Printers like to have the spine and the back as one file, so ask for "
                "the page count early. And when you don't draw?"
            ),
            (
                "Lena: I run with the Harbour Runners on Tuesdays, and I'm learning Spanish with an app. Right "
                "now I'm reading Piranesi."
            ),
            (
                "Sol: Running by the harbour and reading about tides and statues, that fits together nicely. For "
                "the Spanish, ten minutes a day help more than an hour at the weekend, and children's books with "
                "many pictures might suit you better than exercises. If you like, I can put together a list of "
                "picture books in easy Spanish, sorted by how much text they have."
            ),
            (
                "Lena: Tom and I are engaged, the wedding is on June 14. He is a nurse at St Michael's. We have a"
                " cat, Pixel, whom we found a few years ago."
            ),
            (
                "Sol: Congratulations! June is a good month for it, the evenings are long. With a nurse's shifts "
                "in the house it helps to fix the few days on which both of you must be free as early as "
                "possible: the tasting, the rings, the registrar. Everything else can be done by one of you. Is "
                "there anything about food that I should keep in mind for the wedding?"
            ),
            "Lena: I'm vegetarian. And my doctor thinks that I can't take lactose, the test is still to come.",
            "Lena: My sister Mara, two years older than me, lives in Leeds. She visited us last Friday.",
            (
                "Sol: How nice that she came to see you. About your cover: I think that you would get more "
                "drawing done in the mornings, before your work at Hartmoor. The head is fresh then, nobody "
                "calls, and the light is even. Put the pencils on the table in the evening, so that nothing "
                "stands between you and the first line, and stop in the middle of something easy, so that it is "
                "simple to begin again the next day."
            ),
        ),
    ),
    Session(
        "2025-03-24T19:30:00+00:00",  # a Monday
        (
            (
                "Lena: Big news, Sol. I quit Hartmoor Games, my last day was the day before yesterday. From now "
                "on I work for myself."
            ),
            (
                "Sol: That is a big step, and a brave one. Three things are worth doing in the first weeks: open "
                "a separate account for the work, put a fixed share of every payment aside for taxes, and write "
                "down what an hour of yours has to cost before somebody asks for it. Many people also set "
                "themselves closing times, because without colleagues nobody sends you home. How does it feel?"
            ),
            "Lena: Light! And Ines gave me more time: the cover is due on April 11 now.",
            (
                "Sol: Two more weeks, that is a present. You could use the first of them only for looking: print "
                "the sketch small, hang it up beside other covers in a shop, and see whether it can be read from "
                "three steps away. If the title disappears at that size, it is the contrast and not the typeface "
                "that needs work. After that the colours are a matter of a few evenings."
            ),
            (
                "Lena: We had to move the wedding as well, the venue was flooded. It's on September 20 now, same "
                "place, the Orangery in Clifton."
            ),
            (
                "Sol: I have changed the date: September 20, at the Orangery in Clifton. Please tell the "
                "registrar first, then the guests who have to travel far, and only then all the others. "
                "Photographers and musicians are often booked out in September, so it is worth asking them today."
                " If you send me the list of the people who have answered already, I can write a short message "
                "for each of them."
            ),
            ("Lena: My knee hurts, so I left the Harbour Runners. No running until the summer, says the physio."),
            (
                "Sol: I am sorry about the knee. Swimming and cycling usually keep the condition without the "
                "blows, and the exercises of a physio work best when they hang on something that you do anyway, "
                "such as brushing your teeth. Write down on which days it hurts: after two weeks such a list "
                "often shows what is to blame, a chair for example."
            ),
            "Lena: I finished Piranesi last night, wonderful. I started The Overstory.",
            ("Lena: By the way, I told you that Mara is two years older. That was wrong, she is three years older."),
        ),
    ),
    Session(
        "2025-05-12T18:15:00+00:00",  # a Monday
        (
            (
                "Lena: Hello from Cardiff! Tom and I moved here ten days ago. The rent is 980 pounds, in Bristol "
                "we paid 1,150."
            ),
            (
                "Sol: Welcome to Cardiff! The first weeks in a new town go by quickly, so here is a short list: "
                "register with a doctor, tell the bank and the tax office, and walk home from the station once by"
                " daylight and once in the dark. The bay and the castle grounds are good for drawing outside, and"
                " there is an indoor market with a balcony from which one sees all the stalls. Did Pixel get "
                "through it well?"
            ),
            "Lena: Yes, and she has company: since Saturday we have a dog too, Biscuit.",
            (
                "Sol: Then the flat is full of life. Cats mostly need a place above the ground that the dog can't"
                " reach, and a door that stays open only for them. Feed them apart for a while, and let them "
                "smell at each other's blankets before they meet at length. In a month they will probably share "
                "the sofa, and you will be the one who has to look for a chair."
            ),
            "Lena: I dropped Spanish, I'm learning Welsh now, at an evening class on Wednesdays.",
            (
                "Sol: Dymuniadau gorau! Welsh has a friendly surprise for people who draw: the words change their"
                " first letter with the word before them, a little like a line that changes with its neighbour. "
                "Street signs are the best free exercise, they have everything in two languages. And your work, "
                "has it settled?"
            ),
            "Lena: Ines wants me for the whole series, five covers. Our call is on Mondays from now on.",
            "Lena: I also teach drawing at the community centre on Saturdays, in addition to my own work.",
            (
                "Sol: Five covers are a whole shelf, congratulations. For a series it is worth fixing a few "
                "things in the beginning that never change: the height of the title, the width of the margins, "
                "one colour that returns. Then each picture may be as wild as it wants. And teaching is a good "
                "balance: explaining a shadow to somebody else is the quickest way to understand it oneself."
            ),
            "Lena: My other sister, Jana, was here for the weekend. She lives in Leeds as well, like Mara.",
        ),
    ),
    Session(
        "2025-07-07T20:00:00+00:00",  # a Monday
        (
            "Lena: Tom starts at the Heath Hospital next Monday. He left St Michael's when we moved.",
            (
                "Sol: Good for him. A new ward means new names, new rooms and new habits all at once, so the "
                "first evenings are better kept free of plans. Perhaps you can cook something ahead that can be "
                "warmed up at any hour, because nobody knows in advance how long a first shift takes. Will he be "
                "a nurse there too?"
            ),
            ("Lena: Yes, in intensive care. And I eat fish again since last month, so I'm no vegetarian any more."),
            "Lena: The lactose test came back: it was never lactose. I can have all the cheese I want.",
            (
                "Sol: Then the wedding cake is safe. It is good to know these things for certain, people often "
                "leave out half of the menu for years because of a guess. Tell the caterer about both, the fish "
                "and the cheese, at the latest three weeks before the day, and ask for the list of what goes into"
                " the sauces."
            ),
            ("Lena: Mara moved to Toronto on July 1. Jana thought about going with her, but she stays in Leeds."),
            "Lena: I sold my old Fiat yesterday, I do everything by bike now.",
            (
                "Sol: A city by bike is another city. For large sheets there are flat bags that hang at the side "
                "of the rack and keep the rain out, and a second lock for the front wheel is worth its price. "
                "About your work: I still think that mornings are your best time for drawing, when the house is "
                "quiet and the light comes from the side."
            ),
            (
                "Lena: Funny, no: all the covers so far were drawn at night, between ten and two. In the mornings"
                " I only stare at the paper. I tried it for three weeks in June."
            ),
            (
                "Sol: Then the nights it is. Three weeks are a fair trial, and the finished pictures speak for "
                "themselves. A warm lamp for yourself and a second one with a daylight bulb for checking the "
                "colours would help, since paint looks different at one o'clock than at noon. And leave a note "
                "for the next day about what you wanted to change."
            ),
        ),
    ),
    Session(
        "2025-09-22T17:00:00+00:00",  # a Monday
        (
            "Lena: We are married! On Saturday, at the Orangery, as planned. Mara came from Toronto.",
            (
                "Sol: I am so happy for you both! After all the moving of dates it has found its day. Keep one "
                "evening in the next weeks for the thank-you cards, as long as you still know who gave what; ten "
                "a day are done in a week. And ask two or three guests for the pictures on their phones before "
                "they are forgotten, they are often the ones that stay. Did the weather hold?"
            ),
            "Lena: All day long. We fly to Lisbon in two weeks, for ten days.",
            (
                "Sol: Lisbon in October is a gift: warm days, cool evenings, and a light that painters travel "
                "for. Take small formats with you, the hills are steep and a large board becomes heavy by noon. "
                "The trams are full, so walk up and ride down. There is a museum of tiles in an old convent whose"
                " patterns will follow you into your next cover, and a flea market on two days of the week."
            ),
            (
                "Lena: The Welsh class moved to Thursdays. And my knee is fine, I have been running again since "
                "the beginning of August, with a new group, the Bay Striders."
            ),
            (
                "Sol: The Bay Striders, noted. It is good to hear that the knee has forgiven you. Begin with the "
                "slow group even if the quick one looks tempting, and keep the exercises for another two months, "
                "because it is in the autumn that old injuries come back, when the ground becomes soft and the "
                "evenings dark. A small lamp for the arm costs little."
            ),
            (
                "Lena: I stopped teaching at the community centre, the series takes all my time. Ines's fourth "
                "cover is due on October 31."
            ),
            (
                "Sol: That was surely not easy, your Saturday group liked you. The end of October is five weeks "
                "away, and ten days of them are Lisbon, so the sketch should stand before you fly. Then you can "
                "carry it with you in your head, which often does more for a picture than another week at the "
                "table. I will remind you of the date when you are back."
            ),
        ),
    ),
    Session(
        "2025-11-17T18:30:00+00:00",  # a Monday
        (
            "Lena: Lisbon was lovely, we stayed in Alfama. Biscuit was with Jana meanwhile.",
            (
                "Sol: Alfama, with its stairs and laundry and the singing from the open doors, that must have "
                "been a feast for a sketchbook. If you scan the pages now, while you still know which corner is "
                "which, you have a store of windows, roofs and lamps for years. Some of these quick drawings may "
                "be better than the ones that you took trouble with. Did you draw there?"
            ),
            (
                "Lena: Every night, of course. I finished The Overstory on the plane, and I read nothing new at "
                "the moment."
            ),
            (
                "Sol: A long book for a long flight. After a novel of that size it is fine to read nothing for a "
                "while and to let the trees stand. When you feel like it again, I could look for something short:"
                " letters of painters, or a book about one single colour. There are several that can be read in "
                "an evening and that lie well on the table beside the ink."
            ),
            (
                "Lena: We are buying a flat in Penarth! We get the keys on January 15, and until then we stay in "
                "Cardiff."
            ),
            (
                "Sol: Congratulations! January 15, I will remember. Take the measurements of the doors and of the"
                " largest table on the day of the keys, and photograph the meters. North windows are worth more "
                "to you than a sea view, so look for the room with the most even light before you decide where "
                "the bed goes. The old landlord needs the notice in writing, mostly two months before."
            ),
            "Lena: And Ines's publisher offered me a job as art director. I said no, I stay my own boss.",
            (
                "Sol: A fine offer, and a clear answer. It says something about the series that they asked. Keep "
                "the letter all the same: it is a good basis when you talk about the fee for the next books, "
                "because now both sides know what your work is worth to them. And being one's own boss has suited"
                " you well this year, as far as I can see from here."
            ),
        ),
    ),
)

CHANGES = (
    Change(("full time", "Hartmoor Games since 2021"), ("works for herself",)),
    Change(("is drawing a card game",), ("quit her job",)),
    Change(("due on March 28",), ("due on April 11",)),
    Change(("planned for June 14",), ("now on September 20",)),
    Change(("runs with the Harbour Runners",), ("left the Harbour Runners",)),
    Change(("was reading Piranesi",), ("started reading The Overstory",)),
    Change(("two years older than Lena, lives",), ("three years older",)),
    Change(("lives in Bristol",), ("moved from Bristol to Cardiff",)),
    Change(("is learning Spanish",), ("dropped learning Spanish",)),
    Change(("call every Thursday",), ("call on Mondays",)),
    Change(("is a nurse at St Michael's",), ("Heath Hospital",)),
    Change(("Lena is vegetarian",), ("eaten fish again",)),
    Change(("doctor thinks", "lactose"), ("never lactose",)),
    Change(("Mara, who lives in Leeds",), ("Toronto", "lives there now")),
    Change(("learning Welsh", "Wednesdays"), ("moved to Thursdays",)),
    Change(("teaches drawing at the community centre",), ("stopped teaching",)),
)
STANDING = (
    ("a cat, Pixel",),
    ("a dog, Biscuit",),
    ("Jana, who lives in Leeds",),
    ("five covers",),
    ("Mara visited",),
    ("married on Saturday",),
    ("Fiat",),
)
DATES: dict[tuple[str, ...], str] = {
    ("Mara visited",): "2025-02-28",
    ("quit her job",): "2025-03-22",
    ("moved from Bristol",): "2025-05-02",
    ("a dog, Biscuit",): "2025-05-10",
    ("Heath Hospital",): "2025-07-14",
    ("moved from Leeds to Toronto",): "2025-07-01",
    ("sold her old Fiat",): "2025-07-06",
    ("married on Saturday",): "2025-09-20",
    ("fly to Lisbon",): "2025-10-01",  # "in two weeks" names no day, so the model gave the month
    ("due on October 31",): "2025-10-31",
    ("get the keys on",): "2026-01-15",
}
ASKED_AT = "2025-11-20T12:00:00+00:00"
QUESTIONS = (
    Asked("Where does Lena live now?", ("Cardiff",)),
    Asked("Where did Lena live before she moved to Cardiff?", ("Bristol",)),
    Asked("When did Lena and Tom get married?", ("September 20",)),
    Asked("Which pets do Lena and Tom have?", ("Pixel", "Biscuit")),
    Asked("How many days passed between Lena's last day at Hartmoor Games and the move to Cardiff?", ("41",)),
    Asked("Is Lena a vegetarian?", ("fish",)),
    Asked("Where do Lena's sisters live?", ("Toronto", "Leeds")),
    Asked("On which day is Lena's Welsh class?", ("Thursday",)),
    Asked("What is the name of Tom's brother?"),
    Asked("At which time of the day should Lena plan her drawing?", ("night",)),
    Asked("What will happen on January 15, 2026?", ("keys", "Penarth")),
    Asked("Does Lena have a lactose intolerance?", ("never",)),
)
