from ._descent import Found as Found
from ._estimators import MPCKMeans as MPCKMeans
from ._estimators import PCKMeans as PCKMeans
from ._search import search_pck as search_pck
