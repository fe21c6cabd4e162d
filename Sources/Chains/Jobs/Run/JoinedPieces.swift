// Joins the notifications of a value that comes in pieces.
//
// How octets become values is ValuePieces.

import Bluetooth
import Signals

/// The pieces of a characteristic's values, which a subscription adds and a step looks at.
package final class JoinedPieces: Sendable {
  private struct State {
    var pieces: ValuePieces
    var arrival = Instant.start
  }

  private let target: CharacteristicSelector
  private let format: ValueFormat?
  private let state: Guarded<State>

  /// Creates an empty joiner; nil for values that come in one notification each.
  init?(_ target: CharacteristicSelector, _ format: ValueFormat?) {
    let description = format.map(\.valueDescription) ?? target.names.description(of: target.uuid)
    guard let description, let pieces = ValuePieces(of: description) else { return nil }
    self.target = target
    self.format = format
    state = Guarded(State(pieces: pieces))
  }

  /// The arrival time of the last piece.
  var arrival: Instant { state.withLock { $0.arrival } }

  /// Adds a notification.
  ///
  /// - Returns: The values that it completes, and in their order the bytes that are no value.
  func add(_ notified: NotifiedValue) -> [Sample] {
    let values = state.withLock { state in
      state.arrival = notified.at
      return state.pieces.add(notified.value)
    }
    return values.map { Sample($0, of: target, format: format, arrival: notified.at) }
  }

  /// Ends a value of which some pieces did not come.
  ///
  /// - Returns: The value, which does not match its format, at the time of its last piece; nil
  ///   between values.
  func cutOff() -> Sample? {
    let (octets, arrival) = state.withLock { ($0.pieces.cutOff(), $0.arrival) }
    return octets.map { Sample($0, of: target, format: format, arrival: arrival) }
  }
}
