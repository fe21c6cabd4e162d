// The events of a run, in order: the complete input of the checks.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Which chain of which program.
struct ChainID: Hashable, Sendable, CustomStringConvertible {
  let program: Int
  /// In the order of the plan; the plain chains at the end follow.
  let number: Int

  var description: String { "chain \(program).\(number)" }
}

/// One thing that was seen.
enum Sighting: Sendable {
  /// The bus took in a message.
  case message(Message)
  /// A call was not taken at once, or its answer is lost.
  case treated(Message, CallTreatment)
  case device(SimulatorEvent)
  case disturbance(Disturbance)
  /// Nothing goes wrong from now on.
  case healed
  /// A program is on the bus, under this unique name.
  case joined(program: Int, name: String)
  /// A chain was asked for.
  case asked(ChainID, ChainPlan)
  case turnBegan(ChainID)
  /// The turn has ended, its clean-up included.
  case turnEnded(ChainID)
  case stepBegan(ChainID, Int, ChainStep)
  /// A step sent a value.
  case stepValue(ChainID, Int, StepValue)
  case stepEnded(ChainID, Int)
  /// A chain was cancelled.
  case cancelled(ChainID)
  /// Its caller got the result.
  case ended(ChainID, ChainEnding)
}

/// What a step sends.
enum StepValue: Hashable, Sendable {
  case nothing
  case octets([UInt8])
  case origin(LinkOrigin)
  /// What a subscription gave, in order.
  case events([NotificationEvent])
}

/// The result that the caller of a chain got.
struct ChainEnding: Sendable {
  /// nil when it succeeded.
  let error: (any Error)?
}

extension Sighting: CustomStringConvertible {
  var description: String {
    switch self {
    case .message(let message): message.text
    case .treated(let call, let treatment):
      "call \(call.serial) from \(call.sender ?? "?"): \(treatment)"
    case .device(let event): "at the device: \(event)"
    case .disturbance(let disturbance): "FAULT: \(disturbance)"
    case .healed: "HEALED"
    case .joined(let program, let name): "program \(program) is \(name)"
    case .asked(let id, let plan):
      "\(id) on device \(plan.device), \(plan.way.rawValue), within \(plan.limit): \(plan.steps)"
    case .turnBegan(let id): "\(id) has its turn"
    case .turnEnded(let id): "\(id) gives its turn back"
    case .stepBegan(let id, let index, let step): "\(id) step \(index): \(step)"
    case .stepValue(let id, let index, let value): "\(id) step \(index) sends \(value)"
    case .stepEnded(let id, let index): "\(id) step \(index) ends"
    case .cancelled(let id): "\(id) is cancelled"
    case .ended(let id, let ending):
      "\(id) ended: \(ending.error.map { "\($0)" } ?? "ok")"
    }
  }
}
