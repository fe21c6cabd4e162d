// The message bus driver: the object that answers calls about names and match rules.

/// Names of `org.freedesktop.DBus`.
///
/// - Source: D-Bus Specification 0.41, "Message Bus Messages".
package enum BusDriver {
  /// The name of the driver, which is also the sender of its signals.
  package static let name = "org.freedesktop.DBus"
  /// The path of the driver.
  package static let path: ObjectPath = "/org/freedesktop/DBus"
  /// The interface of the driver.
  package static let interface = "org.freedesktop.DBus"

  /// Methods.
  enum Method {
    static let hello = "Hello"
    static let addMatch = "AddMatch"
    static let removeMatch = "RemoveMatch"
    static let requestName = "RequestName"
    static let releaseName = "ReleaseName"
    static let getNameOwner = "GetNameOwner"
    static let getId = "GetId"
  }

  /// `(s name, s old owner, s new owner)`; an empty string means no owner.
  static let nameOwnerChanged = "NameOwnerChanged"

  /// The match rule for changes of the owner of one name.
  static func ownerChanges(of name: String) -> MatchRule {
    MatchRule(
      sender: Self.name, path: path, interface: interface, member: nameOwnerChanged, arg0: name
    )
  }

  /// Reads the unique ID of the bus, which changes when the bus is restarted.
  package static var identityCall: MethodCall { call(Method.getId, []) }

  /// A call to the bus.
  ///
  /// - Precondition: `member` is a valid name.
  static func call(_ member: String, _ body: [DBusValue]) -> MethodCall {
    do {
      return try MethodCall(
        destination: name, path: path, interface: interface, member: member, body: body
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// The flags of a request for a well-known name.
package struct NameRequestFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Another connection may take the name over.
  package static let allowReplacement = NameRequestFlags(rawValue: 1)
  /// Replace an owner that allows replacement.
  package static let replaceExisting = NameRequestFlags(rawValue: 2)
  /// Do not wait in the queue for the name.
  package static let doNotQueue = NameRequestFlags(rawValue: 4)
}

/// The result of a request for a well-known name.
package enum NameRequestReply: UInt32, Sendable, Hashable {
  /// The connection owns the name now.
  case primaryOwner = 1
  /// Another connection owns it; this one waits in the queue.
  case inQueue = 2
  /// Another connection owns it, and the request did not allow queueing.
  case exists = 3
  /// The connection owned it before.
  case alreadyOwner = 4
}
