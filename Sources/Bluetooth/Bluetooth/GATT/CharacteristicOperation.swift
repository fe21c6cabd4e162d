// The operations that a characteristic offers.

/// An operation on a characteristic.
package enum CharacteristicOperation: Hashable, Sendable {
  case read
  case write(WriteKind)
  /// Commands through a socket.
  case acquireWriter
  /// Notifications or indications.
  case subscribe

  /// The properties of which a characteristic needs at least one.
  ///
  /// bluetoothd signs a command where the characteristic takes signed ones. It sends prepared writes
  /// wherever requests are accepted, as it does for long values.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c` (characteristic_write_value,
  ///   characteristic_acquire_write, characteristic_start_notify).
  private var properties: CharacteristicProperties {
    switch self {
    case .read: .read
    case .write(.automatic):
      [.write, .writeWithoutResponse, .reliableWrite, .authenticatedSignedWrites]
    case .write(.request): .write
    case .write(.command): [.writeWithoutResponse, .authenticatedSignedWrites]
    case .write(.reliable): [.reliableWrite, .write]
    case .acquireWriter: .writeWithoutResponse
    case .subscribe: [.notify, .indicate]
    }
  }

  /// Whether a characteristic with these properties offers the operation.
  package func isOffered(by offered: CharacteristicProperties) -> Bool {
    !offered.isDisjoint(with: properties)
  }

  /// The reason why a characteristic with these properties does not offer the operation; nil if it
  /// does.
  package func refusal(by offered: CharacteristicProperties) -> Refusal? {
    guard !isOffered(by: offered) else { return nil }
    let other = isWrite ? WriteKind.explicit.first { Self.write($0).isOffered(by: offered) } : nil
    return Refusal(
      problem: other == nil ? problem : problem + detail, offered: offered.list,
      remedy: other.map { other in
        self == .acquireWriter
          ? "write with kind '\(other.rawValue)', each with a call"
          : "write with kind '\(other.rawValue)'"
      }
    )
  }

  private var isWrite: Bool {
    switch self {
    case .write, .acquireWriter: true
    case .read, .subscribe: false
    }
  }

  private var problem: String {
    switch self {
    case .read: "cannot be read"
    case .write, .acquireWriter: "cannot be written"
    case .subscribe: "sends neither notifications nor indications"
    }
  }

  /// The write that it does not support, where it supports another one.
  private var detail: String {
    switch self {
    case .read, .subscribe, .write(.automatic): ""
    case .write(.request): " with response"
    case .write(.command), .acquireWriter: " without response"
    case .write(.reliable): " reliably"
    }
  }

  /// The reason why a characteristic does not offer an operation.
  package struct Refusal: Hashable, Sendable, CustomStringConvertible {
    let problem: String
    let offered: String
    /// `write with kind 'command'`, where that is offered.
    package let remedy: String?

    /// `cannot be written; it supports read, notify`.
    package var description: String { "\(problem); it supports \(offered)" }
  }
}

extension WriteKind {
  /// The kinds that leave nothing to bluetoothd, the usual ones first.
  fileprivate static let explicit = [WriteKind.request, .command, .reliable]
}

extension CharacteristicProperties {
  /// `read, notify`; `nothing` where there are none.
  package var list: String { isEmpty ? "nothing" : flags.joined(separator: ", ") }
}
