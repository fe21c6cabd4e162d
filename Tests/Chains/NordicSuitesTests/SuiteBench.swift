// Shared by the suite tests: simulated devices, a suite run on them, and its output.

import BLETesting
import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import Documents
import Fixtures
import Jobs
import NordicSuites
import Signals
import SimulatedDevices
import Testing

/// A run of a suite in virtual time.
struct SuiteBench {
  let world: SimulatedWorld
  private let recorded = Recorded<RunEvent>()
  private let textLines = Recorded<String>()
  private let jsonLines = Recorded<String>()
  var settings = SuiteSettings()
  var devices: [String: DeviceTarget] = [:]
  /// The failure of each query of a controller; nil for none.
  var meterFailure: DeviceFailure.Code?

  /// - Parameter devices: Definitions below `Simulators/devices`, or texts of their own.
  init(_ devices: String..., bluez: BlueZVersion = .usual) throws {
    try self.init(devices, bluez: bluez)
  }

  init(_ devices: [String], bluez: BlueZVersion = .usual) throws {
    let sources = devices.map { text in
      text.contains("\n")
        ? DeviceSource.yaml(text) : .file("\(projectFolder)/Simulators/devices/\(text).yaml")
    }
    world = try SimulatedWorld(sources, settings: SimulatorSettings(version: bluez))
  }

  func runner(_ suite: Suite, seed: UInt64 = 0) -> SuiteRunner {
    let world = world
    let meterFailure = meterFailure
    return SuiteRunner(
      suite: suite, scheduler: world.scheduler, seed: seed, settings: settings, devices: devices,
      makeService: { target in
        let service = target == .any ? try? world.service() : try? world.service(target.text)
        guard let service else { preconditionFailure("the suite names a device that is not there") }
        guard let meterFailure else { return service }
        return BlueZDevice(
          client: world.client, target: target, scheduler: world.scheduler,
          meter: FailingMeter(code: meterFailure)
        )
      },
      report: { [recorded, textLines, jsonLines] event in
        recorded.add(event)
        for line in TextReport().lines(for: event) { textLines.add(line) }
        for line in JSONLinesReport().lines(for: event) { jsonLines.add(line) }
      }
    )
  }

  /// Runs a suite to its end.
  @discardableResult
  func run(_ suite: Suite) throws -> RunGroupEnding {
    let runner = runner(suite)
    return try world.loop.run { await runner.run() }
  }

  /// Runs operations as the only test of a suite with the first device as its target.
  @discardableResult
  func run(_ operations: String) throws -> RunGroupEnding {
    try run(Self.suite(operations, address: world.device().definition.address))
  }

  /// A suite of one test.
  static func suite(
    _ operations: String, address: BluetoothAddress = BluetoothAddress(number: 0xc0ff_ee00_0001)
  ) throws -> Suite {
    try Suite.parse(
      """
      <test-suite>
        <target id="dut" address="\(address)"/>
        <test id="t" target="dut">
          \(operations)
        </test>
        <run-test ref="t"/>
      </test-suite>
      """,
      file: "suite.xml"
    )
  }

  /// How each operation ended, in order.
  var results: [StepResult] {
    events.compactMap { event in
      if case .step(.finished(let result)) = event.change { result } else { nil }
    }
  }

  /// The events of its tests.
  var events: [RunEvent] { recorded.all }

  /// Each operation and how it ended: `connect`, `read failed: the value is 01, not 02`.
  var endings: [String] {
    results.map { result in
      let remarks =
        result.status == .warning ? result.notes : [result.failure?.why].compactMap(\.self)
      let isPlain = result.status == .ok && remarks.isEmpty
      return result.step.operation
        + (isPlain ? "" : " \(result.status.rawValue): \(remarks.joined(separator: "; "))")
    }
  }

  var text: [String] { textLines.all }
  var json: [String] { jsonLines.all }
}

/// Attributes of an element that name a characteristic of the echo.
enum Echo {
  static let service = "service-uuid=\"6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
  static let echo = "\(service) characteristic-uuid=\"6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
  static let control = "\(service) characteristic-uuid=\"6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
  static let answers = "\(service) characteristic-uuid=\"6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
  static let subscription = "uuid=\"00002902-0000-1000-8000-00805f9b34fb\""

  /// The write that subscribes to the answers.
  static let subscribe = "<write-descriptor \(subscription) \(answers) value=\"0100\"/>"
}

/// A meter whose queries fail, for example without the right to query a controller.
private struct FailingMeter: LinkMeter {
  let code: DeviceFailure.Code

  private var refusal: DeviceFailure {
    DeviceFailure(
      code: code, class: .unavailable, operation: "querying the controller",
      meaning: "this host cannot query it", hint: "run it on another host"
    )
  }

  func strength(of link: LinkIdentity) async throws -> LinkStrength { throw refusal }

  func parameters(of link: LinkIdentity) async throws -> ConnectionParameters { throw refusal }

  func change(
    _ link: LinkIdentity, to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    throw refusal
  }

  func phy(of link: LinkIdentity) async throws -> LinkPHY { throw refusal }

  func change(_ link: LinkIdentity, to wanted: PHY) async throws -> LinkPHY { throw refusal }
}
