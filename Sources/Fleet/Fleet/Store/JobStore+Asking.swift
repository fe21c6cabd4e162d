// Requests to a store as async functions, for shells that wait for the answer.

package import Signals

extension JobStore {
  /// The answer to a request.
  package func ask(
    _ request: StoreRequest, within limit: Duration = .seconds(2), on loop: Loop
  ) async throws -> StoreAnswer {
    try await wait(
      on: loop, operation: "asking the store of the fleet", limit: limit + .seconds(1)
    ) { (done: Completion<StoreAnswer>) in
      perform(request, within: limit) { done.succeed($0) }
    }
  }
}
