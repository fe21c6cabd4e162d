// An error reply to a call.
//
// What goes wrong with the bus itself is BusFailure.

/// An error reply: its name and its text.
public struct DBusError: Error, Hashable, Sendable {
  /// The name, for programs.
  public let name: Name
  /// The text, for people; empty when the reply had none.
  public let message: String

  /// An error reply, as a peer sent it or is to get it.
  ///
  /// ```swift
  /// let error = DBusError(name: .invalidArgs, message: "the index must be below 8")
  /// ```
  public init(name: Name, message: String = "") {
    self.name = name
    self.message = message
  }

  /// The name of an error. Any text is allowed, so that an unknown name is preserved.
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as it is sent: "org.freedesktop.DBus.Error.NoReply".
    public let rawValue: String

    /// The error of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The error of this name.
    public init(stringLiteral text: String) { rawValue = text }
  }
}

extension DBusError {
  /// Reads an error reply; nil when `message` is not one.
  ///
  /// The text is the first argument, when that is a string.
  ///
  /// ```swift
  /// let call = try MethodCall(
  ///   destination: "org.bluez", path: "/", interface: "org.bluez.None", member: "Try")
  /// do {
  ///   _ = try await bus.call(call)
  /// } catch let error as DBusError where error.name == .unknownMethod {
  ///   print(error.message)
  /// }
  /// ```
  public init?(_ message: Message) {
    guard message.kind == .error else { return nil }
    var text = ""
    if case .string(let first)? = message.body.first { text = first }
    self.init(name: Name(rawValue: message.errorName ?? ""), message: text)
  }
}

/// - Source: `dbus/dbus-protocol.h` and `dbus/dbus-shared.h` of libdbus 1.14.
extension DBusError.Name {
  /// A failure without a name of its own.
  public static let failed: Self = "org.freedesktop.DBus.Error.Failed"
  /// The peer is out of memory.
  public static let noMemory: Self = "org.freedesktop.DBus.Error.NoMemory"
  /// The bus knows no owner of the name, and cannot start one.
  public static let serviceUnknown: Self = "org.freedesktop.DBus.Error.ServiceUnknown"
  /// Nobody owns the name.
  public static let nameHasNoOwner: Self = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The peer did not reply in time, or left.
  public static let noReply: Self = "org.freedesktop.DBus.Error.NoReply"
  /// The peer does not support the call.
  public static let notSupported: Self = "org.freedesktop.DBus.Error.NotSupported"
  /// A limit of the bus or of the peer is exceeded.
  public static let limitsExceeded: Self = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// Of this library: a message was refused by ``ReadLimits``.
  public static let messageTooLarge: Self = "blerun.Error.MessageTooLarge"
  /// The policy of the bus, or the peer, forbids the call.
  public static let accessDenied: Self = "org.freedesktop.DBus.Error.AccessDenied"
  /// A deadline passed.
  public static let timeout: Self = "org.freedesktop.DBus.Error.Timeout"
  /// The connection to the bus is closed.
  public static let disconnected: Self = "org.freedesktop.DBus.Error.Disconnected"
  /// The arguments are invalid.
  public static let invalidArgs: Self = "org.freedesktop.DBus.Error.InvalidArgs"
  /// The object has no such method.
  public static let unknownMethod: Self = "org.freedesktop.DBus.Error.UnknownMethod"
  /// There is no object at the path.
  public static let unknownObject: Self = "org.freedesktop.DBus.Error.UnknownObject"
  /// The object has no such interface.
  public static let unknownInterface: Self = "org.freedesktop.DBus.Error.UnknownInterface"
  /// The interface has no such property.
  public static let unknownProperty: Self = "org.freedesktop.DBus.Error.UnknownProperty"
  /// The property cannot be set.
  public static let propertyReadOnly: Self = "org.freedesktop.DBus.Error.PropertyReadOnly"
  /// No such match rule was added.
  public static let matchRuleNotFound: Self = "org.freedesktop.DBus.Error.MatchRuleNotFound"
  /// The match rule cannot be parsed.
  public static let matchRuleInvalid: Self = "org.freedesktop.DBus.Error.MatchRuleInvalid"
  /// The text is not a signature.
  public static let invalidSignature: Self = "org.freedesktop.DBus.Error.InvalidSignature"
  /// The message contradicts its signature.
  public static let inconsistentMessage: Self = "org.freedesktop.DBus.Error.InconsistentMessage"
}

extension DBusError.Name: CustomStringConvertible {
  /// The name as it is sent.
  public var description: String { rawValue }
}

extension DBusError: CustomStringConvertible {
  /// "org.freedesktop.DBus.Error.NoReply: the peer has left"; the name alone without a text.
  public var description: String { message.isEmpty ? name.rawValue : "\(name): \(message)" }
}
