// Small programs whose last statement leaves a connection: it is down when the process has ended.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Foundation
import Signals
import Testing

@Suite("Programs that end while they are connected", .blocking)
struct LeavingTests {
  /// The device of the host, as a program would make it.
  static func device(at address: String) async throws -> BlueZDevice {
    let loop = EventLoop()
    let client = try await BlueZClient.open(address: .given(address), on: loop)
    return BlueZDevice(
      client: client, target: .name("Quick-1"), scheduler: SerialScheduler(on: loop)
    )
  }

  static func rates(of device: BlueZDevice) -> Signal<NotifiedValue> {
    device.session { device.notifications("heart-rate-measurement") }
  }

  /// A host whose links end a while after they were left, as those of bluetoothd do.
  private func host() throws -> SimulatedHost {
    try SimulatedHost(
      SimulatedHost.quick.replacing("disconnect-delay: 20ms", with: "disconnect-delay: 1s")
    )
  }

  @Test("a loop over values that is left by the last statement")
  func values() async throws {
    let host = try host()
    await #expect(processExitsWith: .success) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      for try await _ in LeavingTests.rates(of: device).values { break }
    }
    #expect(try !host.isConnected())
  }

  @Test("a closure of withValues that is left by the last statement")
  func withValues() async throws {
    let host = try host()
    await #expect(processExitsWith: .success) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      try await LeavingTests.rates(of: device).withValues { for try await _ in $0 { break } }
      // Nothing is left for the exit.
      _exit(EXIT_SUCCESS)
    }
    #expect(try !host.isConnected())
  }

  @Test("a call of exit in the loop")
  func exits() async throws {
    let host = try host()
    await #expect(processExitsWith: .exitCode(3)) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      for try await _ in LeavingTests.rates(of: device).values { exit(3) }
    }
    #expect(try !host.isConnected())
  }

  @Test("a call of exit in the closure of withConnection, which then never returns")
  func exitsInConnection() async throws {
    let host = try host()
    await #expect(processExitsWith: .exitCode(3)) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      try await device.withConnection(within: .seconds(30)) { _ -> Void in exit(3) }
    }
    #expect(try !host.isConnected())
  }

  @Test("a call of exit in such a closure on the main actor, in a loop over notifications")
  func exitsOnMainActor() async throws {
    let host = try host()
    await #expect(processExitsWith: .exitCode(3)) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      let work: @MainActor () async throws -> Void = {
        try await device.withConnection(within: .seconds(30)) { connection -> Void in
          for try await _ in connection.notifications("heart-rate-measurement") { exit(3) }
        }
      }
      try await work()
    }
    #expect(try !host.isConnected())
  }

  @Test("a task that is cancelled, as a handler of SIGINT does it")
  func cancelled() async throws {
    let host = try host()
    await #expect(processExitsWith: .success) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      let begun = Mailbox<Bool>(bound: 1_000)
      let task = Task.detached(priority: Task.currentPriority) {
        for try await _ in LeavingTests.rates(of: device).values { begun.send(true) }
      }
      _ = try await begun.next(on: device.scheduler.loop)
      task.cancel()
      _ = await task.result
      _exit(EXIT_SUCCESS)
    }
    #expect(try !host.isConnected())
  }

  @Test("a blocking call that has returned at its deadline")
  func blocking() async throws {
    let host = try host()
    await #expect(processExitsWith: .success) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      let all = LeavingTests.rates(of: device).collect().firstOrDefault([], within: .seconds(3))
      precondition(all.error != nil)
    }
    #expect(try !host.isConnected())
  }

  @Test("an observation that goes on")
  func observation() async throws {
    let host = try host()
    await #expect(processExitsWith: .success) { [address = host.address as String] in
      let device = try await LeavingTests.device(at: address)
      let begun = Mailbox<Bool>(bound: 1_000)
      // Without a home, so that it takes a turn and may connect.
      Signal.just(0).flattenMap { _ in LeavingTests.rates(of: device) }
        .observe(on: device.scheduler.loop) { _ in begun.send(true) }
      _ = try await begun.next(on: device.scheduler.loop)
    }
    #expect(try !host.isConnected())
  }
}
