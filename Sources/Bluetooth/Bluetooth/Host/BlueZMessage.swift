// Messages between this program and bluetoothd as plain values: for logs, records and pages.
//
// The module BlueZ converts D-Bus messages to these values. Nothing here depends on D-Bus.

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
    /// A call of bluetoothd to this program: a request to the pairing agent.
    case request
  }

  /// The kind of the message.
  public let kind: Kind
  /// The time when it was sent or received, since 1970-01-01T00:00:00Z, on the clock of the loop.
  public let time: Duration
  /// The number of the call, from 1. A reply or an error has the number of its call; others have
  /// nil.
  public let number: Int?
  /// The object path; in a reply or an error, that of the call.
  public let object: String?
  /// The interface, such as `org.bluez.Device1`.
  public let interface: String?
  /// The name of the method or signal, such as `Connect`.
  public let member: String
  /// The D-Bus error name; nil for other kinds, and for a call that failed because the bus was
  /// closed.
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

/// The latest messages between a program and bluetoothd.
public protocol BlueZTraffic: Sendable {
  /// The latest messages about a device, and those about no particular device, in order.
  ///
  /// Their number is bounded.
  ///
  /// - Parameters:
  ///   - device: The device, as output names it.
  ///   - time: Those from this time on, since 1970-01-01T00:00:00Z.
  func latest(about device: String, since time: Duration) -> [BlueZMessage]
}
