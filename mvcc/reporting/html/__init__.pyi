from ._clustering import REPORT as REPORT
from ._clustering import REPORT_KIND as REPORT_KIND
from ._clustering import clustering_page as clustering_page
from ._clustering import write_clustering_report as write_clustering_report
from ._clustering import write_report as write_report
from ._experiment import experiment_page as experiment_page
