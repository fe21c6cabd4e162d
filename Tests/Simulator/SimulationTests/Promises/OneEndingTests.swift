// Exactly one ending; the turn is always released.

import BlueZ
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Exactly one ending, and the turn released")
struct OneEndingTests {
  static let echo = CharacteristicSelector(characteristic: .alertLevel)

  /// The beginnings and endings of operations.
  final class Tally: Sendable {
    private let counts = Guarded((begun: 0, ended: 0, values: 0))

    var open: Int { counts.withLock { $0.begun - $0.ended } }
    var begun: Int { counts.withLock { $0.begun } }
    var values: Int { counts.withLock { $0.values } }

    /// The signal with its starts, values and ends counted.
    func of<Value: Sendable>(_ signal: Signal<Value>) -> Signal<Value> {
      Signal(home: signal.home) { [self] sink in
        counts.withLock { $0.begun += 1 }
        defer { counts.withLock { $0.ended += 1 } }
        try await signal.run { value in
          counts.withLock { $0.values += 1 }
          try await sink(value)
        }
      }
    }
  }

  /// Connect, write, read, disconnect, each counted.
  private func chain(_ service: BlueZDevice, _ tally: Tally) -> Signal<[UInt8]> {
    tally.of(service.connect())
      .flattenMap { tally.of(service.write([7], to: Self.echo, kind: .request)) }
      .flattenMap { tally.of(service.read(Self.echo)) }
      .flattenMap { value in tally.of(service.disconnect()).map { value } }
  }

  @Test("no operation is pending when the call has returned", arguments: FaultCase.all)
  func operations(_ fault: FaultCase) throws {
    for limit in [Duration.milliseconds(200), .seconds(3), .seconds(300)] {
      let simulation = try Simulation(faults: [fault.rule])
      let tally = Tally()
      let outcome = chain(simulation.service, tally).firstOrDefault([], within: limit)
      let name = "\(fault.testDescription) within \(limit)"
      #expect(tally.open == 0, "\(name)")
      #expect(outcome.success == (outcome.error == nil), "\(name)")
      #expect(outcome.value == (outcome.success ? [7] : []), "\(name)")
      #expect(simulation.scheduler.isIdle, "\(name)")
      // Nothing is sent, and nothing begins again, after the end.
      let (begun, values) = (tally.begun, tally.values)
      simulation.drain()
      #expect(tally.begun == begun && tally.values == values, "\(name)")
    }
  }

  /// The ways to withdraw a chain before its turn starts.
  enum Withdrawal: CaseIterable {
    case deadlineInTheQueue, noTimeAtAll, cancelledTask, cancelledBefore, cancelledTurn
  }

  @Test("a chain that ends before its turn sends nothing", arguments: Withdrawal.allCases)
  func withdrawn(_ withdrawal: Withdrawal) throws {
    let simulation = try Simulation()
    let (service, scheduler, loop) = (simulation.service, simulation.scheduler, simulation.loop)
    let (first, second, third) = (Tally(), Tally(), Tally())
    let ended = Recorded<String>()
    scheduler.schedule { [self] in
      let outcome = chain(service, first).firstOrDefault([], within: .seconds(20))
      ended.add("first \(outcome.success)")
    }
    withdraw(withdrawal, chain(service, second), scheduler) { ended.add("second \($0)") }
    loop.after(.seconds(1)) {
      _ = loop.task {
        let value = try? await chain(service, third).first(within: .seconds(20))
        ended.add("third \(value == [7])")
      }
    }
    simulation.drain()
    #expect(ended.all.sorted() == ["first true", "second false", "third true"])
    #expect(second.begun == 0)
    #expect(first.open == 0 && third.open == 0)
    #expect(simulation.ledger.links.count == 2)
    #expect(!simulation.ledger.isUp)
    #expect(scheduler.isIdle)
  }

  private func withdraw(
    _ withdrawal: Withdrawal, _ chain: Signal<[UInt8]>, _ scheduler: SerialScheduler,
    ended: @escaping @Sendable (Bool) -> Void
  ) {
    let loop = scheduler.loop
    let limit: Duration =
      switch withdrawal {
      case .deadlineInTheQueue: .milliseconds(100)
      case .noTimeAtAll: .zero
      case .cancelledTask, .cancelledBefore, .cancelledTurn: .seconds(20)
      }
    if withdrawal == .cancelledTurn {
      let hasRun = Guarded(false)
      let turn = scheduler.schedule { hasRun.withLock { $0 = true } }
      turn.cancel()
      return ended(hasRun.withLock { $0 } || !turn.isEnded)
    }
    let task = loop.task {
      let value = try? await chain.first(within: limit)
      ended(value != nil)
    }
    if withdrawal == .cancelledBefore { task.cancel() }
    if withdrawal == .cancelledTask { loop.after(.milliseconds(100)) { task.cancel() } }
  }

  @Test("each of many chains cancelled at random ends exactly once", arguments: 0..<20)
  func randomCancellations(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed), name: "cancellations")
    let simulation = try Simulation()
    let (service, loop) = (simulation.service, simulation.loop)
    let tally = Tally()
    let count = 12
    let endings = Recorded<Int>()
    for number in 0..<count {
      let chain = chain(service, tally)
      let task = loop.task {
        _ = try? await chain.first(within: .seconds(15))
        endings.add(number)
      }
      let instant = Duration.milliseconds(Int.random(in: -5_000...30_000, using: &generator))
      if instant <= .zero { task.cancel() } else { loop.after(instant) { task.cancel() } }
    }
    simulation.drain()
    #expect(endings.all.sorted() == Array(0..<count), "seed \(seed)")
    #expect(tally.open == 0, "seed \(seed)")
    #expect(simulation.ledger.violations == [], "seed \(seed)")
    #expect(!simulation.ledger.isUp, "seed \(seed)")
    #expect(simulation.scheduler.isIdle, "seed \(seed)")
    let next = chain(service, tally).firstOrDefault([], within: .seconds(20))
    #expect(next.success, "seed \(seed): \(String(describing: next.error))")
  }

  @Test("the first cause is reported to the caller")
  func firstCause() throws {
    struct Reason: Error, Equatable {}
    // A clean-up that takes long, and everything else that could end the chain after the cause.
    let slow = FaultRule(on: .disconnect, action: .slow(.seconds(3)))
    let read = FaultRule(on: .read, action: .refuse(ATTErrorCode(rawValue: 0x80)))
    func outcome(
      _ rules: [FaultRule], cancelAt instant: Duration, within limit: Duration
    ) throws -> (any Error)? {
      let simulation = try Simulation(faults: rules)
      let (scheduler, tally) = (simulation.scheduler, Tally())
      let timer = simulation.loop.after(instant) { scheduler.cancelAll(Reason()) }
      defer { timer.cancel() }
      let outcome = chain(simulation.service, tally).firstOrDefault([], within: limit)
      #expect(!simulation.ledger.isUp)
      return outcome.error
    }
    let refused = try outcome([slow, read], cancelAt: .seconds(1), within: .seconds(2))
    #expect((refused as? DeviceFailure)?.att == ATTErrorCode(rawValue: 0x80))
    let late = FaultRule(on: .read, action: .slow(.seconds(20)))
    let timedOut = try outcome([slow, late], cancelAt: .seconds(3), within: .seconds(2))
    #expect((timedOut as? DeviceFailure)?.code == .timedOut)
    let cancelled = try outcome([slow, late], cancelAt: .seconds(1), within: .seconds(2))
    #expect(cancelled is Reason)
  }
}
