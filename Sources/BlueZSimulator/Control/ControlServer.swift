// The control interface of a running simulation on a bus, for any D-Bus client.
//
// The methods are in ControlServer+Methods.swift, their effects in Steering.

import Bluetooth
public import DBus
import Signals
import SimulatedDevices

/// Exports ``Steering`` as the interface `blerun.Simulator1` of a separate object.
///
/// It needs a connection other than that of the simulated bluetoothd, which ends with a restart.
public final class ControlServer: Sendable {
  let steering: Steering
  private let bus: any MessageBus
  private let server: ObjectServer
  private let export = Guarded<Export?>(nil)

  /// A server that is not exported yet.
  ///
  /// - Parameters:
  ///   - steering: What the calls change.
  ///   - bus: A separate connection.
  public init(_ steering: Steering, on bus: any MessageBus) {
    self.steering = steering
    self.bus = bus
    server = ObjectServer(bus: bus, objectManagerAt: nil)
  }

  deinit { stop() }

  /// Exports the object and requests the name ``ControlNames/bus``.
  ///
  /// - Throws: ``ControlNameTaken`` when another simulation is controlled on this bus; what the bus
  ///   throws.
  public func start() async throws {
    let exported = try bus.export(server)
    export.withLock { $0 = exported }
    bus.onClose { [weak self] _ in self?.stop() }
    server.add([interface], at: ControlNames.path)
    steering.log.onEntry { [weak server] entry in
      try? server?.emit(
        ControlNames.logged,
        of: ControlNames.interface,
        at: ControlNames.path,
        entry.fields
      )
    }
    let reply = try await bus.requestName(ControlNames.bus, flags: .doNotQueue)
    guard reply == .primaryOwner || reply == .alreadyOwner else {
      stop()
      throw ControlNameTaken()
    }
  }

  /// Removes the object from the bus. The name stays until the connection is closed.
  public func stop() {
    let export = export.withLock { export in
      defer { export = nil }
      return export
    }
    guard let export else { return }
    steering.log.onEntry { _ in }
    server.remove(ControlNames.path)
    server.flush()
    export.cancel()
  }

  private var interface: ExportedInterface {
    ExportedInterface(
      ControlNames.interface,
      methods: worldMethods + airMethods + valueMethods + adapterMethods + hostMethods,
      signals: [
        ExportedSignal(
          ControlNames.logged,
          zip(BoundaryEntry.fieldNames, BoundaryEntry.fieldTypes).map { ExportedArgument($0, $1) }
        )
      ]
    )
  }
}

/// Another simulation is controlled on the same bus.
public struct ControlNameTaken: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String {
    "the name \(ControlNames.bus) is taken on this bus: a bus can control one simulation"
  }
}

extension BoundaryEntry {
  static let fieldNames = [
    "number", "microseconds", "client", "event", "device", "attribute", "octets",
  ]
  static let fieldTypes: [Signature] = ["t", "t", "s", "s", "s", "s", "ay"]
  /// The type of one entry in an array.
  static let signature: Signature = "(ttssssay)"

  /// The entry in its form on the bus: unknown fields are empty.
  var fields: [DBusValue] {
    [
      .uint64(number), .uint64(UInt64(clamping: Int64(time / .microseconds(1)))),
      .string(client), .string(event), .string(device.map { "\($0)" } ?? ""),
      .string(attribute?.text ?? ""), .bytes(octets),
    ]
  }
}
