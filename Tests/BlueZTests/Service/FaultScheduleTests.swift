// Many seeded schedules of delays, refusals, silences and losses against one chain.
//
// What is held: however the chain ends, nothing that it began is left when it has returned and what
// was late has come.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

/// What one seed does to the answers.
final class FaultSchedule: Sendable {
  private let generator: Guarded<SeededGenerator>

  init(seed: UInt64) {
    generator = Guarded(SeededGenerator(seed: seed, name: "faults"))
  }

  func draw(_ range: Range<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }

  func delay() -> Duration { .milliseconds([0, 0, 1, 50, 900, 4000, 12_000][draw(0..<7)]) }

  /// Arms the faults of a scripted bluetoothd.
  func arm(_ bluez: ScriptedBlueZ, _ ledger: Ledger) {
    bluez.script("StartDiscovery") { [self] bluez, call in
      answer(call, then: { ledger.discovering += 1 }) {
        bluez.discovering(true)
        bluez.bus.loop.after(self.delay()) { bluez.deviceAppears() }
      }
    }
    bluez.script("StopDiscovery") { bluez, call in
      // One that nobody answered is taken back though it may never have begun.
      guard ledger.discovering > 0 else {
        return call.fail(ErrorAnswer.noDiscoveryStarted.dbusError)
      }
      ledger.discovering -= 1
      call.reply()
      bluez.discovering(false)
    }
    bluez.script("Connect") { [self] bluez, call in connect(bluez, call, ledger) }
    bluez.script("Disconnect") { [self] bluez, call in
      ledger.attempt = nil
      bluez.bus.loop.after(.milliseconds(draw(0..<3) * 1000)) {
        call.reply()
        if bluez.isConnected { bluez.linkLost() }
      }
    }
    bluez.script("ReadValue") { [self] bluez, call in
      if draw(0..<6) == 0 { bluez.linkLost() }
      answer(call, [.bytes([1])]) { bluez.notify([1]) }
    }
    bluez.script("StartNotify") { [self] bluez, call in
      answer(call, then: { ledger.notifying += 1 }) {
        bluez.bus.loop.after(self.delay()) { bluez.notify([2]) }
      }
    }
    bluez.script("StopNotify") { _, call in
      ledger.notifying -= 1
      call.reply()
    }
  }

  /// A delay, then an answer or a refusal or silence.
  private func answer(
    _ call: Invocation,
    _ body: [DBusValue] = [],
    then: @escaping @Sendable () -> Void = {},
    effect: @escaping @Sendable () -> Void
  ) {
    let fate = draw(0..<8)
    if fate == 0 { return }
    call.bus.loop.after(delay()) {
      if fate == 1 { return call.fail(ErrorAnswer.operationFailed.dbusError) }
      effect()
      then()
      call.reply(body)
    }
  }

  /// A Connect that Disconnect cancels, as bluetoothd's does, or in some schedules does not.
  private func connect(_ bluez: ScriptedBlueZ, _ call: Invocation, _ ledger: Ledger) {
    let fate = draw(0..<8)
    let isStubborn = draw(0..<4) == 0
    let attempt = ledger.begin()
    bluez.bus.loop.after(delay()) { [self] in
      if fate == 0 { return }
      if fate == 1 { return call.fail(ErrorAnswer.connectAborted.dbusError) }
      guard isStubborn || ledger.attempt == attempt else {
        return call.fail(ErrorAnswer.connectCanceled.dbusError)
      }
      if fate == 2 { return bluez.deviceGoes() }
      bluez.linkUp()
      call.reply()
      bluez.bus.loop.after(delay()) {
        guard bluez.isConnected else { return }
        if fate == 3 { bluez.linkLost() } else { bluez.servicesAppear() }
      }
    }
  }
}

/// What bluetoothd still has to do for the client.
final class Ledger: Sendable {
  private let state = Guarded((discovering: 0, notifying: 0, attempts: 0, attempt: Int?.none))

  var discovering: Int {
    get { state.withLock { $0.discovering } }
    set { state.withLock { $0.discovering = newValue } }
  }
  var notifying: Int {
    get { state.withLock { $0.notifying } }
    set { state.withLock { $0.notifying = newValue } }
  }
  var attempt: Int? {
    get { state.withLock { $0.attempt } }
    set { state.withLock { $0.attempt = newValue } }
  }

  func begin() -> Int {
    state.withLock { state in
      state.attempts += 1
      state.attempt = state.attempts
      return state.attempts
    }
  }
}

@Suite("Fault schedules")
struct FaultScheduleTests {
  @Test("nothing is left behind, whatever goes wrong", arguments: 0..<400)
  func leavesNothing(seed: Int) throws {
    let bench = try Bench()
    let schedule = FaultSchedule(seed: UInt64(seed))
    let ledger = Ledger()
    bench.bluez.isDeviceKnown = schedule.draw(0..<2) == 0
    schedule.arm(bench.bluez, ledger)
    let service = try bench.service()
    let level = try CharacteristicSelector(parsing: "2a19")
    let chain = service.connect()
      .flattenMap { service.read(level) }
      .flattenMap { _ in service.notifications(level).take(1) }
    let limit = Duration.seconds(schedule.draw(1..<60))
    _ = chain.map { _ in true }.firstOrDefault(false, within: limit)
    bench.drain()
    #expect(!bench.bluez.isConnected, "seed \(seed)")
    #expect(ledger.discovering == 0, "seed \(seed)")
    #expect(ledger.notifying == 0, "seed \(seed)")
    #expect(bench.bluez.calls.count < 30, "seed \(seed)")
  }
}
