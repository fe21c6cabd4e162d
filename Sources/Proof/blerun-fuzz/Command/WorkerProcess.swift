// The worker as a child process, watched for crashes and timeouts.

import Glibc

/// The end of a worker.
enum WorkerEnd {
  case exit(Int32)
  case signal(Int32)
  /// Killed: one input took too long.
  case stuck
}

/// This program, started again as a worker.
struct WorkerProcess {
  /// The limit for one input, in seconds.
  private static let patience = 60
  private static let pollsASecond: UInt32 = 50

  let note: ProgressNote
  private let process: pid_t

  init(_ arguments: [String], note: ProgressNote) throws(FuzzError) {
    self.note = note
    // malloc's per-thread cache counts as allocated: with chunks of each size it looks like a leak
    // of up to 256 KiB.
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1)
    let program = "/proc/self/exe"
    var pointers = ([program] + arguments).map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    guard posix_spawn(&process, program, nil, nil, pointers, environ) == 0 else {
      throw FuzzError("no further process can be started")
    }
    self.process = process
  }

  /// Waits until the process ends.
  func end() -> WorkerEnd {
    var (last, quiet) = (note.number, 0)
    while true {
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        let signal = status & 0x7f
        return signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
      }
      usleep(1_000_000 / Self.pollsASecond)
      quiet = note.number == last ? quiet + 1 : 0
      last = note.number
      guard quiet > Self.patience * Int(Self.pollsASecond) else { continue }
      kill(process, SIGKILL)
      waitpid(process, &status, 0)
      return .stuck
    }
  }
}
