// Which chains a gateway runs, whatever the fleet asks for.
//
// A pure value: a chain in, the reason of a refusal out.

public import Bluetooth
public import Jobs

/// What a gateway is limited to: chains by their digest, and characteristics.
public struct ChainPolicy: Equatable, Sendable {
  /// The SHA-256 of chains that may do whatever they do.
  public var chains: Set<String> = []
  /// What other chains may read, write and subscribe to.
  public var characteristics: [CharacteristicSelector] = []

  /// Allows every chain.
  public init() {}

  /// Why a chain is not run; nil when it may be.
  ///
  /// - Parameters:
  ///   - plan: The chain.
  ///   - digest: Its SHA-256.
  public func refusal(of plan: Plan, digest: String) -> String? {
    if chains.isEmpty && characteristics.isEmpty || chains.contains(digest) { return nil }
    let what: String?
    if plan.link.isFresh {
      what = "forgets the device"
    } else if plan.link.takesOver {
      what = "ends the attempts of other programs"
    } else {
      what = plan.allSteps.lazy.compactMap { excess(in: $0) }.first
    }
    return what.map { "this gateway does not allow chain \(digest), which \($0)" }
  }

  /// What a step does that is not allowed, without the steps inside it.
  private func excess(in step: Step) -> String? {
    step.privilege ?? step.characteristics.first { !allows($0) }.map { "uses \($0)" }
  }

  /// Whether a characteristic is allowed. One that is named by its handle may be any.
  private func allows(_ wanted: CharacteristicSelector) -> Bool {
    guard wanted.handle == nil else {
      return characteristics.contains { $0.handle == wanted.handle }
    }
    return characteristics.contains { allowed in
      allowed.handle == nil && allowed.characteristic == wanted.characteristic
        && (allowed.service == nil || allowed.service == wanted.service)
        && (allowed.instance == nil || allowed.instance == wanted.instance)
    }
  }
}
