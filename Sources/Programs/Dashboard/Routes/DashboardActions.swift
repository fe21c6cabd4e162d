// The actions that a page can request. The executable implements them.

package import Jobs

/// The reason why an action was not done, as the page shows it.
package struct DashboardRefusal: Error, Equatable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

/// Starts and stops work for pages. Called on the loop.
package protocol DashboardActions: Sendable {
  /// Begins a watch.
  ///
  /// - Returns: The number of the watch.
  func watch(_ plan: WatchPlan) throws(DashboardRefusal) -> Int
  /// Ends a watch. Returns false if no watch of this number is running.
  func endWatch(_ id: Int) -> Bool
  /// Records a note in all running watches.
  func note(_ text: String)
  /// Begins a chain from the allowed folder.
  ///
  /// - Parameters:
  ///   - name: The file of the chain.
  ///   - device: The device as the user wrote it; nil for the device that the chain names.
  func run(_ name: String, device: String?) throws(DashboardRefusal) -> RunKey
  /// Begins a batch from the allowed folder, and waits until it has begun.
  ///
  /// - Parameter name: The file of the batch.
  func runBatch(_ name: String) async throws(DashboardRefusal) -> RunKey
  /// Ends a chain or batch of this process. Returns false if there is none with this key.
  func endRun(_ key: RunKey) -> Bool
  /// Returns the page of a run in the journal; nil if there is none of this number.
  func page(of run: Int64) async throws(DashboardRefusal) -> String?
}
