// Chains at random.

import Bluetooth
import Signals
import SimulatedDevices

extension ChainPlan {
  /// The programs of a world.
  static func drawPrograms(
    for devices: [DeviceDefinition],
    _ generator: inout SeededGenerator
  ) -> [World.Program] {
    let count = generator.pick([1, 2, 3, 4, 6])
    return [World.Program(chains: (0..<count).map { _ in draw(devices, &generator) })]
  }

  private static func draw(
    _ devices: [DeviceDefinition],
    _ generator: inout SeededGenerator
  ) -> ChainPlan {
    let device = Int.random(in: 0..<devices.count, using: &generator)
    let limit = generator.pick([50, 250, 1_000, 5_000, 20_000, 60_000])
    let isCancelled = generator.hits(1, in: 5)
    return ChainPlan(
      device: device,
      start: generator.milliseconds(0...generator.pick([1, 3_000, 15_000])),
      way: generator.pick(Way.allCases),
      limit: .milliseconds(limit),
      cancelledAfter: isCancelled ? generator.milliseconds(0...limit) : nil,
      steps: [.connect, .read(DeviceDraft.alertLevel), .disconnect]
    )
  }

  /// The chain that has to succeed once nothing goes wrong any more.
  static func plain(_ device: Int) -> ChainPlan {
    ChainPlan(
      device: device,
      start: .zero,
      way: .awaited,
      limit: .seconds(100),
      cancelledAfter: nil,
      steps: [
        .connect, .write(DeviceDraft.alertLevel, [0xfe]), .read(DeviceDraft.alertLevel),
        .disconnect,
      ]
    )
  }
}
