"""Laws for property tests of layers, scans and networks.

A law raises AssertionError with the smallest case that fails, in words. It raises ValueError or TypeError if it cannot be
asked: an argument has the wrong shape, or is no function.

A network is ``apply(tokens)``, or a pair ``(apply, params)`` with ``apply(params, tokens)``: functions, bound methods of
flax.linen modules, and callable trees of arrays such as modules of flax.nnx and equinox. Tokens have shape (batch, length). The
laws compile a network once for each of its structures: parameters are data, and words come in batches of one shape. So a
property test over parameters should pass a pair or a module, not a function that holds its parameters.

Objects of theory are read through a few attributes, so that any object with them will do:

* an automaton has ``table``, ``table[state, letter]`` the next state;
* a group has ``table``, ``table[g, h]`` the product, element 0 the identity;
* a formula has ``evaluate(words, letters)``, the truth at every position, and ``letters``;
* a bound has ``at(**numbers)`` and ``side``, "above", "below" or "exact".
"""

from depthjax.doors import opened

opened(__name__)
