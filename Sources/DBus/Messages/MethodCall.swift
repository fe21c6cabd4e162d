// A method call described once and sent many times.

/// What to call and with which arguments.
///
/// Keep one for a call that is repeated: libdbus's wire keeps its marshalled form in it, which saves about
/// a third of the cost of a call.
public final class MethodCall: Sendable {
  /// The bus name that is called.
  public let destination: String
  /// The object.
  public let path: ObjectPath
  /// The interface of the method.
  public let interface: String
  /// The method.
  public let member: String
  /// The arguments.
  public let body: [DBusValue]

  /// The name of waiting for the reply, in errors.
  public let operation: String
  /// What libdbus's wire keeps.
  let template = MessageTemplate()

  /// Validates and stores the description.
  ///
  /// ```swift
  /// let call = try MethodCall(
  ///   destination: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1",
  ///   member: "RemoveDevice", body: [.objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01")])
  /// _ = try await bus.call(call, limit: .seconds(10))
  /// ```
  ///
  /// - Throws: ``DBusNameError`` when a name is not valid.
  public init(
    destination: String,
    path: ObjectPath,
    interface: String,
    member: String,
    body: [DBusValue] = []
  ) throws(DBusNameError) {
    try DBusName.checkBusName(destination)
    try DBusName.checkInterface(interface)
    try DBusName.checkMember(member)
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
    operation = "the reply to \(member)"
  }

  /// The call as a message without serial and sender.
  var message: Message {
    var contents = Message.Contents(kind: .methodCall)
    contents.destination = destination
    contents.path = path
    contents.interface = interface
    contents.member = member
    contents.body = body
    return Message(contents)
  }
}

extension MethodCall: CustomStringConvertible {
  public var description: String { "\(interface).\(member) on \(path) of \(destination)" }
}
