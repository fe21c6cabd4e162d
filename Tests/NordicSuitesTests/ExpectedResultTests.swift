// What was expected of an operation decides what its ending means.

import BLETesting
import Bluetooth
import Jobs
import NordicSuites
import Testing

@Suite("Expected results")
struct ExpectedResultTests {
  /// How one refused write, and one accepted, end with an expectation.
  private func statuses(_ expected: String) throws -> [StepResult.Status] {
    let bench = try SuiteBench("echo")
    try bench.run("<connect/><write \(Echo.control) value=\"FF\" \(expected)/>")
    let refused = try #require(bench.results.last)
    let other = try SuiteBench("echo")
    try other.run("<connect/><write \(Echo.echo) value=\"01\" \(expected)/>")
    return [refused.status, try #require(other.results.last).status]
  }

  @Test("each of the four is kept, for a failure and for a success")
  func four() throws {
    #expect(try statuses("") == [.failed, .ok])
    #expect(try statuses("expected=\"SUCCESS\"") == [.failed, .ok])
    #expect(try statuses("expected=\"SUCCESS_WARNING_ON_FAIL\"") == [.warning, .ok])
    #expect(try statuses("expected=\"FAIL\"") == [.ok, .failed])
    #expect(try statuses("expected=\"FAIL_WARNING_ON_SUCCESS\"") == [.ok, .warning])
  }

  @Test("a failure has to have the number that is expected")
  func errorCode() throws {
    let bench = try SuiteBench("echo")
    try bench.run(
      """
      <connect/>
      <write \(Echo.control) value="FF" expected="FAIL" expectedErrorCode="19"/>
      <write \(Echo.control) value="FF" expected="FAIL" expectedErrorCode="3"/>
      """
    )
    #expect(bench.results.map(\.status) == [.ok, .ok, .failed])
    #expect(bench.results.last?.failure?.why.hasSuffix("expected error 3") == true)
  }

  @Test("numbers that bluetoothd does not tell apart count as the same")
  func codesOfBlueZ() throws {
    let bench = try SuiteBench("lock")
    let lock =
      "service-uuid=\"4c6f0001-1b1a-4e1c-8f6b-0b6c1d2e3f40\" "
      + "characteristic-uuid=\"4c6f0003-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
    let ending = try bench.run(
      """
      <connect/>
      <write \(lock) value="00" timeout="60000" expected="FAIL" expectedErrorCode="15"/>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
  }

  @Test("a write that the characteristic does not offer counts as refused by the device")
  func notOffered() throws {
    let bench = try SuiteBench("echo")
    try bench.run(
      """
      <connect/>
      <write \(Echo.answers) value="01" expected="FAIL" expectedErrorCode="3"/>
      <write \(Echo.answers) value="01" expected="FAIL" expectedErrorCode="13"/>
      """
    )
    #expect(bench.results.map(\.status) == [.ok, .ok, .failed], "\(bench.text)")
    #expect(bench.written.isEmpty)
  }

  @Test("an assertion inside an operation has an expectation of its own")
  func assertions() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> <write \(Echo.echo) value="05"/>
      <read \(Echo.echo)><assert-value value="06" expected="FAIL"/></read>
      <read \(Echo.echo)><assert-value value="06" expected="SUCCESS_WARNING_ON_FAIL"/></read>
      <read \(Echo.echo)><assert-value value="05" expected="FAIL_WARNING_ON_SUCCESS"/></read>
      <read \(Echo.echo) expected="FAIL"><assert-value value="06"/></read>
      <read \(Echo.echo)><assert-value description="Not 5" value="05" expected="FAIL"/></read>
      """
    )
    let statuses = bench.results.dropFirst(2).map(\.status)
    #expect(statuses == [.ok, .warning, .warning, .ok, .failed], "\(bench.text)")
    #expect(ending.warnings == 2)
    #expect(bench.results.last?.failure?.why == "Not 5: expected not to hold, but it holds")
  }

  @Test("no value is as good as zeros, and as no other")
  func zeros() {
    #expect(ValueAssertion.isSame([], [0, 0]) && ValueAssertion.isSame([0], []))
    #expect(!ValueAssertion.isSame([0], [0, 0]) && !ValueAssertion.isSame([], [1]))
  }

  @Test(
    "what this host cannot do fails by its own name or warns, and is never what was expected",
    arguments: [
      "request-connection-priority type=\"HIGH\"", "read-phy", "set-preferred-phy tx=\"LE_2M\"",
      "dfu file=\"x.zip\"", "mcu file=\"x.bin\" mode=\"TEST_ONLY\"",
    ]
  )
  func unsupported(_ operation: String) throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> <\(operation) expected="SUCCESS_WARNING_ON_FAIL"/>
      <\(operation) expected="FAIL_WARNING_ON_SUCCESS"/> <\(operation)/>
      """
    )
    #expect(bench.results.map(\.status) == [.ok, .warning, .warning, .failed], "\(bench.text)")
    #expect(ending.results[0].failure?.code == .notSupportedHere)
    #expect(ending.exitStatus == .failed)
    let other = try SuiteBench("echo")
    let failed = try other.run("<connect/> <\(operation) expected=\"FAIL\"/>")
    #expect(failed.results[0].failure?.code == .notSupportedHere, "\(other.text)")
    var lenient = try SuiteBench("echo")
    lenient.settings.warnsOfUnsupported = true
    #expect(try lenient.run("<connect/> <\(operation)/>").exitStatus == .ok)
    #expect(lenient.results.last?.status == .warning)
  }

  @Test("Generic Access, which bluetoothd hides, is not supported here, and no fault of the device")
  func genericAccess() throws {
    let name = "service-uuid=\"1800\" characteristic-uuid=\"2A00\""
    for operation in ["<read \(name)/>", "<assert-service uuid=\"1800\"/>"] {
      var bench = try SuiteBench("echo")
      let ending = try bench.run("<connect/> \(operation)")
      #expect(ending.results[0].failure?.code == .notSupportedHere, "\(bench.text)")
      bench = try SuiteBench("echo")
      bench.settings.warnsOfUnsupported = true
      #expect(try bench.run("<connect/> \(operation)").exitStatus == .ok)
    }
  }

  @Test("that a host has no Bluetooth is never what a suite expected")
  func unavailable() throws {
    let bench = try SuiteBench("echo")
    try bench.world.setPowered(false)
    let ending = try bench.run("<scan-for name=\"Nobody\" expected=\"FAIL\"/>")
    #expect(ending.exitStatus == .unavailable, "\(bench.text)")
  }
}
