// The events of a run in order: the complete input of the checks.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Identifies a chain by its program and number.
struct ChainID: Hashable, Sendable, CustomStringConvertible {
  let program: Int
  /// The index in the plan; plain chains count from `Liveness.firstPlainNumber`.
  let number: Int

  var description: String { "chain \(program).\(number)" }
}

/// One observed event.
enum Sighting: Sendable {
  /// A message was sent on the bus.
  case message(Message)
  /// A call to bluetoothd was delayed or dropped, or its reply was.
  case treated(Message, CallTreatment)
  case device(SimulatorEvent)
  case disturbance(Disturbance)
  /// All faults have ended.
  case healed
  /// A program joined the bus with this unique name.
  case joined(program: Int, name: String)
  /// A chain was requested.
  case requested(ChainID, ChainPlan)
  case turnBegan(ChainID)
  /// A turn ended, clean-up included.
  case turnEnded(ChainID)
  case stepBegan(ChainID, Int, ChainStep)
  /// A step sent a value.
  case stepValue(ChainID, Int, StepValue)
  case stepEnded(ChainID, Int)
  /// A chain was cancelled.
  case cancelled(ChainID)
  /// The caller of a chain got its result.
  case ended(ChainID, ChainEnding)
}

/// A value sent by a step.
enum StepValue: Hashable, Sendable {
  case nothing
  case octets([UInt8])
  case origin(LinkOrigin)
  /// The events of a subscription, in order.
  case events([NotificationEvent])
}

/// The result of a chain.
struct ChainEnding: Sendable {
  /// nil on success.
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
    case .requested(let id, let plan):
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
