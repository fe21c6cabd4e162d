// Which characteristics a write is for.

extension WriteKind {
  /// The properties of which a characteristic needs at least one for the write.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c` (characteristic_write_value).
  package var properties: CharacteristicProperties {
    switch self {
    case .automatic: [.write, .writeWithoutResponse, .reliableWrite]
    case .request: .write
    case .command: .writeWithoutResponse
    case .reliable: [.reliableWrite, .write]
    }
  }

  /// Why a characteristic with these properties cannot be written so; nil when it can, and when
  /// nothing is known of them.
  ///
  /// - Returns: `cannot be written; it supports read, notify`.
  package func refusal(by offered: CharacteristicProperties) -> String? {
    guard !offered.isEmpty, offered.isDisjoint(with: properties) else { return nil }
    let how =
      switch self {
      case _ where offered.isDisjoint(with: Self.automatic.properties): ""
      case .automatic: ""
      case .request: " with response"
      case .command: " without response"
      case .reliable: " reliably"
      }
    return "cannot be written\(how); it supports \(offered.flags.joined(separator: ", "))"
  }
}
