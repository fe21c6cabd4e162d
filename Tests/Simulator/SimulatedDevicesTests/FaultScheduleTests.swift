// The times at which the faults of a scenario fire.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Fault schedule of a scenario")
struct ScenarioFaultScheduleTests {
  let device = BluetoothAddress(number: 1)
  let other = BluetoothAddress(number: 2)

  func schedule(_ faults: [ScheduledFault], seed: UInt64 = 0) -> FaultSchedule {
    FaultSchedule(faults, generator: SeededGenerator(seed: seed))
  }

  func fault(_ trigger: ScheduledFault.Trigger) -> ScheduledFault {
    ScheduledFault(trigger, [TimedAction(after: .seconds(1), .adapter(0, .unplug))])
  }

  @Test("a timed fault fires once, repeatedly or a given number of times")
  func clock() {
    var schedule = schedule([
      fault(.at(.seconds(3))), fault(.at(.seconds(1), every: .seconds(5), times: 3)),
      fault(.at(.zero, every: .seconds(2))),
    ])
    let first = schedule.begin()
    #expect(first.map(\.fault) == [0, 1, 2])
    #expect(first.map(\.delay) == [.seconds(3), .seconds(1), .zero])
    #expect(schedule.fire(0).again == nil)
    var again: [Duration?] = []
    for _ in 0..<3 { again.append(schedule.fire(1).again?.delay) }
    #expect(again == [.seconds(5), .seconds(5), nil])
    for _ in 0..<50 { #expect(schedule.fire(2).again?.delay == .seconds(2)) }
    #expect(schedule.fire(0).actions.map(\.delay) == [.seconds(1)])
  }

  @Test("a fault fires at a time drawn from the seed")
  func drawn() {
    let faults = [
      fault(.between(.seconds(2), .seconds(4))), fault(.between(.seconds(2), .seconds(4))),
    ]
    let times = (0..<20 as Range<UInt64>).map { seed -> [Duration] in
      var schedule = schedule(faults, seed: seed)
      return schedule.begin().map(\.delay)
    }
    let range = Duration.seconds(2)...Duration.seconds(4)
    #expect(times.allSatisfy { $0.allSatisfy(range.contains) })
    #expect(Set(times.map { $0[0] }).count == 20)
    #expect(times.allSatisfy { $0[0] != $0[1] }, "each fault draws its own time")
    var again = schedule(faults, seed: 3)
    #expect(again.begin().map(\.delay) == times[3])
  }

  @Test("a fault fires after the nth event of a kind, at a device and a characteristic")
  func events() {
    let uuid = BluetoothUUID(short: 0xfff1)
    let pattern = WorldEvent.Pattern(.notified, devices: [device], characteristic: uuid)
    var schedule = schedule([fault(.after(pattern, .nth(2), delay: .seconds(1)))])
    #expect(schedule.begin().isEmpty)
    let events = [
      WorldEvent(.notified, device: device, characteristic: uuid),
      WorldEvent(.notified, device: other, characteristic: uuid),
      WorldEvent(.notified, device: device, characteristic: BluetoothUUID(short: 0xfff2)),
      WorldEvent(.read, device: device, characteristic: uuid),
      WorldEvent(.notified, device: device, characteristic: uuid),
      WorldEvent(.notified, device: device, characteristic: uuid),
    ]
    let firings = events.map { schedule.happened($0).map(\.delay) }
    #expect(firings == [[], [], [], [], [.seconds(1)], []])
  }

  @Test("a fault fires after every nth event, or after each with a probability drawn from the seed")
  func repeated() {
    let pattern = WorldEvent.Pattern(.connected)
    var every = schedule([fault(.after(pattern, .every(2), delay: .zero))])
    let hits = (0..<6).map { _ in !every.happened(WorldEvent(.connected, device: device)).isEmpty }
    #expect(hits == [false, true, false, true, false, true])
    let faults = [fault(.after(pattern, .probability(0.3), delay: .zero))]
    func count(_ seed: UInt64) -> [Int] {
      var some = schedule(faults, seed: seed)
      return (0..<200).filter { _ in !some.happened(WorldEvent(.connected)).isEmpty }
    }
    #expect((40...80).contains(count(1).count))
    #expect(count(1) == count(1) && count(1) != count(2))
  }

  @Test("an operation rule counts within its window while its condition holds, and fires in bursts")
  func rules() {
    let rule = FaultRule(
      on: .read, occurrence: .nth(2), burst: 3, window: .seconds(10)..<(.seconds(20)),
      action: .neverAnswer
    )
    var plan = FaultPlan([rule], generator: SeededGenerator(seed: 0))
    let uuid = BluetoothUUID(short: 0xfff1)
    let hits = [5, 10, 11, 12, 13, 14, 20, 21].map { second in
      plan.next(.read(uuid), at: .seconds(second)) == .neverAnswer
    }
    #expect(hits == [false, false, true, true, true, false, false, false])
    let connecting = FaultRule(on: .connect, condition: .links(1), action: .refuseConnection)
    var other = FaultPlan([connecting], generator: SeededGenerator(seed: 0))
    #expect(other.next(.connect) == .none)
    #expect(other.next(.connect, in: Surroundings(links: 1)) == .refuseConnection)
  }
}
