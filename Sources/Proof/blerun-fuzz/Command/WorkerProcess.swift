// A worker as a process of its own, watched from outside.

import Glibc

/// What became of a worker.
enum WorkerEnd {
  case exit(Int32)
  case signal(Int32)
  /// It took too long for one input, and was ended.
  case stuck
}

/// The same program once more, as a worker.
struct WorkerProcess {
  /// How long one input may take.
  private static let patience = 60
  private static let pollsASecond: UInt32 = 50

  let note: ProgressNote
  private let process: pid_t

  init(_ arguments: [String], note: ProgressNote) throws(FuzzError) {
    self.note = note
    // Chunks that a thread keeps for itself count as allocated: with some of each size, a quarter of
    // a MiB seems to be lost by and by.
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

  /// Waits for its end.
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
