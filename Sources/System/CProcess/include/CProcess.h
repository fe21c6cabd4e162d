// Starting programs that do not outlive this process, and executing bytes that nothing can exchange.
//
// It includes almost nothing: what a header includes here would belong to this module for Swift.
#pragma once

#include <sys/types.h>

// A program to start.
struct supervised_program {
  // A path, relative to `folder`.
  const char *file;
  char *const *arguments;
  char *const *environment;
  const char *folder;
  // The descriptors that become 0, 1, 2 … of the program. The others must have FD_CLOEXEC.
  const int *descriptors;
  int descriptor_count;
};

// How long a program has between SIGTERM and SIGKILL, in milliseconds.
enum { SUPERVISOR_GRACE = 2000 };

// Starts a supervisor, and the program under it.
//
// - leash: The reading end of a pipe whose writing end only this process has. A byte asks the program and all that it
//   started to end: SIGTERM, and SIGKILL after the grace. When the pipe is closed, they are killed at once.
// - started: The writing end of a pipe with O_CLOEXEC: it is closed when the program has started; before, errno is
//   written where it could not be.
//
// Returns the supervisor, whose wait status is that of the program; negative without one, with errno.
pid_t start_supervised(const struct supervised_program *program, int leash, int started);

// Makes a file in memory that can be written and then executed. Returns its descriptor, with O_CLOEXEC; negative
// without one, with errno.
int make_executable_memory(const char *name);

// Seals such a file for good: no write and no change of its size. Returns 0; negative with errno.
int seal_memory(int descriptor);
