// `mtu`: reads the ATT MTU.

import Bluetooth

struct MTUStep: StepKind {
  static let verb = "mtu"
  static let documentation = "reads the ATT MTU"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .mtu }
  var subjects: Subjects? { .number(in: 23...65535) }
  var participle: String { "reading the MTU" }
  var privilege: String? { nil }

  func run(_ run: StepRun) async throws {
    let mtu = try await run.limited(run.service.mtu())
    run.outcome = .mtu(mtu)
    try run.use(.integer(Int128(mtu)))
  }
}

extension Step {
  /// Reads the ATT MTU, in bytes; a notification carries three bytes less.
  ///
  /// ```swift
  /// try Step.mtu.expect("value", .atLeast(185))
  /// ```
  public static var mtu: Step { Step(.mtu) }
}
