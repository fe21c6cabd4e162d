// A device of a simulated fleet: one connection at a time, and a record of what was done to it.
//
// It is not the simulated org.bluez: it knows operations that may be repeated and others.

import Bluetooth
import Fleet
import Signals

/// A device, and what was done to it.
struct FleetDevice: Sendable {
  /// A chain as the device sees it.
  struct Holder: Hashable, Sendable {
    let gateway: Int
    let nonce: String
  }

  /// An operation that was carried out.
  struct Operation: Sendable {
    let job: JobID
    let nonce: String
    let step: Int
    let isIdempotent: Bool
  }

  enum Answer: Sendable { case done, failed, held }

  let address: BluetoothAddress
  /// The gateways that it is in range of.
  var range: Set<Int>
  private(set) var holder: Holder?
  private(set) var log: [Operation] = []

  init(address: BluetoothAddress, range: [Int]) {
    self.address = address
    self.range = Set(range)
  }

  mutating func connect(_ who: Holder) -> Answer {
    guard range.contains(who.gateway) else { return .failed }
    if let holder, holder != who { return .held }
    holder = who
    return .done
  }

  mutating func perform(_ operation: Operation, by who: Holder) -> Answer {
    guard holder == who, range.contains(who.gateway) else { return .failed }
    log.append(operation)
    return .done
  }

  mutating func disconnect(_ who: Holder) {
    if holder == who { holder = nil }
  }

  /// Ends whatever connection a gateway has.
  mutating func disconnect(gateway: Int) {
    if holder?.gateway == gateway { holder = nil }
  }

  /// The connection drops when its gateway is out of range.
  mutating func supervise() {
    if let holder, !range.contains(holder.gateway) { self.holder = nil }
  }
}
