// The message bus driver: names and match rules.

extension LoopbackRouter {
  /// Answers a call to `org.freedesktop.DBus`.
  mutating func drive(_ call: Message) -> [Delivery] {
    guard let caller = call.sender else { return [] }
    do {
      let (deliveries, body) = try answer(call, from: caller)
      guard !call.noReplyExpected else { return deliveries }
      var reply = call.reply(body)
      reply.sender = BusDriver.name
      // The signals of a change precede the reply to the client that caused it.
      return deliveries + [Delivery(recipient: caller, message: reply)]
    } catch {
      return refused(call, error)
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
    let deliveries = changing(name) { claims in
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
    let deliveries = changing(name) { hadClaim = $0.release(caller) }
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
