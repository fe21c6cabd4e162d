// A belt and a thermometer for watch tests.

import Bluetooth
import Documents
import Fixtures
import Signals
import Testing

@testable import Jobs

/// Two scripted devices, and the output of a watch on them.
class WatchScene {
  static let heart = "heart-rate-measurement"
  static let battery = "battery-level"

  let loop: VirtualTimeLoop
  let scheduler: SerialScheduler
  let belt: ScriptedDevice
  let thermometer: ScriptedDevice
  let outputs = Recorded<WatchOutput>()
  private let loopEnd: LoopEnding

  init() {
    loop = VirtualTimeLoop()
    loopEnd = LoopEnding(loop)
    scheduler = SerialScheduler(on: loop)
    belt = ScriptedDevice(in: scheduler)
    thermometer = ScriptedDevice(in: scheduler)
    belt.notify(Self.heart, [60, 61].map { (.seconds(1), [0, $0]) })
    thermometer.notify(Self.battery, [(.milliseconds(1500), [72])])
  }

  func selector(_ name: String) throws -> CharacteristicSelector {
    try CharacteristicSelector(parsing: name)
  }

  /// A plan for the belt alone.
  func plan(_ change: (inout WatchPlan) -> Void = { _ in }) throws -> WatchPlan {
    var plan = WatchPlan(
      [.init(.name("Belt"), [try selector(Self.heart)])], source: .notify(SubscriptionOptions()),
      fields: ["bpm"], duration: .seconds(5)
    )
    change(&plan)
    return plan
  }

  /// A plan for both devices.
  func both(_ view: WatchPlan.View) throws -> WatchPlan {
    WatchPlan(
      [
        .init(.name("Belt"), [try selector(Self.heart)]),
        .init(.name("Thermo"), [try selector(Self.battery)]),
      ],
      source: .notify(SubscriptionOptions()), view: view, fields: ["bpm", "percent"],
      duration: .seconds(3)
    )
  }

  /// Watches to the end.
  ///
  /// - Returns: The reason why it ended; nil if it ended as requested.
  @discardableResult
  func watch(_ plan: WatchPlan) -> RunFailure? {
    let watching = Watching(
      plan, on: Array([belt, thermometer].prefix(plan.devices.count)), in: scheduler,
      identity: RunIdentity(seed: 0, text: plan.definition),
      receive: { [outputs] in outputs.add($0) }
    )
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: .seconds(1_000_000))
    let failure = outcome.error.map { RunFailure($0) }
    watching.finish(failure)
    return failure
  }

  var printed: [RunEvent] { outputs.all.compactMap(\.printed) }

  func lines(_ report: some RunReport = ValueReport(showsPlace: true)) -> [String] {
    printed.flatMap { report.lines(for: $0) }
  }

  /// A summary of what the journal records for a device.
  func story(_ device: Int) -> [String] {
    outputs.all.filter { $0.device == device }.compactMap(\.recorded).map { event in
      switch event.change {
      case .run(.started(let start)): "run of \(start.steps)"
      case .step(.started(let step)): "\(step.position) \(step.operation)…"
      case .data(let step, .value(let value)): "\(step.position) \(value.octets)"
      case .data(let step, .gap(let gap)): "\(step.position) gap of \(gap.lasted.written)"
      case .step(.finished(let result)): "\(result.step.position) \(result.status.rawValue)"
      case .run(.finished(let ending)): "run \(ending.status.rawValue)"
      case .remark(.note): "note"
      case .run(.groupStarted), .run(.groupFinished), .data(_, .advertisement),
        .remark(.pairingDisplay):
        "?"
      }
    }
  }
}
