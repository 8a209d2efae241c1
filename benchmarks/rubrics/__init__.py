"""How far rubrics and the gate agree with outcomes, and what attacks earn."""
