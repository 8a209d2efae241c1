"""What the shop sells: one catalogue per theme, so that variants of the app do not share their products.

Data only: product name, category, options in the order that makes its versions, and the base price in cents.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One product and the options that make its versions."""

    name: str
    category: str
    options: tuple[tuple[str, tuple[str, ...]], ...]
    price: int


def _article(name: str, category: str, price: int, **options: str) -> Article:
    parsed = tuple((key, tuple(values.split("/"))) for key, values in options.items())
    return Article(name=name, category=category, options=parsed, price=price)


HOME: Final = (
    _article(
        "Desk Lamp", "lighting", 3490, color="black/white/green", brightness="dimmable/standard"
    ),
    _article("Floor Lamp", "lighting", 7900, color="brass/black", height="tall/short"),
    _article("Wool Blanket", "bedroom", 5450, color="grey/navy/cream", size="single/double"),
    _article("Pillow", "bedroom", 2299, filling="down/foam", firmness="soft/firm"),
    _article("Duvet Cover", "bedroom", 4180, color="white/sage/ochre", size="single/double"),
    _article("Chef Knife", "kitchen", 6399, handle="walnut/steel", length="15cm/20cm"),
    _article("Cast Iron Pan", "kitchen", 4825, diameter="24cm/28cm", lid="glass/none"),
    _article("Kettle", "kitchen", 3999, color="red/silver/black", capacity="1L/1.7L"),
    _article("Coffee Grinder", "kitchen", 8950, color="copper/black", mechanism="manual/electric"),
    _article("Bookshelf", "furniture", 15990, material="oak/pine/metal", shelves="three/five"),
    _article(
        "Office Chair", "furniture", 22900, color="charcoal/blue", armrests="fixed/adjustable"
    ),
    _article("Side Table", "furniture", 8640, material="oak/marble", shape="round/square"),
    _article("Backpack", "travel", 6975, color="olive/black/rust", capacity="20L/30L"),
    _article("Suitcase", "travel", 12450, color="teal/black", size="cabin/large"),
    _article("Travel Mug", "travel", 2165, color="mint/black/orange", capacity="350ml/500ml"),
    _article("Bluetooth Speaker", "electronics", 5890, color="black/coral", battery="10h/20h"),
    _article("Headphones", "electronics", 13999, color="silver/black", cushion="leather/fabric"),
    _article("Alarm Clock", "electronics", 2750, color="white/wood", display="analog/digital"),
)
SPORT: Final = (
    _article("Running Shoes", "running", 11900, color="lime/black/white", size="40/42/44"),
    _article("Rain Jacket", "running", 8990, color="yellow/navy", size="medium/large"),
    _article("Yoga Mat", "fitness", 3680, color="plum/teal/grey", thickness="4mm/6mm"),
    _article("Dumbbell Set", "fitness", 7425, weight="5kg/10kg", coating="rubber/chrome"),
    _article("Skipping Rope", "fitness", 1590, color="red/black", length="2m/3m"),
    _article("Road Helmet", "cycling", 9350, color="white/black", size="medium/large"),
    _article("Bike Light", "cycling", 4275, mount="bar/helmet", power="usb/battery"),
    _article("Cycling Gloves", "cycling", 2890, color="black/blue", size="medium/large"),
    _article("Tent", "camping", 24900, color="green/sand", capacity="two/four"),
    _article("Sleeping Bag", "camping", 11250, filling="down/synthetic", length="regular/long"),
    _article("Camping Stove", "camping", 5640, fuel="gas/alcohol", burners="one/two"),
    _article("Water Bottle", "camping", 1895, color="blue/clear", capacity="500ml/1L"),
    _article("Swim Goggles", "swimming", 2460, color="blue/smoke", lens="clear/mirrored"),
    _article("Wetsuit", "swimming", 18750, thickness="3mm/5mm", size="medium/large"),
)
GARDEN: Final = (
    _article("Pruning Shears", "tools", 2995, handle="short/long", blade="bypass/anvil"),
    _article("Garden Fork", "tools", 3840, handle="ash/fibreglass", tines="four/five"),
    _article("Wheelbarrow", "tools", 9760, color="green/red", wheels="one/two"),
    _article("Garden Hose", "watering", 4450, length="15m/30m", fitting="brass/plastic"),
    _article("Watering Can", "watering", 2585, color="zinc/green", capacity="5L/10L"),
    _article("Sprinkler", "watering", 3370, motion="oscillating/rotary", base="spike/sled"),
    _article("Raised Bed", "growing", 11990, material="cedar/steel", size="small/large"),
    _article("Seed Starter Kit", "growing", 1975, cells="24/48", lid="vented/plain"),
    _article("Grow Light", "growing", 6880, spectrum="full/red", length="60cm/120cm"),
    _article("Picnic Bench", "outdoor", 19850, material="pine/larch", seats="four/six"),
    _article("Fire Pit", "outdoor", 14325, material="rust/steel", diameter="60cm/80cm"),
    _article("Parasol", "outdoor", 8590, color="terracotta/cream", diameter="2m/3m"),
    _article("Bird Feeder", "wildlife", 2240, mount="hanging/pole", color="copper/green"),
    _article("Bee Hotel", "wildlife", 3165, material="bamboo/oak", size="small/large"),
)
THEMES: Final = (HOME, SPORT, GARDEN)
