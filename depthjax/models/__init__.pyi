from depthjax.models.declared import of_class as of_class
from depthjax.models.kinds import register as register
from depthjax.models.kinds import sequence_model as sequence_model
from depthjax.models.mixer import Mixer as Mixer
from depthjax.models.stack import SequenceModel as SequenceModel
