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

extension MessageBus {
  /// Calls a method of an object, which does not reply.
  func send<Input, Output>(
    _ method: Method<Input, Output>, _ input: Input, on path: ObjectPath, of client: String
  ) {
    let call = try? MethodCall(method, input, on: path, of: client)
    // A program whose bus has ended does nothing any more.
    if let call { try? send(call.withoutReply()) }
  }
}
