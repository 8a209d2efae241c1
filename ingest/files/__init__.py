"""Files of telemetry, chat logs and outcomes: recognised, read record by record, mapped, explained."""
