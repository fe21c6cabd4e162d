// Tells the values that a device notified from the echoes of our own reads.
//
// A pure value. BlueZ signals `Value` for a successful ReadValue just before it replies, and the
// signal looks like a notification. Which one it was is known when the reply has come.

import Signals

/// The notified values of one characteristic, without the echoes of our own reads.
///
/// While a read is under way, values are held; its reply takes away one that is equal to it, and
/// the others go on. The holder limits how long a value is held.
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

  /// A read of ours is about to be sent.
  mutating func readBegan() { reads += 1 }

  /// A value came.
  ///
  /// - Returns: The value when it goes on at once; or the number under which it is held, to be
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
  ///   - value: What was read.
  ///   - offset: From which octet on. The echo of such a read is the whole value that bluetoothd
  ///     has kept, with what was read put in.
  /// - Returns: The values that go on now.
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

  /// The holding time of a value is over.
  ///
  /// - Returns: The values that go on now: this one and those before it.
  mutating func release(through number: UInt64) -> [Held] {
    let count = held.prefix { $0.number <= number }.count
    defer { held.removeFirst(count) }
    return Array(held.prefix(count))
  }
}
