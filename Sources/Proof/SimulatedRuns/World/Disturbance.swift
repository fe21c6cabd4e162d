// A disturbance of a world: a fault, a program that leaves, or a stalled bus.
//
// Data only: WorldRun performs it.

import BlueZSimulator
import Bluetooth
import SimulatedDevices

enum Disturbance: Hashable, Sendable {
  case fault(WorldAction)
  /// A program leaves the bus without cleaning up.
  case leave(Int)
  /// The bus holds all messages back for this long; nil: until the healing.
  case stall(Duration?)
  /// Some values exceed the length limits.
  case oversize(Oversize)
}

/// A disturbance with its time.
struct TimedDisturbance: Hashable, Sendable {
  /// Counted from the start of the run.
  let at: Duration
  let disturbance: Disturbance
}

extension Disturbance: CustomStringConvertible {
  var description: String {
    switch self {
    case .fault(let action): "\(action)"
    case .leave(let program): "program \(program) leaves the bus"
    case .stall(let duration?): "the bus stalls for \(duration)"
    case .stall(nil): "the bus stalls"
    case .oversize(let values):
      "\(values.count) values of \(values.octets) bytes: \(values.place.rawValue)"
    }
  }
}
