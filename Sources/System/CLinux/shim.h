// Kernel interfaces that Swift's Glibc module leaves out: epoll, eventfd, signalfd, semaphores, the
// names of threads; and glibc's own account of its heap.
#pragma once

#include <malloc.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

// Waits until `end` on `clock`; glibc declares it for _GNU_SOURCE alone.
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end);

// A pipe with O_CLOEXEC from the beginning; glibc declares it for _GNU_SOURCE alone.
int pipe2(int ends[2], int flags);

// A new file with flags, such as O_CLOEXEC; glibc declares it for _GNU_SOURCE alone.
int mkostemp(char *path, int flags);

// Has a child begin in a folder; glibc declares it for _GNU_SOURCE alone. `actions` is a posix_spawn_file_actions_t:
// <spawn.h> here would make its types, and those of signals, belong to two modules.
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);

// Names the calling thread, as `ps -L` shows it; prctl() is variadic, which Swift cannot call.
static inline int name_calling_thread(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}
