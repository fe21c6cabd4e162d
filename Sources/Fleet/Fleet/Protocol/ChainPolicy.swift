// The chains that a gateway agrees to run, whatever the fleet asks for.
//
// A pure value: a chain in, the reason of a refusal out. It does not know the fleet's own rules.

public import Bluetooth
public import Jobs

/// The limits of a gateway: chains by their digest, and characteristics.
public struct ChainPolicy: Equatable, Sendable {
  /// The SHA-256 of chains that are allowed without further checks.
  public var chains: Set<String> = []
  /// The characteristics that all other chains may use.
  public var characteristics: [CharacteristicSelector] = []

  /// Creates a policy that allows every chain.
  public init() {}

  /// Returns why a chain must not run; nil when it is allowed.
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
      what = plan.allSteps.lazy.compactMap { forbiddenUse(in: $0) }.first
    }
    return what.map { "this gateway does not allow chain \(digest), which \($0)" }
  }

  /// Returns what a step itself (not the steps inside it) does that is not allowed; nil if nothing.
  private func forbiddenUse(in step: Step) -> String? {
    step.privilege ?? step.characteristics.first { !allows($0) }.map { "uses \($0)" }
  }

  /// Whether a characteristic is allowed. A handle may stand for any UUID, so it must be listed itself.
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
