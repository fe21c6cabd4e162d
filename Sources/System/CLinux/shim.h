// Kernel interfaces that Swift's Glibc module omits: epoll, eventfd, signalfd, semaphores, thread
// names; and the heap statistics of glibc.
#pragma once

#include "supervisor.h"

#include <malloc.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

// Waits for a semaphore until `end` on `clock`; glibc declares it only for _GNU_SOURCE.
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end);

// Makes a pipe with flags such as O_CLOEXEC; glibc declares it only for _GNU_SOURCE.
int pipe2(int ends[2], int flags);

// Makes a temporary file with flags such as O_CLOEXEC; glibc declares it only for _GNU_SOURCE.
int mkostemp(char *path, int flags);

// Sets the working directory of a child; glibc declares it only for _GNU_SOURCE. `actions` is a
// posix_spawn_file_actions_t: including <spawn.h> here would put its types, and those of signals,
// into two modules.
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);

// Sets the name of the calling thread, which `ps -L` shows. Swift cannot call prctl(), which is
// variadic.
static inline int name_calling_thread(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Memory with the interface of an executable file; glibc declares memfd_create for _GNU_SOURCE
// alone.
static inline int make_executable_memory(const char *name) {
  // MFD_EXEC: without it vm.memfd_noexec forbids to execute it; Linux before 6.3 refuses the flag.
  enum { CLOEXEC = 1, ALLOW_SEALING = 2, EXEC = 16 };
  int made = (int)syscall(SYS_memfd_create, name, CLOEXEC | ALLOW_SEALING | EXEC);
  if (made >= 0 || errno != EINVAL) return made;
  return (int)syscall(SYS_memfd_create, name, CLOEXEC | ALLOW_SEALING);
}

// Forbids each change of such memory, for ever. F_ADD_SEALS is for _GNU_SOURCE alone.
static inline int seal_memory(int descriptor) {
  enum { ADD_SEALS = 1024 + 9, SEAL = 1, SHRINK = 2, GROW = 4, WRITE = 8 };
  return fcntl(descriptor, ADD_SEALS, SEAL | SHRINK | GROW | WRITE);
}
