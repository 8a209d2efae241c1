"""Every name the app shows to the outside, with the other names it may have in a variant.

Data only: `variant.Variant` picks. Plain names are the keys (variant 0); no alternative equals any plain name.
"""

from typing import Final

TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "find_customer_by_email": (
        "lookup_account_by_mail",
        "user_id_from_email",
        "search_member_mail",
    ),
    "find_customer_by_name": (
        "lookup_account_by_person",
        "user_id_from_name_zip",
        "search_member_name",
    ),
    "get_customer": ("account_details", "read_user", "show_member"),
    "get_order": ("purchase_details", "read_purchase", "show_booking"),
    "get_product": ("article_details", "read_article", "show_listing"),
    "get_return": ("return_details", "read_rma", "show_sendback"),
    "search_products": ("list_articles", "query_catalog", "browse_listings"),
    "calculator": ("compute", "evaluate_math", "arithmetic"),
    "cancel_order": ("void_purchase", "stop_purchase", "revoke_booking"),
    "return_items": ("open_return", "send_back_articles", "start_sendback"),
    "exchange_items": ("swap_articles", "trade_articles", "replace_lines"),
    "change_order_address": ("redirect_purchase", "set_delivery_location", "reroute_booking"),
    "change_customer_address": ("move_account", "set_home_location", "relocate_member"),
    "refund": ("issue_compensation", "pay_back", "grant_credit"),
    "hand_over": ("escalate", "pass_to_human", "transfer_to_staff"),
}

FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "customer_id": ("account_no", "user_ref", "member_key"),
    "name": ("title", "label", "designation"),
    "first_name": ("given_name", "forename", "name_given"),
    "last_name": ("family_name", "surname", "name_family"),
    "email": ("mail", "email_addr", "contact_mail"),
    "phone": ("telephone", "mobile_no", "contact_phone"),
    "birth_date": ("born", "date_of_birth", "birthday"),
    "tier": ("loyalty", "membership", "grade"),
    "address": ("location", "ship_to", "domicile"),
    "street": ("line1", "street_and_no", "road"),
    "city": ("town", "place", "locality"),
    "region": ("state_code", "province", "district"),
    "postcode": ("zip", "postal_code", "area_code"),
    "country": ("nation", "country_code", "land"),
    "payment_methods": ("wallet", "means_of_payment", "funding"),
    "payment_id": ("wallet_ref", "method_key", "funding_no"),
    "kind": ("sort", "method_type", "funding_class"),
    "last4": ("digits", "card_end", "mask"),
    "balance": ("credit_left", "funds", "remaining"),
    "order_ids": ("purchases", "purchase_refs", "bookings"),
    "order_id": ("purchase_no", "purchase_ref", "booking_key"),
    "status": ("progress", "stage", "phase"),
    "placed_at": ("bought_on", "purchase_time", "booked"),
    "shipped_at": ("sent_on", "dispatch_time", "left_depot"),
    "delivered_at": ("arrived_on", "arrival_time", "handed_in"),
    "tracking_number": ("parcel_code", "shipment_ref", "waybill"),
    "cancel_reason": ("void_cause", "stop_cause", "revoked_for"),
    "items": ("lines", "articles", "entries"),
    "item_id": ("line_no", "article_line", "entry_key"),
    "item_ids": ("line_nos", "article_lines", "entry_keys"),
    "product_id": ("article_no", "product_ref", "listing_key"),
    "variant_id": ("sku", "version_ref", "model_key"),
    "new_variant_ids": ("target_skus", "wanted_versions", "model_keys"),
    "variants": ("skus", "versions", "models"),
    "options": ("features", "attributes", "specs"),
    "price": ("unit_cost", "gross_price", "fee"),
    "state": ("condition", "line_stage", "standing"),
    "payments": ("transactions", "ledger", "bookkeeping"),
    "entry": ("direction", "booking_type", "movement"),
    "amount": ("value", "sum_of_money", "figure"),
    "total": ("grand_total", "sum_due", "overall"),
    "category": ("department", "section", "family"),
    "stock": ("units_left", "on_hand", "inventory"),
    "from_price": ("cheapest", "starting_at", "lowest"),
    "max_price": ("budget", "price_limit", "at_most"),
    "text": ("needle", "search_term", "keywords"),
    "in_stock": ("only_available", "buyable", "ready_to_ship"),
    "expression": ("formula", "math", "term"),
    "reason": ("cause", "motive", "because"),
    "return_id": ("rma_no", "sendback_ref", "return_key"),
    "returns": ("rmas", "sendbacks", "open_returns"),
    "refund_amount": ("money_back", "credit_due", "payback"),
    "requested_at": ("filed_on", "request_time", "opened"),
    "refund_id": ("compensation_no", "payback_ref", "credit_key"),
    "refunded_total": ("compensated_so_far", "paid_back_total", "credited"),
    "created_at": ("made_on", "creation_time", "entered"),
    "ticket_id": ("case_no", "escalation_ref", "handover_key"),
    "queue": ("team", "desk", "lane"),
    "summary": ("note", "brief", "story"),
}

VALUES: Final[dict[str, tuple[str, ...]]] = {
    "pending": ("open", "in_preparation", "NEW"),
    "shipped": ("on_the_way", "dispatched", "SENT"),
    "delivered": ("arrived", "completed", "DONE"),
    "cancelled": ("voided", "stopped", "REVOKED"),
    "return requested": ("coming_back", "return_open", "RETURNING"),
    "returned": ("came_back", "return_closed", "BACK"),
    "exchange requested": ("swapping", "swap_open", "EXCHANGING"),
    "kept": ("ok", "with_buyer", "OWNED"),
    "exchanged": ("swapped", "traded", "REPLACED"),
    "card": ("credit", "plastic", "CARD_PAYMENT"),
    "paypal": ("online_wallet", "e_money", "PAYPAL_ACCOUNT"),
    "gift_card": ("voucher", "store_credit", "GIFT"),
    "charge": ("debit", "in", "PAY"),
    "refund": ("reversal", "out", "PAYBACK"),
    "no longer needed": ("changed_mind", "not_wanted", "UNWANTED"),
    "ordered by mistake": ("wrong_purchase", "error_buying", "MISTAKE"),
    "found cheaper": ("better_offer", "price_elsewhere", "CHEAPER_ELSEWHERE"),
    "damaged": ("broken", "defective", "DEFECT"),
    "late": ("delayed", "overdue", "TOO_LATE"),
    "missing": ("incomplete", "lost_part", "NOT_THERE"),
    "general": ("frontline", "team_a", "GENERAL_DESK"),
    "billing": ("money_team", "team_b", "FINANCE"),
    "complaints": ("quality_team", "team_c", "CARE"),
    "requested": ("filed", "return_wait", "FILED"),
    "received": ("at_depot", "return_in", "AT_WAREHOUSE"),
    "basic": ("standard", "level_1", "BRONZE"),
    "silver": ("plus", "level_2", "SECOND"),
    "gold": ("premium", "level_3", "FIRST"),
}

VALUE_FIELDS: Final = frozenset(
    {"status", "state", "kind", "entry", "reason", "cancel_reason", "queue", "tier"}
)
"""Fields whose text is one of `VALUES`; any other text is data and is never renamed."""

ERRORS: Final[dict[str, tuple[str, ...]]] = {
    "unknown_tool": ("unknown tool {tool}", "no tool is called {tool}", "{tool} does not exist here"),
    "bad_json": ("arguments are not a JSON object", "malformed input", "the input could not be parsed"),
    "missing_argument": ("missing argument {field}", "{field} is required", "please supply {field}"),
    "unexpected_argument": ("unexpected argument {field}", "{field} is not accepted", "no such parameter: {field}"),
    "bad_type": ("argument {field} has the wrong type", "{field} is of an invalid type", "cannot use that {field}"),
    "bad_choice": ("{field} must be one of: {choices}", "invalid {field}; allowed are {choices}", "choose {field} from {choices}"),
    "no_customer": ("customer not found", "no such account", "nobody matches"),
    "no_customer_id": ("customer {id} not found", "account {id} is unknown", "there is nobody with key {id}"),
    "no_order": ("order {id} not found", "purchase {id} is unknown", "there is no booking {id}"),
    "no_product": ("product {id} not found", "article {id} is unknown", "there is no listing {id}"),
    "no_return": ("return {id} not found", "{id} is not a known return", "there is no such send-back: {id}"),
    "no_variant": ("variant {id} not found", "version {id} is unknown", "there is no model {id}"),
    "no_payment": ("payment method not found", "unknown means of payment", "that funding does not exist"),
    "foreign_payment": ("payment method does not belong to the customer", "means of payment is someone else's", "that funding is not theirs"),
    "not_cancellable": ("order with status '{status}' cannot be cancelled", "a purchase that is {status} stays as it is", "too late to revoke: {status}"),
    "not_redirectable": ("order with status '{status}' cannot be redirected", "a purchase that is {status} keeps its destination", "too late to reroute: {status}"),
    "not_returnable": ("order with status '{status}' cannot be returned", "a purchase that is {status} takes no returns", "no send-back while {status}"),
    "not_exchangeable": ("order with status '{status}' cannot be exchanged", "a purchase that is {status} takes no swaps", "no replacement while {status}"),
    "not_refundable": ("order with status '{status}' cannot be refunded", "a purchase that is {status} earns nothing back", "no credit while {status}"),
    "no_items": ("no items given", "at least one line is needed", "the list is empty"),
    "item_twice": ("item {id} is listed twice", "line {id} repeats", "{id} occurs more than once"),
    "not_in_order": ("item {id} is not in the order", "line {id} belongs elsewhere", "{id} is no entry of this booking"),
    "already_returned": ("item {id} was already returned or exchanged", "line {id} is not with the buyer any more", "{id} has gone back before"),
    "refund_target": ("refunds go to the original payment method or a gift card", "money returns where it came from, or becomes a voucher", "pick the first funding or store credit"),
    "count_differs": ("the number of items and new variants must be equal", "both lists need the same length", "give one target for each entry"),
    "other_product": ("variant {id} is not of the same product", "version {id} is another article", "{id} is a different listing"),
    "same_variant": ("item already is variant {id}", "nothing to swap for {id}", "{id} is what they have"),
    "out_of_stock": ("variant {id} is out of stock", "version {id} is sold out", "no {id} left"),
    "low_balance": ("insufficient gift card balance: {left} left, {needed} needed", "the voucher holds {left}, not {needed}", "credit {left} is below {needed}"),
    "bad_amount": ("amount must be positive", "that sum is not above zero", "zero or less cannot be paid"),
    "too_much": ("amount exceeds the refundable {left}", "at most {left} can be paid back", "more than the {left} that remain"),
    "bad_postcode": ("postcode {value} is not valid in {country}", "{country} has no code like {value}", "{value} is impossible in {country}"),
    "bad_expression": ("invalid expression", "cannot compute that", "not arithmetic"),
}  # fmt: skip

ENVELOPES: Final = (
    "Error: {message}",
    "ERROR - {message}",
    '{{"error": {quoted}}}',
    "[failed] {message}",
)
"""How a refusal is wrapped; the first is the plain one."""

IDS: Final[tuple[dict[str, str], ...]] = (
    {
        "customer": "C-{n:05d}", "order": "ORD-{n:06d}", "item": "IT-{n:07d}", "product": "P-{n:04d}",
        "variant": "V-{n:06d}", "payment": "pm_{n:06d}", "return": "RMA-{n:05d}", "refund": "REF-{n:05d}",
        "ticket": "TCK-{n:05d}", "tracking": "1Z{n:010d}",
    },
    {
        "customer": "{hint}_{n:04d}", "order": "#W{n:07d}", "item": "{n:010d}", "product": "{n:08d}",
        "variant": "9{n:09d}", "payment": "fund_{n:07d}", "return": "W-{n:06d}-R", "refund": "W-{n:06d}-C",
        "ticket": "{n:06d}", "tracking": "JD{n:012d}",
    },
    {
        "customer": "cus_{h:08x}", "order": "po-{h:08x}", "item": "ln_{h:08x}", "product": "pr_{h:08x}",
        "variant": "sk_{h:08x}", "payment": "w_{h:08x}", "return": "rt_{h:08x}", "refund": "cr_{h:08x}",
        "ticket": "es_{h:08x}", "tracking": "{h:08x}-DHL",
    },
    {
        "customer": "K{n:06d}", "order": "26/{n:06d}", "item": "{n:06d}.L", "product": "ART{n:05d}",
        "variant": "ART-{n:06d}-M", "payment": "{n:06d}-F", "return": "R/{n:05d}", "refund": "G/{n:05d}",
        "ticket": "Q/{n:05d}", "tracking": "RR{n:09d}GB",
    },
)  # fmt: skip
"""Id formats: `n` a number, `h` the same number scattered over 32 bits, `hint` the person's name in ASCII."""

ORDER_PATTERNS: Final = (
    r"ORD-\d{6}",
    r"#W\d{7}",
    r"po-[0-9a-f]{8}",
    r"26/\d{6}",
)
"""What an order id of each format looks like in a sentence, in the order of `IDS`."""
