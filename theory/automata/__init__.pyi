from theory.automata.cascade import Cascade as Cascade
from theory.automata.dfa import Dfa as Dfa
from theory.automata.files import load as load
from theory.automata.named import named_or_loaded as named_or_loaded
from theory.automata.named import semiautomaton as semiautomaton
from theory.automata.regular import regular as regular
from theory.automata.semiautomaton import Semiautomaton as Semiautomaton
