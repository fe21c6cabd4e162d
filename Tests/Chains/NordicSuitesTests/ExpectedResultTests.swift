// How the expected result of an operation determines its status.

import BLETesting
import BlueZInterfaces
import Bluetooth
import Jobs
import NordicSuites
import Testing

@Suite("Expected results")
struct ExpectedResultTests {
  @Test("an empty value equals one zero byte or more, and nothing else")
  func zeros() {
    #expect(ValueAssertion.isSame([], [0, 0]) && ValueAssertion.isSame([0], []))
    #expect(!ValueAssertion.isSame([0], [0, 0]) && !ValueAssertion.isSame([], [1]))
  }

  @Test(
    "an unsupported operation fails as such or warns, and never counts as an expected failure",
    arguments: [
      "set-preferred-phy tx=\"LE_2M\" rx=\"LE_1M|LE_CODED\"",
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

  @Test("a connection priority changes the parameters to those of Android, and reports them")
  func priority() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> <request-connection-priority type="LOW_POWER"/>
      <request-connection-priority type="HIGH"/>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
    for printed in ["125.00 ms, latency 2, 5000 ms", "15.00 ms, latency 0, 5000 ms"] {
      #expect(bench.text.contains { $0.contains(printed) }, "\(bench.text)")
    }
  }

  @Test(
    "a connection priority is unsupported on a host that cannot change it, and RSSI is not measured",
    arguments: [DeviceFailure.Code.capabilityMissing, .socketsMissing, .notSupported]
  )
  func priorityWithoutCapability(code: DeviceFailure.Code) throws {
    let operation = "<request-connection-priority type=\"HIGH\""
    for (expected, isLenient) in [("FAIL", false), ("SUCCESS_WARNING_ON_FAIL", true)] {
      var bench = try SuiteBench("echo")
      bench.meterFailure = code
      let ending = try bench.run("<connect/> \(operation) expected=\"\(expected)\"/>")
      #expect(bench.results.last?.failure?.code == .notSupportedHere, "\(bench.text)")
      #expect((ending.exitStatus == .ok) == isLenient, "\(bench.text)")
    }
    var bench = try SuiteBench("echo")
    bench.meterFailure = code
    try bench.run("<connect/> <read-rssi/>")
    #expect(bench.results.last?.failure?.code.rawValue == code.rawValue, "\(bench.text)")
  }

  @Test("Generic Access, which bluetoothd hides, is unsupported here and not a device failure")
  func genericAccess() throws {
    let name = "service-uuid=\"1800\" characteristic-uuid=\"2A00\""
    for operation in ["<read \(name)/>", "<assert-service uuid=\"1800\"/>"] {
      var bench = try SuiteBench("echo", bluez: .debian12)
      let ending = try bench.run("<connect/> \(operation)")
      #expect(ending.results[0].failure?.code == .notSupportedHere, "\(bench.text)")
      bench = try SuiteBench("echo", bluez: .debian12)
      bench.settings.warnsOfUnsupported = true
      #expect(try bench.run("<connect/> \(operation)").exitStatus == .ok)
    }
  }

  @Test("missing Bluetooth on the host never counts as an expected failure")
  func unavailable() throws {
    let bench = try SuiteBench("echo")
    try bench.world.setPowered(false)
    let ending = try bench.run("<scan-for name=\"Nobody\" expected=\"FAIL\"/>")
    #expect(ending.exitStatus == .unavailable, "\(bench.text)")
  }
}
