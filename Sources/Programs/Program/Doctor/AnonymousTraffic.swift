// The messages between this program and bluetoothd, without data that identifies devices and
// persons, for a report that is passed on.
//
// It prints only the parts listed here. Redaction in Recording is for device files.

import BlueZInterfaces
import Bluetooth
import DBus
import Jobs
import Signals

/// Collects messages, and prints them without addresses, names and values.
final class AnonymousTraffic: Sendable {
  private struct State {
    var messages: [(message: KeptMessage, time: Instant)] = []
    var dropped = 0
  }

  /// The maximum number of messages, which bounds the report.
  static let mostMessages = 20_000

  private let begun: Instant
  private let state = Guarded(State())

  init(begun: Instant) { self.begun = begun }

  @Sendable func receive(_ message: KeptMessage, at time: Instant) {
    state.withLock { state in
      guard state.messages.count < Self.mostMessages else {
        state.dropped += 1
        return
      }
      state.messages.append((message, time))
    }
  }

  /// The lines of the log: calls, their results, and the signals of adapters and of devices that were called.
  var lines: [String] {
    let (messages, dropped) = state.withLock { ($0.messages, $0.dropped) }
    let called = Set(messages.filter { $0.message.kind == .call }.compactMap { $0.message.device })
    var pseudonyms = Pseudonyms()
    var others = 0
    var lines: [String] = []
    for (message, time) in messages {
      if message.kind == .signal, let device = message.device, !called.contains(device) {
        others += 1
        continue
      }
      lines.append("\((time - begun).decimalSeconds) \(message.text(&pseudonyms))")
    }
    if others > 0 { lines.append("and \(others) signals about other devices") }
    if dropped > 0 { lines.append("and \(dropped) messages that were not kept") }
    return lines
  }
}

/// Names for devices in the order in which they appear: `dev_1`.
private struct Pseudonyms {
  private var known: [ObjectPath: String] = [:]

  /// The path with the pseudonym in place of the address.
  mutating func path(_ path: ObjectPath) -> String {
    guard let device = BlueZPath.devicePath(containing: path) else { return path.text }
    if known[device] == nil { known[device] = "dev_\(known.count + 1)" }
    let adapter = device.text.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(adapter)/\(known[device] ?? "dev")\(path.text.dropFirst(device.text.count))"
  }
}

extension KeptMessage {
  /// The device of the message; nil for one about an adapter or bluetoothd.
  fileprivate var device: ObjectPath? { path.flatMap { BlueZPath.devicePath(containing: $0) } }

  fileprivate func text(_ pseudonyms: inout Pseudonyms) -> String {
    let name = [interface, member].compactMap(\.self).joined(separator: ".")
    let call = number.map { " \($0)" } ?? ""
    let object = path.map { pseudonyms.path($0) } ?? "/"
    switch kind {
    case .call, .signal, .request:
      // The arguments of a call to the agent may contain a passkey.
      let shown = kind == .request ? "" : arguments(&pseudonyms)
      return "\(kind)\(call) \(object) \(name)(\(shown))"
    case .reply: return "reply to\(call) \(member) (\(arguments(&pseudonyms)))"
    case .error:
      return "error to\(call) \(member) \(error ?? "no reply") \(errorText.map(Self.reason) ?? "")"
    }
  }

  /// A text of bluetoothd; a text with an address or a name in it, which it does not send today, is left out.
  private static func reason(_ text: String) -> String {
    let isPlain = text.utf8.count < 80 && text.allSatisfy { $0.isASCII }
    let words = text.split { !$0.isLetter && !$0.isNumber && $0 != ":" && $0 != "_" }
    return isPlain && !words.contains { BluetoothAddress(String($0)) != nil } ? text : "…"
  }

  private func arguments(_ pseudonyms: inout Pseudonyms) -> String {
    // All objects of bluetoothd: their properties are in no line.
    if member == "GetManagedObjects", kind == .reply { return "…" }
    return values.map { Self.shown($0, &pseudonyms) }.joined(separator: ", ")
  }

  /// The properties whose texts are about the host or the protocol.
  private static let plainTexts: Set<String> = [
    "AddressType", "Transport", "Flags", "Type", "type", "Roles", "PowerState",
  ]

  /// The value without texts, bytes and addresses.
  private static func shown(_ value: DBusValue, _ pseudonyms: inout Pseudonyms) -> String {
    switch value {
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: value.text
    case .string(let text): text.hasPrefix("org.") ? text : "…"
    case .objectPath(let path): pseudonyms.path(path)
    case .signature, .unixFD: "…"
    case .bytes(let octets): "\(octets.count) bytes"
    case .array, .structure: "[…]"
    case .variant(let variant): shown(variant.value, &pseudonyms)
    case .dictionary(let dictionary):
      "{" + dictionary.entries.map { shown($0.key, $0.value, &pseudonyms) }.joined(separator: ", ")
        + "}"
    }
  }

  private static func shown(
    _ key: DBusValue, _ value: DBusValue, _ pseudonyms: inout Pseudonyms
  ) -> String {
    guard let name = key.asString else { return "…" }
    let uuids = [value.asString].compactMap(\.self) + (value.asStrings ?? [])
    let shown: String =
      switch name {
      case "UUID", "UUIDs":
        uuids.map { BluetoothUUID($0).map(RadioReport.shown) ?? "…" }.joined(separator: " ")
      case _ where plainTexts.contains(name): value.text
      default: Self.shown(value, &pseudonyms)
      }
    // Data of services has their UUIDs as keys.
    return "\(BluetoothUUID(name).map(RadioReport.shown) ?? name): \(shown)"
  }
}
