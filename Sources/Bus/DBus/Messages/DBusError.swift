// An error reply to a call.
//
// Failures of the connection are BusFailure.

/// An error reply: its name and its text.
package struct DBusError: Error, Hashable, Sendable {
  /// The name, for programs.
  package let name: Name
  /// The text, for people; empty when the reply had none.
  package let message: String

  /// An error reply, received or to be sent.
  package init(name: Name, message: String = "") {
    self.name = name
    self.message = message
  }

  /// The name of an error. Any text is valid, so that unknown names are preserved.
  package struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as it is sent: "org.freedesktop.DBus.Error.NoReply".
    package let rawValue: String

    /// The error of this name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The error of this name.
    package init(stringLiteral text: String) { rawValue = text }
  }
}

extension DBusError {
  /// Reads an error reply; nil if `message` is not one.
  ///
  /// The text is the first argument, if that is a string.
  package init?(_ message: Message) {
    guard message.kind == .error else { return nil }
    var text = ""
    if case .string(let first)? = message.body.first { text = first }
    self.init(name: Name(rawValue: message.errorName ?? ""), message: text)
  }
}

/// - Source: `dbus/dbus-protocol.h` and `dbus/dbus-shared.h` of libdbus 1.14.
extension DBusError.Name {
  /// A failure without a more specific name.
  package static let failed: Self = "org.freedesktop.DBus.Error.Failed"
  /// The peer is out of memory.
  package static let noMemory: Self = "org.freedesktop.DBus.Error.NoMemory"
  /// The name has no owner, and the bus cannot start one.
  package static let serviceUnknown: Self = "org.freedesktop.DBus.Error.ServiceUnknown"
  /// The name has no owner.
  package static let nameHasNoOwner: Self = "org.freedesktop.DBus.Error.NameHasNoOwner"
  /// The peer did not reply in time, or disconnected.
  package static let noReply: Self = "org.freedesktop.DBus.Error.NoReply"
  /// The peer does not support the call.
  package static let notSupported: Self = "org.freedesktop.DBus.Error.NotSupported"
  /// A limit of the bus or of the peer is exceeded.
  package static let limitsExceeded: Self = "org.freedesktop.DBus.Error.LimitsExceeded"
  /// A message was refused by ``ReadLimits``: an error of this library.
  package static let messageTooLarge: Self = "blerun.Error.MessageTooLarge"
  /// The policy of the bus, or the peer, forbids the call.
  package static let accessDenied: Self = "org.freedesktop.DBus.Error.AccessDenied"
  /// A deadline passed.
  package static let timeout: Self = "org.freedesktop.DBus.Error.Timeout"
  /// The connection to the bus is closed.
  package static let disconnected: Self = "org.freedesktop.DBus.Error.Disconnected"
  /// The arguments are invalid.
  package static let invalidArgs: Self = "org.freedesktop.DBus.Error.InvalidArgs"
  /// The object has no such method.
  package static let unknownMethod: Self = "org.freedesktop.DBus.Error.UnknownMethod"
  /// There is no object at the path.
  package static let unknownObject: Self = "org.freedesktop.DBus.Error.UnknownObject"
  /// The object has no such interface.
  package static let unknownInterface: Self = "org.freedesktop.DBus.Error.UnknownInterface"
  /// The interface has no such property.
  package static let unknownProperty: Self = "org.freedesktop.DBus.Error.UnknownProperty"
  /// The property cannot be set.
  package static let propertyReadOnly: Self = "org.freedesktop.DBus.Error.PropertyReadOnly"
  /// No such match rule was added.
  package static let matchRuleNotFound: Self = "org.freedesktop.DBus.Error.MatchRuleNotFound"
  /// The match rule cannot be parsed.
  package static let matchRuleInvalid: Self = "org.freedesktop.DBus.Error.MatchRuleInvalid"
  /// The text is not a signature.
  package static let invalidSignature: Self = "org.freedesktop.DBus.Error.InvalidSignature"
  /// The message contradicts its signature.
  package static let inconsistentMessage: Self = "org.freedesktop.DBus.Error.InconsistentMessage"
}

extension DBusError.Name: CustomStringConvertible {
  /// The name as it is sent.
  package var description: String { rawValue }
}

extension DBusError: CustomStringConvertible {
  /// "org.freedesktop.DBus.Error.NoReply: the peer has left"; the name alone without a text.
  package var description: String { message.isEmpty ? name.rawValue : "\(name): \(message)" }
}
