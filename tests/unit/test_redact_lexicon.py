"""What keys mean: in many languages and casings, and only where the neighbourhood says so."""

import pytest

from redact.lists.lexicon import load_lexicon

LEXICON = load_lexicon()


@pytest.mark.parametrize(
    ("key", "above", "kind"),
    [
        ("firstName", (), "first_name"),
        ("billing_first-name", (), "first_name"),
        ("Vorname", (), "first_name"),
        ("apellido", (), "last_name"),
        ("dob", (), "birth_date"),
        ("dateOfBirth", (), "birth_date"),
        ("GEBURTSDATUM", (), "birth_date"),
        ("zip", ("address",), "postcode"),
        ("codePostal", (), "postcode"),
        ("e-mail", (), "email"),
        ("mobileNo", (), "phone"),
        ("userId", (), "person_id"),
        ("kundennummer", (), "person_id"),
        ("customer_ref", (), "person_id"),
        ("payment_method_id", (), "payment_id"),
        ("id", ("payment_methods", "*"), "payment_id"),
        ("id", ("get_customer",), "person_id"),
        ("name", ("passengers",), "full_name"),
        ("customer_name", (), "full_name"),
        ("last4", ("card",), "card_tail"),
        ("city", ("shipping_address",), "city"),
        ("clientIp", (), "ip"),
        ("LANGSMITH_API_KEY", (), "secret"),
        ("passport_no", (), "document_id"),
        ("order_id", (), "record"),
        ("item_ids", (), "record"),
        ("flight_number", (), "record"),
        ("product_name", (), "public"),
        ("name", ("get_order", "items"), "public"),
        ("scent family", (), None),
        ("city", (), None),
        ("email_verified", (), None),
        ("status_code", (), None),
        ("created_by", (), None),
        ("color", ("options",), None),
        ("phone", ("restaurant",), None),
        ("termin_id", ("patient_suchen", "termine"), None),
        ("id", ("add_event_participants",), None),
        ("id", ("get_order", "customer"), "person_id"),
        ("id", ("get_x", "order_customer"), "person_id"),
        ("ship", (), None),
        ("", (), None),
    ],
)
def test_keys(key: str, above: tuple[str, ...], kind: str | None) -> None:
    """Each key means its kind, or nothing."""
    assert LEXICON.kind_of(key, above, frozenset()) == kind


def test_an_id_beside_personal_keys_is_a_persons() -> None:
    """`id` in a record with a name and an e-mail address identifies that person."""
    assert LEXICON.kind_of("id", (), frozenset({"email"})) == "person_id"
    assert LEXICON.kind_of("id", (), frozenset()) is None


def test_a_policys_own_line_comes_first() -> None:
    """A person's decision beats every phrase, for a key or a path."""
    own = load_lexicon({"email": "public", "get_user.x*": "first_name"})
    assert own.kind_of("email", (), frozenset()) == "public"
    assert own.kind_of("xyz", ("get_user",), frozenset()) == "first_name"
    assert own.kind_of("xyz", ("get_order",), frozenset()) is None
