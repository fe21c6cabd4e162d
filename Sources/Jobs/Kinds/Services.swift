// `services`: lists what the device offers.

import Bluetooth

struct ServicesStep: StepKind {
  static let verb = "services"
  static let documentation = "lists what the device offers"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .services }
  var doing: String { "listing the services" }
  var privilege: String? { nil }

  func run(_ run: StepRun) async throws {
    let services = try await run.limited(run.service.services())
    run.outcome = .services(services, names: run.plan.names)
  }
}

extension Step {
  /// Lists what the device offers.
  ///
  /// ```swift
  /// let chain = try Plan { Step.services.named("what the device offers") }
  /// ```
  public static var services: Step { Step(.services) }
}
