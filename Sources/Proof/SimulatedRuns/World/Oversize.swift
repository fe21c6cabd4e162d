// Oversized values, as from a program that only pretends to be bluetoothd.

import BlueZInterfaces
import DBus
import Signals

/// Replaces values in messages by longer ones than bluetoothd ever sends.
struct Oversize: Hashable, Sendable {
  /// The messages to change.
  enum Place: String, CaseIterable, Sendable {
    /// Signals with a notified or read value.
    case notification
    /// Replies to ReadValue.
    case read
    /// Signals with an advertisement, in its manufacturer data.
    case advertisement
  }

  let place: Place
  /// The length of the value.
  let octets: Int
  /// The number of messages still to change.
  private(set) var count: Int

  /// Draws one for some of the worlds.
  static func draw(_ generator: inout SeededGenerator) -> TimedDisturbance? {
    guard generator.hits(1, in: 6) else { return nil }
    let place = generator.pick(Place.allCases)
    let octets: Int
    switch place {
    case .notification: octets = generator.pick([513, 600, 70_000, 200_000])
    case .read: octets = generator.pick([513, 600, 70_000])
    case .advertisement: octets = generator.pick([600, 70_000, 200_000])
    }
    let count = generator.pick([1, 1, 3, 100])
    return TimedDisturbance(
      at: generator.milliseconds(0...generator.pick([1_000, 5_000, 15_000])),
      disturbance: .oversize(Oversize(place: place, octets: octets, count: count))
    )
  }

  /// Returns the message as the program receives it: with a longer value if it is of this kind.
  ///
  /// - Throws: ``DBusError`` for a reply beyond the limits of D-Bus; no such length is drawn.
  mutating func changed(_ message: Message) throws -> Message {
    guard count > 0, let body = longer(message) else { return message }
    count -= 1
    return try message.replacingBody(body).received()
  }

  /// The arguments with a longer value; nil for other messages.
  private func longer(_ message: Message) -> [DBusValue]? {
    let value = [UInt8](repeating: 0xee, count: octets)
    switch place {
    case .read:
      let isValue = message.kind == .methodReturn && message.body.count == 1
      return isValue && message.body[0].asBytes != nil ? [.bytes(value)] : nil
    case .notification:
      guard var changes = changes(GattCharacteristic1.interface, message),
        changes[GattCharacteristic1.value] != nil
      else { return nil }
      changes[GattCharacteristic1.value] = value
      return [message.body[0], .properties(changes), message.body[2]]
    case .advertisement:
      guard var changes = changes(Device1.interface, message), changes[Device1.rssi] != nil else {
        return nil
      }
      changes[Device1.manufacturerData] = [(company: 0xffff, data: value)]
      return [message.body[0], .properties(changes), message.body[2]]
    }
  }

  /// The changes in a PropertiesChanged of an interface; nil for other messages.
  private func changes(_ interface: String, _ message: Message) -> PropertyMap? {
    guard message.kind == .signal, message.member == StandardInterface.propertiesChanged.name,
      message.body.count == 3, message.body[0].asString == interface
    else { return nil }
    return message.body[1].asPropertyMap
  }
}

extension Message {
  /// True for a change of a device that a program refuses for its size.
  var isRefusedChange: Bool {
    refusal != nil && body.first?.asString == Device1.interface
  }
}
