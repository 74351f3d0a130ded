from ._claims import CLAIMS as CLAIMS
from ._result import Verdict as Verdict
from ._scorecard import Scorecard as Scorecard
from ._scorecard import evaluate_claims as evaluate_claims
from ._scorecard import print_scorecard as print_scorecard
from ._scorecard import to_json as to_json
from ._scorecard import to_markdown as to_markdown
from ._scorecard import write_markdown as write_markdown
