// The client that a C programmer writes first: build the call, block for the reply, take the bytes.

#include "peers.h"

#include <dbus/dbus.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// One ReadValue({}); returns the number of octets read, or -1.
static int read_once(DBusConnection *connection) {
  DBusMessage *call = dbus_message_new_method_call(
      "org.bluez", peers_characteristic_path, "org.bluez.GattCharacteristic1", "ReadValue");
  if (!call) return -1;
  DBusMessageIter arguments, options;
  dbus_message_iter_init_append(call, &arguments);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&arguments, &options);
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, call, 10000, NULL);
  dbus_message_unref(call);
  if (!reply) return -1;
  uint8_t value[512];
  const uint8_t *octets = NULL;
  int count = 0;
  dbus_message_get_args(
      reply, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &octets, &count, DBUS_TYPE_INVALID);
  if (count > 0 && count <= (int)sizeof value) memcpy(value, octets, (size_t)count);
  dbus_message_unref(reply);
  return count;
}

int64_t peers_read_serially(const char *address, int count) {
  DBusConnection *connection = dbus_connection_open_private(address, NULL);
  if (!connection) return -1;
  dbus_connection_set_exit_on_disconnect(connection, FALSE);
  int64_t took = -1;
  if (dbus_bus_register(connection, NULL)) {
    const int64_t start = now();
    int done = 0;
    while (done < count && read_once(connection) == 20) done++;
    if (done == count) took = now() - start;
  }
  dbus_connection_close(connection);
  dbus_connection_unref(connection);
  return took;
}
