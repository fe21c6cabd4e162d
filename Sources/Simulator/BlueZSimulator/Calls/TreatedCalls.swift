// Delays, ignores, fails or leaves calls unanswered on behalf of a test.

import BlueZInterfaces
import DBus
import Signals
import SimulatedDevices

/// Examines each call before it passes it to the actual handler.
final class TreatedCalls: ObjectHandler {
  typealias Treatment = @Sendable (Message) -> CallTreatment

  private struct Handlers {
    var treatment: Treatment = { _ in .take }
    var listener: (@Sendable (Message) -> Void)?
    var lateCallHandled: (@Sendable (String) -> Void)?
  }

  private let inner: any ObjectHandler
  private let handlers: Confined<Handlers>
  private let delayed: Confined<DelayedCallers>

  init(_ inner: any ObjectHandler, on loop: Loop) {
    self.inner = inner
    handlers = Confined(Handlers(), to: loop)
    delayed = Confined(DelayedCallers(), to: loop)
  }

  /// Calls `listener` with every later call, before it is treated.
  func onCall(_ listener: @escaping @Sendable (Message) -> Void) {
    handlers.listener = listener
  }

  /// Calls `forget` when a delayed call was handled after its client had left. bluetoothd always
  /// receives a client's calls before the notice that it left.
  func onLateCall(_ forget: @escaping @Sendable (String) -> Void) {
    handlers.lateCallHandled = forget
  }

  func clientLeft(_ client: String) { delayed.contents.clientLeft(client) }

  /// Sets the treatment of every later call. Calls that are already delayed are not affected.
  func treat(_ treatment: @escaping Treatment) { handlers.treatment = treatment }

  /// Releases the closures, which may refer to the owner of this handler.
  func forget() { handlers.contents = Handlers() }

  func handle(_ invocation: Invocation) -> Bool {
    handlers.listener?(invocation.message)
    switch handlers.treatment(invocation.message) {
    case .take: return delayed.contents.holds(invocation) || inner.handle(invocation)
    case .ignore: return true
    case .wrongTransport:
      let text = "br-connection-" + ConnectionText.profileUnavailable.rawValue
      invocation.fail(ErrorAnswer.failed(text).dbusError)
      return true
    case .loseAnswer: return inner.handle(invocation.suppressingReply())
    case .delay(let delay):
      let client = invocation.caller
      delayed.contents.begin(invocation)
      invocation.bus.loop.after(delay) { [self] in
        deliver(invocation)
        let (hasLeft, behind) = delayed.contents.end(invocation)
        for call in behind { deliver(call) }
        if hasLeft { handlers.lateCallHandled?(client) }
      }
      return true
    }
  }

  private func deliver(_ invocation: Invocation) {
    if inner.handle(invocation) { return }
    let call = invocation.message
    invocation.refuse(
      .unknownObject(
        method: call.member ?? "", signature: "\(call.signature)", interface: call.interface ?? ""
      )
    )
  }
}

/// The clients with delayed calls, and whether they left meanwhile.
private struct DelayedCallers {
  private struct Pairing: Hashable {
    let client: String
    let device: ObjectPath?

    init(_ call: Invocation) { (client, device) = (call.caller, call.message.path) }
  }

  private var counts: [String: Int] = [:]
  private var departed: Set<String> = []
  /// Delayed Pair calls, each with the CancelPairing calls behind it, which bluetoothd never
  /// handles first.
  private var pairings: [Pairing: [Invocation]] = [:]

  mutating func begin(_ call: Invocation) {
    counts[call.caller, default: 0] += 1
    if call.message.member == Device1.pair.name { pairings[Pairing(call)] = [] }
  }

  /// Queues a CancelPairing behind a delayed Pair.
  ///
  /// - Returns: True if it was queued.
  mutating func holds(_ call: Invocation) -> Bool {
    guard !pairings.isEmpty, call.message.member == Device1.cancelPairing.name else { return false }
    return pairings[Pairing(call)]?.append(call) != nil
  }

  mutating func clientLeft(_ client: String) {
    if counts[client] != nil { departed.insert(client) }
  }

  /// Removes a delayed call that was handled.
  ///
  /// - Returns: Whether its caller has left, and the calls that were queued behind it.
  mutating func end(_ call: Invocation) -> (hasLeft: Bool, behind: [Invocation]) {
    let client = call.caller
    let isPair = call.message.member == Device1.pair.name
    let behind = isPair ? pairings.removeValue(forKey: Pairing(call)) : nil
    let hasLeft = departed.contains(client)
    counts[client, default: 1] -= 1
    if counts[client] == 0 {
      counts[client] = nil
      departed.remove(client)
    }
    return (hasLeft, behind ?? [])
  }
}
