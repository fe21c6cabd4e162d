// The methods of blerun.Simulator1: devices, values, the daemon, the log.
//
// Those about RSSI and adapters are in ControlServer+Air.swift.

import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension ControlServer {
  /// A method that performs an action, is logged under its caller, and returns nothing.
  func method(
    _ name: String,
    _ arguments: [(name: String, type: Signature)] = [],
    _ act: @escaping @Sendable (Steering, [DBusValue]) throws(SteeringError) -> Void
  ) -> ExportedMethod {
    let steering = steering
    return ExportedMethod(
      name,
      takes: arguments.map { ExportedArgument($0.name, $0.type) }
    ) { call in
      Self.note(call, in: steering)
      do throws(SteeringError) {
        try act(steering, call.message.body)
        call.reply()
      } catch {
        call.refuse(error)
      }
    }
  }

  /// Logs an action on the simulated world among the actions of its client.
  private static func note(_ call: Invocation, in steering: Steering) {
    let body = call.message.body
    let device = body.first?.asString.flatMap { name in try? steering.device(name) }
    let named = body.count > 1 ? body[1].asString : nil
    let characteristic = named.flatMap { try? device?.table.characteristic(named: $0) }
    steering.log.add(
      at: steering.loop.now.sinceStart,
      client: call.caller,
      "Simulator1.\(call.message.member ?? "")",
      device: device?.definition.address,
      attribute: characteristic?.uuid,
      octets: body.last?.asBytes ?? []
    )
  }

  // MARK: Devices

  var worldMethods: [ExportedMethod] {
    let device = (name: "device", type: Signature("s"))
    return [
      ExportedMethod("ListDevices", returns: [.init("devices", "a(ssb)")]) { [steering] call in
        call.reply([Self.list(steering)])
      },
      method("DropLink", [device]) { (steering, body) throws(SteeringError) in
        try steering.dropLink(body.text(0))
      },
      method("Vanish", [device]) { (steering, body) throws(SteeringError) in
        try steering.vanish(body.text(0))
      },
      method("Appear", [device]) { (steering, body) throws(SteeringError) in
        try steering.appear(body.text(0))
      },
      method("Offer", [device, ("service", "s"), ("offered", "b")]) {
        (steering, body) throws(SteeringError) in
        try steering.offer(body.text(1), body[2].asBool ?? false, at: body.text(0))
      },
      method("Advertise", [device, ("change", "s")]) { (steering, body) throws(SteeringError) in
        try steering.advertise(body.text(1), from: body.text(0))
      },
      method("AddFault", [device, ("rule", "s")]) { (steering, body) throws(SteeringError) in
        try steering.addFault(body.text(1), at: body.text(0))
      },
      method("AttachLogic", [device, ("socket", "s"), ("handles", "as")]) {
        (steering, body) throws(SteeringError) in
        try steering.attachLogic(body.text(1), handling: body.texts(2), to: body.text(0))
      },
      method("ClearFaults", [device]) { (steering, body) throws(SteeringError) in
        try steering.clearFaults(body.text(0))
      },
    ]
  }

  private static func list(_ steering: Steering) -> DBusValue {
    let rows = steering.devices.map { device -> DBusValue in
      let address = "\(device.definition.address)"
      let isConnected = (try? steering.isConnected(address)) ?? false
      return row([
        .string(address), .string(device.definition.name?.endedAtNUL ?? ""), .boolean(isConnected),
      ])
    }
    return array(of: "(ssb)", rows)
  }

  // MARK: Values

  var valueMethods: [ExportedMethod] {
    let target = [(name: "device", type: Signature("s")), (name: "characteristic", type: "s")]
    return [
      method("SetValue", target + [("value", "ay")]) { (steering, body) throws(SteeringError) in
        try steering.setValue(body[2].asBytes ?? [], of: body.text(1), at: body.text(0))
      },
      method("ReleaseValue", target) { (steering, body) throws(SteeringError) in
        try steering.release(body.text(1), at: body.text(0))
      },
      ExportedMethod(
        "GetValue",
        takes: target.map { ExportedArgument($0.name, $0.type) },
        returns: [.init("value", "ay")]
      ) { [steering] call in
        let body = call.message.body
        do throws(SteeringError) {
          call.reply([.bytes(try steering.value(of: body.text(1), at: body.text(0)))])
        } catch {
          call.refuse(error)
        }
      },
      ExportedMethod(
        "FindCharacteristic",
        takes: target.map { ExportedArgument($0.name, $0.type) },
        returns: [.init("address", "s"), .init("uuid", "s")]
      ) { [steering] call in
        let body = call.message.body
        do throws(SteeringError) {
          let device = try steering.device(body.text(0))
          let entry = try steering.entry(body.text(1), of: device)
          call.reply([.string("\(device.definition.address)"), .string(entry.uuid.text)])
        } catch {
          call.refuse(error)
        }
      },
    ]
  }

  // MARK: Host and log

  var hostMethods: [ExportedMethod] {
    [
      ExportedMethod("Restart", takes: [.init("milliseconds", "u")]) { [steering] call in
        Self.note(call, in: steering)
        Self.restart(steering, call)
      },
      ExportedMethod(
        "ReadLog",
        takes: [.init("since", "t")],
        returns: [.init("entries", "a(ttssssay)")]
      ) { [steering] call in
        let entries = steering.log.entries(since: call.message.body.first?.asUInt64 ?? 0)
        call.reply([Self.array(of: BoundaryEntry.signature, entries.map { Self.row($0.fields) })])
      },
    ]
  }

  /// Replies when the next daemon runs.
  private static func restart(_ steering: Steering, _ call: Invocation) {
    let pause = Duration.milliseconds(Int64(call.message.body.first?.asUInt32 ?? 0))
    _ = steering.loop.task {
      do {
        try await steering.restart(after: pause)
        call.reply()
      } catch let error as SteeringError {
        call.refuse(error)
      } catch {
        call.refuse(SteeringError(.restartFailed, "\(error)"))
      }
    }
  }

  static func row(_ fields: [DBusValue]) -> DBusValue {
    guard let row = try? DBusValue.structure(of: fields) else {
      preconditionFailure("fields of basic types make a structure")
    }
    return row
  }

  static func array(of element: Signature, _ rows: [DBusValue]) -> DBusValue {
    guard let array = try? DBusValue.array(of: element, rows) else {
      preconditionFailure("rows are of the type \(element.text)")
    }
    return array
  }
}

extension [DBusValue] {
  /// A text, as the signature of the method guarantees.
  func text(_ index: Int) -> String { self[index].asString ?? "" }

  /// A list of texts, as the signature of the method guarantees.
  fileprivate func texts(_ index: Int) -> [String] {
    guard case .array(let array) = self[index].unwrapped else { return [] }
    return array.elements.compactMap(\.asString)
  }
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
