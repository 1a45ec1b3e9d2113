"""Places that others lie in: who lives in Berlin lives in Germany and in Europe too.

Names that mean a city more often than not (New York, Singapore, Luxembourg) are not among them.
"""

from enum import IntEnum


class Breadth(IntEnum):
    PLACE = 0  # a city, a village, a quarter, and whatever is not listed
    STATE = 1
    COUNTRY = 2
    CONTINENT = 3


def names(lines: str) -> frozenset[str]:
    """One name or several on a line, with commas between them."""
    return frozenset(name.strip().casefold() for line in lines.splitlines() for name in line.split(",") if name.strip())


CONTINENTS = names("""
    Africa, Antarctica, Asia, Australasia, Europe, Oceania, North America, South America, Central America,
    Latin America, Scandinavia, Middle East, Far East, Southeast Asia, Eastern Europe, Western Europe, EU,
    European Union, Caribbean, Balkans, Baltics
""")

COUNTRIES = names("""
    Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia, Australia, Austria,
    Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bhutan, Bolivia, Bosnia,
    Bosnia and Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burma, Burundi, Cambodia, Cameroon,
    Canada, Cape Verde, Central African Republic, Chad, Chile, China, Colombia, Comoros, Congo,
    Democratic Republic of the Congo, Costa Rica, Croatia, Cuba, Cyprus, Czechia, Czech Republic, Denmark, Dominica,
    Dominican Republic, East Timor, Ecuador, Egypt, El Salvador, Equatorial Guinea, Eritrea, Estonia, Eswatini,
    Ethiopia, Fiji, Finland, France, Gabon, Gambia, Germany, Ghana, Greece, Greenland, Grenada, Guatemala, Guinea,
    Guinea-Bissau, Guyana, Haiti, Holland, Honduras, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel,
    Italy, Ivory Coast, Jamaica, Japan, Kazakhstan, Kenya, Kiribati, Kosovo, Kyrgyzstan, Laos, Latvia, Lebanon,
    Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta,
    Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Mongolia, Montenegro, Morocco, Mozambique,
    Myanmar, Namibia, Nauru, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, North Macedonia,
    Macedonia, Norway, Oman, Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, Peru, Philippines,
    Poland, Portugal, Puerto Rico, Qatar, Romania, Russia, Rwanda, Saint Lucia, Samoa, Saudi Arabia, Senegal, Serbia,
    Seychelles, Sierra Leone, Slovakia, Slovenia, Solomon Islands, Somalia, South Africa, South Korea, Korea,
    South Sudan, Spain, Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania,
    Thailand, Togo, Tonga, Trinidad and Tobago, Tunisia, Turkey, Türkiye, Turkmenistan, Tuvalu, Uganda, Ukraine,
    United Arab Emirates, UAE, Emirates, United Kingdom, UK, Great Britain, Britain, United States,
    United States of America, USA, US, America, States, Uruguay, Uzbekistan, Vanuatu, Venezuela, Vietnam, Yemen,
    Zambia, Zimbabwe
""")

# Of the USA, and the nations of the UK. Georgia is either a state or a country: both are wide.
STATES = names("""
    Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii, Idaho,
    Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota,
    Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York State,
    North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota,
    Tennessee, Texas, Utah, Vermont, Virginia, Washington State, West Virginia, Wisconsin, Wyoming,
    England, Scotland, Wales, Northern Ireland
""")


def find_breadth(name: str) -> Breadth:
    words = " ".join(name.replace(".", "").casefold().split()).removeprefix("the ")
    if words in CONTINENTS:
        return Breadth.CONTINENT
    if words in COUNTRIES:
        return Breadth.COUNTRY
    return Breadth.STATE if words in STATES else Breadth.PLACE


def is_wide_place(name: str) -> bool:
    return find_breadth(name) > Breadth.PLACE
