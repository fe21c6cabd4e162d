// No interleaving: chains of many threads, one after the other at the device.

import BlueZ
import BlueZSimulator
import Bluetooth
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("No interleaving", .blocking)
struct SerialTests {
  /// The ending of a chain, by its number.
  enum Course: Int, CaseIterable {
    /// Connect, write, read, disconnect.
    case whole
    /// Connect, write, then a read that fails; never calls disconnect.
    case failsHalfWay
    /// Connect, write, read; never calls disconnect.
    case forgetsToDisconnect
    /// The number is written, then the value is awaited that never comes.
    case timesOut
  }

  @Test("1 000 chains from eight threads each have their own link, one after the other")
  func chains() throws {
    let simulation = try Simulation(on: EventLoop(), settings: .instant)
    let (threads, each) = (8, 125)
    let wrong = Recorded<String>()
    let done = DispatchSemaphore(value: 0)
    for thread in 0..<threads {
      let work = Thread {
        for turn in 0..<each {
          let number = thread * each + turn
          if let complaint = Self.run(number, simulation.service) { wrong.add(complaint) }
        }
        done.signal()
      }
      work.stackSize = 8 << 20
      work.start()
    }
    let deadline = DispatchTime.now() + 240
    let ended = (0..<threads).filter { _ in done.wait(timeout: deadline) == .success }
    try #require(ended.count == threads, "chains hang: \(simulation.events.count) events")
    #expect(wrong.all == [])

    let ledger = simulation.ledger
    #expect(ledger.violations == [])
    #expect(ledger.scansInLinks == [])
    #expect(!ledger.isUp)
    #expect(simulation.scheduler.isIdle)
    #expect(ledger.links.count == threads * each)
    // Each link belongs to one chain, whose number was written over it; no chain has two links.
    let numbers = ledger.links.map { link in
      link.compactMap { event in
        if case .written(_, _, let value) = event { Self.number(value) } else { nil }
      }
    }
    #expect(numbers.allSatisfy { $0.count == 1 })
    #expect(Set(numbers.flatMap { $0 }).count == threads * each)
  }

  @Test("chains that are cancelled from the loop all return, whichever thread drives it")
  func cancelledFromTheLoop() throws {
    for round in 0..<20 {
      let simulation = try Simulation(on: EventLoop(), settings: .instant)
      let (service, scheduler) = (simulation.service, simulation.scheduler)
      let echo = CharacteristicSelector(characteristic: .alertLevel)
      let done = DispatchSemaphore(value: 0)
      let threads = 6
      // The value never comes: only the cancellation ends the wait.
      let endless = service.connect().flattenMap { service.notifications(echo) }.map { $0.value }
      // The holder does not block a thread: one of the waiting threads drives the loop.
      let holder = simulation.loop.task { try? await endless.first(within: .seconds(300)) }
      for _ in 0..<threads {
        let work = Thread {
          if !endless.firstOrDefault([], within: .seconds(300)).success { done.signal() }
        }
        work.stackSize = 8 << 20
        work.start()
      }
      // Again and again: a thread may come late to its turn.
      let (loop, isOver) = (simulation.loop, Guarded(false))
      @Sendable func cancel() {
        if isOver.withLock({ $0 }) { return }
        scheduler.cancelAll()
        loop.after(.milliseconds(50)) { cancel() }
      }
      loop.after(.milliseconds(50 + round)) { cancel() }
      let deadline = DispatchTime.now() + 60
      let ended = (0..<threads).filter { _ in done.wait(timeout: deadline) == .success }
      try #require(ended.count == threads, "round \(round): \(ended.count) of \(threads) returned")
      isOver.withLock { $0 = true }
      _ = try simulation.loop.run { try await holder.value }
      #expect(!simulation.ledger.isUp)
      #expect(scheduler.isIdle)
    }
  }

  /// Runs one chain, blocking.
  ///
  /// - Returns: What was not as it should be.
  private static func run(_ number: Int, _ service: BlueZDevice) -> String? {
    let course = Course.allCases[number % Course.allCases.count]
    let echo = CharacteristicSelector(characteristic: .alertLevel)
    let written = service.connect()
      .flattenMap { service.write(octets(number), to: echo, kind: .request) }
    switch course {
    case .whole:
      let read = written.flattenMap { service.read(echo) }
        .flattenMap { value in service.disconnect().map { value } }
        .firstOrDefault([], within: .seconds(100))
      return read.success && read.value == octets(number) ? nil : "\(number): \(read)"
    case .forgetsToDisconnect:
      let read = written.flattenMap { service.read(echo) }
        .firstOrDefault([], within: .seconds(100))
      return read.success && read.value == octets(number) ? nil : "\(number): \(read)"
    case .failsHalfWay:
      let missing = CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a04))
      let read = written.flattenMap { service.read(missing) }
        .firstOrDefault([], within: .seconds(100))
      let code = (read.error as? DeviceFailure)?.code
      return code == .characteristicMissing ? nil : "\(number): \(read)"
    case .timesOut:
      let value =
        written
        .flattenMap { service.notifications(echo).timeout(.milliseconds(1)) }
        .map { $0.value }
        .firstOrDefault([], within: .seconds(100))
      return value.success ? "\(number): \(value)" : nil
    }
  }

  private static func octets(_ number: Int) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 0xff)]
  }

  private static func number(_ octets: [UInt8]) -> Int {
    octets.reduce(0) { $0 << 8 | Int($1) }
  }
}
