// What the dashboard learns: of the scan, of watches, of runs, of people.

package import Bluetooth
package import Jobs
package import Journal

/// One thing that happened. Its time is given beside it.
package enum DashboardNews: Sendable {
  /// The scan works, or why it does not.
  case scanning(RunFailure?)
  /// A device advertised, or something of it changed.
  case seen(Advertisement)
  /// A watch begins; its number is new.
  case watchBegan(Int, WatchPlan)
  /// What came of a watch.
  case watchOutput(Int, WatchOutput)
  /// A watch ended, and was disconnected; the failure is nil when it ended as asked.
  case watchEnded(Int, RunFailure?)
  /// The minutes of a characteristic that a journal has, by the name of their field.
  case history(device: String, attribute: String, [String: [Minute]])
  /// Somebody wrote a note.
  case note(String)
  /// A chain of this process begins.
  case chainBegan(RunKey, chain: String, device: String)
  /// Something of a chain of this process.
  case chain(RunKey, RunEvent)
  /// A batch of this process begins.
  case batchBegan(RunKey, batch: String)
  /// Something of a batch of this process.
  case batch(RunKey, BatchEvent)
  /// Something of a chain of a batch of this process.
  case batchChain(RunKey, RunEvent)
  /// A chain of this process could not begin.
  case chainFailed(RunKey, RunFailure)
  /// Runs of the journal that changed, in the order of their numbers.
  case runs([FollowedRun])
}

/// What a run is called on the page: its number in the journal, else its ordinal among the runs of
/// this process that are in no journal.
package enum RunKey: Hashable, Sendable, CustomStringConvertible {
  /// The number of the run in the journal.
  case recorded(Int64)
  /// The ordinal, from 1.
  case unrecorded(Int)

  package var description: String {
    switch self {
    case .recorded(let number): "\(number)"
    case .unrecorded(let ordinal): "u\(ordinal)"
    }
  }

  /// The key that a text names; nil for any other text.
  package init?(_ text: String) {
    if let number = Int64(text), number > 0 {
      self = .recorded(number)
    } else if text.first == "u", let ordinal = Int(text.dropFirst()), ordinal > 0 {
      self = .unrecorded(ordinal)
    } else {
      return nil
    }
  }
}
