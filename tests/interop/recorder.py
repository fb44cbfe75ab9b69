"""A TCP proxy that writes down what both ends of every connection send."""

import socket
import threading
from pathlib import Path


class Recorder:
    """Takes connections at `listen` and passes them on to `target`; records into `folder`."""

    def __init__(self, folder, name, listen, target):
        self.prefix = str(Path(folder) / name)
        self.target = target
        self.count = 0
        self.server = socket.create_server(listen)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:  # Closed.
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            self.count += 1
            for source, sink, kind in ((client, server, "requests"), (server, client, "answers")):
                file = open(f"{self.prefix}-{self.count:03}-{kind}", "wb", buffering=0)
                threading.Thread(target=self._pass_on, args=(source, sink, file), daemon=True).start()

    @staticmethod
    def _pass_on(source, sink, file):
        with file:
            try:
                while piece := source.recv(65536):
                    file.write(piece)
                    sink.sendall(piece)
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def close(self):
        self.server.close()
