// A closure that another task calls while its owner waits.

/// A closure of the owner's, called at most once, in another task.
///
/// The owner makes it, waits until nobody can call it any more, and takes it back.
final class LentWork<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  // `work` needs no lock: the owner hands it over before the other task begins, and touches it again
  // only once that has ended, which it learns from the turn.
  private var work: ((Input) async throws -> Output)?

  init(_ work: @escaping (Input) async throws -> Output) {
    self.work = work
  }

  /// Calls the closure, in the isolation that it was written in.
  func call(_ input: Input) async throws -> Output {
    guard let work else { throw CancellationError() }
    self.work = nil
    return try await work(input)
  }

  /// Forgets a closure that was not called: it may refer to the owner's stack.
  func takeBack() { work = nil }
}
