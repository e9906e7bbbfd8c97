#!/usr/bin/env python3
"""A board on the second virtual controller, which sends the bytes of a recording at their times.

Runs in the virtual machine only, on the real BlueZ. Usage: board.py TRACE NAME SERVICE CHANNEL...
A CHANNEL is `write,notify`: two UUIDs, either of which may be empty. The time starts at the first write of the host, which is
the first `tx` of the recording; bytes that are sent while no host listens are lost, as on the air.
"""
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
SERVICE = "org.bluez.GattService1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
ADAPTER = "/org/bluez/hci1"


def recording(path):
    """For each piece: its time in microseconds from the first `tx`, its channel and its bytes."""
    pieces, began = [], None
    for line in open(path, encoding="ascii"):
        words = line.split()
        if len(words) < 6 or words[2] not in ("rx", "tx"):
            continue
        at = int(words[1])
        if words[2] == "tx":
            began = at if began is None else began
        elif began is not None:
            pieces.append((at - began, int(words[4]), bytes.fromhex(words[5])))
    return pieces


class Thing(dbus.service.Object):
    """An object with properties."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path, self.interface, self.properties = dbus.ObjectPath(path), interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Characteristic(Thing):
    """One direction of a channel."""

    def __init__(self, bus, path, uuid, service, flags, board):
        properties = {"UUID": uuid, "Service": dbus.ObjectPath(service), "Flags": dbus.Array(flags, signature="s")}
        super().__init__(bus, path, CHARACTERISTIC, properties)
        self.board, self.listening = board, False

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, _value, _options):
        self.board.begin()

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        self.listening = True

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.listening = False

    def say(self, data):
        if self.listening:
            self.PropertiesChanged(CHARACTERISTIC, {"Value": dbus.Array(data, signature="y")}, [])


class Board(dbus.service.Object):
    """The GATT application: a service with its characteristics, and the recording."""

    def __init__(self, bus, pieces, service, channels):
        super().__init__(bus, "/board")
        self.pieces, self.running, self.speakers = pieces, False, {}
        self.things = [Thing(bus, "/board/service0", SERVICE, {"UUID": service, "Primary": True})]
        for number, (write, notify) in enumerate(channels):
            path = f"/board/service0/char{number}"
            if write:
                flags = ["write", "write-without-response"]
                self.things.append(Characteristic(bus, f"{path}w", write, "/board/service0", flags, self))
            if notify:
                self.speakers[number] = Characteristic(bus, f"{path}n", notify, "/board/service0", ["notify"], self)
                self.things.append(self.speakers[number])

    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {thing.path: {thing.interface: thing.properties} for thing in self.things}

    def begin(self):
        if self.running:
            return
        self.running = True
        print("vm: board: the host asks", flush=True)
        for at, channel, data in self.pieces:
            GLib.timeout_add(at // 1000, self.speakers[channel].say, data)
        GLib.timeout_add(self.pieces[-1][0] // 1000 + 1000, lambda: print("vm: board: played", flush=True))


def main():
    trace, name, service, *channels = sys.argv[1:]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    board = Board(bus, recording(trace), service, [channel.split(",") for channel in channels])
    advertisement = Thing(
        bus,
        "/advertisement",
        ADVERTISEMENT,
        {"Type": "peripheral", "LocalName": name, "ServiceUUIDs": dbus.Array([service], signature="s")},
    )
    adapter = bus.get_object("org.bluez", ADAPTER)
    fail = lambda error: (print(f"vm: board: {error}", flush=True), sys.exit(1))
    quiet = lambda: None
    dbus.Interface(adapter, "org.bluez.GattManager1").RegisterApplication(
        "/board", {}, reply_handler=quiet, error_handler=fail
    )
    dbus.Interface(adapter, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
        advertisement.path, {}, reply_handler=lambda: print("vm: board: advertises", flush=True), error_handler=fail
    )
    GLib.MainLoop().run()


main()
