"""Words that carry no matter of their own, by language: they vote on the language and can't be a name."""

from collections.abc import Mapping

from banks.dates.fold import fold_word


def words(text: str) -> frozenset[str]:
    return frozenset(map(fold_word, text.split()))


STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": words(
        "a about after all also am an and any are as at be been before being but by can could did do does doing "
        "for  from had has have having he her hers him his how i if in into is it its just many me much my no not "
        "of  often on or our ours out over she should so some than that the their theirs them then there these "
        "they this those to  too under up us was we were what when where which while who whom whose why will with "
        "would you your yours i'm i've i'd  it's what's who's where's don't didn't isn't wasn't"
    ),
    "de": words(
        "aber als am an auf aus bei bin bis da das dass dein dem den der des dich die dir doch du durch ein eine einem "
        "einen einer eines er es euer für habe haben hast hat hatte hatten ich ihr ihre im in ist ja kann kein keine "
        "man mein meine meinem meinen meiner mich mir mit nach nicht noch nur oder ob sehr sein seine sich sie sind so "
        "über um und uns unser unter vom von vor wann war waren warum was welche welchem welchen welcher welches wem "
        "wen wenn wer werde werden wie wieso wir wird wo woher wohin wurde zu zum zur zwischen viele habe gibt"
    ),
    "es": words(
        "a al algo como cómo con cual cuál cuales cuáles cuando cuándo cuanto cuánto cuanta cuánta cuantos cuántos "
        "cuantas cuántas de del desde donde dónde el él ella ellos en entre era es esta está estaba este esto fue ha "
        "había han has hay he la las le les lo los me mi mis muy no nos nuestro o para pero por porque qué que quién "
        "quien se ser si sí sin sobre son soy su sus también te tengo tiene tu tus un una unos unas y ya yo"
    ),
    "fr": words(
        "ai as au aux avec avez avons c'est ce ces cette combien comment dans de des du elle en est et était étaient "
        "être eu fait il ils j'ai je l' la le les leur lui ma mais me mes moi mon ne nos notre nous on ont où ou par "
        "pas pour pourquoi qu'est quand que quel quelle quelles quels qui quoi sa sans se ses si son sont suis sur ta "
        "te tes toi ton tu un une vos votre vous y été"
    ),
    "it": words(
        "a ai al alla alle che chi ci come con cosa cui da dal dalla dei del della delle di dove e è ed era erano fa "
        "gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio ne nel nella no noi non "
        "nostro o per perché però più qual quale quali quando quanti quante quanto quella quello questa questo se sei "
        "si sia siamo sono su sua sue suo suoi sul sulla ti tra tu tua tuo un una uno vi voi"
    ),
    "nl": words(
        "aan al als bij ben dan dat de deze die dit dus een en er ga geen had hadden hebben hebt heb heeft hem het "
        "hier hij hoe hoeveel hun ik in is je jij jou jouw kan maar me mee met mij mijn na naar niet nog nu of om ons "
        "onze ook op over te tot uit van vaak voor waar waarom wanneer was wat we welke wel werd wie wij wil worden "
        "ze zich zij zijn zo zonder zou"
    ),
    "pt": words(
        "a à ao aos as com como da das de dela dele deles do dos e é ela ele eles em entre era eram essa esse esta "
        "está estava este eu foi foram há isso isto já la lhe mais mas me mesmo meu meus minha minhas muito na não nas "
        "nem no nos nós o onde os ou para pela pelo por porque porquê qual quais quando quanta quantas quanto quantos "
        "que quê quem se sem ser seu seus só sobre sou sua suas também te tem tenho tinha tu tua um uma você vocês"
    ),
    "ru": words(
        "а без был была были было в вам вас во вот вы где да для до его ее если есть еще же за и из или им их к как "  # noqa: RUF001 - Russian
        "какая какие какой какую когда который кто куда ли мне меня много мой моя мы на над нас наш не нет но ну о об "  # noqa: RUF001 - Russian
        "он она они от по почему при с сколько со так там то тот ты у уже чем что чтобы чья эта эти это этот я"  # noqa: RUF001 - Russian
    ),
}  # fmt: skip
ALL_STOP_WORDS = frozenset[str]().union(*STOP_WORDS.values())
