// Connections that drop around the moment at which a subscription is active again.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

extension World {
  /// Adds a chain whose subscription resumes, and a device that drops the connection again as soon as
  /// it was subscribed again.
  mutating func drawDrops(_ generator: inout SeededGenerator) {
    let index = Int.random(in: 0..<devices.count, using: &generator)
    let address = devices[index].address
    let streaming = devices[index].services.flatMap(\.characteristics).filter {
      $0.uuid == DeviceDraft.measurement
    }
    guard let characteristic = streaming.first else { return }
    let options = SubscriptionOptions(
      delivery: generator.hits(1, in: 3) ? .acquire : .signals, onLinkLoss: .resume
    )
    programs[0].chains.append(
      ChainPlan(
        device: index, start: generator.milliseconds(0...3_000), way: .awaited,
        limit: .seconds(60), cancelledAfter: nil,
        steps: [.connect(keep: false), .notify(characteristic.uuid, count: 400, options)]
      )
    )
    let rules = (0..<generator.pick([1, 2, 3])).map { _ in
      FaultRule(
        on: .subscribe, occurrence: .nth(Int.random(in: 2...5, using: &generator)),
        action: .loseLinkAfter
      )
    }
    var added = [TimedDisturbance(at: .zero, disturbance: .fault(.device(address, .rules(rules))))]
    for _ in 0..<generator.pick([1, 2, 4]) {
      let at = generator.milliseconds(2_000...20_000)
      added += NamedFault.linkLost.actions(on: [address]).map {
        TimedDisturbance(at: at + $0.delay, disturbance: .fault($0.action))
      }
    }
    disturbances = (disturbances + added.filter { $0.at < healsAt }).enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }
}
