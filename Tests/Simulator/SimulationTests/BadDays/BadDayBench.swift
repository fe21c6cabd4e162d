// Checks after each fault: the right failure, in time, the link released, the next chain succeeds.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

/// The outcome of a chain.
struct Endured: Sendable {
  let error: (any Error)?
  /// The time from its start to its end.
  let took: Duration
  /// The time from the fault to its end; nil if no fault struck.
  let tookAfterBlow: Duration?

  /// The first cause.
  var failure: DeviceFailure? {
    (error as? DeviceFailure) ?? (error as? FailedWithCleanUp)?.cause as? DeviceFailure
      ?? (error as? FailedWithCleanUp)?.cleanUp.first?.error as? DeviceFailure
  }
}

/// The time at which the fault struck.
final class Blow: Sendable {
  private let instant = Guarded<Instant?>(nil)
  var at: Instant? { instant.withLock { $0 } }
  func falls(_ now: Instant) { instant.withLock { $0 = now } }
}

extension Simulation {
  var address: BluetoothAddress { device.definition.address }

  /// Runs a fault once, when a chain reaches a stage.
  func strike(_ stage: Stage, _ blow: @escaping @Sendable () -> Void) -> Blow {
    // Released once it strikes: it may hold this simulation.
    struct Due { var blow: (@Sendable () -> Void)? }
    let (loop, fallen, due) = (loop, Blow(), Guarded(Due(blow: blow)))
    simulator.treatCalls { call in
      guard call.member == stage.beginning.member, let blow = due.withLock({ $0.blow.take() })
      else { return .take }
      loop.after(stage.beginning.delay) {
        fallen.falls(loop.now)
        blow()
      }
      return .take
    }
    return fallen
  }

  /// Runs a chain in a turn of its own.
  func endure<Value: Sendable>(
    _ chain: Signal<Value>, within limit: Duration = .seconds(100), _ blow: Blow = Blow()
  ) -> Endured {
    let began = loop.now
    let outcome = chain.map { Optional($0) }.firstOrDefault(nil, within: limit)
    return Endured(
      error: outcome.error, took: loop.now - began, tookAfterBlow: blow.at.map { loop.now - $0 }
    )
  }

  /// Runs the chain of all stages on this device.
  func endure(within limit: Duration = .seconds(100), _ blow: Blow = Blow()) -> Endured {
    endure(Stage.chain(service), within: limit, blow)
  }

  /// That there is no link, nothing under way and nothing was done outside a link.
  func expectReleased(_ name: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    let ledger = ledger
    #expect(!ledger.isUp, "\(name): \(history.suffix(4))", sourceLocation: sourceLocation)
    #expect(ledger.violations == [], "\(name)", sourceLocation: sourceLocation)
    #expect(scheduler.isIdle, "\(name)", sourceLocation: sourceLocation)
  }

  /// That nothing is left, and that the next chain succeeds.
  func expectRecovered(sourceLocation: SourceLocation = #_sourceLocation) {
    expectReleased(sourceLocation: sourceLocation)
    expectNextChain(sourceLocation: sourceLocation)
  }

  /// That the same chain now runs to its end, and leaves nothing behind either.
  func expectNextChain(
    _ name: String = "", on service: BlueZDevice? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let next = Stage.chain(service ?? self.service).firstOrDefault([], within: .seconds(100))
    #expect(next.error == nil, "\(name): the next chain", sourceLocation: sourceLocation)
    expectReleased("\(name): the next chain", sourceLocation: sourceLocation)
  }
}

/// The expected ending of a chain.
struct Verdict: Sendable {
  let code: DeviceFailure.Code
  let `class`: FailureClass
  /// The longest time from the blow, or from the beginning where there is none, to the end.
  let limit: Duration

  init(_ code: DeviceFailure.Code, _ class: FailureClass, within limit: Duration) {
    self.code = code
    self.class = `class`
    self.limit = limit
  }

  /// Checks the outcome of a chain.
  func check(
    _ endured: Endured, _ name: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let failure = endured.failure else {
      Issue.record(
        "\(name): ended with \(endured.error.map { "\($0)" } ?? "success"), not \(code.rawValue)",
        sourceLocation: sourceLocation
      )
      return
    }
    #expect(failure.code == code, "\(name): \(failure)", sourceLocation: sourceLocation)
    #expect(failure.class == `class`, "\(name): \(failure)", sourceLocation: sourceLocation)
    let took = endured.tookAfterBlow ?? endured.took
    #expect(took <= limit, "\(name): \(failure)", sourceLocation: sourceLocation)
  }
}
