"""A vehicle: set-like tools that return the whole setting, sensors, steps that need other steps, None as an answer."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style

DOORS = ("driver", "passenger", "rear_left", "rear_right")


class Device(Backend):
    """One car, parked."""

    def __init__(self) -> None:
        self._fuel = 12.0
        self._doors: dict[str, str] = dict.fromkeys(DOORS, "unlocked")
        self._engine = "stopped"
        self._brake = 0.0
        self._lights = "off"
        self._climate: dict[str, Any] = {
            "profile": "P-17",
            "temperature": 21.0,
            "fan": 50,
            "mode": "auto",
        }
        self._cruise: int | None = None

    def lock_doors(self, unlock: bool, doors: list[str]) -> dict[str, Any]:  # noqa: FBT001 - a tool
        """Lock or unlock some."""
        for door in doors:
            self._doors[door] = "unlocked" if unlock else "locked"
        left = sum(state == "unlocked" for state in self._doors.values())
        return {"lockStatus": "unlocked" if unlock else "locked", "remainingUnlockedDoors": left}

    def press_brake(self, position: float) -> dict[str, Any]:
        """How far, 0 to 1."""
        if not 0 <= position <= 1:
            return {"error": "Pedal position must be between 0 and 1."}
        self._brake = position
        return {"brakePedalStatus": "pressed" if position else "released", "force": 1000 * position}

    def start_engine(self, ignition: str = "START") -> dict[str, Any]:
        """Start or stop."""
        if ignition == "STOP":
            self._engine = "stopped"
        elif any(state == "unlocked" for state in self._doors.values()):
            return {"error": "All doors must be locked before starting the engine."}
        elif self._brake < 1:
            return {"error": "Brake pedal needs to be pressed when starting the engine."}
        else:
            self._engine = "running"
        return {"engineState": self._engine, "fuelLevel": self._fuel, "batteryVoltage": 12.8}

    def fill_tank(self, gallons: float) -> dict[str, Any]:
        """Fuel in."""
        if self._fuel + gallons > 50:
            return {"error": "Cannot fill gas above the tank capacity."}
        self._fuel = round(self._fuel + gallons, 2)
        return {"fuelLevel": self._fuel}

    def set_climate(
        self,
        temperature: float | None = None,
        fan: int | None = None,
        mode: str | None = None,
    ) -> dict[str, Any]:
        """The whole setting after the change."""
        for name, value in (("temperature", temperature), ("fan", fan), ("mode", mode)):
            if value is not None:
                self._climate[name] = value
        return self._climate

    def get_climate(self) -> dict[str, Any]:
        """The setting."""
        return self._climate

    def set_headlights(self, mode: str) -> None:
        """Says nothing."""
        self._lights = mode

    def display_status(self, option: str) -> dict[str, Any]:
        """One part of the dashboard."""
        parts: dict[str, Any] = {
            "fuel": {"fuelLevel": self._fuel},
            "doors": self._doors,
            "engine": {"engine_state": self._engine},
            "lights": {"headlights": self._lights},
            "brake": {"brakePedalForce": 1000 * self._brake},
        }
        return dict(parts[option])

    def set_cruise(self, speed: int) -> dict[str, Any]:
        """Needs a running engine."""
        if self._engine != "running":
            return {"error": "Start the engine before activating the cruise control."}
        self._cruise = speed
        return {"cruiseStatus": "active", "currentSpeed": speed}

    def check_tire_pressure(self) -> dict[str, Any]:
        """A sensor that never moves."""
        return {"frontLeft": 32.0, "frontRight": 32.0, "rearLeft": 30.0, "healthy": True}

    def gallon_to_liter(self, gallon: float) -> dict[str, Any]:
        """A sum."""
        return {"liter": gallon * 3.785}

    def find_shop(self) -> list[str] | None:
        """Nothing near."""
        return None


def _script(rng: random.Random) -> list[Step]:
    gallons = rng.choice([5, 10, 20, 30, 40])
    lock: Step = ("lock_doors", {"unlock": False, "doors": list(DOORS)})
    status = rng.choice(["fuel", "doors", "engine", "lights", "brake"])
    goals: list[list[Step]] = [
        [
            ("gallon_to_liter", {"gallon": gallons}),
            ("fill_tank", {"gallons": gallons}),
            ("display_status", {"option": "fuel"}),
        ],
        [
            lock,
            ("press_brake", {"position": 1.0}),
            ("start_engine", {"ignition": "START"}),
            ("set_cruise", {"speed": rng.choice([50, 65])}),
        ],
        [("start_engine", {"ignition": "START"}), lock, ("display_status", {"option": "doors"})],
        [("set_climate", {"temperature": rng.choice([18.5, 24])}), ("get_climate", {})],
        [("get_climate", {}), ("set_climate", {"fan": rng.choice([20, 80])}), ("get_climate", {})],
        [
            ("set_headlights", {"mode": rng.choice(["on", "auto"])}),
            ("display_status", {"option": "lights"}),
        ],
        [("check_tire_pressure", {}), ("find_shop", {}), ("display_status", {"option": status})],
        [
            ("press_brake", {"position": rng.choice([1.0, 0.5, 0.0])}),
            ("display_status", {"option": "brake"}),
        ],
        [
            ("lock_doors", {"unlock": True, "doors": ["driver"]}),
            ("display_status", {"option": status}),
        ],
    ]
    return rng.choice(goals) + rng.choice(goals)


DEVICE = Style(name="device", make=Device, script=_script)
