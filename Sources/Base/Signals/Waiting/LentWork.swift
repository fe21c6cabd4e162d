// A closure that another task calls while its owner waits.

/// A closure that its owner lends to another task, which calls it at most once.
///
/// The owner creates it, waits until the other task has ended, and takes it back.
package final class LentWork<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // `work` needs no lock: the owner hands it over before the other task begins, and touches it again
  // only once that has ended, which it learns from the turn.
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

  /// Forgets a closure that was not called: it may refer to the owner's stack.
  package func takeBack() { work = nil }
}
