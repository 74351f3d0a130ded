from .figures import FIGURES as FIGURES
from .figures import plot as plot
