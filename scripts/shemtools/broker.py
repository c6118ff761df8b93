"""A Redis server of one's own, for checks of processes that work together."""
import shutil
import socket
import subprocess
import sys
import tempfile
import time


class Broker:
    """A Redis server in a temporary folder."""

    def __init__(self, keeps=False):
        """`keeps`: whether a restarted server still has what it was told."""
        self.folder = tempfile.mkdtemp(prefix="shem-join-")
        self.keeps = keeps
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.start()

    def start(self):
        keeping = ["--appendonly", "yes", "--appendfsync", "always"] if self.keeps else ["--appendonly", "no"]
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *keeping,
                   "--dir", self.folder]
        self.server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(1000):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        self.close()
        sys.exit("redis-server does not start")

    def restart(self):
        """Kills the server, and starts it again at the same port."""
        self.server.kill()
        self.server.wait()
        self.start()

    def address(self, name):
        return f"redis://127.0.0.1:{self.port}/{name}"

    def close(self):
        self.server.kill()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
