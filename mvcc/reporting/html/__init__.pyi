from ._clustering import write_clustering_report as write_clustering_report
from ._experiment import write_experiment_report as write_experiment_report
from ._folder import write_report as write_report
