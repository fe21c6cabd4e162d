// Suites as chains: the device sees the same operations, and omissions are reported.

import BLETesting
import BlueZSimulator
import Bluetooth
import Documents
import Fixtures
import Jobs
import NordicSuites
import Signals
import SimulatedDevices
import Testing

@Suite("Suites as chains")
struct ConversionTests {
  /// The only chain of operations on a device.
  private func chain(_ operations: String, _ address: UInt64) throws -> ConvertedChain {
    try SuiteBench.suite(operations, address: BluetoothAddress(number: address)).chains()[0]
  }

  private func plan(_ chain: ConvertedChain) throws -> Plan {
    try Plan.parse(chain.lines.joined(separator: "\n"), file: "\(chain.name).yaml")
  }

  /// The operations on a device in order: its connections, reads and writes.
  private func seen(_ world: SimulatedWorld) -> [String] {
    world.events.map(\.description).filter { !$0.contains("scanning") }
  }

  private func run(_ plan: Plan, on world: SimulatedWorld) throws -> (any Error)? {
    let runner = ChainRunner(
      plan: plan, service: try world.service(), identity: RunIdentity(seed: 0, plan: plan)
    )
    return runner.chain().collect().map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(600)).error
  }

  @Test("a suite and its chain perform the same operations on the device")
  func same() throws {
    let operations = """
      <connect timeout="9000"/> <discover-services/>
      <write \(Echo.echo) value="0102"/>
      <read \(Echo.echo)><assert-value value="0102"/></read>
      <write type="WRITE_COMMAND" \(Echo.echo) value-string="hi"/> <sleep timeout="250"/>
      <read \(Echo.echo)><assert-value value="0102" expected="FAIL"/></read>
      <read \(Echo.echo)><assert-value value="09" expected="SUCCESS_WARNING_ON_FAIL"/></read>
      <read \(Echo.echo) expected="FAIL_WARNING_ON_SUCCESS"/>
      <write \(Echo.echo) value="03" expected="SUCCESS_WARNING_ON_FAIL"/>
      <read-descriptor uuid="00002901-0000-1000-8000-00805f9b34fb" \(Echo.echo)>
        <assert-value value-string="Echo"/>
      </read-descriptor>
      """
    let bench = try SuiteBench("echo")
    #expect(try bench.run(operations).exitStatus == .ok, "\(bench.text)")
    let chain = try chain(operations, 0xc0ff_ee00_0004)
    #expect(chain.omissions.isEmpty, "\(chain.omissions)")
    let other = try SuiteBench("echo")
    #expect(try run(plan(chain), on: other.world) == nil)
    #expect(seen(other.world) == seen(bench.world))
  }

  @Test("what a chain cannot express becomes a comment and is reported with its place")
  func omissions() throws {
    let chain = try chain(
      """
      <connect/> <refresh/> <read-phy/> <sleep-until \(Echo.echo) value="01"/>
      <write \(Echo.echo) value="01" expected="FAIL_WARNING_ON_SUCCESS" expectedErrorCode="3"/>
      <assert-service uuid="1800"/>
      """,
      0xc0ff_ee00_0004
    )
    #expect(chain.omissions.count == 5 && chain.omissions.allSatisfy { $0.place.line > 3 })
    for omission in chain.omissions {
      #expect(chain.lines.contains { $0.contains("# \(omission.message)") })
    }
    #expect(throws: Never.self) { try plan(chain) }
  }

  @Test("the chains of the examples are valid and named after their tests")
  func examples() throws {
    let suites = [
      try SuiteRunTests.example("heart-rate"), try SuiteRunTests.example("lamp"),
      try SuiteRunTests.example("echo", [("ADDRESS", "C0:FF:EE:00:00:04")]),
    ]
    let chains = suites.flatMap { $0.chains() }
    #expect(chains.map(\.name) == ["1-find", "2-measure", "1-Lamp", "1-writes", "2-answers"])
    for chain in chains { #expect(try plan(chain).writtenStepCount == chain.steps) }
  }

  @Test("text from a suite is quoted, whatever it contains")
  func quoting() throws {
    let suite = try Suite.parse(
      """
      <macro name="a: &quot;b&quot; # &#10;- c"><sleep description="x&#10;  - unpair"/></macro>
      """,
      file: "macro.xml"
    )
    let plan = try plan(suite.chains()[0])
    #expect(plan.name?.hasPrefix("a: \"b\" #") == true)
    #expect(plan.writtenStepCount == 5)
  }

  /// A random text as an attribute, without the characters that XML cannot have.
  private static func attribute(
    _ name: String, using generator: inout SeededGenerator
  ) -> (text: String, markup: String) {
    var text = HostileText.random(using: &generator)
    text.unicodeScalars.removeAll { scalar in
      let isSpace = ["\t", "\n", "\r"].contains(scalar)
      return scalar.value < 0x20 && !isSpace || [0xfffe, 0xffff].contains(scalar.value)
    }
    // Suites have variables: ${NAME}.
    text = "x" + text
    return (text, "\(name)=\"\(text.unicodeScalars.map { "&#\($0.value);" }.joined())\"")
  }

  @Test(
    "the chain of a random suite is read as the same nodes", arguments: 0..<100 as Range<UInt64>)
  func readBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed, name: "suites")
    let (name, device) = Self.attribute("name", using: &generator)
    func title() -> String { Self.attribute("description", using: &generator).markup }
    let suite = try SuiteBench.suite(
      """
      <scan-for \(title()) \(device) timeout="1000"/>
      <scan \(title()) rssi="-90"/> <connect/> <refresh \(title())/>
      <read \(title()) \(Echo.echo)>
        <assert-value \(title()) value="0102" expected="SUCCESS_WARNING_ON_FAIL"/>
      </read>
      <write \(Echo.echo) value="be"/> <sleep \(title()) timeout="250"/>
      \(Echo.subscribe)
      <assert-notification \(title()) \(Echo.answers)>
        <write \(Echo.control) value="01"/>
      </assert-notification>
      """
    )
    let chain = suite.chains()[0]
    let text = chain.lines.joined(separator: "\n")
    let read = try Document.parse(text, file: "chain")
    #expect(chain.document.difference(from: read) == nil, "\(text)")
    if !name.contains(where: { "*?".contains($0) }) {
      let steps = read.value(of: "steps")?.sequence ?? []
      let found = steps.compactMap { $0.value(of: "name")?.text }
      #expect(found.first.map { Array($0.utf8) } == Array(name.utf8), "\(text)")
    }
  }
}
