// Separates the values that a device notified from the echoes of our own reads.
//
// A pure value. BlueZ signals `Value` for a successful ReadValue just before it replies, and the
// signal looks like a notification. The reply decides which one it was.

import Signals

/// The notified values of one characteristic, without the echoes of our own reads.
///
/// While a read is pending, values are held; its reply removes one that is equal to it, and the
/// others are passed on. The caller limits how long a value is held.
///
/// - Source: BlueZ 5.66, `src/gatt-client.c` (read_op_cb): the value is written to the cache, which
///   signals it at once, then the reply is sent.
struct EchoFilter: Sendable {
  struct Held: Equatable, Sendable {
    let number: UInt64
    let value: [UInt8]
    let at: Instant
  }

  private var reads = 0
  private var held: [Held] = []
  private var nextNumber: UInt64 = 0

  /// Called before this program sends a read.
  mutating func readBegan() { reads += 1 }

  /// A value arrived.
  ///
  /// - Returns: The value when it is passed on at once; or the number under which it is held, to be
  ///   released with ``release(through:)`` at the latest.
  mutating func arrived(_ value: [UInt8], at instant: Instant) -> Arrival {
    nextNumber += 1
    let new = Held(number: nextNumber, value: value, at: instant)
    guard reads > 0 else { return .deliver(new) }
    held.append(new)
    return .hold(number: new.number)
  }

  enum Arrival: Equatable, Sendable {
    case deliver(Held)
    case hold(number: UInt64)
  }

  /// A read has ended: with a value, or without one.
  ///
  /// - Parameters:
  ///   - value: The value that was read.
  ///   - offset: The offset of the read. The echo of such a read is the complete value that
  ///     bluetoothd has cached, updated with the part that was read.
  /// - Returns: The values to pass on now.
  mutating func readEnded(with value: [UInt8]?, from offset: Int = 0) -> [Held] {
    reads = max(0, reads - 1)
    if let value,
      let echo = held.lastIndex(where: { held in
        held.value.count >= offset && held.value.dropFirst(offset).elementsEqual(value)
      })
    {
      held.remove(at: echo)
    }
    guard reads == 0 else { return [] }
    defer { held = [] }
    return held
  }

  /// Whether a read is pending.
  var isReading: Bool { reads > 0 }

  /// Whether values wait for the reply to a read.
  var holdsValues: Bool { !held.isEmpty }

  /// The connection has ended: no reply can make a held value an echo.
  ///
  /// - Returns: The values to pass on now.
  mutating func linkEnded() -> [Held] {
    defer { held = [] }
    return held
  }

  /// The maximum holding time of a value is over.
  ///
  /// - Returns: The values to pass on now: this one and those before it.
  mutating func release(through number: UInt64) -> [Held] {
    let count = held.prefix { $0.number <= number }.count
    defer { held.removeFirst(count) }
    return Array(held.prefix(count))
  }
}
