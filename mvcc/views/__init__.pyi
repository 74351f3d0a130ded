from ._constrained import ConstrainedViews as ConstrainedViews
from ._constrained import NeighborhoodKFold as NeighborhoodKFold
from ._fitted import FittedViews as FittedViews
from ._fitted import each_view as each_view
from ._given import GivenViews as GivenViews
from ._given import ViewConstraints as ViewConstraints
from ._per_view import NamesOfView as NamesOfView
from ._per_view import PerView as PerView
