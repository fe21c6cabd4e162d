// The process that runs the inputs, and may crash on one.

import CLinux
import Glibc

/// Runs inputs one after the other.
struct Worker {
  /// The limit of the address space, in bytes: an input that needs more is a violation.
  private static let addressSpace: UInt = 4 << 30
  /// After so many inputs the process has what it needs, and the heap is looked at.
  private static let settled: UInt64 = 4_096
  /// What may be in use beyond that, in octets, after any number of further inputs.
  private static let growth = 64 << 10

  let name: TargetName
  let seed: UInt64
  let note: ProgressNote

  /// - Throws: ``Violation``, with the note at the input.
  func run(from first: UInt64, count: UInt64) throws {
    var limit = rlimit(rlim_cur: Self.addressSpace, rlim_max: Self.addressSpace)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    try take(name.target, from: first, count: count)
  }

  private func take<Target: FuzzTarget>(_: Target.Type, from first: UInt64, count: UInt64) throws {
    var target = try Target(seed: seed)
    var base: Int?
    for number in first..<first + count {
      note.number = number
      if try target.take(number) { note.accepted += 1 }
      let done = number - first + 1
      guard done % Self.settled == 0 else { continue }
      let used = Self.octetsInUse
      let allowed = (base ?? used) + Self.growth
      if base == nil { base = used }
      guard used <= allowed else {
        throw Violation(
          description: "memory grew from \(base ?? 0) to \(used) bytes in \(done) inputs"
        )
      }
    }
  }

  /// What is allocated and not freed: the heap's own account, not what the process has of it.
  private static var octetsInUse: Int {
    let account = mallinfo2()
    return account.uordblks + account.hblkhd
  }
}
