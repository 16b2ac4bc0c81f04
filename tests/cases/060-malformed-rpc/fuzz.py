# garbage first, then thousands of connections that say nothing; tells by $W/held that they stand
import os, random, socket, struct, sys, time
host, port = sys.argv[1], int(sys.argv[2])
random.seed(7)
def send(b, hold=0):
    try:
        s = socket.create_connection((host, port), 3); s.sendall(b); s.settimeout(0.02)
        try: s.recv(64)
        except OSError: pass
        time.sleep(hold); s.close()
    except OSError as e: print("refused", e)
for n in range(200):
    k = random.randrange(5)
    if k == 0: send(os.urandom(random.randrange(1, 5000)))
    elif k == 1: send(struct.pack(">I", random.choice([0, 1, 0x7fffffff, 0xffffffff, 1 << 31])) + os.urandom(20))
    elif k == 2: send(struct.pack("<I", 0xfffffff0) + b"{" * 3000)
    elif k == 3: send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + b"A" * 70000)
    else: send(b"")
held = []
for n in range(1500):
    try: held.append(socket.create_connection((host, port), 2))
    except OSError: break
print("held=%d" % len(held)); sys.stdout.flush(); open(os.environ["W"] + "/held", "w").close(); time.sleep(5)
