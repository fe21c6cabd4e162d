// What befalls a world at a moment.
//
// Data only; a run makes it so.

import BlueZSimulator
import Bluetooth
import SimulatedDevices

/// One thing that goes wrong, or comes back.
enum Blow: Hashable, Sendable {
  /// The link to the device of that number is lost.
  case loseLink(Int)
  case vanish(Int)
  case appear(Int)
  /// The device begins or ceases to offer a service.
  case offer(Int, BluetoothUUID, Bool)
  /// From now on these go wrong with the device's operations.
  case faults(Int, [FaultRule])
  case power(Bool)
  case unplug
  /// The adapter comes back under this number.
  case plugIn(Int)
  /// bluetoothd is killed.
  case crash
  /// bluetoothd is asked to end.
  case terminate
  /// Another bluetoothd is started.
  case start
  /// From now on calls of this member are taken so.
  case treat(String, CallTreatment)
  /// The program of that number leaves the bus without a word.
  case leave(Int)
}

/// When it falls.
struct TimedBlow: Hashable, Sendable {
  /// Since the start of the run.
  let at: Duration
  let blow: Blow
}

extension Blow: CustomStringConvertible {
  var description: String {
    switch self {
    case .loseLink(let device): "the link to device \(device) is lost"
    case .vanish(let device): "device \(device) leaves the air"
    case .appear(let device): "device \(device) is in the air"
    case .offer(let device, let service, let isOffered):
      "device \(device) \(isOffered ? "offers" : "withdraws") \(service)"
    case .faults(let device, let rules): "device \(device) has the faults \(rules)"
    case .power(let isOn): "the adapter is switched \(isOn ? "on" : "off")"
    case .unplug: "the adapter is pulled out"
    case .plugIn(let index): "the adapter is put in as hci\(index)"
    case .crash: "bluetoothd is killed"
    case .terminate: "bluetoothd is asked to end"
    case .start: "bluetoothd is started"
    case .treat(let member, let treatment): "calls of \(member) from now on: \(treatment)"
    case .leave(let program): "program \(program) leaves the bus"
    }
  }
}
