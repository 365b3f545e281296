"""Networks from what theory speaks of: a temporal formula, an automaton or group, hops, products in a group.

Here `theory`, which knows formulas, automata and groups, meets `depthjax`, which builds weights. Each function takes the object
or its text and returns a `Network`: call it with a word, or ask for the `trace` of a word, as data and as a picture.

>>> from experiments import networks
>>> seen = networks.formula("a S (b & P a)")
>>> seen.depth, seen("abba")
(2, (False, False, True, True))
>>> door = networks.automaton({"open": {"x": "shut", "y": "open"}, "shut": {"x": "open", "y": "shut"}})
>>> door("xxyx"), networks.hops(1, "abc")("abcab")
(('shut', 'open', 'open', 'shut'), ('none', 'none', 'none', 'b', 'c'))
>>> networks.composition("S3")(["(1 2)", "(1 3)"])
('(1 3 2)',)
"""

from depthjax.doors import opened

opened(__name__)
