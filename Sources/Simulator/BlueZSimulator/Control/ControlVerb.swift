// The methods of the control interface, one row each.
//
// The methods of blerun.Simulator1 and their table in docs/simulator-control.md are generated from
// the rows. Steering performs them.

import Bluetooth
import DBus
import SimulatedDevices

/// One method of the control interface. Its closure gets arguments of the declared types.
struct ControlVerb: Sendable {
  /// Name, type, and a note for users.
  typealias Argument = (name: String, type: Signature, note: String)

  enum Effect: Sendable {
    case now(@Sendable (Steering, [DBusValue]) throws(SteeringError) -> [DBusValue])
    /// An asynchronous action; the reply is sent when it has finished.
    case later(@Sendable (Steering, [DBusValue]) async throws -> Void)
  }

  let name: String
  let arguments: [Argument]
  /// Empty for an action. Actions are logged under the calling client.
  var returns: [ExportedArgument] = []
  /// The description, in Markdown.
  let doc: String
  let effect: Effect

  /// All methods, in the order of the documentation.
  static let all = ofDevices + ofSignals + ofValues + ofContents + ofHost

  /// The table of the documentation, in Markdown.
  static let table: String = {
    let rows = all.map { verb in
      let arguments = verb.arguments.map { $0.name + ($0.note.isEmpty ? "" : " (\($0.note))") }
      return "| `\(verb.name)` | \(arguments.joined(separator: ", ")) | \(verb.doc) |"
    }
    return (["| method | arguments | what it does |", "|---|---|---|"] + rows)
      .joined(separator: "\n") + "\n"
  }()

  // MARK: Kinds

  private static func query(
    _ name: String, _ arguments: [Argument], _ doc: String, returns: [ExportedArgument],
    _ ask: @escaping @Sendable (Steering, [DBusValue]) throws(SteeringError) -> [DBusValue]
  ) -> ControlVerb {
    ControlVerb(name: name, arguments: arguments, returns: returns, doc: doc, effect: .now(ask))
  }

  private static func action(
    _ name: String, _ arguments: [Argument], _ doc: String,
    _ act: @escaping @Sendable (Steering, [DBusValue]) throws(SteeringError) -> Void
  ) -> ControlVerb {
    query(name, arguments, doc, returns: []) { (steering, body) throws(SteeringError) in
      try act(steering, body)
      return []
    }
  }

  private static func change(
    _ name: String, _ arguments: [Argument], _ doc: String,
    _ change: @escaping @Sendable ([DBusValue]) -> DeviceChange
  ) -> ControlVerb {
    action(name, [device] + arguments, doc) { (steering, body) throws(SteeringError) in
      try steering.apply(change(body), to: body.text(0))
    }
  }

  private static func adapter(
    _ name: String, _ arguments: [Argument], _ doc: String,
    _ change: @escaping @Sendable ([DBusValue]) -> AdapterChange
  ) -> ControlVerb {
    action(name, [("adapter", "s", "")] + arguments, doc) {
      (steering, body) throws(SteeringError) in
      try steering.apply(change(body), toAdapter: body.text(0))
    }
  }

  private static let device: Argument = ("device", "s", "")
  private static let target = [device, ("characteristic", "s", "")]

  // MARK: Rows

  private static let ofDevices = [
    query(
      "ListDevices", [], "returns the devices: address, name, whether connected",
      returns: [.init("devices", "a(ssb)")]
    ) { (steering, _) in
      let rows = steering.devices.map { device -> [DBusValue] in
        [
          .string("\(device.definition.address)"),
          .string(device.definition.name?.endedAtNUL ?? ""), .boolean(steering.isConnected(device)),
        ]
      }
      return [.rows(of: "(ssb)", rows)]
    },
    change("DropLink", [], "drops the connection, as if out of range") { _ in .loseLink },
    change("Vanish", [], "makes the device disappear, with its connection") { _ in .vanish },
    change("Appear", [], "makes it appear again") { _ in .appear },
    change("LoseBonds", [], "makes the device lose its bonds, which hosts still have") { _ in
      .loseBonds
    },
    change(
      "RequestSecurity", [],
      "the connected device asks to pair: it sends a Security Request, unless the connection is encrypted"
    ) { _ in .requestSecurity },
  ]

  private static let ofSignals = [
    change(
      "Move",
      [("rssi", "n", "dBm, -127 to 20"), ("milliseconds", "u", "")],
      "changes the RSSI evenly to that value within that time, and keeps it there. The spread stays"
    ) { .move(to: $0.number(1), within: $0.milliseconds(2)) },
    change(
      "MoveAlong",
      [("points", "a(un)", "milliseconds from now, rssi"), ("repeats", "b", "")],
      "changes the RSSI in straight lines from point to point; the first is at 0"
    ) { .follow(.path(SignalPath($0.points(1), repeats: $0.isTrue(2)))) },
    change(
      "Walk",
      [
        ("low", "n", "dBm"), ("high", "n", "dBm"), ("step", "q", "dB, 1 to 60"),
        ("milliseconds", "u", "of a step"),
      ],
      "a random walk of the RSSI between the bounds, from its current value"
    ) { body in
      let (low, high, step) = (body.number(1), body.number(2), body.number(3))
      return .follow(
        .walk(SignalWalk(low: low, high: high, step: step, every: body.milliseconds(4)))
      )
    },
    change("Stray", [("spread", "q", "dB, 0 to 60")], "sets the RSSI spread to either side") {
      .stray($0.number(1))
    },
    change(
      "MoveAsDefined",
      [],
      "the RSSI changes as the device's file defines, or as `Advertise` has set it"
    ) { _ in .follow(nil) },
  ]

  private static let ofValues = [
    action(
      "SetValue",
      target + [("value", "ay", "at most 512 bytes")],
      "changes the value as if the device had done so: stored, and sent to subscribers. "
        + "Stops a value that changes by itself"
    ) { (steering, body) throws(SteeringError) in
      try steering.setValue(body[2].asBytes ?? [], of: body.text(1), at: body.text(0))
    },
    action(
      "SetFields",
      target + [("fields", "s", "")],
      "changes fields of a [described value](values.md) in the same way: "
        + "`{ sequence: 7, flags.tamper: true }`, in YAML or JSON. The other fields stay"
    ) { (steering, body) throws(SteeringError) in
      try steering.setFields(body.text(2), of: body.text(1), at: body.text(0))
    },
    action("ReleaseValue", target, "the value changes by itself again") {
      (steering, body) throws(SteeringError) in
      try steering.release(body.text(1), at: body.text(0))
    },
    query(
      "GetValue", target, "returns the current value, without a read by a client",
      returns: [.init("value", "ay")]
    ) { (steering, body) throws(SteeringError) in
      [.bytes(try steering.value(of: body.text(1), at: body.text(0)))]
    },
    query(
      "GetFields", target,
      "returns the current value as JSON, if the `names` of the device describe it; otherwise nothing",
      returns: [.init("fields", "s")]
    ) { (steering, body) throws(SteeringError) in
      [.string(try steering.fields(of: body.text(1), at: body.text(0)))]
    },
    query(
      "ListUnused", [device],
      "returns the `responses` that no write has used, of a device with "
        + "[`unrecorded`](../Simulators/README.md#unrecorded-writes)",
      returns: [.init("responses", "as")]
    ) { (steering, body) throws(SteeringError) in
      [.strings(try steering.device(body.text(0)).unusedResponses.map(\.description))]
    },
    query(
      "FindCharacteristic", target, "returns the address and the UUID that entries of the log have",
      returns: [.init("address", "s"), .init("uuid", "s")]
    ) { (steering, body) throws(SteeringError) in
      let device = try steering.device(body.text(0))
      let entry = try steering.entry(body.text(1), of: device)
      return [.string("\(device.definition.address)"), .string(entry.uuid.text)]
    },
  ]

  private static let ofContents = [
    action(
      "Offer",
      [device, ("service", "s", ""), ("offered", "b", "")],
      "withdraws a service of the device's definition, or offers it again"
    ) { (steering, body) throws(SteeringError) in
      try steering.offer(body.text(1), body.isTrue(2), at: body.text(0))
    },
    action(
      "Advertise",
      [device, ("change", "s", "")],
      "changes what the device advertises: keys of "
        + "[`advertisement`](../Simulators/README.md#advertisement) such as "
        + "`{ rssi: -70, manufacturer-data: { 0x004c: \"02 15\" } }`. Keys that are not given stay. "
        + "An RSSI or its spread replaces one of `Move`, `MoveAlong`, `Walk` and `Stray`. "
        + "Of several advertisements it is the first"
    ) { (steering, body) throws(SteeringError) in
      try steering.advertise(body.text(1), from: body.text(0))
    },
    action(
      "AddFault",
      [device, ("rule", "s", "")],
      "adds a [fault](../Simulators/README.md#faults-of-a-device): a rule such as "
        + "`{ on: read, nth: 1, do: lose-link }`, or a "
        + "[named fault](../Simulators/README.md#what-can-go-wrong) of operations or of the device "
        + "such as `{ fault: slow, on: read, by: 3s }` or `{ fault: lost-notifications, for: 3s }`, "
        + "which begins at once"
    ) { (steering, body) throws(SteeringError) in
      try steering.addFault(body.text(1), at: body.text(0))
    },
    change("ClearFaults", [], "removes all faults") { _ in .rules([]) },
    action(
      "AttachLogic",
      [device, ("socket", "s", "its path"), ("handles", "as", "events")],
      "asks the logic that is served there about these events, such as `connected` and "
        + "`write 2a06`; an empty list: about all. "
        + "See [device-logic.md](device-logic.md#while-a-simulation-runs)"
    ) { (steering, body) throws(SteeringError) in
      let events = body[2].asArray?.compactMap(\.asString) ?? []
      try steering.attachLogic(body.text(1), handling: events, to: body.text(0))
    },
  ]

  private static let ofHost = [
    query(
      "ListAdapters", [],
      "returns the adapters: interface (empty while unplugged), address, name, whether powered",
      returns: [.init("adapters", "a(sssb)")]
    ) { (steering, _) in
      let rows = steering.adapters.map { adapter -> [DBusValue] in
        [
          .string(adapter.interface ?? ""), .string("\(adapter.address)"),
          .string(adapter.name.endedAtNUL), .boolean(adapter.isPowered),
        ]
      }
      return [.rows(of: "(sssb)", rows)]
    },
    adapter("SetPowered", [("powered", "b", "")], "switches the adapter, as by rfkill") {
      .power($0.isTrue(1))
    },
    adapter("Unplug", [], "unplugs the adapter") { _ in .unplug },
    adapter(
      "PlugIn",
      [("number", "i", "")],
      "plugs it in as `hci` with that number, or the next free one; -1: its own number"
    ) { .plugIn($0.number(1) < 0 ? nil : $0.number(1)) },
    ControlVerb(
      name: "Restart", arguments: [("milliseconds", "u", "")],
      doc: "bluetoothd crashes; after that time a new one starts, which knows what was connected "
        + "or paired. Returns when it has started",
      effect: .later { try await $0.restart(after: $1.milliseconds(0)) }
    ),
    query(
      "ReadLog", [("since", "t", "")], "returns the log entries with numbers above that",
      returns: [.init("entries", "a(ttssssay)")]
    ) { (steering, body) in
      let entries = steering.log.entries(since: body[0].asUInt64 ?? 0)
      return [.rows(of: SimulatorLogEntry.signature, entries.map(\.fields))]
    },
  ]
}

/// The arguments of a call. The declared types are already checked.
extension [DBusValue] {
  fileprivate func text(_ index: Int) -> String { self[index].asString ?? "" }

  fileprivate func isTrue(_ index: Int) -> Bool { self[index].asBool ?? false }

  fileprivate func number(_ index: Int) -> Int {
    let value = self[index]
    return value.asInt16.map { Int($0) } ?? value.asUInt16.map { Int($0) }
      ?? value.asInt32.map { Int($0) } ?? 0
  }

  fileprivate func milliseconds(_ index: Int) -> Duration {
    .milliseconds(Int64(self[index].asUInt32 ?? 0))
  }

  /// Parses `a(un)`: milliseconds and dBm.
  fileprivate func points(_ index: Int) -> [SignalPath.Point] {
    self[index].asArray?.compactMap(\.asStructure).map {
      SignalPath.Point(at: $0.milliseconds(0), rssi: $0.number(1))
    } ?? []
  }
}

extension DBusValue {
  fileprivate static func rows(of element: Signature, _ rows: [[DBusValue]]) -> DBusValue {
    let structures = rows.compactMap { try? DBusValue.structure(of: $0) }
    guard let array = try? DBusValue.array(of: element, structures), structures.count == rows.count
    else { preconditionFailure("rows are of the type \(element.text)") }
    return array
  }
}
