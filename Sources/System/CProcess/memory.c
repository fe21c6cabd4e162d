// Memory that can be executed and then no longer changed.
//
// It is C because glibc declares the calls for _GNU_SOURCE alone, and they are variadic, which Swift cannot call.

#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int make_executable_memory(const char *name) {
  // MFD_EXEC: without it vm.memfd_noexec forbids to execute it; Linux before 6.3 refuses the flag.
  enum { CLOEXEC = 1, ALLOW_SEALING = 2, EXEC = 16 };
  int made = (int)syscall(SYS_memfd_create, name, CLOEXEC | ALLOW_SEALING | EXEC);
  if (made >= 0 || errno != EINVAL) return made;
  return (int)syscall(SYS_memfd_create, name, CLOEXEC | ALLOW_SEALING);
}

int seal_memory(int descriptor) {
  enum { ADD_SEALS = 1024 + 9, SEAL = 1, SHRINK = 2, GROW = 4, WRITE = 8 };
  return fcntl(descriptor, ADD_SEALS, SEAL | SHRINK | GROW | WRITE);
}
