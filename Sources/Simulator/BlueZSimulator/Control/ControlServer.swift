// The control interface of a running simulation on a bus, for any D-Bus client.
//
// ControlVerb lists the methods, Steering performs them.

import Bluetooth
public import DBus
import Signals
import SimulatedDevices

/// Exports ``Steering`` as the interface `blerun.Simulator1` of a separate object.
///
/// It needs its own connection: that of the simulated bluetoothd ends with a restart.
public final class ControlServer: Sendable {
  private let steering: Steering
  private let bus: MessageBus
  private let server: ObjectServer
  private let export: Confined<Export?>

  /// Creates a server without exporting it.
  ///
  /// - Parameters:
  ///   - steering: The simulation to control.
  ///   - bus: A separate connection.
  public init(_ steering: Steering, on bus: MessageBus) {
    self.steering = steering
    self.bus = bus
    server = ObjectServer(bus: bus, objectManagerAt: nil)
    export = Confined(nil, to: bus.loop)
  }

  deinit { bus.loop.performSoon(end) }

  /// Exports the object and requests the name ``ControlNames/bus``.
  ///
  /// - Throws: ``SimulatorError/controlNameTaken`` if another simulation is controlled on this bus;
  ///   errors of the bus.
  public func start() async throws {
    export.contents = try bus.export(server)
    bus.onClose { [weak self] _ in self?.stop() }
    server.add([interface], at: ControlNames.path)
    steering.log.onEntry { [weak server] entry in
      try? server?.emit(
        ControlNames.logged, of: ControlNames.interface, at: ControlNames.path, entry.fields
      )
    }
    let reply = try await bus.requestName(ControlNames.bus, flags: .doNotQueue)
    guard reply == .primaryOwner || reply == .alreadyOwner else {
      stop()
      throw SimulatorError.controlNameTaken
    }
  }

  /// Removes the object from the bus. The name stays until the connection is closed.
  public func stop() { bus.loop.performAndWait(end) }

  private var end: @Sendable () -> Void {
    { [steering, server, export] in
      guard let export = export.contents.take() else { return }
      steering.log.onEntry { _ in }
      server.remove(ControlNames.path)
      server.flush()
      export.cancel()
    }
  }

  private var interface: ExportedInterface {
    ExportedInterface(
      ControlNames.interface, methods: ControlVerb.all.map { method($0) },
      signals: [
        ExportedSignal(
          ControlNames.logged,
          zip(SimulatorLogEntry.fieldNames, SimulatorLogEntry.fieldTypes).map {
            ExportedArgument($0, $1)
          }
        )
      ]
    )
  }

  private func method(_ verb: ControlVerb) -> ExportedMethod {
    let arguments = verb.arguments.map { ExportedArgument($0.name, $0.type) }
    return ExportedMethod(verb.name, takes: arguments, returns: verb.returns) { [steering] call in
      if verb.returns.isEmpty { Self.note(call, in: steering) }
      switch verb.effect {
      case .now(let act):
        do throws(SteeringError) {
          call.reply(try act(steering, call.message.body))
        } catch {
          call.refuse(error)
        }
      case .later(let act):
        _ = steering.loop.task {
          do {
            try await act(steering, call.message.body)
            call.reply()
          } catch {
            call.refuse(error as? SteeringError ?? SteeringError(.restartFailed, "\(error)"))
          }
        }
      }
    }
  }

  /// Logs the call under the client that made it.
  private static func note(_ call: Invocation, in steering: Steering) {
    let body = call.message.body
    let device = body.first?.asString.flatMap { name in try? steering.device(name) }
    let named = body.count > 1 ? body[1].asString : nil
    let characteristic = named.flatMap { try? device?.table.characteristic(named: $0) }
    steering.log.add(
      at: steering.loop.now.sinceStart, client: call.caller,
      "Simulator1.\(call.message.member ?? "")", device: device?.definition.address,
      attribute: characteristic?.uuid, octets: body.last?.asBytes ?? []
    )
  }

  /// The methods with their descriptions, as a table for the documentation.
  package static var table: String { ControlVerb.table }
}

extension Invocation {
  fileprivate func refuse(_ error: SteeringError) {
    fail(
      DBusError(
        name: DBusError.Name(rawValue: ControlNames.errors + error.kind.rawValue),
        message: error.description
      )
    )
  }
}

extension SimulatorLogEntry {
  static let fieldNames = [
    "number", "microseconds", "client", "event", "device", "attribute", "octets",
  ]
  static let fieldTypes: [Signature] = ["t", "t", "s", "s", "s", "s", "ay"]
  /// The type of one entry in an array.
  static let signature: Signature = "(ttssssay)"

  /// The fields of the entry in the order of ``fieldNames``; unknown ones are empty.
  var fields: [DBusValue] {
    [
      .uint64(number), .uint64(UInt64(clamping: Int64(time / .microseconds(1)))),
      .string(client), .string(event), .string(device.map { "\($0)" } ?? ""),
      .string(attribute?.text ?? ""), .bytes(octets),
    ]
  }
}

/// Names of this project, not of BlueZ. See docs/simulator-control.md.
public enum ControlNames {
  /// The well-known name of the control connection, separate from `org.bluez`.
  public static let bus = "blerun.Simulator1"
  /// The object path of the control interface.
  public static let path: ObjectPath = "/blerun/simulator"
  /// The name of the control interface.
  public static let interface = "blerun.Simulator1"
  /// The prefix of each error name.
  public static let errors = "blerun.Simulator1.Error."
  /// The signal for each entry of the log.
  public static let logged = "Logged"
}
