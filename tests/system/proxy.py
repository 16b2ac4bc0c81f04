"""proxy.py: a TCP proxy on loopback that can be cut, one way or both, and healed, and that keeps what the
server said. Stands between a node and its controller. While cut the connections stay open and what is
sent waits, as packets do on a broken cable; nothing is lost when it heals in time."""

import selectors
import socket
import threading


class Proxy:
    def __init__(self, target_port):
        self.target = ("127.0.0.1", target_port)
        self.from_server = bytearray()
        self._cut = set()
        self._ended = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wake_receiver, selectors.EVENT_READ, None)
        self._selector.register(self._listener, selectors.EVENT_READ, None)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def cut(self, ways=("to server", "to client")):
        self._cut = set(ways)
        self._wake_sender.send(b"x")

    def heal(self):
        self.cut(())

    def close(self):
        self._ended = True
        self._wake_sender.send(b"x")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._wake_sender.close()

    # --- the thread ------------------------------------------------------------------------------

    def _serve(self):
        watched = {}  # socket -> (socket to write to, way)
        while not self._ended:
            for key, _ in self._selector.select():
                if key.fileobj is self._wake_receiver:
                    self._wake_receiver.recv(64)
                    self._watch_what_is_not_cut(watched)
                elif key.fileobj is self._listener:
                    self._accept(watched)
                elif key.fileobj in watched:
                    self._pump(key.fileobj, watched)
        for sock in watched:
            if sock not in self._selector.get_map():
                sock.close()

    def _accept(self, watched):
        client, _ = self._listener.accept()
        try:
            server = socket.create_connection(self.target, 5)
        except OSError:
            client.close()
            return
        server.settimeout(5)
        client.settimeout(5)
        watched[client] = (server, "to server")
        watched[server] = (client, "to client")
        self._watch_what_is_not_cut(watched)

    def _watch_what_is_not_cut(self, watched):
        map_of_selector = self._selector.get_map()
        for sock, (_, way) in watched.items():
            is_watched = sock in map_of_selector
            if is_watched and way in self._cut:
                self._selector.unregister(sock)
            elif not is_watched and way not in self._cut:
                self._selector.register(sock, selectors.EVENT_READ, None)

    def _pump(self, sock, watched):
        other, way = watched[sock]
        if way in self._cut:
            return
        try:
            data = sock.recv(65536)
            if data and way == "to client":
                self.from_server += data
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for end in (sock, other):
            watched.pop(end, None)
            if end in self._selector.get_map():
                self._selector.unregister(end)
            end.close()
