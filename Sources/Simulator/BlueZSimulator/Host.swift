// The environment that all parts of the simulated bluetoothd share: bus, objects, agents, settings.

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
  /// The log of calls and events; nil if none was requested.
  let log: SimulatorLog?

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
  /// Calls a method of an object without expecting a reply.
  func send<Input, Output>(
    _ method: Method<Input, Output>, _ input: Input, on path: ObjectPath, of client: String
  ) {
    let call = try? MethodCall(method, input, on: path, of: client)
    // Fails only if the bus has ended, when there is nothing left to do.
    if let call { try? send(call.withoutReply()) }
  }
}
