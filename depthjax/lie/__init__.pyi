from depthjax.lie.lyndon import LyndonBasis as LyndonBasis
from depthjax.lie.lyndon import lyndon_basis as lyndon_basis
from depthjax.lie.lyndon import lyndon_words as lyndon_words
from depthjax.lie.products import exponential_product as exponential_product
from depthjax.lie.signature import log_signature as log_signature
