"""Claims about automata: doubling, Krohn-Rhodes cascades, walks between walls."""
