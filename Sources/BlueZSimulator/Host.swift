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
  let observe: @Sendable (SimulatorEvent) -> Void

  var loop: Loop { bus.loop }
}

extension Invocation {
  /// The unique name of the caller.
  var caller: String { message.sender ?? "" }

  /// Answers with an error of bluetoothd's.
  func refuse(_ answer: ErrorAnswer) { fail(answer.dbusError) }
}
