"""What a layer or a network that someone brings can do.

`recurrence` asks a recurrence which algebra and group its transitions generate, `network` learns the automaton that a network
computes, and `adversary` gives a network inputs on which a class of networks must fail. They join the instruments with
`theory`, so they load when they are first used; a claim's `measure` cannot use them.
"""

from depthjax.doors import opened

opened(__name__)
