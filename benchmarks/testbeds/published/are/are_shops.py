"""A shop, cabs and flats to rent: three apps of `are` with invented records, and what people ask of them."""

from __future__ import annotations

import random
from functools import partial
from typing import Final

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.published.are.are import App, AppBackend, after, hex_id, latest, module

NOUNS: Final = ("Lamp", "Kettle", "Jacket", "Desk", "Rucksack", "Mug", "Chair", "Router", "Tent")
KINDS: Final = ("Aspen", "Borea", "Civet", "Dorado")
PRODUCTS: Final = tuple(f"{kind} {noun}" for noun in NOUNS for kind in KINDS)
VARIANTS: Final = 3
CODES: Final = {"SPRING10": 10.0, "VIP25": 25.0, "FREESHIP": 5.0}


def _items(product: str) -> list[str]:
    return [hex_id(f"{product}/{at}") for at in range(VARIANTS)]


def _shop() -> App:
    apps = module("shopping")
    app = apps.ShoppingApp()
    for number, name in enumerate(PRODUCTS):
        rng = random.Random(name)  # noqa: S311 - dice
        variants = {}
        for at, key in enumerate(_items(name)):
            options = {"color": ("black", "green", "sand")[at], "size": rng.choice("SML")}
            price, here = rng.randrange(800, 20_000) / 100, rng.random() < 0.85
            variants[key] = apps.Item(price=price, available=here, item_id=key, options=options)
            if rng.random() < 0.5:
                app.discount_codes[key] = {
                    code: CODES[code] for code in rng.sample(sorted(CODES), rng.randrange(1, 3))
                }
        key = hex_id(name)
        app.products[key] = apps.Product(name=name, product_id=key, variants=variants)
        if number % 3 == 0:
            item = next(iter(variants.values()))
            line = apps.CartItem(
                item_id=item.item_id, quantity=2, price=item.price, options=item.options
            )
            order = hex_id(f"order {number}")
            app.orders[order] = apps.Order(
                order_status=("processed", "shipped", "delivered", "cancelled")[number % 4],
                order_date=f"2026-05-{1 + number % 28:02d}T09:30:00+00:00",
                order_total=item.price * 2,
                order_id=order,
                order_items={item.item_id: line},
            )
    return app


def _shopping(rng: random.Random) -> list[Step]:
    product, other = rng.sample(PRODUCTS, 2)
    item, second = rng.choice(_items(product)), rng.choice(_items(other))
    code = rng.choice([*CODES, "NOSUCH"])
    order = hex_id(f"order {3 * rng.randrange(len(PRODUCTS) // 3)}")
    look: list[Step] = [
        ("search_product", {"product_name": rng.choice(product.split())}),
        ("get_product_details", {"product_id": hex_id(product)}),
    ]
    put: Step = ("add_to_cart", {"item_id": item, "quantity": rng.choice([1, 1, 2, 3])})
    cart: Step = ("list_cart", {})
    bought: list[Step] = [
        ("checkout", {"discount_code": code}) if rng.random() < 0.4 else ("checkout", {}),
        after("get_order_details", "order_id", latest),
    ]
    goals: list[list[Step]] = [
        [*look, put, cart, *bought],
        [put, ("add_to_cart", {"item_id": second}), cart, *bought, cart],
        [put, ("remove_from_cart", {"item_id": item}), cart],
        [put, ("get_discount_code_info", {"discount_code": code}), *bought, ("list_orders", {})],
        [("list_all_products", {"offset": rng.choice([0, 10, 20, 30])}), *look],
        [
            ("get_order_details", {"order_id": order}),
            ("cancel_order", {"order_id": order}),
            ("get_order_details", {"order_id": order}),
        ],
        [put, *bought, after("cancel_order", "order_id", latest), *bought[1:]],
        [("get_all_discount_codes", {}), *look],
        [
            ("add_to_cart", {"item_id": second, "quantity": 2}),
            put,
            cart,
            ("remove_from_cart", {"item_id": second, "quantity": 1}),
            cart,
            *bought,
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


PLACES: Final = (
    "Elm Street 4",
    "Harbour Gate",
    "North Station",
    "Museum",
    "Airport T2",
    "Old Mill",
)


def _cabs() -> App:
    app = module("cab").CabApp()
    app.rng = random.Random(5)  # noqa: S311 - dice
    for at in range(24):
        rng = random.Random(f"ride {at}")  # noqa: S311 - dice
        start, end = rng.sample(PLACES, 2)
        km = rng.randrange(30, 200) / 10
        app.add_new_ride(
            rng.choice(["Default", "Premium", "Van"]),
            start,
            end,
            round(km * 1.5, 2),
            km * 1.2,
            1_779_000_000.0 + at * 3_600,
            km,
        )
    return app


def _cab(rng: random.Random) -> list[Step]:
    start, end = rng.sample(PLACES, 2)
    way = {"start_location": start, "end_location": end}
    kind = {"service_type": rng.choice(["Default", "Default", "Premium", "Van", "Limousine"])}
    when = {"ride_time": f"2026-06-0{rng.randrange(2, 8)} 1{rng.randrange(10)}:30:00"}
    order: Step = ("order_ride", {**way, **kind, **(when if rng.random() < 0.5 else {})})
    now: Step = ("get_current_ride_status", {})
    goals: list[list[Step]] = [
        [("list_rides", {**way, **when}), order, now],
        [("get_quotation", {**way, **kind, **when}), order, ("user_cancel_ride", {})],
        [("get_ride_history", {"offset": rng.choice([0, 5, 10, 20]), "limit": 5})],
        [("get_ride_history_length", {}), ("get_ride", {"idx": rng.randrange(30)})],
        [now, order, ("get_ride_history_length", {}), ("user_cancel_ride", {}), now],
        [("user_cancel_ride", {}), order, ("get_ride", {"idx": 24})],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


TOWNS: Final = ("Lindholm", "Veresk", "Port Amber", "Kaldal")
FLATS: Final = tuple(
    f"{kind} {at}"
    for at in range(1, 11)
    for kind in ("Garden Court", "Quay House", "Tower", "Loft")
)


def _listings() -> App:
    apps = module("apartment_listing")
    app = apps.ApartmentListingApp()
    for at, name in enumerate(FLATS):
        rng = random.Random(name)  # noqa: S311 - dice
        key = hex_id(name)
        app.apartments[key] = apps.Apartment(
            name=name,
            location=TOWNS[at % 4],
            zip_code=f"{10_200 + at % 4}",
            price=float(rng.randrange(60, 320) * 10),
            bedrooms=rng.randrange(1, 5),
            bathrooms=rng.randrange(1, 3),
            property_type=rng.choice(["Apartment", "Condo", "House"]),
            square_footage=rng.randrange(30, 150) * 10,
            furnished_status=rng.choice(["Furnished", "Unfurnished"]),
            floor_level=rng.choice(["Ground floor", "Upper floors", "Penthouse"]),
            pet_policy=rng.choice(["Pets allowed", "No pets"]),
            lease_term=rng.choice(["6 months", "1 year"]),
            apartment_id=key,
            amenities=rng.sample(["Gym", "Pool", "Parking", "Laundry"], rng.randrange(4)),
        )
        if at % 9 == 0:
            app.saved_apartments.append(key)
            app.apartments[key].saved = True
    return app


def _flats(rng: random.Random) -> list[Step]:
    flat = {"apartment_id": hex_id(rng.choice(FLATS))}
    town = {"location": rng.choice(TOWNS)}
    look: Step = ("get_apartment_details", flat)
    save: Step = ("save_apartment", flat)
    saved: Step = ("list_saved_apartments", {})
    search: Step = (
        "search_apartments",
        rng.choice(
            [
                {**town, "max_price": rng.choice([1000, 1500, 2000])},
                {**town, "number_of_bedrooms": rng.randrange(1, 5)},
                {"pet_policy": "Pets allowed", "min_price": 2000},
                {**town, "saved_only": True},
                {"name": rng.choice(["tower", "loft 3", "quay"])},
                {**town, "amenities": [rng.choice(["Gym", "Pool", "Parking"])]},
            ]
        ),
    )
    goals: list[list[Step]] = [
        [search, look, save, saved],
        [saved, ("remove_saved_apartment", flat), saved],
        [save, look, ("remove_saved_apartment", flat), look],
        [search, look],
        [look, save, search],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


STYLES: Final = [
    Style(name=name + end, make=partial(AppBackend, fill, printed=printed), script=script)
    for name, fill, script in (
        ("shopping", _shop, _shopping),
        ("cab", _cabs, _cab),
        ("apartments", _listings, _flats),
    )
    for end, printed in (("", True), ("-json", False))
]
