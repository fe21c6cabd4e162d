// Both ends of the benchmark in plain C: a server that answers like one org.bluez characteristic,
// and a client that reads it as libdbus's own documentation would have it. For comparison only.
#pragma once

#include <stdint.h>

// Serves org.bluez with one connected device and one readable characteristic of 20 octets on the
// bus at `address`, until that bus goes away. Writes one octet to `ready` when it is reachable.
// Returns 0, or 1 when the bus or the name could not be had.
int peers_serve(const char *address, int ready);

// Reads the characteristic `count` times, one after the other, by
// dbus_connection_send_with_reply_and_block. Returns the nanoseconds it took, or -1.
int64_t peers_read_serially(const char *address, int count);

// The path of the readable characteristic.
extern const char *const peers_characteristic_path;

// The octets that malloc has handed out and not got back.
int64_t peers_octets_in_use(void);
