// How a bus routes messages.
//
// Pure: a message in, deliveries out. It answers calls to the bus itself; see
// LoopbackRouter+Driver.swift.

/// The clients of a bus, their names and rules, and the outstanding replies.
struct LoopbackRouter: Sendable {
  /// A message on its way to one client.
  struct Delivery: Sendable {
    let recipient: String
    let message: Message
  }

  /// A client of the bus.
  struct Client: Sendable {
    let name: String
    /// In the order they were added; the same rule may occur more than once.
    var rules: [(text: String, rule: MatchRule)] = []
  }

  /// A call without its reply.
  private struct OwedReply: Hashable, Sendable {
    let caller: String
    let serial: UInt32
  }

  private var lastNumber = 0
  /// In the order they connected.
  var clients: [Client] = []
  var names: [String: NameClaims] = [:]
  private var owed: [OwedReply: String] = [:]

  // MARK: Clients

  /// A client connects.
  ///
  /// - Returns: Its unique name, and the signals about it.
  mutating func connect() -> (name: String, deliveries: [Delivery]) {
    lastNumber += 1
    let name = ":1.\(lastNumber)"
    clients.append(Client(name: name))
    return (name, ownerChanged(name, from: nil, to: name))
  }

  /// A client disconnects: its names are released, and callers that await its reply get an error.
  mutating func disconnect(_ name: String) -> [Delivery] {
    guard clients.contains(where: { $0.name == name }) else { return [] }
    clients.removeAll { $0.name == name }
    var deliveries: [Delivery] = []
    for owned in names.keys.sorted() {
      deliveries += changing(owned) { _ = $0.release(name) }
    }
    deliveries += ownerChanged(name, from: name, to: nil)
    let orphans = owed.filter { $0.value == name }.map(\.key)
    for call in orphans.sorted(by: { ($0.caller, $0.serial) < ($1.caller, $1.serial) }) {
      owed[call] = nil
      let text = "Message recipient disconnected from message bus without replying"
      deliveries.append(answer(call, DBusError(name: .noReply, message: text)))
    }
    for call in owed.keys where call.caller == name { owed[call] = nil }
    return deliveries
  }

  // MARK: Messages

  /// Routes a message whose sender and serial are set.
  mutating func route(_ message: Message) -> [Delivery] {
    switch message.kind {
    case .signal:
      guard let destination = message.destination else { return broadcast(message) }
      return deliveries(message, to: destination)
    case .methodCall:
      let destination = message.destination ?? BusDriver.name
      if destination == BusDriver.name { return drive(message) }
      guard let owner = owner(of: destination) else {
        let text = "The name \(destination) was not provided by any .service files"
        return refused(message, DBusError(name: .serviceUnknown, message: text))
      }
      if !message.noReplyExpected {
        owed[OwedReply(caller: message.sender ?? "", serial: message.serial)] = owner
      }
      return [Delivery(recipient: owner, message: message)]
    case .methodReturn, .error:
      // A reply that nobody requested from this sender is dropped.
      let call = OwedReply(caller: message.destination ?? "", serial: message.replySerial ?? 0)
      guard owed[call] == message.sender else { return [] }
      owed[call] = nil
      return deliveries(message, to: call.caller)
    }
  }

  /// The unique name of the owner of a name; nil when it has none.
  func owner(of name: String) -> String? {
    if let owner = names[name]?.owner { return owner }
    return clients.contains { $0.name == name } ? name : nil
  }

  private func deliveries(_ message: Message, to destination: String) -> [Delivery] {
    owner(of: destination).map { [Delivery(recipient: $0, message: message)] } ?? []
  }

  /// Delivers a signal to every client with a matching rule.
  func broadcast(_ signal: Message) -> [Delivery] {
    clients.compactMap { client in
      let isWanted = client.rules.contains { entry in
        entry.rule.matches(signal) { names[$0]?.owner }
      }
      return isWanted ? Delivery(recipient: client.name, message: signal) : nil
    }
  }

  /// An error reply to a call; nothing when it expects none.
  func refused(_ call: Message, _ error: DBusError) -> [Delivery] {
    guard !call.noReplyExpected, let caller = call.sender else { return [] }
    return [answer(OwedReply(caller: caller, serial: call.serial), error)]
  }

  private func answer(_ call: OwedReply, _ error: DBusError) -> Delivery {
    var contents = Message.Contents(kind: .error)
    contents.replySerial = call.serial
    contents.sender = BusDriver.name
    contents.destination = call.caller
    contents.errorName = error.name.rawValue
    contents.body = [.string(error.message)]
    return Delivery(recipient: call.caller, message: Message(contents))
  }

  // MARK: Names

  /// Changes the claims on a name.
  ///
  /// - Returns: The signals about a new owner.
  mutating func changing(_ name: String, _ change: (inout NameClaims) -> Void) -> [Delivery] {
    let before = names[name]?.owner
    var claims = names[name] ?? NameClaims()
    change(&claims)
    names[name] = claims.owner == nil ? nil : claims
    guard claims.owner != before else { return [] }
    return ownerChanged(name, from: before, to: claims.owner)
  }

  private func ownerChanged(_ name: String, from: String?, to: String?) -> [Delivery] {
    let signal = driverSignal(
      BusDriver.nameOwnerChanged, [.string(name), .string(from ?? ""), .string(to ?? "")]
    )
    return broadcast(signal)
  }

  private func driverSignal(_ member: String, _ body: [DBusValue]) -> Message {
    var contents = Message.Contents(kind: .signal)
    contents.sender = BusDriver.name
    contents.path = BusDriver.path
    contents.interface = BusDriver.interface
    contents.member = member
    contents.body = body
    return Message(contents)
  }
}
