// Kernel interfaces that Swift's Glibc module omits: epoll, eventfd, signalfd, semaphores, thread
// names; and the heap statistics of glibc.
#pragma once

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
