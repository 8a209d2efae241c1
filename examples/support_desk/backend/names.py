"""The people and places that the generator draws from: invented, but shaped like real personal data.

Data only. Names cross languages (diacritics, two-word names, words that are also things), because real ones do.
"""

from dataclasses import dataclass
from typing import Final

FIRST_NAMES: Final = (
    "Emma", "Liam", "Olivia", "Noah", "Aisha", "Mateo", "Sofía", "Yusuf", "Mei", "Raj", "Ingrid", "Lars",
    "Chloé", "Émile", "Zoë", "Jürgen", "Fatima", "Omar", "Priya", "Hiroshi", "Nadia", "Pavel", "Anaïs", "Diego",
    "Harper", "Mason", "Ethan", "Ava", "Mia", "Lucas", "Amelia", "Isabella", "Daiki", "Sunita", "Kwame", "Adaeze",
    "Björn", "Saoirse", "Ciarán", "Rose", "Grace", "Hunter", "Lily", "Oscar", "Femi", "Leila", "Tomasz", "Katarzyna",
)  # fmt: skip
LAST_NAMES: Final = (
    "Smith", "Johnson", "Brown", "Garcia", "Martinez", "Nguyen", "Patel", "Kim", "Müller", "Schäfer", "Rossi",
    "Kowalski", "O'Brien", "van den Berg", "de la Cruz", "Okafor", "Hansen", "Lefèvre", "Ivanova", "Sato", "Haddad",
    "Silva", "Novák", "Andersson", "MacLeod", "Green", "Baker", "Moore", "Khan", "Lee", "Santos", "Lopez", "Ahmed",
    "Davis", "Wilson", "Fischer", "Weber", "Jansen", "Mensah", "Dubois", "Costa", "Nakamura", "Byrne", "Winter",
)  # fmt: skip
STREETS: Final = (
    "Maple Avenue", "Harbour Lane", "Cedar Street", "Mill Road", "Station Road", "Elm Drive", "Church Street",
    "Sunset Boulevard", "River Walk", "Park Place", "Highland Avenue", "Willow Court", "King Street", "Lake View",
    "Orchard Way", "Chestnut Close", "Victoria Terrace", "Bridge Street", "Oak Hill", "Garden Row",
)  # fmt: skip
MAIL_HOSTS: Final = ("example.com", "example.org", "mail.example.net", "post.example.com")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A city with the form of its postcodes: `#` is a digit, `@` a capital letter."""

    city: str
    region: str
    country: str
    postcode: str


PLACES: Final = (
    Place(city="Portland", region="OR", country="US", postcode="972##"),
    Place(city="Austin", region="TX", country="US", postcode="787##"),
    Place(city="Chicago", region="IL", country="US", postcode="606##"),
    Place(city="Denver", region="CO", country="US", postcode="802##"),
    Place(city="San Diego", region="CA", country="US", postcode="921##"),
    Place(city="Leeds", region="WY", country="GB", postcode="LS# #@@"),
    Place(city="Bristol", region="SW", country="GB", postcode="BS# #@@"),
    Place(city="Toronto", region="ON", country="CA", postcode="M#@ #@#"),
    Place(city="Berlin", region="BE", country="DE", postcode="10###"),
    Place(city="Utrecht", region="UT", country="NL", postcode="35## @@"),
)

COUNTRIES: Final = ("US", "GB", "CA", "DE", "NL")
