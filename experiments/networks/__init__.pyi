from experiments.networks.automaton import automaton as automaton
from experiments.networks.composition import composition as composition
from experiments.networks.formula import formula as formula
from experiments.networks.hops import hops as hops
from experiments.networks.network import Network as Network
