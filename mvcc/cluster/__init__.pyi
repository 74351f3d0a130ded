from ._mpck import MPCKMeans as MPCKMeans
from ._pck import PCKMeans as PCKMeans
from ._search import search_pck as search_pck
