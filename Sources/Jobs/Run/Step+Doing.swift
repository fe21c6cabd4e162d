// What a step is doing, for errors.

import Bluetooth

extension Step {
  /// "reading battery-level", as failures name what was being done.
  var doing: String {
    switch action {
    case .connect: "connecting"
    case .disconnect: "disconnecting"
    case .read(let target, _): "reading \(target)"
    case .write(let write): "writing \(write.target)"
    case .notify(let listening): "listening to \(listening.target)"
    case .exchange(let exchanging):
      "writing \(exchanging.write.target) and waiting for \(exchanging.answer)"
    case .poll(let polling): "reading \(polling.target) again and again"
    case .combine(let combining):
      "following \(combining.inputs.map { "\($0.target)" }.joined(separator: " and "))"
    case .rssi: "measuring the link"
    case .pair: "pairing"
    case .unpair: "unpairing"
    case .trust(let isTrusted): isTrusted ? "trusting" : "ending the trust"
    case .attribute(let action): action.doing
    case .scan: "scanning"
    case .sleep: "sleeping"
    case .log: "saying something"
    case .repeated: "repeating"
    case .when: "deciding"
    case .tried: "trying"
    }
  }
}

extension PlacedStep {
  /// The step by its place: "step 4[7].2", or "connecting" where it is implied.
  var title: String {
    position == .impliedConnect || position == .impliedDisconnect ? step.doing : "step \(position)"
  }

  /// Whether it is no step of the chain as written.
  public var isImplied: Bool {
    position == .impliedConnect || position == .impliedDisconnect
  }
}
