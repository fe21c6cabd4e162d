// Scenario files: parsing, and the errors of invalid files.

import Bluetooth
import Documents
import Foundation
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Scenario files")
struct ScenarioFileTests {
  static let folder = ShippedDeviceTests.folder.deletingLastPathComponent()
    .appending(path: "scenarios")

  /// Reads a scenario beside the shipped ones.
  func scenario(_ text: String) throws -> ScenarioDefinition {
    try ScenarioFile.parse(text, file: Self.folder.appending(path: "test.yaml").path)
  }

  /// The errors in these keys of a scenario with a thermometer.
  func complaints(_ keys: String) -> [String] {
    let head = "scenario: Test\ndevices: [{ use: ../devices/thermometer.yaml }]\n"
    do {
      _ = try scenario(head + keys)
      return []
    } catch let errors as DocumentErrors {
      return errors.problems.map {
        $0.description.replacingOccurrences(of: Self.folder.path + "/", with: "")
      }
    } catch {
      return ["\(error)"]
    }
  }

  @Test("the names of all devices are those that have one meaning among them")
  func names() throws {
    let scenario = try scenario(
      """
      scenario: Names
      names: { hall: fff0 }
      devices:
        - { address: C0:FF:EE:04:00:00, names: { moisture: fff1, lamp: fff2, Pump: fff4 } }
        - { address: C0:FF:EE:04:00:01, names: { moisture: fff1, light: fff2, pump: fff5 } }
        - { use: ../devices/thermometer.yaml }
      """
    )
    let named = scenario.attributeNames.entries.map { "\($0.name)=\($0.uuid)" }
    #expect(named.sorted() == ["hall=fff0", "moisture=fff1"])
  }

  @Test("devices are referred to, copied with numbers, or defined inline")
  func devices() throws {
    let scenario = try scenario(
      """
      scenario: Many
      seed: 12
      devices:
        - use: ../devices/thermometer.yaml
        - { use: ../devices/heart-rate.yaml, count: 3, address: C0:FF:EE:01:00:FF }
        - { use: ../devices/echo.yaml, count: 2, name: "E#x", address: C0:FF:EE:02:00:00 }
        - { use: ../devices/battery.yaml, name: Spare, address: C0:FF:EE:03:00:00 }
        - { name: Own, address: C0:FF:EE:04:00:00 }
      """
    )
    #expect(scenario.name == "Many" && scenario.seed == 12 && scenario.faults.isEmpty)
    #expect(
      scenario.devices.map { $0.name ?? "" } == [
        "Thermo-1", "HRM-1", "HRM-2", "HRM-3", "E1x", "E2x", "Spare", "Own",
      ]
    )
    #expect(
      scenario.devices[1...3].map { "\($0.address)" } == [
        "C0:FF:EE:01:00:FF", "C0:FF:EE:01:01:00", "C0:FF:EE:01:01:01",
      ]
    )
  }

  @Test("copies whose addresses would wrap around to zero are refused")
  func addresses() throws {
    let last = "[{ name: E, address: FF:FF:FF:FF:FF:FE, count: "
    #expect(try scenario("scenario: End\ndevices: \(last)2 }]").devices.count == 2)
    #expect {
      try scenario("scenario: End\ndevices: \(last)3 }]")
    } throws: { error in
      "\(error)".contains("count 3 from address FF:FF:FF:FF:FF:FE goes beyond FF:FF:FF:FF:FF:FF")
    }
  }

  @Test("a device file is a scenario without faults")
  func deviceFile() throws {
    let path = ShippedDeviceTests.folder.appending(path: "echo.yaml").path
    let scenario = try ScenarioFile.load(path: path)
    #expect(scenario.name.isEmpty && scenario.faults.isEmpty && scenario.seed == nil)
    #expect(scenario.devices == (try DeviceFile.load(path: path)))
  }

  @Test("the host is parsed")
  func host() throws {
    let scenario = try scenario(
      """
      scenario: Host
      devices: []
      host:
        bluez: "5.83"
        adapter: { number: 2, address: 00:00:5E:00:53:42, name: desk, powered: false }
        monitors: true
        disconnect-delay: 1s
        answer-timeout: 4s
      """
    )
    var host = HostDefinition()
    host.release = HostDefinition.Release(5, 83)
    let address = BluetoothAddress("00:00:5E:00:53:42")
    host.adapters = [
      AdapterSettings(number: 2, address: address, name: "desk", isPowered: false)
    ]
    host.offersMonitors = true
    host.disconnectDelay = .seconds(1)
    host.answerTimeout = .seconds(4)
    #expect(scenario.host == host)
  }

  @Test("an adapter can have link, security and faults for the peripherals that programs run on it")
  func peripheral() throws {
    let scenario = try scenario(
      """
      scenario: Peripheral
      devices: []
      host:
        adapters:
          - {}
          - link: { mtu: 100 }
            security: { pairing: reject }
            faults:
              - { on: read, nth: 2, do: lose-link }
              - { fault: small-mtu, mtu: 50 }
      """
    )
    let adapters = scenario.host.adapters
    #expect(adapters[0].peripheral == AdapterSettings().peripheral)
    #expect(adapters[1].peripheral.link.mtu == 50)
    #expect(adapters[1].peripheral.pairing.method == .reject)
    let rule = FaultRule(on: .read, occurrence: .nth(2), action: .loseLinkBefore)
    #expect(adapters[1].peripheral.faults == [rule])
  }

  @Test("operation faults become rules of their devices, property faults change the devices")
  func operations() throws {
    let scenario = try scenario(
      """
      scenario: Rules
      devices:
        - use: ../devices/thermometer.yaml
        - use: ../devices/heart-rate.yaml
      faults:
        - { fault: att-error, device: Thermo-1, on: read, nth: 2, burst: 3, error: 0x80 }
        - { fault: slow, by: 2s, at: 3s, for: 5s, probability: 0.5 }
        - { fault: small-mtu, device: [C0:FF:EE:00:00:02], mtu: 50 }
        - { fault: connection-limit, device: "HRM-*", limit: 2 }
        - { on: read, characteristic: battery-level, nth: 9, do: vanish, device: Thermo-1 }
      """
    )
    let refusal = FaultRule(
      on: .read, occurrence: .nth(2), burst: 3, action: .refuse(ATTErrorCode(rawValue: 0x80))
    )
    let slow = FaultRule(
      on: .any, occurrence: .probability(0.5), window: .seconds(3)..<(.seconds(8)),
      action: .slow(.seconds(2))
    )
    let limit = FaultRule(on: .connect, condition: .links(2), action: .refuseConnection)
    let own = FaultRule(
      on: .read, characteristic: BluetoothUUID(short: 0x2a19), occurrence: .nth(9), action: .vanish
    )
    #expect(scenario.devices.map(\.faults) == [[refusal, slow, own], [slow, limit]])
    #expect(scenario.devices.map(\.link.mtu) == [185, 50])
    #expect(scenario.faults.isEmpty)
  }

  @Test("faults of the world are scheduled at their times")
  func scheduled() throws {
    let scenario = try scenario(
      """
      scenario: Scheduled
      devices:
        - use: ../devices/thermometer.yaml
        - use: ../devices/heart-rate.yaml
      faults:
        - { fault: out-of-range, device: Thermo-1, at: 3s, for: 5s, every: 1m, times: 2 }
        - { fault: link-lost, after: read, characteristic: battery-level, nth: 2, delay: 1s }
        - { fault: drop-in-turn, between: [1s, 9s], gap: 2s }
        - { fault: services-empty, device: HRM-1 }
      """
    )
    let (first, second) = (scenario.devices[0].address, scenario.devices[1].address)
    let level = BluetoothUUID(short: 0x2a19)
    #expect(
      scenario.faults == [
        ScheduledFault(
          .at(.seconds(3), every: .seconds(60), times: 2),
          [
            TimedAction(.device(first, .vanish)),
            TimedAction(after: .seconds(5), .device(first, .appear)),
          ]
        ),
        ScheduledFault(
          .after(WorldEvent.Pattern(.read, characteristic: level), .nth(2), delay: .seconds(1)),
          [TimedAction(.device(first, .loseLink)), TimedAction(.device(second, .loseLink))]
        ),
        ScheduledFault(
          .between(.seconds(1), .seconds(9)),
          [
            TimedAction(.device(first, .loseLink)),
            TimedAction(after: .seconds(2), .device(second, .loseLink)),
          ]
        ),
        ScheduledFault(.at(.zero), [TimedAction(.device(second, .services(.empty)))]),
      ]
    )
  }

  @Test(
    "errors in a scenario are reported",
    arguments: [
      ("seed: -1", "a whole number from 0"),
      ("seed: soon", "a whole number from 0"), ("host: { bluez: new }", "a release such as"),
      ("host: { adapter: { number: 256 } }", "from 0 to 255"),
      ("host: { adapter: { address: here } }", "an address such as"),
      ("host: { adapters: [] }", "at least one adapter"),
      ("host: { adapters: [{ number: 1 }, { number: 1 }] }", "another adapter has the number 1"),
      ("host: { adapter: {}, adapters: [{}] }", "exclude each other"),
      ("host: { adapters: 2 }", "a list of adapters"),
      ("host: { answer-timeout: soon }", "from 0s to 1h"),
      ("faults: 3", "a list of faults"), ("faults: [{}]", "the key 'fault' is missing"),
      ("faults: [{ on: read }]", "a rule has 'on' and 'do' in its place"),
      ("faults: [{ fault: out-of-rang }]", "did you mean 'out-of-range'?"),
      ("faults: [{ fault: link-lost }]", "missing trigger"),
      ("faults: [{ fault: link-lost, at: soon }]", "from 0s to 1h"),
      ("faults: [{ fault: link-lost, at: 1s, after: read }]", "exclude each other"),
      ("faults: [{ fault: link-lost, at: 1s, times: 2 }]", "without 'every' it fires once"),
      ("faults: [{ fault: link-lost, between: 1s }]", "two durations"),
      ("faults: [{ fault: link-lost, between: [2s, 1s] }]", "two durations"),
      ("faults: [{ fault: link-lost, after: reading }]", "one of connected"),
      ("faults: [{ fault: link-lost, after: red }]", "did you mean 'read'?"),
      (
        "faults: [{ fault: link-lost, after: connected, characteristic: battery-level }]",
        "does not take a characteristic"
      ),
      (
        "faults: [{ fault: link-lost, after: read, characteristic: heart-rate-measurement }]",
        "no device has the characteristic"
      ),
      ("faults: [{ fault: link-lost, at: 1s, for: 3s }]", "unknown key 'for'"),
      ("faults: [{ fault: link-lost, at: 1s, device: HRM-1 }]", "unknown device 'HRM-1'"),
      ("faults: [{ fault: adapter-off, at: 1s, device: Thermo-1 }]", "unknown key 'device'"),
      ("faults: [{ fault: att-error, on: connect }]", "does not apply to 'connect'"),
      ("faults: [{ fault: att-error, on: reed }]", "did you mean 'read'?"),
      ("faults: [{ fault: att-error, error: 300 }]", "unknown error code '300'"),
      ("faults: [{ fault: att-error, for: 3s }]", "'for' counts from 'at'"),
      ("faults: [{ fault: att-error, nth: 1, every: 2 }]", "exclude each other"),
      ("faults: [{ fault: att-error, burst: 0 }]", "from 1 to"),
      (
        "faults: [{ fault: no-answer, on: connect, characteristic: battery-level }]",
        "does not take"
      ),
      ("faults: [{ on: connect, do: lose-write }]", "does not apply to 'connect'"),
      ("faults: [{ on: read, do: vanish, device: HRM-1 }]", "unknown device 'HRM-1'"),
      (
        "faults: [{ on: read, do: vanish, characteristic: heart-rate-measurement }]",
        "no device has the characteristic"
      ),
      ("faults: [{ fault: slow, by: long }]", "from 0s to 1h"),
      ("faults: [{ fault: bond-lost, device: [], at: 1s }]", "found an empty list"),
      ("faults: [{ fault: small-mtu, mtu: 22 }]", "from 23 to 517"),
      ("faults: [{ fault: weak-signal, rssi: 21 }]", "from -127 to 20"),
      ("faults: [{ fault: adapter-off, adapter: hci1, at: 1s }]", "did you mean 'hci0'?"),
      ("faults: [{ fault: connection-limit, limit: 0 }]", "from 1 to 100"),
      ("faults: [{ fault: service-missing }]", "the key 'service' is missing"),
      ("faults: [{ fault: service-missing, service: heart-rate }]", "no device has the service"),
      ("faults: [{ fault: notify-acquired, at: 1s }]", "the key 'characteristic' is missing"),
      ("faults: [{ fault: adapter-renumbered, at: 1s, number: -1 }]", "from 0 to 255"),
      ("faults: [{ fault: busy-daemon, on: discover }]", "does not apply to 'discover'"),
      ("faults: [{ fault: drop-in-turn, at: 1s, gap: now }]", "from 0s to 1h"),
    ]
  )
  func wrong(keys: String, complaint: String) {
    let found = complaints(keys)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.contains(complaint) == true, "\(found)")
    #expect(found.first?.hasPrefix("test.yaml:3:") == true, "\(found)")
  }

  @Test("errors in the scenario's devices are reported with their place, even in another file")
  func wrongDevices() throws {
    func errors(_ devices: String) -> String {
      do {
        _ = try scenario("scenario: Test\ndevices: \(devices)\n")
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(errors("[{ use: none.yaml }]").contains("test.yaml:2:18: devices.1.use: "))
    #expect(errors("[{ use: none.yaml }]").contains("the file cannot be read"))
    #expect(errors("[{ use: drop-in-turn.yaml }]").contains("drop-in-turn.yaml:5:1: "))
    let bare = "test.yaml:2:11: devices.1: expected a device, or { use: a.yaml }, found 'a.yaml'"
    #expect(errors("[a.yaml]").hasSuffix(bare))
    #expect(errors("[{ us: a.yaml }]").contains("unknown key 'us'"))
    #expect(errors("[{ use: ../devices/echo.yaml, cont: 2 }]").contains("did you mean 'count'?"))
    #expect(errors("[{ use: ../devices/echo.yaml, count: 0 }]").contains("from 1 to 100"))
    let twice = "[{ use: ../devices/echo.yaml }, { use: ../devices/echo.yaml }]"
    #expect(errors(twice).contains("another device has the address"))
    #expect(errors("[{ name: A }]").contains("the key 'address' is missing"))
    #expect(throws: DocumentErrors.self) { try scenario("scenario: Test") }
  }

  @Test("with a misspelt 'scenario' a file is still a scenario, and only that is reported")
  func misspelt() throws {
    let text = "scenaro: Test\nseed: 7\ndevices: [{ use: ../devices/echo.yaml }]\nfaults: []\n"
    let errors = try #require(throws: DocumentErrors.self) { try scenario(text) }
    #expect(
      errors.problems.map(\.withoutPlace) == [
        "the key 'scenario' is missing (expected what it is about)",
        "unknown key 'scenaro' (did you mean 'scenario'?)",
      ]
    )
  }
}
