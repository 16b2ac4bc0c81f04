# Replays a recorded, legitimate launch, as another user, to whoever listens: what the controller once sent to
# the agent goes to the controller's port and, as datagrams, to the agent's own.
import os, socket, sys

host, controller, agent, blob = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), open(sys.argv[4], "rb").read()
for name, b in (("replay", blob), ("bitflip", blob[:40] + bytes([blob[40] ^ 1]) + blob[41:]), ("truncated", blob[:-7]), ("twice", blob + blob)):
    s = socket.create_connection((host, controller), 3); s.settimeout(2)
    try: s.sendall(b); r = s.recv(400)
    except OSError as e: r = repr(e).encode()
    s.close()
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.settimeout(0.3)
    u.sendto(b[:1200], (host, agent))
    try: d = u.recv(400)
    except OSError: d = b""
    print("probe=%s answered=%d datagram=%d" % (name, len(r), len(d))); u.close()
