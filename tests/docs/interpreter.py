"""Run pieces of Python that come as lines of JSON, all with the same names.

Started with ``python -c``, this text, and "strict" where a warning is to be an error. A piece is
[file, number of its first line, code], the answer [what it printed, its traceback or null].
"""

import contextlib
import importlib
import io
import json
import os
import sys
import traceback
import warnings

_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what other processes print is no answer


def _be_strict() -> None:
    """Take any warning for a mistake of the page, but for those of mvcc about data."""
    from sklearn.exceptions import ConvergenceWarning

    from mvcc.exceptions import PropagationWarning

    warnings.simplefilter("error")
    for said in (PropagationWarning, ConvergenceWarning):
        warnings.simplefilter("ignore", said)


if sys.argv[1:] == ["strict"]:
    _be_strict()
for _line in sys.stdin:
    _file, _first, _code = json.loads(_line)
    _error = None
    with contextlib.redirect_stdout(io.StringIO()) as _out:
        try:
            importlib.invalidate_caches()  # a page may just have written a module
            # as many empty lines before it as the page has, so that a traceback names the line of
            # the page
            exec(compile("\n" * _first + _code, _file, "exec"))
        except BaseException:
            _error = traceback.format_exc()
    print(json.dumps([_out.getvalue(), _error]), file=_answers, flush=True)
