// libdbus-1, the reference D-Bus library.
#pragma once

#include <dbus/dbus.h>
