// Routes the messages of a bus in memory, and replies to calls of the bus driver.
//
// Pure: a message in, deliveries out.

/// The clients of a bus, their names and rules, and the pending replies.
struct LoopbackRouter: Sendable {
  /// A message and its recipient.
  struct Delivery: Sendable {
    let recipient: String
    let message: Message
  }

  /// A client of the bus.
  struct Client: Sendable {
    let name: String
    /// The match rules, in the order they were added, including duplicates.
    var rules: [(text: String, rule: MatchRule)] = []
  }

  /// A call whose reply is pending.
  private struct OwedReply: Hashable, Sendable {
    let caller: String
    let serial: UInt32
  }

  private var lastNumber = 0
  /// The clients, in the order they connected.
  var clients: [Client] = []
  private var names: [String: NameClaims] = [:]
  private var owed: [OwedReply: String] = [:]

  // MARK: Clients

  /// Adds a client.
  ///
  /// - Returns: Its unique name, and the signals about it.
  mutating func connect() -> (name: String, deliveries: [Delivery]) {
    lastNumber += 1
    let name = ":1.\(lastNumber)"
    clients.append(Client(name: name))
    return (name, ownerChanged(name, from: nil, to: name))
  }

  /// Removes a client: its names are released, and callers that wait for its reply get an error.
  mutating func disconnect(_ name: String) -> [Delivery] {
    guard clients.contains(where: { $0.name == name }) else { return [] }
    clients.removeAll { $0.name == name }
    var deliveries: [Delivery] = []
    for owned in names.keys.sorted() {
      deliveries += changeClaims(on: owned) { _ = $0.release(name) }
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
      if destination == BusDriver.name { return answerDriverCall(message) }
      guard let owner = owner(of: destination) else {
        let text = "The name \(destination) was not provided by any .service files"
        return errorReply(to: message, DBusError(name: .serviceUnknown, message: text))
      }
      if !message.noReplyExpected {
        owed[OwedReply(caller: message.sender ?? "", serial: message.serial)] = owner
      }
      return [Delivery(recipient: owner, message: message)]
    case .methodReturn, .error:
      // A reply without a call to this sender is dropped.
      let call = OwedReply(caller: message.destination ?? "", serial: message.replySerial ?? 0)
      guard owed[call] == message.sender else { return [] }
      owed[call] = nil
      return deliveries(message, to: call.caller)
    }
  }

  /// The unique name of the owner of a name; nil if it has none.
  private func owner(of name: String) -> String? {
    if let owner = names[name]?.owner { return owner }
    return clients.contains { $0.name == name } ? name : nil
  }

  private func deliveries(_ message: Message, to destination: String) -> [Delivery] {
    owner(of: destination).map { [Delivery(recipient: $0, message: message)] } ?? []
  }

  /// Delivers a signal to every client with a matching rule.
  private func broadcast(_ signal: Message) -> [Delivery] {
    clients.compactMap { client in
      let isWanted = client.rules.contains { entry in
        entry.rule.matches(signal) { names[$0]?.owner }
      }
      return isWanted ? Delivery(recipient: client.name, message: signal) : nil
    }
  }

  /// An error reply to a call; none if the call expects no reply.
  private func errorReply(to call: Message, _ error: DBusError) -> [Delivery] {
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
  private mutating func changeClaims(on name: String, _ change: (inout NameClaims) -> Void)
    -> [Delivery]
  {
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

  // MARK: The bus driver

  /// Replies to a call to `org.freedesktop.DBus`.
  private mutating func answerDriverCall(_ call: Message) -> [Delivery] {
    guard let caller = call.sender else { return [] }
    do {
      let (deliveries, body) = try answer(call, from: caller)
      guard !call.noReplyExpected else { return deliveries }
      var reply = call.reply(body)
      reply.sender = BusDriver.name
      // The signals of a change precede the reply to the client that caused it.
      return deliveries + [Delivery(recipient: caller, message: reply)]
    } catch {
      return errorReply(to: call, error)
    }
  }

  private mutating func answer(
    _ call: Message, from caller: String
  ) throws(DBusError) -> ([Delivery], [DBusValue]) {
    switch (call.interface ?? BusDriver.interface, call.member ?? "", call.signature.text) {
    case (BusDriver.interface, BusDriver.Method.hello, ""): return ([], [.string(caller)])
    case (BusDriver.interface, BusDriver.Method.requestName, "su"):
      return try request(text(call, 0), call.body[1].asUInt32 ?? 0, by: caller)
    case (BusDriver.interface, BusDriver.Method.releaseName, "s"):
      return try release(text(call, 0), by: caller)
    case (BusDriver.interface, BusDriver.Method.getNameOwner, "s"):
      return ([], [.string(try owner(answering: text(call, 0)))])
    case (BusDriver.interface, "NameHasOwner", "s"):
      let name = text(call, 0)
      return ([], [.boolean(name == BusDriver.name || owner(of: name) != nil)])
    case (BusDriver.interface, "ListNames", ""):
      let all = [BusDriver.name] + clients.map(\.name) + names.keys.sorted()
      return ([], [.strings(all)])
    case (BusDriver.interface, BusDriver.Method.addMatch, "s"):
      let text = text(call, 0)
      let rule = try MatchRule(parsing: text)
      change(caller) { $0.rules.append((text, rule)) }
      return ([], [])
    case (BusDriver.interface, BusDriver.Method.removeMatch, "s"):
      try removeRule(text(call, 0), of: caller)
      return ([], [])
    case ("org.freedesktop.DBus.Peer", "Ping", ""): return ([], [])
    default:
      throw DBusError(
        name: .unknownMethod,
        message: "org.freedesktop.DBus does not understand message \(call.member ?? "")"
      )
    }
  }

  private func text(_ call: Message, _ index: Int) -> String { call.body[index].asString ?? "" }

  private mutating func request(
    _ name: String, _ flags: UInt32, by caller: String
  ) throws(DBusError) -> ([Delivery], [DBusValue]) {
    try checkOwnable(name)
    var reply = NameRequestReply.exists
    let deliveries = changeClaims(on: name) { claims in
      reply = claims.request(caller, NameRequestFlags(rawValue: flags))
    }
    return (deliveries, [.uint32(reply.rawValue)])
  }

  private mutating func release(
    _ name: String, by caller: String
  ) throws(DBusError) -> ([Delivery], [DBusValue]) {
    try checkOwnable(name)
    let isOwned = names[name] != nil
    var hadClaim = false
    let deliveries = changeClaims(on: name) { hadClaim = $0.release(caller) }
    let released: UInt32 = 1
    let nonExistent: UInt32 = 2
    let notOwner: UInt32 = 3
    return (deliveries, [.uint32(hadClaim ? released : isOwned ? notOwner : nonExistent)])
  }

  private func checkOwnable(_ name: String) throws(DBusError) {
    let isValid = (try? DBusName.check(name, as: .busName)) != nil
    guard isValid, !DBusName.isUnique(name), name != BusDriver.name else {
      throw DBusError(name: .invalidArgs, message: "Cannot acquire or release the name \"\(name)\"")
    }
  }

  private func owner(answering name: String) throws(DBusError) -> String {
    if name == BusDriver.name { return name }
    guard let owner = owner(of: name) else {
      throw DBusError(
        name: .nameHasNoOwner, message: "Could not get owner of name '\(name)': no such name"
      )
    }
    return owner
  }

  private mutating func removeRule(_ text: String, of caller: String) throws(DBusError) {
    let rule = try MatchRule(parsing: text)
    var isThere = false
    change(caller) { client in
      guard let index = client.rules.lastIndex(where: { $0.rule == rule }) else { return }
      client.rules.remove(at: index)
      isThere = true
    }
    guard isThere else {
      let text = "The given match rule wasn't found and can't be removed"
      throw DBusError(name: .matchRuleNotFound, message: text)
    }
  }

  private mutating func change(_ name: String, _ change: (inout Client) -> Void) {
    guard let index = clients.firstIndex(where: { $0.name == name }) else { return }
    change(&clients[index])
  }
}
