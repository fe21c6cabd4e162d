// The cached value of an attribute, and the pending read.
//
// Pure: the caller sends the requests and answers the calls.

import BlueZInterfaces

/// The value that bluetoothd has cached, and the calls that wait for a read.
///
/// - Source: BlueZ 5.66, `src/gatt-client.c` (characteristic_read_value, descriptor_read_value).
struct AttributeValue<Call: Sendable>: Sendable {
  /// A pending read that later calls may join.
  private struct Reading: Sendable {
    let offset: Int
    var calls: [Call]
  }

  /// The next step for a read.
  enum Step: Equatable, Sendable {
    case refuse(ErrorAnswer)
    /// Join the pending read.
    case wait
    case ask
  }

  var octets: [UInt8] = []
  private var reading: Reading?

  mutating func read(_ call: Call, offset: Int, isConnected: Bool) -> Step {
    guard isConnected else { return .refuse(.gattNotConnected) }
    if let present = reading {
      guard present.offset == offset else { return .refuse(.inProgress) }
      reading?.calls.append(call)
      return .wait
    }
    reading = Reading(offset: offset, calls: [call])
    return .ask
  }

  /// Ends the pending read, with the value from its offset if the device returned one.
  ///
  /// - Returns: The calls that waited for it.
  mutating func endReading(_ read: [UInt8]?) -> [Call] {
    defer { reading = nil }
    if let read { keep(read, at: reading?.offset ?? 0) }
    return reading?.calls ?? []
  }

  /// - Source: BlueZ 5.66, `src/shared/gatt-db.c` (gatt_db_attribute_write).
  private mutating func keep(_ read: [UInt8], at offset: Int) {
    let before = Array(octets.prefix(offset))
    let after = offset == 0 ? [] : Array(octets.dropFirst(offset + read.count))
    octets = before + Array(repeating: 0, count: offset - before.count) + read + after
  }
}
