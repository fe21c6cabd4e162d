// A converted suite passes and fails where the suite does, or the conversion says what it lost.

import BLETesting
import Bluetooth
import Documents
import Jobs
import NordicSuites
import Signals
import SimulatedDevices
import Testing

@Suite("Verdicts of converted suites")
struct ConvertedVerdictTests {
  /// A suite and the devices that it is for.
  struct Sample: CustomTestStringConvertible, Sendable {
    let devices: [String]
    let suite: Suite

    var testDescription: String { "\(suite.title ?? "-") on \(devices[0].prefix(20))" }

    /// Operations on a device of `Simulators/devices`.
    static func operations(_ device: String, _ address: UInt64, _ operations: String) -> Sample {
      do {
        let suite = try Suite.parse(
          """
          <test-suite description="\(operations.prefix(60).filter { !"<>\"&\n".contains($0) })">
            <target id="dut" address="\(BluetoothAddress(number: address))"/>
            <test id="t" target="dut">
              \(operations)
            </test>
            <run-test ref="t"/>
          </test-suite>
          """,
          file: "suite.xml"
        )
        return Sample(devices: [device], suite: suite)
      } catch {
        preconditionFailure("\(error)")
      }
    }

    static func echo(_ operations: String) -> Sample {
      .operations("echo", 0xc0ff_ee00_0004, operations)
    }

    /// A suite or a macro in a file of the package.
    static func file(
      _ path: String,
      _ devices: String...,
      variables: [(name: String, value: String)] = []
    ) -> Sample {
      do {
        let path = TextFile.path("../../\(path)", beside: #filePath)
        return Sample(devices: devices, suite: try Suite.load(path: path, variables: variables))
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  private static let level = "service-uuid=\"180f\" characteristic-uuid=\"2a19\""

  /// A battery that notifies its level every 20 s.
  private static let slow = """
    name: Slow-1
    address: C0:FF:EE:00:00:21
    services:
      - service: battery
        characteristics:
          - characteristic: battery-level
            properties: [read, notify]
            counter: { format: u8, from: 50, every: 20s }
    """

  private static func macro(_ operations: String) -> Suite {
    do {
      return try Suite.parse("<macro name=\"M\">\(operations)</macro>", file: "macro.xml")
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func failing(_ code: Int) -> String {
    "expected=\"FAIL\" expectedErrorCode=\"\(code)\""
  }

  private static let answer = "<assert-notification \(Echo.answers) timeout=\"1000\">"
  private static let first = """
    \(answer)<write \(Echo.control) value="02"/><assert-value value-string="first"/>
    </assert-notification>
    """
  private static let configuration = "<read-descriptor \(Echo.subscription) \(Echo.answers)>"
  private static let subscribeSlow =
    "<write-descriptor \(Echo.subscription) \(level) value=\"0100\"/>"

  static let samples: [Sample] = [
    .file("docs/examples/nordic/heart-rate.xml", "heart-rate"),
    .file("docs/examples/nordic/lamp.xml", "thingy"),
    .file(
      "docs/examples/nordic/echo.xml",
      "echo",
      variables: [("ADDRESS", "C0:FF:EE:00:00:04")]
    ),
    .file(
      "Tests/Golden/suites/battery.xml",
      "battery",
      variables: [("ADDRESS", "C0:FF:EE:00:00:03")]
    ),
    .file("Tests/Golden/suites/every-operation.xml", "thermometer", "heart-rate"),
    .file("Tests/Golden/suites/macro.xml", "thingy"),
    // A macro waits without a timeout; a suite does not.
    Sample(devices: [slow], suite: macro("\(subscribeSlow) <wait-for-notification \(level)/>")),
    Sample(
      devices: [slow],
      suite: macro("\(subscribeSlow) <wait-for-notification \(level)/><sleep timeout=\"1\"/>")
    ),
    .operations(
      slow,
      0xc0ff_ee00_0021,
      "<connect/> \(subscribeSlow) <assert-notification \(level)/>"
    ),
    // One subscription and two waits: the second value arrives between two steps.
    .echo(
      """
      <connect/> \(Echo.subscribe) \(first)
      \(answer)<assert-value value="02"/></assert-notification>
      """
    ),
    .echo(
      """
      <connect/> \(Echo.subscribe) <write \(Echo.control) value="01"/>
      \(answer)</assert-notification>
      """
    ),
    .echo("<connect/> \(Echo.subscribe) \(first)"),
    .echo("<connect/> \(first)"),
    .echo("<connect/> \(answer)\(Echo.subscribe)</assert-notification> \(first)"),
    // The configuration of a subscription that the chain does not have.
    .echo(
      """
      <connect/> \(Echo.subscribe)
      \(configuration)<assert-value value="0100"/></read-descriptor>
      """
    ),
    .echo("<connect/> \(configuration)<assert-value value=\"0100\"/></read-descriptor>"),
    // Connections.
    .echo("<read \(Echo.echo)/>"),
    .echo("<connect/> <disconnect/> <read \(Echo.echo)/>"),
    .echo("<refresh/>"),
    .echo("<connect/> <read \(Echo.control)/>"),
    .echo("<bond/> <read \(Echo.echo)/>"),
    // Reliable writes.
    .echo("<connect/> <begin-reliable-write/> <execute-reliable-write/>"),
    .echo("<connect/> <execute-reliable-write/>"),
    .echo(
      """
      <connect/> <begin-reliable-write/> <write \(Echo.echo) value="07"/>
      <read \(Echo.echo)><assert-value value="07" expected="FAIL"/></read>
      <execute-reliable-write/> <read \(Echo.echo)><assert-value value="07"/></read>
      """
    ),
    .echo(
      """
      <connect/> <write \(Echo.echo) value="05"/> <begin-reliable-write/>
      <write \(Echo.echo) value="07"/> <abort-reliable-write/>
      <read \(Echo.echo)><assert-value value="05"/></read>
      """
    ),
    // Operations that have to fail.
    .echo("<connect/> <read \(Echo.control) expected=\"FAIL\"/> <read \(Echo.echo)/>"),
    .echo("<connect/> <read \(Echo.echo) expected=\"FAIL\"/>"),
    .echo("<connect/> <write \(Echo.control) value=\"07\" \(failing(19))/>"),
    .echo("<connect/> <write \(Echo.control) value=\"07\" \(failing(2))/>"),
    .echo("<connect/> <write \(Echo.control) value=\"01\" \(failing(19))/>"),
    .echo("<connect/> <read \(Echo.control) \(failing(133))/>"),
    .echo("<connect/> <disconnect/> <connect/> <read \(Echo.control) \(failing(5))/>"),
    .echo(
      """
      <connect/> \(Echo.subscribe)
      <assert-notification \(Echo.answers) timeout="1000" expected="FAIL"/>
      """
    ),
    .echo("<connect/> <read-rssi expected=\"FAIL\"/>"),
    .echo("<connect/> <bond expected=\"FAIL\"/>"),
    .echo(
      "<connect/> <read \(Echo.echo) expected=\"FAIL\"><assert-value value=\"77\"/></read>"
    ),
    .echo("<connect/> <read \(Echo.control) expected=\"FAIL_WARNING_ON_SUCCESS\"/>"),
    .operations("beacon", 0xc0ff_ee00_0008, "<connect expected=\"FAIL\"/> <sleep timeout=\"1\"/>"),
    // Values.
    .echo("<connect/> <read \(Echo.echo)><assert-value value=\"00\"/></read>"),
    .echo("<connect/> <read \(Echo.echo)><assert-value value=\"0000\" expected=\"FAIL\"/></read>"),
    .echo(
      """
      <connect/> <write \(Echo.echo) value="01"/>
      <read \(Echo.echo)><assert-value value="02"/></read>
      """
    ),
    .echo("<scan-for name=\"Echo*\" timeout=\"1000\"/>"),
    .echo("<scan-for name=\"Nobody\" timeout=\"1000\"/>"),
    .echo("<scan-for name=\"Echo-1\" timeout=\"1000\"/> <connect/> <request-mtu value=\"517\"/>"),
  ]

  /// Whether a suite's test passes on fresh devices, and whether its chain does.
  private func verdicts(_ sample: Sample, _ index: Int) throws -> (suite: Bool, chain: Bool) {
    let test = sample.suite.runs[index]
    // The tests before it bind targets.
    var earlier = sample.suite
    earlier.runs = Array(earlier.runs[...index])
    var bench = try SuiteBench(sample.devices)
    bench.devices = ["device": .address(try bench.world.device().definition.address)]
    let status = try bench.run(earlier).results[index].status
    let chain = sample.suite.chains()[index]
    let plan = try Plan.parse(chain.lines.joined(separator: "\n"), file: "\(test.id).yaml")
    let other = try SuiteBench(sample.devices)
    let runner = ChainRunner(
      plan: plan,
      service: try other.world.service("\(other.world.device().definition.address)"),
      identity: RunIdentity(seed: 0, plan: plan)
    )
    let error = runner.chain().collect().map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(8000)).error
    return (status == .ok || status == .warning, error == nil)
  }

  @Test("a chain ends as its suite does, or the conversion says what it lost", arguments: samples)
  func same(_ sample: Sample) throws {
    for (index, chain) in sample.suite.chains().enumerated() where chain.omissions.isEmpty {
      let found = try verdicts(sample, index)
      #expect(found.suite == found.chain, "\(chain.lines.joined(separator: "\n"))")
    }
  }

  @Test("most suites are converted whole, and nothing is said where nothing is lost")
  func whole() {
    let chains = Self.samples.flatMap { $0.suite.chains() }
    let lossy = chains.filter { !$0.omissions.isEmpty }
    #expect(chains.count == 46 && lossy.count == 22, "\(lossy.map(\.lines))")
  }

  @Test("a wait without a timeout has the hour of the suite, and its value is received")
  func endless() throws {
    let sample = Self.samples[6]
    let chain = sample.suite.chains()[0]
    #expect(chain.lines.contains("    timeout: 1h"), "\(chain.lines)")
    let found = try verdicts(sample, 0)
    #expect(found.suite && found.chain)
  }
}
