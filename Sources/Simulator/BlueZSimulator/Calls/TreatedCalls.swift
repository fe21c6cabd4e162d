// Calls on their way to the objects: delayed, ignored or left unanswered, as a test requests.

import BlueZInterfaces
import DBus
import Signals
import SimulatedDevices

/// A handler in front of another one, which examines each call.
final class TreatedCalls: ObjectHandler {
  typealias Treatment = @Sendable (Message) -> CallTreatment

  private struct Wishes {
    var treatment: Treatment = { _ in .take }
    var listener: (@Sendable (Message) -> Void)?
    var lateCallTaken: (@Sendable (String) -> Void)?
  }

  private let inner: any ObjectHandler
  private let wishes: Confined<Wishes>
  private let delayed: Confined<DelayedCallers>

  init(_ inner: any ObjectHandler, on loop: Loop) {
    self.inner = inner
    wishes = Confined(Wishes(), to: loop)
    delayed = Confined(DelayedCallers(), to: loop)
  }

  /// Calls `listener` with every call from now on, before it is treated.
  func onCall(_ listener: @escaping @Sendable (Message) -> Void) {
    wishes.listener = listener
  }

  /// Calls `forget` with a client whose delayed call was handled after it had left: bluetoothd
  /// always learns that a client has left after its calls.
  func onLateCall(_ forget: @escaping @Sendable (String) -> Void) {
    wishes.lateCallTaken = forget
  }

  func clientLeft(_ client: String) { delayed.contents.leave(client) }

  /// Decides about every call from now on; calls that are already delayed are handled in their
  /// time.
  func treat(_ treatment: @escaping Treatment) { wishes.treatment = treatment }

  /// Releases the treatment and the listener, which may hold what holds this.
  func forget() { wishes.contents = Wishes() }

  func handle(_ invocation: Invocation) -> Bool {
    wishes.listener?(invocation.message)
    switch wishes.treatment(invocation.message) {
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
        take(invocation)
        let (hasLeft, behind) = delayed.contents.end(invocation)
        for call in behind { take(call) }
        if hasLeft { wishes.lateCallTaken?(client) }
      }
      return true
    }
  }

  private func take(_ invocation: Invocation) {
    if inner.handle(invocation) { return }
    let call = invocation.message
    invocation.refuse(
      .unknownObject(
        method: call.member ?? "", signature: "\(call.signature)", interface: call.interface ?? ""
      )
    )
  }
}

/// The callers of delayed calls, and which of them have left meanwhile.
private struct DelayedCallers {
  private struct Pairing: Hashable {
    let client: String
    let device: ObjectPath?

    init(_ call: Invocation) { (client, device) = (call.caller, call.message.path) }
  }

  private var counts: [String: Int] = [:]
  private var left: Set<String> = []
  /// Each delayed Pair, with what cancels it: bluetoothd never takes that first.
  private var pairings: [Pairing: [Invocation]] = [:]

  mutating func begin(_ call: Invocation) {
    counts[call.caller, default: 0] += 1
    if call.message.member == Device1.pair.name { pairings[Pairing(call)] = [] }
  }

  /// Keeps a CancelPairing behind a delayed Pair.
  ///
  /// - Returns: Whether it is kept.
  mutating func holds(_ call: Invocation) -> Bool {
    guard !pairings.isEmpty, call.message.member == Device1.cancelPairing.name else { return false }
    return pairings[Pairing(call)]?.append(call) != nil
  }

  mutating func leave(_ client: String) {
    if counts[client] != nil { left.insert(client) }
  }

  /// A delayed call is handled.
  ///
  /// - Returns: Whether its caller has left; the calls that waited for it.
  mutating func end(_ call: Invocation) -> (hasLeft: Bool, behind: [Invocation]) {
    let client = call.caller
    let isPair = call.message.member == Device1.pair.name
    let behind = isPair ? pairings.removeValue(forKey: Pairing(call)) : nil
    let hasLeft = left.contains(client)
    counts[client, default: 1] -= 1
    if counts[client] == 0 {
      counts[client] = nil
      left.remove(client)
    }
    return (hasLeft, behind ?? [])
  }
}
