// The calls of a round, and their answers.

import DBus

/// What was called and is not answered, and what was answered wrongly.
///
/// Pure: the messages of a bus in, complaints out.
struct AnswerBook {
  struct Call: Hashable {
    let client: String
    let serial: UInt32
  }

  private(set) var open: [Call: String] = [:]
  private var silent: Set<Call> = []
  private var gone: Set<String> = []
  private(set) var complaints: [String] = []
  /// How many calls were answered with values.
  private(set) var granted = 0
  private(set) var hasRemovals = false
  /// Devices with protected values: bluetoothd lets a request wait for ever that pairing did not help.
  var protected: [String] = []

  /// - Parameter server: Who answers, by the unique name.
  mutating func see(_ message: Message, server: String) {
    switch message.kind {
    case .methodCall:
      guard let client = message.sender, client != server, message.destination == "org.bluez",
        !gone.contains(client)
      else { return }
      let call = Call(client: client, serial: message.serial)
      if message.noReplyExpected {
        silent.insert(call)
      } else {
        let path = message.path?.text ?? "?"
        open[call] = "\(path) \(message.interface ?? "?").\(message.member ?? "?")"
      }
    case .methodReturn, .error:
      guard message.sender == server, let client = message.destination,
        let serial = message.replySerial, !gone.contains(client)
      else { return }
      let call = Call(client: client, serial: serial)
      let name = message.errorName ?? "values"
      if silent.contains(call) {
        complaints.append("a call that expects no answer was answered with \(name)")
      } else if let member = open.removeValue(forKey: call) {
        if member.hasSuffix(".RemoveDevice"), message.kind == .methodReturn { hasRemovals = true }
        granted += message.kind == .methodReturn ? 1 : 0
      } else {
        complaints.append("a call was answered again, or nobody called: \(name)")
      }
    case .signal: break
    }
  }

  /// Nobody waits any more for what a client called.
  mutating func forget(_ client: String) {
    gone.insert(client)
    open = open.filter { $0.key.client != client }
  }

  /// What is still owed: bluetoothd never answers a Connect, or a Pair, whose device was removed,
  /// nor an AcquireNotify that the device refuses.
  var owed: [String] {
    open.values.filter { member in
      let isOfAttribute = member.contains("org.bluez.Gatt") || member.contains(" ?.")
      if isOfAttribute, protected.contains(where: member.hasPrefix) { return false }
      if member.hasSuffix(".AcquireNotify") { return false }
      return !hasRemovals
        || ![".Connect", ".ConnectProfile", ".Pair"].contains { member.hasSuffix($0) }
    }.sorted()
  }
}
