"""Pairs of names of one entity, and pairs of names that are easily confused. An underscore stands for a space."""

from benchmarks.entity_resolution.pair import CONCEPT, ORGANIZATION, OTHER, PERSON, PLACE, PRODUCT, Name

NICKNAMES = """
Bill/William Bob/Robert Dick/Richard Ted/Edward Peggy/Margaret Liz/Elizabeth Kate/Katherine Mike/Michael
Jim/James Tom/Thomas Dave/David Andy/Andrew Joe/Joseph Dan/Daniel Matt/Matthew Nick/Nicholas Ben/Benjamin
Sam/Samuel Alex/Alexander Alex/Alexandra Chris/Christopher Steve/Steven Tony/Anthony Greg/Gregory Jeff/Jeffrey
Ken/Kenneth Becky/Rebecca Jenny/Jennifer Sue/Susan Debbie/Deborah Patty/Patricia Vicky/Victoria Abby/Abigail
Mandy/Amanda Steph/Stephanie Gabe/Gabriel Zack/Zachary Josh/Joshua Fred/Frederick Charlie/Charles
Maggie/Margaret Ali/Alison Val/Valerie Nat/Natalie Seb/Sebastian Theo/Theodore Dom/Dominic Vince/Vincent
Jess/Jessica Cass/Cassandra
"""
TRANSLITERATIONS = """
Sergei/Sergey Dmitri/Dmitry Aleksei/Aleksey Natalia/Nataliya Youssef/Yousef Katarina/Katharina Müller/Mueller
Schröder/Schroeder Søren/Soeren Мария/Mariya Иван/Ivan Ольга/Olga Дмитрий/Dmitriy Γιώργος/Giorgos Mikhail/Mihail
Zhanna/Žanna Fatima/Fatimah Abdullah/Abdulla Vasily/Vasiliy Björk/Bjork Mohammed/Muhammad Hussein/Hussain
Philippe/Filippe Nikolai/Nikolay Anastasia/Anastasiya Jürgen/Juergen Đorđe/Dorde Łukasz/Lukasz
"""
ACRONYMS = """
UN/United_Nations NASA/National_Aeronautics_and_Space_Administration EU/European_Union
WHO/World_Health_Organization FBI/Federal_Bureau_of_Investigation MIT/Massachusetts_Institute_of_Technology
IBM/International_Business_Machines BBC/British_Broadcasting_Corporation NBA/National_Basketball_Association
UCLA/University_of_California_Los_Angeles DOJ/Department_of_Justice U.N./United_Nations I.B.M./IBM
WWF/World_Wildlife_Fund NFL/National_Football_League IMF/International_Monetary_Fund
ACLU/American_Civil_Liberties_Union NGO/Northern_Gardeners_Organisation BMW/Bayerische_Motoren_Werke
HRW/Human_Rights_Watch NYC/New_York_City/P UK/United_Kingdom/P USA/United_States_of_America/P
UAE/United_Arab_Emirates/P U.S./United_States/P LA/Los_Angeles/P SF/San_Francisco/P
DRC/Democratic_Republic_of_the_Congo/P
"""
COMPANIES = """
Acme Globex Initech Northwind Contoso Umbrella Soylent Hooli Vandelay Wonka Stark Wayne Tyrell Cyberdyne
Aperture Massive_Dynamic Blue_Sun Prestige_Worldwide Dunder_Mifflin Sterling_Cooper Bluth Pied_Piper Oscorp
Gringotts
"""
PLACES = """
Grand_Canyon Pacific_Northwest Eiffel_Tower Smoky_Mountains Golden_Gate_Bridge Netherlands Lake_Geneva Barcelona
Edinburgh Philadelphia Melbourne Copenhagen Yellowstone Casablanca Vancouver Marrakesh Bratislava Montevideo
São_Paulo Zürich Málaga Kraków Montréal Reykjavík Düsseldorf Côte_d'Azur Mount_Everest Saint_Petersburg
Fort_Worth
"""
CONFUSABLE_PEOPLE = """
Jon/Joan Maria/Marie Daniel/Danielle Christina/Christine Anna/Anne Eric/Erica Paul/Paula Dan/Dana Julia/Julie
Nate/Kate Tim/Tom Jean/Joan Gina/Tina Marta/Martha Carla/Carlo Mario/Maria Ellen/Helen Jane/June Ron/Don
Mark/Mary Emma/Emmy Mila/Milan Laura/Lauren Alan/Dylan Brian/Bryce Karen/Karin Leo/Lea Nina/Nona Amy/Ada
Harry/Barry Jack/Jake Rory/Roy Dean/Dena Sean/Joan Ann/Ian Erin/Aaron Lisa/Alice Robert/Rupert Hannah/Joanna
Albert/Robert Simon/Simone George/Georgia Patrick/Patricia Oliver/Olivia Alexander/Alexandra Victor/Victoria
Stefan/Stefanie
"""
CONFUSABLE_PLACES = """
Austria/Australia Iran/Iraq Niger/Nigeria Slovakia/Slovenia Gambia/Zambia Mali/Malawi North_Korea/South_Korea
East_Coast/West_Coast New_York/New_Jersey North_Carolina/South_Carolina Dominica/Dominican_Republic
Guinea/Guyana Paris,_Texas/Paris,_France Portland,_Oregon/Portland,_Maine Kansas/Arkansas Virginia/West_Virginia
Lake_Michigan/Michigan Mexico/New_Mexico Georgia/Virginia Mauritius/Mauritania Congo/Togo Latvia/Lithuania
Upper_East_Side/Upper_West_Side Washington/Wellington Budapest/Bucharest Sydney/Sidon Salem/Salerno
Lisbon/Lisburn
"""
NUMBERED = """
iPhone Galaxy_S PlayStation Windows GPT Boeing Room Model Version Terminal Highway Formula Rocky Chapter
"""
HOMOGRAPHS = """
Apple:O/apple:C Amazon:O/Amazon:L Shell:O/shell:C Paris:P/Paris:L Jordan:P/Jordan:L Georgia:P/Georgia:L
Orange:O/orange:C Target:O/target:C Mercury:O/mercury:C Gap:O/gap:C Virginia:P/Virginia:L Austin:P/Austin:L
Jaguar:R/jaguar:C Java:R/Java:L Phoenix:P/Phoenix:L Chelsea:P/Chelsea:L Apple:O/apple:X Windows:R/windows:X
Delta:O/delta:C Rose:P/rose:C Jasmine:P/jasmine:C Florence:P/Florence:L Blackberry:R/blackberry:C
Sydney:P/Sydney:L Dove:O/dove:C Charlotte:P/Charlotte:L
"""
# S is the kind OTHER as stated by the caller, X is OTHER because the kind is unknown.
STATED_HOMOGRAPHS = """
Apple:O/Apple:S Apple:S/Apple:O Shell:O/Shell:S Amazon:L/Amazon:S Mercury:R/Mercury:S Phoenix:S/Phoenix:L
Apple:R/Apple:O Orange:S/Orange:O Target:O/Target:S Rose:P/Rose:S Jasmine:S/Jasmine:P Delta:O/Delta:S Dove:S/Dove:O
Java:L/Java:S Jaguar:S/Jaguar:R Gap:S/Gap:O
"""
UNSURE_KINDS = """
Acme:O/Acme:X Initech:X/Initech:O Hooli:X/Hooli_Inc.:O Globex_Corp.:O/Globex:X Barcelona:X/Barcelona:L
Vancouver:L/Vancouver:X PlayStation:R/PlayStation:X Kindle:X/Kindle:R Melanie:X/Melanie:P Robert_Chen:P/Bob_Chen:X
Christmas:S/Christmas:C Karate:C/Karate:S Tyrell:S/Tyrell:X
"""
KINDS = {"O": ORGANIZATION, "L": PLACE, "P": PERSON, "C": CONCEPT, "R": PRODUCT, "X": OTHER, "S": OTHER}


def read_cells(table: str) -> list[str]:
    return [cell.replace("_", " ") for cell in table.split()]


def read_rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.split("/")) for cell in read_cells(table)]


def read_typed(cell: str) -> Name:
    text, letter = cell.split(":")
    return Name(text, KINDS[letter], is_stated=letter == "S")
