// What all parts of the simulated bluetoothd share: the bus, the objects on it, the timers.

import BlueZInterfaces
import DBus
import Signals

/// The environment of a simulated object.
struct Host: Sendable {
  let bus: MessageBus
  let server: ObjectServer
  let agents: AgentServer
  let settings: SimulatorSettings
  let observer: BlueZSimulator.Observer

  func observe(_ event: SimulatorEvent, at handle: UInt16? = nil) { observer(event, handle) }

  var loop: Loop { bus.loop }
}

extension Invocation {
  /// The unique name of the caller.
  var caller: String { message.sender ?? "" }

  /// Replies with an error of bluetoothd.
  func refuse(_ answer: ErrorAnswer) { fail(answer.dbusError) }
}
