// Messages as short lines, as a test states them.

@testable import DBus

/// The text form of a message.
///
/// `DEV Device1 Connected=true -RSSI`, `DEV/service0006 added GattService1`,
/// `DEV removed Battery1`, `Connect replied`,
/// `Connect failed org.bluez.Error.Failed: Input/output error`
enum Line {
  private static let adapter = "/org/bluez/hci0"
  private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

  /// A path, with DEV for the first device and hci0 for the adapter.
  static func short(_ path: String) -> String {
    if path.hasPrefix(device) { return "DEV" + path.dropFirst(device.count) }
    if path.hasPrefix(adapter) { return "hci0" + path.dropFirst(adapter.count) }
    return path
  }

  /// The last element of an interface's name.
  static func last(_ interface: String) -> String {
    interface.split(separator: ".").last.map(String.init) ?? interface
  }

  static func text(of signal: Message) -> String {
    let body = signal.body
    switch signal.member {
    case "PropertiesChanged":
      let changed = body[1].asPropertyMap?.entries.map { "\($0.name)=\($0.value.text)" } ?? []
      let invalidated = body[2].asStrings?.map { "-\($0)" } ?? []
      let head = "\(short(signal.path?.text ?? "")) \(last(body[0].asString ?? ""))"
      return ([head] + changed + invalidated).joined(separator: " ")
    case "InterfacesAdded":
      let names = body[1].asDictionary?.entries.map { last($0.key.asString ?? "") } ?? []
      let own = names.filter { !["Introspectable", "Properties"].contains($0) }
      return "\(short(body[0].asObjectPath?.text ?? "")) added " + own.joined(separator: " ")
    case "InterfacesRemoved":
      let names = body[1].asStrings?.map(last) ?? []
      return "\(short(body[0].asObjectPath?.text ?? "")) removed " + names.joined(separator: " ")
    default: return signal.text
    }
  }

  static func answer(_ result: Result<Message, any Error>) -> RawClient.Answer {
    switch result {
    case .success(let message): return .success(message.body)
    case .failure(let error as DBusError): return .failure(error)
    case .failure(let error): return .failure(DBusError(name: .failed, message: "\(error)"))
    }
  }

  static func text(of answer: RawClient.Answer, to member: String) -> String {
    switch answer {
    case .success(let body):
      return (["\(member) replied"] + body.map { short($0.text) }).joined(separator: " ")
    case .failure(let error):
      return "\(member) failed \(error.name): \(error.message)"
    }
  }
}
