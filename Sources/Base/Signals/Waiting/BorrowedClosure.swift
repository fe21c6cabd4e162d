// A closure that another task calls while its owner waits.

/// A closure that another task calls, at most once, while its owner waits.
///
/// The owner creates it, waits until the other task has ended, and invalidates it.
package final class BorrowedClosure<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // `work` needs no lock: the owner sets it before the other task begins, and accesses it again only
  // after that task has ended, which the turn reports.
  private var work: ((Input) async throws -> Output)?

  package init(_ work: @escaping (Input) async throws -> Output) {
    self.work = work
  }

  /// Calls the closure, in the isolation that it was written in.
  package func call(_ input: Input) async throws -> Output {
    guard let work else { throw CancellationError() }
    self.work = nil
    return try await work(input)
  }

  /// Releases a closure that was not called, since it may refer to the owner's stack.
  package func invalidate() { work = nil }
}
