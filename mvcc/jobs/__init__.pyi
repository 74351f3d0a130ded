from ._config import Job as Job
from ._config import load_job as load_job
from ._init import write_example as write_example
from ._inputs import Inputs as Inputs
from ._inputs import read_inputs as read_inputs
from ._run import check_job as check_job
from ._run import cluster_job as cluster_job
from ._saved import SavedClustering as SavedClustering
