"""``mvcc ask`` as a person has it: a process on a terminal, which is read and gets keys."""

import codecs
import os
import pty
import select
import signal
import sys
import time
import traceback
from contextlib import suppress

from mvcc.cli import main


def _be_mvcc(folder, words):
    """Run the command in a forked process; let Ctrl-C end it, also if the tests ignore that."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(folder)
        os.environ |= {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "xterm"}
        sys.argv = ["mvcc", "ask", *words]
        sys.stdin, sys.stdout, sys.stderr = map(open, range(3), "rww")
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Terminal:
    """``mvcc ask`` on a terminal of its own."""

    def __init__(self, folder, *words):
        self.process, self.master = pty.fork()
        if not self.process:
            _be_mvcc(folder, words)
        self.text, self._has_ended = "", False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not self._has_ended:
            os.kill(self.process, signal.SIGKILL)
            self.end()

    def wait_for(self, text):
        """Read until a text is shown that was not before; return all that was shown since."""
        began = time.monotonic()
        while text not in self.text:
            assert time.monotonic() - began < 120, self.text
            if select.select([self.master], [], [], 1)[0]:
                self.text += self._decode(os.read(self.master, 65536))
        before, _, self.text = self.text.partition(text)
        return before

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        with suppress(OSError):  # Linux says so that nobody holds the other end
            self.wait_for("what is never shown")
        os.close(self.master)
        self._has_ended = True
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]), self.text
