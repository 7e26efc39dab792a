"""Sends open files along with every answer, until the grader has no room for more."""

# expect: failed
import os
import socket
import struct

from examiner.boundary import channel

NULL = os.open("/dev/null", os.O_RDONLY)


def answer(self, number, body):
    data = channel._ANSWER.pack(len(body), number) + body
    along = struct.pack("50i", *[NULL] * 50)
    sent = self._sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, along)])
    self._sock.sendall(data[sent:])


channel.Channel.answer = answer


def deed(*_):
    return True


shout = mean = halves = Counter = deed
