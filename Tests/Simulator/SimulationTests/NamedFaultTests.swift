// Every fault that a scenario may name makes a difference.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Named faults")
struct NamedFaultTests {
  /// The outcome of a chain, and its time.
  struct Ending: Equatable {
    let history: [String]
    let values: [[UInt8]]
    let error: String?
    let time: Duration
  }

  /// Two devices, the second of which has a link already; and these faults.
  static func text(_ faults: String) -> String {
    """
    scenario: Test
    devices:
      - name: First
        address: C0:FF:EE:00:00:01
        security: { pairing: just-works }
        advertisement: { rssi-spread: 0 }
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read, notify], value: { u8: 87 } }
          - service: fff0
            characteristics:
              - { characteristic: fff1, properties: [read, write, notify], echo: true }
              - characteristic: fff2
                properties: [notify]
                counter: { format: u8, from: 1, every: 1s }
              - characteristic: fff3
                properties: [read, write-without-response]
                value: { u8: 0 }
      - name: Second
        address: C0:FF:EE:00:00:02
        services: [{ service: battery }]
    faults:
    \(faults)
    """
  }

  /// Plays a scenario, and runs a chain over everything that faults happen to.
  static func play(_ faults: String) throws -> Ending {
    let world = try SimulatedWorld(.yaml(text(faults)))
    defer { world.end() }
    func service(_ name: String) -> BlueZDevice {
      BlueZDevice(
        client: world.client, target: .name(name), scheduler: world.scheduler, meter: world.player
      )
    }
    let values = Guarded<[[UInt8]]>([])
    let (first, second) = (service("First"), service("Second"))
    let outcome = Self.chain(first, second) { value in values.withLock { $0.append(value) } }
      .firstOrDefault((), within: .seconds(120))
    return Ending(
      history: world.events.map(\.description), values: values.withLock { $0 },
      error: outcome.error.map { "\($0)" }, time: world.loop.now.sinceStart
    )
  }

  private static func chain(
    _ first: BlueZDevice, _ second: BlueZDevice, _ seen: @escaping @Sendable ([UInt8]) -> Void
  ) -> Signal<Void> {
    let command = CharacteristicSelector(characteristic: BluetoothUUID(short: 0xfff3))
    let scan = first.scan(ScanFilter()).takeUntil(Signal.just(()).delay(.seconds(1))).collect()
    return scan.flattenMap { _ in second.connect() }
      .flattenMap { first.connect() }
      .flattenMap { first.rssi() }.map { seen([UInt8(bitPattern: Int8(clamping: $0.rssi))]) }
      .flattenMap { first.mtu() }.map { seen([UInt8(truncatingIfNeeded: $0)]) }
      .flattenMap { first.read(CharacteristicSelector(characteristic: .batteryLevel)) }.map(seen)
      .flattenMap { first.write([7], to: command, kind: .command) }
      .flattenMap { Signal.just(()).delay(.seconds(1)) }
      .flattenMap { first.read(command) }.map(seen)
      .flattenMap {
        first.write(
          [5], to: CharacteristicSelector(characteristic: BluetoothUUID(short: 0xfff1)),
          kind: .request
        )
      }
      .flattenMap {
        first.notifications(CharacteristicSelector(characteristic: BluetoothUUID(short: 0xfff2)))
          .take(3).collect()
      }
      .map { for value in $0 { seen(value.value) } }
      .flattenMap { first.pair(PairingAnswers()) }
      .flattenMap { _ in first.disconnect() }
      .flattenMap { first.connect() }
      .flattenMap { _ in first.disconnect() }
      .flattenMap { second.disconnect() }
  }

  /// The keys that a fault has to have, or that bring it into the chain.
  static func keys(_ fault: NamedFault) -> String {
    switch fault.name {
    case "service-missing": "service: fff0"
    case "services-stale": "service: fff0, device: First, after: connected, delay: 200ms"
    case "write-acquired": "device: First, characteristic: fff3, at: 0s"
    case "notify-acquired": "device: First, characteristic: fff2, at: 0s"
    case "slow", "late-answer": "on: read, by: 1s"
    case "device-removed": "device: First, after: read, nth: 1"
    case "connection-limit": "device: First, limit: 1"
    // The client ends its own scan before it connects.
    case "scan-disturbs-connect": "}\n  - { fault: other-scanning"
    case "link-lost", "out-of-range", "drop-in-turn": "after: read, nth: 1"
    case "bus-closed", "adapter-off", "adapter-unplugged", "adapter-renumbered", "daemon-restart",
      "daemon-crash":
      "after: read, nth: 1"
    case "other-connecting", "link-left-behind": "at: 0s"
    case "bond-lost": "device: First, after: paired"
    case "security-requested": "device: First, after: connected"
    case "disconnect-hangs": "nth: 1"
    default: "device: First"
    }
  }

  static func line(_ fault: NamedFault) -> String {
    var keys = keys(fault)
    let isOfHost = [
      "unanswered-calls", "lost-answers", "busy-daemon", "wrong-transport", "other-scanning",
    ].contains(fault.name)
    if isOfHost { keys = "at: 0s" }
    return "  - { fault: \(fault.name), \(keys) }"
  }

  @Test("without any fault, the chain succeeds with the same result each time")
  func well() throws {
    let ending = try Self.play("  []")
    #expect(ending.error == nil)
    #expect(ending.values.suffix(3) == [[1], [2], [3]] || ending.values.count == 7)
    #expect(try Self.play("  []") == ending)
  }

  @Test("each fault changes the result, reproducibly", arguments: NamedFault.all)
  func difference(_ fault: NamedFault) throws {
    let line = Self.line(fault)
    let ending = try Self.play(line)
    #expect(ending != (try Self.play("  []")), "\(line)")
    #expect(ending == (try Self.play(line)), "the same fault gives the same ending")
  }
}
