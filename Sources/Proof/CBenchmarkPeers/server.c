// A server that answers like one org.bluez characteristic, as cheaply as libdbus allows.

#include "peers.h"

#include <dbus/dbus.h>
#include <string.h>
#include <unistd.h>

const char *const peers_characteristic_path =
    "/org/bluez/hci0/dev_C0_FF_EE_00_00_02/service0006/char0007";

static const char adapter[] = "/org/bluez/hci0";
static const char device[] = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02";
static const char service[] = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02/service0006";
static const char battery_service[] = "0000180f-0000-1000-8000-00805f9b34fb";
static const char battery_level[] = "00002a19-0000-1000-8000-00805f9b34fb";

// ---- a{oa{sa{sv}}} -----------------------------------------------------------------------------

static void basic(DBusMessageIter *properties, const char *name, int type, const void *value) {
  const char signature[] = {(char)type, 0};
  DBusMessageIter entry, variant;
  dbus_message_iter_open_container(properties, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
  dbus_message_iter_append_basic(&variant, type, value);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(properties, &entry);
}

static void text(DBusMessageIter *properties, const char *name, const char *value) {
  basic(properties, name, DBUS_TYPE_STRING, &value);
}

static void path(DBusMessageIter *properties, const char *name, const char *value) {
  basic(properties, name, DBUS_TYPE_OBJECT_PATH, &value);
}

static void flag(DBusMessageIter *properties, const char *name, dbus_bool_t value) {
  basic(properties, name, DBUS_TYPE_BOOLEAN, &value);
}

static void texts(DBusMessageIter *properties, const char *name, const char *value) {
  DBusMessageIter entry, variant, array;
  dbus_message_iter_open_container(properties, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "as", &variant);
  dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &array);
  dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING, &value);
  dbus_message_iter_close_container(&variant, &array);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(properties, &entry);
}

typedef struct {
  DBusMessageIter object, interfaces, interface, properties;
} Object;

static void open_object(DBusMessageIter *objects, Object *it, const char *at, const char *name) {
  dbus_message_iter_open_container(objects, DBUS_TYPE_DICT_ENTRY, NULL, &it->object);
  dbus_message_iter_append_basic(&it->object, DBUS_TYPE_OBJECT_PATH, &at);
  dbus_message_iter_open_container(&it->object, DBUS_TYPE_ARRAY, "{sa{sv}}", &it->interfaces);
  dbus_message_iter_open_container(&it->interfaces, DBUS_TYPE_DICT_ENTRY, NULL, &it->interface);
  dbus_message_iter_append_basic(&it->interface, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&it->interface, DBUS_TYPE_ARRAY, "{sv}", &it->properties);
}

static void close_object(DBusMessageIter *objects, Object *it) {
  dbus_message_iter_close_container(&it->interface, &it->properties);
  dbus_message_iter_close_container(&it->interfaces, &it->interface);
  dbus_message_iter_close_container(&it->object, &it->interfaces);
  dbus_message_iter_close_container(objects, &it->object);
}

static void append_objects(DBusMessage *reply) {
  DBusMessageIter top, objects;
  Object it;
  dbus_message_iter_init_append(reply, &top);
  dbus_message_iter_open_container(&top, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &objects);
  open_object(&objects, &it, adapter, "org.bluez.Adapter1");
  text(&it.properties, "Address", "00:AA:01:00:00:00");
  text(&it.properties, "AddressType", "public");
  text(&it.properties, "Name", "benchmark");
  text(&it.properties, "Alias", "benchmark");
  flag(&it.properties, "Powered", TRUE);
  flag(&it.properties, "Discovering", FALSE);
  texts(&it.properties, "Roles", "central");
  close_object(&objects, &it);
  open_object(&objects, &it, device, "org.bluez.Device1");
  text(&it.properties, "Address", "C0:FF:EE:00:00:02");
  text(&it.properties, "AddressType", "random");
  text(&it.properties, "Name", "Benchmark");
  text(&it.properties, "Alias", "Benchmark");
  flag(&it.properties, "Paired", FALSE);
  flag(&it.properties, "Connected", TRUE);
  flag(&it.properties, "ServicesResolved", TRUE);
  texts(&it.properties, "UUIDs", battery_service);
  path(&it.properties, "Adapter", adapter);
  close_object(&objects, &it);
  open_object(&objects, &it, service, "org.bluez.GattService1");
  text(&it.properties, "UUID", battery_service);
  path(&it.properties, "Device", device);
  flag(&it.properties, "Primary", TRUE);
  close_object(&objects, &it);
  open_object(&objects, &it, peers_characteristic_path, "org.bluez.GattCharacteristic1");
  text(&it.properties, "UUID", battery_level);
  path(&it.properties, "Service", service);
  texts(&it.properties, "Flags", "read");
  close_object(&objects, &it);
  dbus_message_iter_close_container(&top, &objects);
}

// ---- answering ---------------------------------------------------------------------------------

static DBusHandlerResult answer(DBusConnection *connection, DBusMessage *message, void *data) {
  (void)data;
  if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessage *reply = dbus_message_new_method_return(message);
  if (!reply) return DBUS_HANDLER_RESULT_NEED_MEMORY;
  const char *member = dbus_message_get_member(message);
  if (strcmp(member, "ReadValue") == 0) {
    static const uint8_t value[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uint8_t *octets = value;
    dbus_message_append_args(
        reply, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &octets, 20, DBUS_TYPE_INVALID);
  } else if (strcmp(member, "GetManagedObjects") == 0) {
    append_objects(reply);
  }
  dbus_connection_send(connection, reply, NULL);
  dbus_message_unref(reply);
  return DBUS_HANDLER_RESULT_HANDLED;
}

int peers_serve(const char *address, int ready) {
  DBusConnection *connection = dbus_connection_open_private(address, NULL);
  if (!connection) return 1;
  dbus_connection_set_exit_on_disconnect(connection, FALSE);
  if (!dbus_bus_register(connection, NULL)) return 1;
  if (dbus_bus_request_name(connection, "org.bluez", DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) !=
      DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
    return 1;
  dbus_connection_add_filter(connection, answer, NULL, NULL);
  if (write(ready, "r", 1) != 1) return 1;
  while (dbus_connection_read_write_dispatch(connection, -1)) {
  }
  dbus_connection_unref(connection);
  return 0;
}
