// The calls of a round, matched with their replies.

import BlueZInterfaces
import BlueZSimulator
import DBus
import SimulatedDevices

/// Pending calls, and wrong replies.
///
/// Pure: messages of the bus and events at the devices in, problems out. Every call must get a
/// reply, except where bluetoothd 5.66 was recorded to send none. Each exception is decided here
/// per call, from the messages and events alone.
struct AnswerBook {
  private struct Key: Hashable {
    let client: String
    let serial: UInt32
  }

  private let secrets: Secrets
  private var open: [Key: OpenCall] = [:]
  private var silent: Set<Key> = []
  private var gone: Set<String> = []
  private(set) var problems: [String] = []
  /// The number of successful calls.
  private(set) var granted = 0
  /// The security of the keys that devices have, by path.
  private var bonds: [String: LinkSecurity] = [:]
  /// Characteristics that may be reported as acquired although no client holds them: AcquireNotify
  /// got no reply, or no descriptor was left.
  private var stuck: Set<String> = []
  /// The process can open almost no descriptor at the moment.
  var isSqueezed = false

  init(_ secrets: Secrets) { self.secrets = secrets }

  // MARK: Messages

  /// - Parameter server: The unique name of the simulator.
  mutating func apply(_ message: Message, server: String) {
    switch message.kind {
    case .methodCall:
      guard message.sender != server, message.destination == OrgBlueZ.busName else { return }
      called(message)
    case .methodReturn, .error: if message.sender == server { answered(message) }
    case .signal: if message.sender == server { removed(message) }
    }
  }

  private mutating func called(_ message: Message) {
    let key = Key(client: message.sender ?? "", serial: message.serial)
    var call = OpenCall(message)
    if gone.contains(key.client) {
      // The client had sent the call just before it closed its connection.
      abandon(call)
    } else if message.noReplyExpected {
      silent.insert(key)
      abandon(call)
    } else {
      let bond = call.device.flatMap { bonds[$0] } ?? .none
      if call.isRequest, secrets.need(call.path) > bond { call.excuse(.forEver) }
      if call.member == "Pair", bond != .none { call.excuse(.untilLinkEnds) }
      open[key] = call
    }
  }

  private mutating func answered(_ message: Message) {
    let key = Key(client: message.destination ?? "", serial: message.replySerial ?? 0)
    guard !gone.contains(key.client) else { return }
    let name = message.errorName ?? "values"
    if silent.contains(key) {
      problems.append("a call that expects no answer was answered with \(name)")
    } else if let call = open.removeValue(forKey: key) {
      if message.kind == .methodReturn {
        granted += 1
        updatePendingCalls(after: call)
      } else if call.member.hasPrefix("Acquire"), message.body.first == .string(Self.noDescriptors)
      {
        stuck.insert(call.path)
      }
    } else {
      problems.append("a reply without a pending call: \(name)")
    }
  }

  private static let noDescriptors = "Too many open files"

  /// Updates other pending calls after a successful one.
  private mutating func updatePendingCalls(after granted: OpenCall) {
    guard granted.member == "StopNotify" else { return }
    excuse { $0.path == granted.path && $0.member == "AcquireNotify" }
  }

  private mutating func removed(_ message: Message) {
    guard message.member == StandardInterface.interfacesRemoved.name,
      let path = message.body.first?.asObjectPath?.text, let names = message.body.last?.asStrings
    else { return }
    if names.contains(GattCharacteristic1.interface) { stuck.remove(path) }
    guard names.contains(Device1.interface) else { return }
    bonds[path] = nil
    excuse { $0.path == path && $0.isForgottenWithDevice }
  }

  // MARK: Devices and clients

  /// The link to a device has ended: a pending AcquireNotify gets no reply.
  mutating func linkEnded(_ device: String) {
    for call in open.values where call.device == device { abandon(call) }
    excuse { $0.device == device && $0.member == "AcquireNotify" }
  }

  mutating func paired(_ device: String, _ security: LinkSecurity) { bonds[device] = security }

  /// Removes the pending calls of a client that has closed its connection.
  mutating func forget(_ client: String) {
    gone.insert(client)
    for (key, call) in open where key.client == client { abandon(call) }
    open = open.filter { $0.key.client != client }
  }

  private mutating func abandon(_ call: OpenCall) {
    updatePendingCalls(after: call)
    if call.member == "AcquireNotify" || (isSqueezed && call.member == "AcquireWrite") {
      stuck.insert(call.path)
    }
  }

  private mutating func excuse(_ matches: (OpenCall) -> Bool) {
    for key in open.keys where open[key].map(matches) == true { open[key]?.excuse(.forEver) }
  }

  // MARK: Pending calls

  /// The calls that still need a reply.
  ///
  /// - Parameter hasLinks: Whether links are up: some calls are answered only when their link ends.
  func owed(hasLinks: Bool) -> [String] {
    open.values.filter { call in
      switch call.silence {
      case nil: true
      case .untilLinkEnds: !hasLinks
      case .forEver: false
      }
    }.map { "\($0.path) \($0.member)" }.sorted()
  }

  /// True if a characteristic may be reported as acquired although no client holds it.
  func isStuck(_ path: String) -> Bool {
    // A call that waits forever keeps it acquired, too.
    stuck.contains(path) || open.values.contains { $0.path == path && $0.member == "AcquireNotify" }
  }
}
