// The inputs of the dashboard's model: news of the scan, of watches and of runs, and users' notes.

package import Bluetooth
package import Jobs
package import Journal
package import RunEvents

/// One piece of news. Its time is passed separately.
package enum DashboardNews: Sendable {
  /// The scan works (nil) or has failed.
  case scanning(RunFailure?)
  /// The journal can be read (nil), or why it cannot.
  case reading(String?)
  /// A device advertised, or one of its properties changed.
  case seen(Advertisement)
  /// A watch begins; its number is new.
  case watchBegan(Int, WatchPlan)
  /// A watch has produced output.
  case watchOutput(Int, WatchOutput)
  /// A watch has ended and disconnected. The failure is nil if it was stopped.
  case watchEnded(Int, RunFailure?)
  /// The journal's minutes of a characteristic, by field.
  case history(device: String, attribute: String, [String: [Minute]])
  /// A user of a page wrote a note.
  case note(String)
  /// A chain of this process begins.
  case chainBegan(RunKey, chain: String, device: String)
  /// An event of a chain of this process.
  case chain(RunKey, RunEvent)
  /// A batch of this process begins.
  case batchBegan(RunKey, batch: String)
  /// An event of a batch of this process.
  case batch(RunKey, BatchEvent)
  /// An event of a chain in a batch of this process.
  case batchChain(RunKey, RunEvent)
  /// A chain of this process could not begin.
  case chainFailed(RunKey, RunFailure)
  /// The runs of the journal that changed, in the order of their numbers.
  case runs([FollowedRun])
}

/// The identity of a run on the page: its number in the journal, or else its ordinal among the
/// unrecorded runs of this process.
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

  /// Parses a key; nil if the text is not one.
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
