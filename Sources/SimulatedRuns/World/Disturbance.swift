// What happens to a world at a moment: a fault, or a program that leaves.
//
// Data only; a run makes it so.

import BlueZSimulator
import Bluetooth
import SimulatedDevices

/// One thing that goes wrong, or comes back.
enum Disturbance: Hashable, Sendable {
  case fault(FaultAction)
  /// The program of that number leaves the bus without a word.
  case leave(Int)
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
    }
  }
}
