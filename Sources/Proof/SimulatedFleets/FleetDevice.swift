// A device of a simulated fleet: accepts one connection at a time, and logs the operations it
// carried out.
//
// It does not use the simulated org.bluez: it only distinguishes idempotent operations from others.

import Bluetooth
import Fleet
import Signals

struct FleetDevice: Sendable {
  /// The chain that holds the connection.
  struct Holder: Hashable, Sendable {
    let gateway: Int
    let nonce: String
  }

  /// An operation that the device carried out.
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

  mutating func connect(_ claimant: Holder) -> Answer {
    guard range.contains(claimant.gateway) else { return .failed }
    if let holder, holder != claimant { return .held }
    holder = claimant
    return .done
  }

  mutating func perform(_ operation: Operation, by claimant: Holder) -> Answer {
    guard holder == claimant, range.contains(claimant.gateway) else { return .failed }
    log.append(operation)
    return .done
  }

  mutating func disconnect(_ claimant: Holder) {
    if holder == claimant { holder = nil }
  }

  /// Ends any connection that a gateway has.
  mutating func disconnect(gateway: Int) {
    if holder?.gateway == gateway { holder = nil }
  }

  /// Drops the connection if its gateway is out of range.
  mutating func supervise() {
    if let holder, !range.contains(holder.gateway) { self.holder = nil }
  }
}
