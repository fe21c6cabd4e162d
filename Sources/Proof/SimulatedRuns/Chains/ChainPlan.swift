// One chain of a program: its steps, its start, its limit and its cancellation.

import Bluetooth
import Signals
import SimulatedDevices

struct ChainPlan: Hashable, Sendable {
  /// The way in which the program waits for the chain.
  enum Way: String, CaseIterable, Hashable, Sendable {
    /// In a task, with `first(within:)`.
    case awaited
    /// In blocking code in a scheduled turn, with `firstOrDefault`.
    case blocking
    /// In a task; the steps are the body of a `session`.
    case session
  }

  /// The index of its device.
  var device: Int
  /// The request's time after the start of the run.
  var start: Duration
  var way: Way
  /// The limit for the wait for the turn and the work together.
  var limit: Duration
  /// Cancellation, counted from the chain's start; nil: never.
  var cancelledAfter: Duration?
  /// Begins with a connect, except in a session.
  var steps: [ChainStep]
}

// MARK: - Drawing

extension ChainPlan {
  /// The programs of a world: the one under test, and often a second one that interferes.
  static func drawPrograms(
    for devices: [DeviceDefinition], _ generator: inout SeededGenerator
  ) -> [World.Program] {
    let own = generator.pick([1, 2, 3, 4, 6])
    let others = generator.pick([0, 0, 0, 1, 2])
    return [own, others].filter { $0 > 0 }.map { count in
      World.Program(chains: (0..<count).map { _ in draw(devices, &generator) })
    }
  }

  private static func draw(
    _ devices: [DeviceDefinition], _ generator: inout SeededGenerator
  ) -> ChainPlan {
    let device = Int.random(in: 0..<devices.count, using: &generator)
    let limit = generator.pick([50, 250, 1_000, 5_000, 20_000, 60_000, 60_000])
    let isCancelled = generator.hits(1, in: 5)
    let way = generator.pick([Way.awaited, .awaited, .blocking, .session])
    let start = generator.milliseconds(0...generator.pick([1, 3_000, 15_000]))
    let cancelledAfter = isCancelled ? generator.milliseconds(0...limit) : nil
    let definition = devices[device]
    var steps = (0..<generator.pick([0, 1, 1, 2, 3, 5])).map { _ in
      limited(step(definition, &generator), &generator)
    }
    if way != .session, generator.hits(19, in: 20) {
      let connect = ChainStep.connect(keep: generator.hits(1, in: 20))
      steps.insert(limited(connect, &generator), at: 0)
    }
    if generator.hits(1, in: 2) { steps.append(.disconnect) }
    if generator.hits(1, in: 12) { steps.insert(.scan(duration(&generator)), at: 0) }
    return ChainPlan(
      device: device, start: start, way: way, limit: .milliseconds(limit),
      cancelledAfter: cancelledAfter, steps: steps
    )
  }

  private static func duration(_ generator: inout SeededGenerator) -> Duration {
    generator.milliseconds(0...generator.pick([100, 2_000, 10_000]))
  }

  private static func limited(_ step: ChainStep, _ generator: inout SeededGenerator) -> ChainStep {
    guard generator.hits(1, in: 6) else { return step }
    return .within(generator.milliseconds(1...generator.pick([50, 1_000, 10_000])), step)
  }

  private static func step(
    _ device: DeviceDefinition, _ generator: inout SeededGenerator
  ) -> ChainStep {
    let service = generator.pick(device.services)
    let characteristic = generator.pick(service.characteristics)
    let (uuid, properties) = (characteristic.uuid, characteristic.properties)
    switch Int.random(in: 0..<24, using: &generator) {
    case 0: return .services
    case 1: return .mtu
    case 2: return generator.hits(1, in: 2) ? .pair : .unpair
    case 3: return .connect(keep: false)
    case 4: return .disconnect
    case 5: return .scan(duration(&generator))
    case 6, 7: return .rest(duration(&generator))
    case 8: return .readDescriptor(DeviceDraft.userDescription, of: uuid)
    case 9...14 where properties.contains(.notify):
      let count = generator.pick([1, 3, 10, 40])
      return .notify(uuid, count: count, options(&generator))
    case 15...17 where properties.contains(.notify) && properties.contains(.write):
      return .exchange(uuid, octets(&generator), options(&generator))
    case 18...20 where properties.contains(.write):
      let kind: WriteKind =
        properties.contains(.writeWithoutResponse) && generator.hits(1, in: 3)
        ? .command : generator.pick([.automatic, .request])
      return .write(uuid, octets(&generator), kind)
    default: return .read(uuid)
    }
  }

  /// A value that is practically unique, so that it identifies its step.
  private static func octets(_ generator: inout SeededGenerator) -> [UInt8] {
    (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private static func options(_ generator: inout SeededGenerator) -> SubscriptionOptions {
    SubscriptionOptions(
      delivery: generator.hits(1, in: 3) ? .acquire : .signals,
      onLinkLoss: generator.hits(1, in: 4) ? .resume : .fail
    )
  }

  /// The chain that must succeed after the last fault. It has no disconnect step, which would also
  /// end, and so hide, a link that another chain left up.
  static func plain(_ device: Int) -> ChainPlan {
    let value: [UInt8] = [0xfe]
    return ChainPlan(
      device: device, start: .zero, way: .awaited, limit: .seconds(100), cancelledAfter: nil,
      steps: [
        .connect(keep: false), .write(DeviceDraft.alertLevel, value, .request),
        .read(DeviceDraft.alertLevel),
        .exchange(DeviceDraft.alertLevel, [0xff, 0xff], SubscriptionOptions()),
      ]
    )
  }
}
