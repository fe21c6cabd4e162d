// Messages between this program and bluetoothd as plain values: for logs, records and pages.
//
// The module BlueZ makes them of messages of the bus; nothing here depends on a bus.

/// A message between this program and bluetoothd.
public struct BlueZMessage: Hashable, Sendable {
  /// The kind of a message.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A call of a method of bluetoothd.
    case call
    /// The result of a call.
    case reply
    /// The error of a call.
    case error
    /// A signal of bluetoothd.
    case signal
    /// A method that bluetoothd calls: a question of a pairing.
    case request
  }

  /// Its kind.
  public let kind: Kind
  /// The time at which it was sent or arrived, since 1970-01-01T00:00:00Z, on the clock of the loop.
  public let time: Duration
  /// The ordinal of the call, from 1, also of its result or error; nil for others.
  public let number: Int?
  /// The path of the object; of a result or an error, that of the call.
  public let object: String?
  /// `org.bluez.Device1`.
  public let interface: String?
  /// The method or the signal: `Connect`.
  public let member: String
  /// The name of the error; nil for others, and for a call that the end of the bus ended.
  public let error: String?
  /// The arguments, in parentheses and in a short form; ``Secret/mask`` where they are secret.
  public let arguments: String

  /// A message in its parts.
  public init(
    _ kind: Kind, at time: Duration, number: Int? = nil, object: String? = nil,
    interface: String? = nil, member: String, error: String? = nil, arguments: String = "()"
  ) {
    self.kind = kind
    self.time = time
    self.number = number
    self.object = object
    self.interface = interface
    self.member = member
    self.error = error
    self.arguments = arguments
  }

  /// The message on one line: `call 5 /org/bluez/hci0 org.bluez.Adapter1.StartDiscovery()`,
  /// `reply to 5 StartDiscovery ()`, `error to 5 StartDiscovery org.bluez.Error.Busy ("")`.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures {
  ///   for message in failure.messages { print(message.text) }
  /// }
  /// ```
  public var text: String {
    let name = [interface, member].compactMap(\.self).joined(separator: ".")
    let call = number.map { " \($0)" } ?? ""
    return switch kind {
    case .call, .signal, .request: "\(kind)\(call) \(object ?? "/") \(name)\(arguments)"
    case .reply: "reply to\(call) \(member) \(arguments)"
    case .error:
      "error to\(call) \(member)\(error.map { " \($0) " } ?? ": ")\(arguments)"
    }
  }

  /// Returns the message with at most `limit` characters of its arguments.
  public func shortened(to limit: Int) -> BlueZMessage {
    guard arguments.utf8.count > limit, arguments.count > limit else { return self }
    return BlueZMessage(
      kind, at: time, number: number, object: object, interface: interface, member: member,
      error: error, arguments: "\(arguments.prefix(limit))…"
    )
  }
}

/// The messages of a program, as far as they are kept.
public protocol BlueZTraffic: Sendable {
  /// The latest messages about a device, and those about no device, in their order.
  ///
  /// Their number is bounded.
  ///
  /// - Parameters:
  ///   - device: The device, as output names it.
  ///   - time: Those from this time on, since 1970-01-01T00:00:00Z.
  func latest(about device: String, since time: Duration) -> [BlueZMessage]
}
