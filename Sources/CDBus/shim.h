// libdbus-1, the reference D-Bus library, and the names of threads that wait in it.
#pragma once

#include <dbus/dbus.h>
#include <sys/prctl.h>

// Names the calling thread, as `ps -L` shows it; prctl() is variadic, which Swift cannot call.
static inline int name_calling_thread(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}
