// What happens to a world at a moment: a fault, a program that leaves, or a bus that stalls.
//
// Data only; a run makes it so.

import BlueZSimulator
import Bluetooth
import SimulatedDevices

/// One thing that goes wrong, or comes back.
enum Disturbance: Hashable, Sendable {
  case fault(WorldAction)
  /// The program of that number leaves the bus without a word.
  case leave(Int)
  /// The bus delivers nothing for a while, then what was sent meanwhile; nil: until the healing.
  case stall(Duration?)
  /// Values are too long.
  case oversize(Oversize)
}

/// When it happens.
struct TimedDisturbance: Hashable, Sendable {
  /// Since the start of the run.
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
