"""``mvcc ask`` as a person has it: a process on a terminal, which is read and gets keys."""

import codecs
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress


def _take_terminal():
    """Let Ctrl-C end the process, also where the tests run in the background."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """``mvcc ask`` on a terminal of its own."""

    def __init__(self, folder, *words):
        self.master, slave = pty.openpty()
        program = [sys.executable, "-m", "mvcc", "ask", *words]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "xterm"}
        self.process = subprocess.Popen(
            program,
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.text = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            os.close(self.master)

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
        return self.process.wait(), self.text
