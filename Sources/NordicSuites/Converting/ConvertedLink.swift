// What an operation of a suite finds at its device: whether it is connected, and subscribed.
//
// Pure. A chain connects and subscribes by itself, and a suite does not: where this makes a
// difference, the conversion reports it.

import Bluetooth

/// The connection and the subscriptions that a suite has made so far.
struct ConvertedLink {
  /// Whether the suite has connected the device.
  private(set) var isUp = false
  private var subscribed: Set<AttributePath> = []

  mutating func connect() { isUp = true }

  /// The connection ends, and its subscriptions.
  mutating func disconnect() {
    isUp = false
    subscribed = []
  }

  /// The Client Characteristic Configuration of a characteristic was written.
  mutating func configure(_ characteristic: AttributePath, _ value: [UInt8]) {
    if Self.subscribes(value) {
      subscribed.insert(characteristic)
    } else {
      subscribed.remove(characteristic)
    }
  }

  func isSubscribed(_ characteristic: AttributePath) -> Bool {
    subscribed.contains(characteristic)
  }

  /// Whether a Client Characteristic Configuration enables notifications or indications.
  static func subscribes(_ value: [UInt8]) -> Bool { (value.first ?? 0) & 0x03 != 0 }
}

extension Operation {
  /// Whether the operation listens to a characteristic.
  func awaits(_ characteristic: AttributePath) -> Bool {
    guard case .awaitNotification(characteristic, _, _) = action else { return false }
    return true
  }

  /// The value that it writes to the Client Characteristic Configuration of a characteristic; nil
  /// for other operations.
  func configures(_ characteristic: AttributePath) -> [UInt8]? {
    guard case .write(let path, let value, _) = action, path.isSubscription,
      path.ofCharacteristic == characteristic
    else { return nil }
    return value
  }

  /// Whether it ends the connection.
  var endsLink: Bool { action == .disconnect || action == .unbond }
}
