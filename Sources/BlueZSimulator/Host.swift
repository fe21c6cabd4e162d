// What all parts of the simulated bluetoothd share: the bus, the objects on it, the timers.

import BlueZInterfaces
import DBus
import Signals

/// The surroundings of a simulated object.
struct Host: Sendable {
  let bus: any MessageBus
  let server: ObjectServer
  let agents: AgentServer
  let settings: SimulatorSettings
  /// Sees what happens, and at which attribute, by the handle of its value.
  typealias Witness = @Sendable (SimulatorEvent, UInt16?) -> Void

  let witness: Witness

  func observe(_ event: SimulatorEvent, at handle: UInt16? = nil) { witness(event, handle) }

  var loop: Loop { bus.loop }
}

extension Invocation {
  /// The unique name of the caller.
  var caller: String { message.sender ?? "" }

  /// Answers with an error of bluetoothd's.
  func refuse(_ answer: ErrorAnswer) { fail(answer.dbusError) }
}
