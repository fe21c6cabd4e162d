// `connect`: connects to the device.
//
// A chain connects implicitly before its first step, so few chains need this step.

import Bluetooth
import RunEvents
import Signals

struct ConnectStep: StepKind {
  static let verb = "connect"
  static let documentation = "connects; a chain does so by itself before its first step"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = []

  var action: Step.Action { .connect }
  var participle: String { "connecting" }
  var privilege: String? { nil }

  func participle(with device: String) -> String { "\(participle) to \(device)" }

  func run(_ run: StepRun) async throws {
    // Recorded as soon as the connection exists, before a later failure: the run then always
    // disconnects a connection that it made.
    let isKept = run.plan.link.isKept
    let connect = run.service.connect(keep: isKept, expecting: run.plan.expectedServices)
    let connecting = run.chain.offering(connect)
      .map { origin in
        if origin != .found, !isKept { run.chain.linked(true) }
        return origin
      }
    while true {
      do {
        let origin = try await run.limited(connecting)
        run.outcome = .linked(origin, candidates: run.service.candidates)
        if run.chain.expectsNewLink { try judge(origin, run) }
        run.chain.connected()
        return
      } catch let failure as DeviceFailure where failure.code == .busy {
        // The timeout of the step covers connecting, not the wait for other runs.
        run.awaits(limit: nil)
        var hasWaited = false
        try await run.service.awaitOtherRuns().run { hasWaited = $0 }
        guard hasWaited else { throw failure }
      }
    }
  }

  /// Checks a connection that already existed. Another program or account may have made it, and its
  /// permissions, such as an unlocked characteristic, still apply.
  ///
  /// - Throws: ``RunFailure`` when the plan requires an exclusive connection.
  private func judge(_ origin: LinkOrigin, _ run: StepRun) throws(RunFailure) {
    // An earlier run of this process has made and kept it.
    if origin == .made || origin == .shared && run.plan.link.isKept { return }
    if run.plan.link.isExclusive {
      throw RunFailure(
        code: .busy, class: .passing, what: run.step.participle,
        why: "the device was connected already, and the chain demands a connection of its own",
        hint: "end the other program or run, or disconnect the device (bluetoothctl disconnect)"
      )
    }
    if origin == .found {
      run.warn(
        "the device was connected before this run: settings and unlocking of that connection, "
          + "perhaps another program's, hold for this run, too; 'exclusive: true' makes that a failure"
      )
    }
  }
}

extension Step {
  /// Connects to the device.
  ///
  /// A chain connects implicitly before its first step. This step is for another moment: after a
  /// scan, or again after ``disconnect``.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.scan(for: .seconds(5))
  ///   Step.connect
  ///   try Step.read("battery-level")
  /// }
  /// ```
  public static var connect: Step { Step(.connect) }
}
