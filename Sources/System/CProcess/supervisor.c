// The supervisor: a process that ends a program and all its descendants, even if blerun is killed.
//
// It is a fork of blerun, without exec: it starts fast, needs no file, and shares the memory of blerun. It is written
// in C, because in a fork of a process with threads only async-signal-safe functions may be called. As a subreaper, it
// becomes the parent of each descendant whose own parent has ended, in any process group or session.
#include "CProcess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long supervisor_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct supervisor_process {
  pid_t identifier, parent, group;
};

// Reads the parent and the group of a process. Returns whether it exists.
static int supervisor_read_process(const char *name, struct supervisor_process *process) {
  char path[32] = "/proc/", text[512];
  for (int i = 0; name[i]; i += 1) {
    if (name[i] < '0' || name[i] > '9' || i > 10) return 0;
  }
  strcat(strcat(path, name), "/stat");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // "1234 (name) S 1 1234 …": the name may have spaces and parentheses.
  char *rest = strrchr(text, ')');
  if (!rest || strlen(rest) < 5) return 0;
  process->identifier = (pid_t)strtol(name, NULL, 10);
  process->parent = (pid_t)strtol(rest + 4, &rest, 10);
  process->group = (pid_t)strtol(rest, NULL, 10);
  return 1;
}

// Sends a signal to each descendant of this process that is not in the group `except`.
static void supervisor_signal_descendants(int number, pid_t except) {
  enum { MOST = 1 << 16 };
  size_t size = MOST * sizeof(struct supervisor_process);
  struct supervisor_process *all = (struct supervisor_process *)mmap(
    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0
  );
  if (all == MAP_FAILED) return;
  int count = 0, folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // opendir() allocates, which is not async-signal-safe.
  char entries[8192] __attribute__((aligned(8)));
  long length;
  while (folder >= 0 && (length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < length;) {
      struct dirent64_head {
        unsigned long long inode;
        long long offset;
        unsigned short length;
        unsigned char type;
        char name[];
      } *entry = (struct dirent64_head *)(entries + at);
      if (count < MOST && supervisor_read_process(entry->name, &all[count])) count += 1;
      at += entry->length;
    }
  }
  if (folder >= 0) close(folder);
  pid_t own = getpid();
  for (int i = 0; i < count; i += 1) {
    pid_t parent = all[i].parent;
    // /proc lists processes in ascending order. A parent that is missing in the list ends the search.
    for (int depth = 0; parent != own && parent > 1 && depth < count; depth += 1) {
      int low = 0, high = count;
      while (low < high) {
        int middle = (low + high) / 2;
        if (all[middle].identifier < parent) low = middle + 1; else high = middle;
      }
      parent = low < count && all[low].identifier == parent ? all[low].parent : 0;
    }
    if (parent == own && all[i].group != except) kill(all[i].identifier, number);
  }
  munmap(all, size);
}

// Executes the program in this process. On failure, writes errno to `started`.
static void supervisor_execute(const struct supervised_program *program, pid_t supervisor, int started) {
  int moved[8], number = 0;
  setpgid(0, 0);
  // If the supervisor is killed, the kernel kills the program.
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != supervisor) _exit(127);
  // First to numbers above all targets: the number of one descriptor may be the target of another.
  for (int i = 0; i < program->descriptor_count && !number; i += 1) {
    moved[i] = fcntl(program->descriptors[i], F_DUPFD_CLOEXEC, program->descriptor_count);
    if (moved[i] < 0) number = errno;
  }
  int report = number ? started : fcntl(started, F_DUPFD_CLOEXEC, program->descriptor_count);
  if (report < 0) {
    number = errno;
    report = started;
  }
  for (int i = 0; i < program->descriptor_count && !number; i += 1) {
    if (dup2(moved[i], i) < 0) number = errno;
  }
  if (!number && chdir(program->folder) != 0) number = errno;
  if (!number) {
    // The parent ignores SIGPIPE and SIGXFSZ, and blocks the signals that its signal thread receives.
    for (int i = 1; i < NSIG; i += 1) signal(i, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program->file, program->arguments, program->environment);
    number = errno;
  }
  ssize_t written = write(report, &number, sizeof number);
  (void)written;
  _exit(127);
}

static void supervisor_close_others(int kept) {
#ifdef SYS_close_range
  if ((kept == 0 || syscall(SYS_close_range, 0U, (unsigned)kept - 1, 0U) == 0)
      && syscall(SYS_close_range, (unsigned)kept + 1, ~0U, 0U) == 0) return;
#endif
  // Linux before 5.9.
  struct rlimit limit;
  long most = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 20 ? (long)limit.rlim_cur : 1 << 20;
  for (int i = 0; i < most; i += 1) {
    if (i != kept) close(i);
  }
}

// Waits for the end of the program, or for a request on `leash`: a byte asks to end everything, end of file means that
// the parent has ended. Returns the wait status of the program.
static int supervisor_watch(pid_t program, int leash) {
  enum { RUNNING, ASKED, KILLING } phase = RUNNING;
  // The time of SIGTERM for descendants outside the group of the program; the end of the present phase.
  long others = 0, deadline = 0;
  int status = 0, has_ended = 0;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int ended = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  for (;;) {
    pid_t gone;
    int how;
    while ((gone = waitpid(-1, &how, WNOHANG)) > 0) {
      if (gone == program) {
        status = how;
        has_ended = 1;
      }
    }
    if (phase != RUNNING && gone < 0) return status;
    if (phase == RUNNING && has_ended) {
      // A request that came before the end of the program counts.
      struct pollfd request = {leash, POLLIN, 0};
      if (poll(&request, 1, 0) <= 0) return status;
    }
    long now = supervisor_now();
    if (phase == ASKED && others && now >= others) {
      others = 0;
      supervisor_signal_descendants(SIGTERM, program);
    }
    if (phase == ASKED && now >= deadline) {
      phase = KILLING;
      deadline = now + SUPERVISOR_GRACE;
    }
    if (phase == KILLING) {
      // A process that cannot be killed, as in an uninterruptible system call, is left alone.
      if (now >= deadline) return has_ended ? status : SIGKILL;
      // Also where the list of processes cannot be read.
      if (!has_ended) kill(-program, SIGKILL);
      supervisor_signal_descendants(SIGKILL, 0);
    }
    struct pollfd polled[2] = {{ended, POLLIN, 0}, {leash, POLLIN, 0}};
    long wait = phase == RUNNING ? -1 : phase == KILLING ? 10 : (others ? others : deadline) - now;
    // Without the signalfd, polls for children that have ended.
    if (ended < 0 && (wait < 0 || wait > 10)) wait = 10;
    if (poll(polled, phase == KILLING ? 1 : 2, (int)wait) <= 0) continue;
    if (polled[0].revents) {
      struct signalfd_siginfo information;
      while (read(ended, &information, sizeof information) > 0) {}
    }
    if (phase == KILLING || !polled[1].revents) continue;
    char word;
    ssize_t count = read(leash, &word, 1);
    now = supervisor_now();
    if (count == 0) {
      phase = KILLING;
      deadline = now + SUPERVISOR_GRACE;
    } else if (count > 0 && phase == RUNNING) {
      phase = ASKED;
      others = now + 50;
      deadline = now + SUPERVISOR_GRACE;
      if (has_ended) supervisor_signal_descendants(SIGTERM, 0); else kill(-program, SIGTERM);
    }
  }
}

static void supervise(const struct supervised_program *given, int leash, int started) {
  signal(SIGCHLD, SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_NAME, "supervisor", 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_t own = getpid();
  pid_t program = fork();
  if (program == 0) supervisor_execute(given, own, started);
  if (program < 0) {
    int number = errno;
    ssize_t written = write(started, &number, sizeof number);
    (void)written;
    _exit(127);
  }
  // Parent and child both create the group, so that it exists before the first signal.
  setpgid(program, program);
  // Otherwise files stay locked, and pipes open, after the parent has closed them.
  supervisor_close_others(leash);
  int status = supervisor_watch(program, leash);
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  // Ends by the same signal as the program, without another core file.
  int number = WTERMSIG(status);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, NULL);
  kill(own, number);
  _exit(128 + number);
}

// See CProcess.h.
pid_t start_supervised(const struct supervised_program *program, int leash, int started) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t supervisor = fork();
  if (supervisor == 0) supervise(program, leash, started);
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = number;
  return supervisor;
}
