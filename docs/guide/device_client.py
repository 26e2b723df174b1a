"""A simulated device for `impinge haptics SCENE --device udp:PORT`: moves up and down, prints the force."""
import math
import socket
import struct
import sys
import time
import zlib

TOKEN = 0x1357
HELLO, STATE, WRENCH = 0, 1, 2
HEADER = struct.Struct("<4sBBHIIQ")  # magic, version, kind, device, sequence, acknowledged, time
VERSION = 1


def packet(kind, sequence, acknowledged, body):
    head = HEADER.pack(b"IHP1", VERSION, kind, 0, sequence, acknowledged, time.monotonic_ns())
    data = head + body
    return data + struct.pack("<I", zlib.crc32(data))


def state(position, velocity):
    quaternion = (0.0, 0.0, 0.0, 1.0)
    numbers = (*position, *quaternion, *velocity, 0.0, 0.0, 0.0, 0.0)  # no spin, no gripper
    return struct.pack("<14d", *numbers) + struct.pack("<II", 0, 0)  # no buttons, status 0


def wrench(data):
    """Sequence, force and flags of a wrench; none for anything else."""
    if len(data) != 88 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        return None
    magic, version, kind, _, sequence, _, _ = HEADER.unpack(data[:24])
    if magic != b"IHP1" or version != VERSION or kind != WRENCH:
        return None
    return sequence, struct.unpack("<3d", data[24:48]), struct.unpack("<I", data[80:84])[0]


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 4500
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.connect(("127.0.0.1", port))
    link.setblocking(False)
    link.send(packet(HELLO, 0, 0, struct.pack("<Q", TOKEN)))
    start, newest, force, flags = time.monotonic(), 0, (0.0, 0.0, 0.0), 0
    for tick in range(1, 20_000):
        t = time.monotonic() - start
        # Three seconds above the floor, while the force fades in; then 3 mm into it, again and again.
        z = 0.03 if t < 3.0 else 0.0135 + 0.0165 * math.cos(2.0 * (t - 3.0))
        vz = 0.0 if t < 3.0 else -0.033 * math.sin(2.0 * (t - 3.0))
        try:
            link.send(packet(STATE, tick, newest, state((0.0, 0.0, z), (0.0, 0.0, vz))))
            while (answer := wrench(link.recv(256))) is not None:
                newest, force, flags = answer
        except (BlockingIOError, ConnectionRefusedError):
            pass
        if tick % 250 == 0:
            print(f"{t:6.2f} s  height {z * 1e3:6.2f} mm  force {force[2]:6.2f} N")
        if flags & 1:
            break  # the renderer has stopped
        time.sleep(0.001)


main()
