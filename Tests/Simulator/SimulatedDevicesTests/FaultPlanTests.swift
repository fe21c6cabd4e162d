// Fault rules: which operation of a device fails, and when.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Fault plan")
struct FaultPlanTests {
  func actions(
    _ rules: [FaultRule], _ operations: [FaultOperation], seed: UInt64 = 0
  ) -> [OperationFault] {
    var plan = FaultPlan(rules, generator: SeededGenerator(seed: seed))
    return operations.map { plan.next($0) }
  }

  func repeated(_ operation: FaultOperation, _ count: Int) -> [FaultOperation] {
    Array(repeating: operation, count: count)
  }

  @Test("a rule counts only its operation on its characteristic")
  func matching() {
    let rule = FaultRule(
      on: .read, characteristic: .first, occurrence: .nth(2), action: .loseLinkAfter
    )
    let operations: [FaultOperation] = [
      .read(.first), .read(.second), .write(.first), .subscribe(.first), .connect, .read(.first),
    ]
    #expect(actions([rule], operations).firstIndex(of: .loseLinkAfter) == 5)
    #expect(actions([rule], operations).count { $0 != .none } == 1)
  }

  @Test("a rule for any operation applies where its action is possible")
  func any() {
    let refusal = FaultRule(on: .any, action: .refuse(.unlikelyError))
    let all: [FaultOperation] = [
      .connect, .discover, .read(.first), .write(.first), .subscribe(.first), .disconnect,
    ]
    let refused = OperationFault.refuse(.unlikelyError)
    #expect(actions([refusal], all) == [.none, refused, refused, refused, refused, .none])
    #expect(actions([FaultRule(on: .any, action: .vanish)], all).allSatisfy { $0 == .vanish })
  }

  @Test("the first matching rule decides, and the other rules keep counting")
  func precedence() {
    let rules = [
      FaultRule(on: .read, occurrence: .nth(1), action: .vanish),
      FaultRule(on: .read, occurrence: .nth(2), action: .neverAnswer),
      FaultRule(on: .any, occurrence: .every(2), action: .slow(.seconds(1))),
    ]
    let found = actions(rules, repeated(.read(.first), 4))
    #expect(found == [.vanish, .neverAnswer, .none, .slow(.seconds(1))])
  }

  @Test("a probability is approximately kept, and drawn from the seed")
  func probability() {
    let rule = FaultRule(on: .write, occurrence: .probability(0.25), action: .neverAnswer)
    let operations = repeated(.write(.first), 1000)
    let found = actions([rule], operations, seed: 7)
    #expect((200...300).contains(found.count { $0 == .neverAnswer }))
    #expect(actions([rule], operations, seed: 7) == found)
    #expect(actions([rule], operations, seed: 8) != found)
  }

  @Test("probability 0 never fires, and probability 1 always fires")
  func certainties() {
    for (probability, count) in [(0.0, 0), (1.0, 500)] {
      let rule = FaultRule(on: .any, occurrence: .probability(probability), action: .vanish)
      #expect(actions([rule], repeated(.connect, 500)).count { $0 == .vanish } == count)
    }
  }

  @Test("a rule for another operation, before or after, does not change a rule's draws")
  func independence() {
    let rule = FaultRule(on: .connect, occurrence: .probability(0.5), action: .refuseConnection)
    let other = FaultRule(on: .read, occurrence: .probability(0.5), action: .vanish)
    let operations = repeated(.connect, 100)
    let alone = actions([rule], operations)
    #expect(alone.count { $0 == .none } > 20)
    #expect(actions([other, rule], operations) == alone)
    #expect(actions([rule, other], operations) == alone)
  }

  @Test("two rules for the same operation draw independently")
  func sameKind() {
    let first = FaultRule(on: .connect, occurrence: .probability(0.5), action: .neverAnswer)
    let second = FaultRule(on: .connect, occurrence: .probability(0.5), action: .vanish)
    let found = actions([first, second], repeated(.connect, 100))
    #expect(found.contains(.vanish) && found.contains(.neverAnswer) && found.contains(.none))
  }

  @Test("a device uses the plan of its definition until it is given another")
  func device() {
    var definition = DeviceDefinition.with([])
    definition.faults = [FaultRule(on: .connect, occurrence: .nth(1), action: .vanish)]
    let device = DeviceBench(definition).device
    #expect(device.nextFault(.connect) == .vanish)
    #expect(device.nextFault(.connect) == .none)
    device.setFaults([FaultRule(on: .connect, action: .refuseConnection)])
    #expect(device.nextFault(.connect) == .refuseConnection)
  }
}
