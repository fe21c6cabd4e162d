// A simulated run repeats: the same output and bus log in two processes, however busy the machine.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Repeating a simulated run", .blocking, .serialized)
struct RepeatTests {
  /// A chain, the device that it runs on, and whether the device's values are drawn from the seed.
  struct Example: CustomTestStringConvertible, Sendable {
    let name: String
    let device: String
    let chain: [String]
    let isSeeded: Bool

    var testDescription: String { name }

    /// An example of the documentation on the device of the same name.
    init(_ name: String, isSeeded: Bool) {
      self.name = name
      device = "\(projectFolder)/Simulators/devices/\(name).yaml"
      chain = ["\(projectFolder)/docs/examples/\(name).yaml"]
      self.isSeeded = isSeeded
    }
  }

  static let examples = [
    Example("thermometer", isSeeded: true),
    // Waves without noise, constants, a counter, an echo.
    Example("heart-rate", isSeeded: false),
    Example("battery", isSeeded: false),
    Example("echo", isSeeded: false),
    // The duration of each operation is random.
    Example("uart", isSeeded: true),
    Example("tag", isSeeded: true),
    Example("thingy", isSeeded: true),
    Example("glucose", isSeeded: false),
    Example("firmware-update", isSeeded: false),
  ]

  @Test(
    "output is identical byte for byte in another folder on a busy machine",
    arguments: sampled(examples)
  )
  func repeats(_ example: Example) throws {
    try check(device: example.device, chain: example.chain, isSeeded: example.isSeeded, status: 0)
  }

  @Test("output is identical with faults, too")
  func faults() throws {
    let folder = try TemporaryFolder()
    let text = try String(
      contentsOfFile: "\(projectFolder)/Simulators/devices/thermometer.yaml", encoding: .utf8
    )
    let rules = """

      faults:
        - { on: connect, nth: 1, do: refuse-connection }
        - { on: read, characteristic: battery-level, probability: 0.2, do: refuse unlikely-error }
        - { on: read, probability: 0.1, do: lose-link }
        - { on: subscribe, probability: 0.5, do: slow 700ms }
      """
    let device = try folder.file("faulty.yaml", text + rules)
    let chain = try folder.file(
      "chain.yaml",
      """
      name: Among faults
      retry: { attempts: 9, backoff: 500ms }
      steps:
        - repeat: 3
          steps: [ { read: battery-level }, { read: temperature-measurement } ]
        - notify: intermediate-temperature
          until: { count: 5 }
      """
    )
    let output = try check(device: device, chain: [chain], isSeeded: true, status: 0)
    #expect(output.contains(#""status":"failed""#) && output.contains(#""attempt":2"#))
  }

  /// Runs a chain three times: alone, on a busy machine, and with another seed.
  ///
  /// - Returns: What it printed.
  @discardableResult
  private func check(
    device: String, chain: [String], isSeeded: Bool, status: Int32
  ) throws -> String {
    let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
    let alone = try run(device, chain, seed: 7, in: here)
    #expect(alone.run.status == status, "\(alone.run.errors)")
    #expect(alone.run.output.contains("run-finished"))
    #expect(!alone.log.isEmpty)

    let spinners = try (0..<2).map { _ in try Spinner() }
    let busy = try run(device, chain, seed: 7, in: there)
    for spinner in spinners { spinner.end() }
    #expect(alone.run.output == busy.run.output)
    #expect(alone.run.status == busy.run.status)
    #expect(alone.log == busy.log)

    let other = try run(device, chain, seed: 6, in: here)
    let isSame = Self.measured(other.run.output) == Self.measured(alone.run.output)
    #expect(isSame == !isSeeded)
    // The identity of the run and the RSSI are random for each device.
    #expect(other.run.output != alone.run.output)
    #expect(other.log != alone.log)
    return alone.run.output
  }

  private func run(
    _ device: String, _ chain: [String], seed: Int, in folder: TemporaryFolder
  ) throws -> (run: RunningProgram.Ended, log: Data) {
    let log = "\(folder.path)/bus-\(seed).log"
    let run = try blerun(
      ["run"] + chain + [
        "--simulate", device, "--seed", "\(seed)", "--output", "json", "--bus-log", log,
      ],
      in: folder.path
    )
    return (run, try Data(contentsOf: URL(fileURLWithPath: log)))
  }

  /// The output without the identity of the run.
  private static func measured(_ output: String) -> String {
    output.replacing(/"(run|seed)":[^,]*,/, with: "")
  }
}

/// A child that keeps a processor busy until it is ended.
private final class Spinner {
  private var child: Child?

  init() throws {
    child = try Child(
      ["/bin/sh", "-c", "while :; do :; done"], streams: [.nothing, .nothing, .inherited]
    )
  }

  func end() {
    child?.send(SIGKILL)
    child?.wait()
    child = nil
  }

  deinit { end() }
}
