// The worker process, which runs the inputs and may crash.

import CLinux
import Glibc

struct Worker {
  /// The limit of the address space in bytes: an input that needs more is a problem.
  private static let addressSpace: UInt = 4 << 30
  /// The number of inputs after which one-time allocations are done and the heap is measured.
  private static let settled: UInt64 = 4_096
  /// The allowed growth of the heap after that, in bytes, for any number of inputs.
  private static let growth = 64 << 10

  let name: TargetName
  let seed: UInt64
  let note: ProgressNote

  /// - Throws: ``BrokenPromise``; the note has the number of the input.
  func run(from first: UInt64, count: UInt64) throws {
    var limit = rlimit(rlim_cur: Self.addressSpace, rlim_max: Self.addressSpace)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    try feedInputs(name.target, from: first, count: count)
  }

  private func feedInputs<Target: FuzzTarget>(_: Target.Type, from first: UInt64, count: UInt64)
    throws
  {
    var target = try Target(seed: seed)
    var base: Int?
    for number in first..<first + count {
      note.number = number
      if try target.feed(number) { note.accepted += 1 }
      let done = number - first + 1
      guard done % Self.settled == 0 else { continue }
      let used = Self.octetsInUse
      let allowed = (base ?? used) + Self.growth
      if base == nil { base = used }
      guard used <= allowed else {
        throw BrokenPromise(
          description: "memory grew from \(base ?? 0) to \(used) bytes in \(done) inputs"
        )
      }
    }
  }

  /// Allocated bytes by malloc's own account, not the process's resident memory.
  private static var octetsInUse: Int {
    let account = mallinfo2()
    return account.uordblks + account.hblkhd
  }
}
