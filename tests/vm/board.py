#!/usr/bin/env python3
"""A board on the second virtual controller, which sends the bytes of a recording at their times.

Runs in the virtual machine only, on the real BlueZ. Usage: board.py [OPTIONS] TRACE NAME SERVICE CHANNEL...
`--adapter hci1` is the controller; `--until 1.5` ends the recording after 1.5 seconds; `--services-before 3` registers three other
services first, so that the board's attributes have other handles. A CHANNEL is `write,notify`: two UUIDs, either of which may be empty. The time starts at the first write of the host, which is
the first `tx` of the recording; bytes that are sent while no host listens are lost, as on the air.
"""
import argparse
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
SERVICE = "org.bluez.GattService1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"


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
        self.board.listened()

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.listening = False

    def say(self, data):
        if self.listening:
            self.PropertiesChanged(CHARACTERISTIC, {"Value": dbus.Array(data, signature="y")}, [])


class Board(dbus.service.Object):
    """The GATT application: a service with its characteristics, and the recording."""

    def __init__(self, bus, pieces, service, channels, services_before, again):
        super().__init__(bus, "/board")
        self.pieces, self.running, self.speakers, self.again = pieces, False, {}, again
        self.things = []
        for number in range(services_before):
            other = {"UUID": f"0000f{number:03x}-0000-1000-8000-00805f9b34fb", "Primary": True}
            self.things.append(Thing(bus, f"/board/before{number}", SERVICE, other))
        self.things.append(Thing(bus, "/board/service0", SERVICE, {"UUID": service, "Primary": True}))
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

    def listened(self):
        """A host subscribes: a board that only answers begins its recording again."""
        self.running = self.running and not self.again

    def begin(self):
        if self.running:
            return
        self.running = True
        print("vm: board: the host asks", flush=True)
        for at, channel, data in self.pieces:
            GLib.timeout_add(at // 1000, self.speakers[channel].say, data)
        GLib.timeout_add(self.pieces[-1][0] // 1000 + 1000, lambda: print("vm: board: played", flush=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--until", type=float)
    parser.add_argument("--services-before", type=int, default=0)
    parser.add_argument("trace")
    parser.add_argument("name")
    parser.add_argument("service")
    parser.add_argument("channels", nargs="+")
    options = parser.parse_args()
    pieces = recording(options.trace)
    if options.until is not None:
        pieces = [piece for piece in pieces if piece[0] <= options.until * 1e6]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    channels = [channel.split(",") for channel in options.channels]
    board = Board(bus, pieces, options.service, channels, options.services_before, options.until is not None)
    advertisement = Thing(
        bus,
        "/advertisement",
        ADVERTISEMENT,
        {"Type": "peripheral", "LocalName": options.name, "ServiceUUIDs": dbus.Array([options.service], signature="s")},
    )
    fail = lambda error: (print(f"vm: board: {error}", flush=True), sys.exit(1))
    quiet = lambda *_: None
    advertises = lambda: print(f"vm: board: advertises at {time.clock_gettime(time.CLOCK_BOOTTIME):.2f}", flush=True)

    def register():
        adapter = bus.get_object("org.bluez", f"/org/bluez/{options.adapter}")
        dbus.Interface(adapter, "org.bluez.GattManager1").RegisterApplication(
            "/board", {}, reply_handler=quiet, error_handler=fail
        )
        dbus.Interface(adapter, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
            advertisement.path, {}, reply_handler=advertises, error_handler=fail
        )

    def again():
        """After a restart of bluetoothd, which also serves the board here: switches the adapter on and registers anew."""
        try:
            adapter = bus.get_object("org.bluez", f"/org/bluez/{options.adapter}")
            adapter.Set("org.bluez.Adapter1", "Powered", True, dbus_interface=PROPERTIES)
            register()
        except dbus.DBusException:
            return True
        return False

    restarted = lambda name, before, after: before and after or (after and GLib.timeout_add(500, again))
    register()
    bus.add_signal_receiver(restarted, "NameOwnerChanged", "org.freedesktop.DBus", arg0="org.bluez")
    GLib.MainLoop().run()


main()
