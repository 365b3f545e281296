"""One way to read the networks of every library: as a function of parameters and tokens.

Tokens are integers of shape (batch, length). A network is one of these:

=============================  ================================================================================================
given                          how it is called
=============================  ================================================================================================
a function                     ``apply(tokens)``, compiled if JAX can trace it, else as it is, as one of numpy
a pair ``(apply, params)``     ``apply(params, tokens)``
flax.linen                     ``module.bind(variables)``, or ``(module, variables)``; or methods of them
flax.nnx                       a module or one of its methods; its variables and counters are copied, so it stays as it is
equinox                        a module of one word, vmapped over the batch, or of a batch: what it takes decides
haiku                          ``(hk.transform(f), params)``; with state ``(hk.transform_with_state(f), (params, state))``
PyTorch                        a module, one of its methods or a function of tensors, without gradients, by numpy: slow
``jax.export.Exported``        its program; of ``(program, params)``, ``program.call(params, tokens)``
any other callable tree        its arrays are its parameters
=============================  ================================================================================================

A partial application is read as what it applies, so ``partial(module.apply, variables)`` of flax.linen is the module. A library
is recognised by the module in which a class is defined, and none is imported unless the object is its own. A network
that trains (Dropout, BatchNorm) is refused by the names of the parts that do. If a network returns a tuple, a dictionary or an
object, ``answer=`` says which part is the answer: a number, a key or attribute, a tuple of these, or a function of the outputs.
"""

from depthjax.doors import opened

opened(__name__)
