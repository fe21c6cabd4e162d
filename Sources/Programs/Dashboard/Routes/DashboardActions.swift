// What a page may have done: the port to whoever does it.

package import Jobs

/// Why something was not done, for the person at the page.
package struct DashboardRefusal: Error, Equatable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

/// Starts and stops what the page asks for. Called on the loop.
package protocol DashboardActions: Sendable {
  /// Begins a watch.
  ///
  /// - Returns: Its number.
  func watch(_ plan: WatchPlan) throws(DashboardRefusal) -> Int
  /// Ends a watch; false when there is none of this number under way.
  func endWatch(_ id: Int) -> Bool
  /// Writes a note down, beside the values of the watches under way.
  func note(_ text: String)
  /// Begins a chain of the folder that was allowed.
  ///
  /// - Parameters:
  ///   - name: Its file.
  ///   - device: The device as a user names it; nil for the one that the chain names.
  func run(_ name: String, device: String?) throws(DashboardRefusal) -> RunKey
  /// Begins a batch of the folder that was allowed, and waits until it has begun.
  ///
  /// - Parameter name: Its file.
  func runBatch(_ name: String) async throws(DashboardRefusal) -> RunKey
  /// Ends a chain or a batch of this process; false when there is none.
  func endRun(_ key: RunKey) -> Bool
  /// The page of a run of the journal; nil when there is none of this number.
  func page(of run: Int64) async throws(DashboardRefusal) -> String?
}
