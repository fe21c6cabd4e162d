// What each operation of a suite does to a device.

import BLETesting
import BlueZSimulator
import Bluetooth
import Jobs
import NordicSuites
import Testing

@Suite("Operations of a suite")
struct OperationTests {
  @Test("connect, discover, read, write by request and by command, disconnect")
  func basics() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> <discover-services/>
      <write \(Echo.echo) value="0102"/>
      <read \(Echo.echo)><assert-value value="0102"/></read>
      <write type="WRITE_COMMAND" \(Echo.echo) value-string="hi"/>
      <read \(Echo.echo)><assert-value value-string="hi"/></read>
      <disconnect/>
      """
    )
    #expect(ending.exitStatus == .ok && ending.warnings == 0, "\(bench.text)")
    #expect(bench.written == [[1, 2], Array("hi".utf8)])
    #expect(bench.world.events.last?.description.hasSuffix("link down") == true)
  }

  @Test("a value that is not the asserted one ends the test, and the device is disconnected")
  func wrongValue() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> <write \(Echo.echo) value="01"/>
      <read \(Echo.echo)><assert-value description="Two" value="02"/></read>
      <write \(Echo.echo) value="03"/>
      """
    )
    #expect(bench.story == ["connect ok", "write ok", "read failed"])
    #expect(ending.exitStatus == .failed)
    #expect(bench.results.last?.failure?.why == "Two: the value is 01, not 02")
    #expect(bench.world.events.last?.description.hasSuffix("link down") == true)
  }

  @Test("a descriptor is read and its value asserted; one that is not there is named")
  func descriptors() throws {
    let bench = try SuiteBench("echo")
    let name = "uuid=\"00002901-0000-1000-8000-00805f9b34fb\""
    let ending = try bench.run(
      """
      <connect/>
      <read-descriptor \(name) \(Echo.echo)><assert-value value-string="Echo"/></read-descriptor>
      <read-descriptor \(name) \(Echo.control)/>
      """
    )
    #expect(bench.story == ["connect ok", "read-descriptor ok", "read-descriptor failed"])
    #expect(ending.results[0].failure?.code == .descriptorMissing)
  }

  @Test("services, characteristics, properties, descriptors and last known values are asserted")
  func services() throws {
    let bench = try SuiteBench("echo")
    let service = "uuid=\"6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
    let echo = "uuid=\"6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40\""
    try bench.run(
      """
      <connect/>
      <assert-service \(service)>
        <assert-characteristic \(echo)>
          <property name="READ"/> <property name="INDICATE" requirement="EXCLUDED"/>
          <assert-value value="00"/> <assert-cccd><assert-value value="0000"/></assert-cccd>
          <assert-descriptor uuid="2906" expected="FAIL"/>
        </assert-characteristic>
      </assert-service>
      <write \(Echo.echo) value="07"/>
      <assert-service \(service)>
        <assert-characteristic \(echo)><assert-value value="07"/></assert-characteristic>
      </assert-service>
      <assert-service uuid="180d" expected="FAIL"/>
      <assert-service \(service) instance-id="1" expected="FAIL_WARNING_ON_SUCCESS"/>
      <assert-service \(service)>
        <assert-characteristic \(echo)>
          <property name="READ" requirement="EXCLUDED"/> <property name="INDICATE"/>
        </assert-characteristic>
      </assert-service>
      """
    )
    let statuses = bench.results.map(\.status)
    #expect(statuses == [.ok, .ok, .ok, .ok, .ok, .ok, .failed], "\(bench.text)")
    let why = bench.results.last?.failure?.why
    #expect(
      why?.contains("it has the property READ; it does not have the property INDICATE") == true
    )
  }

  @Test("the next notification is waited for, with what triggers it")
  func notification() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> \(Echo.subscribe)
      <assert-notification \(Echo.answers) timeout="1000">
        <write \(Echo.control) value="01"/> <assert-value value-string="one"/>
      </assert-notification>
      <assert-notification \(Echo.answers) timeout="1000">
        <write \(Echo.control) value="02"/> <assert-value value-string="first"/>
      </assert-notification>
      <assert-notification \(Echo.answers) timeout="1000"><assert-value value="02"/></assert-notification>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
  }

  @Test("without a subscription no notification comes, and the failure says what to write")
  func unsubscribed() throws {
    let bench = try SuiteBench("echo")
    let off = Echo.subscribe.replacing("0100", with: "0000")
    try bench.run(
      """
      <connect/> \(Echo.subscribe) \(off)
      <assert-notification \(Echo.answers) timeout="1000">
        <write \(Echo.control) value="01"/>
      </assert-notification>
      """
    )
    let failure = try #require(bench.results.last?.failure)
    #expect(failure.code == .timedOut && failure.hint.contains("write 0100"))
  }

  @Test("what is subscribed is told by reading the descriptor")
  func subscribed() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/> \(Echo.subscribe)
      <read-descriptor \(Echo.subscription) \(Echo.answers)>
        <assert-value value="0100"/>
      </read-descriptor>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
  }

  @Test("sleep-until ends with the value, sleep-if with another; their time is a failure")
  func sleeping() throws {
    let bench = try SuiteBench("echo")
    try bench.run(
      """
      <connect/> \(Echo.subscribe) <write \(Echo.control) value="0203"/>
      <sleep-until \(Echo.answers) value="0203"/>
      <sleep-if \(Echo.answers) value="00"/>
      <sleep-if \(Echo.answers) value="0203" timeout="500" expected="FAIL"/>
      <sleep-until \(Echo.answers) value="04" timeout="500"/>
      """
    )
    let statuses = bench.results.suffix(4).map(\.status)
    #expect(statuses == [.ok, .ok, .ok, .failed], "\(bench.text)")
    #expect(bench.results.last?.took == .milliseconds(500))
  }

  @Test("a reliable write gathers writes, and executes or drops them")
  func reliable() throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(
      """
      <connect/>
      <begin-reliable-write/> <write \(Echo.echo) value="01"/> <abort-reliable-write/>
      <read \(Echo.echo)><assert-value value=""/></read>
      <begin-reliable-write/> <write \(Echo.echo) value="02"/> <execute-reliable-write/>
      <read \(Echo.echo)><assert-value value="02"/></read>
      <begin-reliable-write/>
      <execute-reliable-write description="Nothing was written" expected="FAIL"/>
      <execute-reliable-write description="Nothing was begun" expected="FAIL"/>
      """
    )
    #expect(ending.exitStatus == .ok, "\(bench.text)")
    #expect(bench.written == [[2]])
  }

  @Test("the strength of the link is asserted on either side of a bound")
  func strength() throws {
    let bench = try SuiteBench("echo")
    try bench.run(
      """
      <connect/>
      <read-rssi><assert-value value="-90+"/></read-rssi>
      <read-rssi><assert-value value="-90-" expected="FAIL"/></read-rssi>
      <read-rssi><assert-value description="Far" value="-90-"/></read-rssi>
      """
    )
    #expect(bench.results.map(\.status) == [.ok, .ok, .ok, .failed], "\(bench.text)")
    #expect(bench.results.last?.failure?.why.contains("dBm, not below -90 dBm") == true)
  }

  @Test("the MTU is what bluetoothd agreed on; less than was asked for is a warning")
  func mtu() throws {
    let bench = try SuiteBench("echo")
    try bench.run("<connect/> <request-mtu value=\"100\"/> <request-mtu value=\"517\"/>")
    #expect(bench.results.map(\.status) == [.ok, .ok, .warning], "\(bench.text)")
    #expect(bench.results.last?.notes.first?.contains("247 bytes, not 517") == true)
  }

  @Test("sleep, refresh and the end of a test have the pauses of the application")
  func pauses() throws {
    let bench = try SuiteBench("echo")
    try bench.run("<connect/> <refresh/> <sleep/> <sleep timeout=\"250\"/>")
    let took = try #require(bench.runEvents.last?.offset)
    let connecting = try #require(bench.results.first?.took)
    // 1 s after connect, 1 s after refresh, 5 s and 0.25 s of sleep, 2 s at the end; and bluetoothd
    // takes 2 s over disconnecting.
    let pauses = took - connecting
    #expect(pauses >= .milliseconds(11_250) && pauses < .milliseconds(11_500), "\(pauses)")
    #expect(bench.story == ["connect ok", "refresh warning", "sleep ok", "sleep ok"])
  }

  @Test(
    "an operation before connect, or after disconnect, is an error that does not pass",
    arguments: [
      "<refresh/>", "<discover-services/>", "<read \(Echo.echo)/>", "<read-rssi/>",
      "<connect/> <disconnect/> <refresh/>", "<connect/> <disconnect/> <read \(Echo.echo)/>",
    ]
  )
  func unconnected(_ operations: String) throws {
    let bench = try SuiteBench("echo")
    let ending = try bench.run(operations)
    let failure = try #require(ending.results[0].failure)
    #expect(failure.code == .notConnected && failure.class == .definite, "\(bench.text)")
    #expect(failure.hint.contains("<connect/>"))
    #expect(ending.exitStatus == .failed)
  }

  @Test("a macro goes on where a value differs, with a warning; a suite does not")
  func macroValue() throws {
    let operations = """
      <write \(Echo.echo) value="0102"/>
      <read \(Echo.echo)><assert-value value="03"/></read>
      <write \(Echo.echo) value="04"/>
      """
    var bench = try SuiteBench("echo")
    bench.devices = ["device": .address(BluetoothAddress(number: 0xc0ff_ee00_0004))]
    let macro = try Suite.parse(
      "<macro name=\"Echo\">\(operations)</macro>",
      file: "macro.xml"
    )
    #expect(try bench.run(macro).exitStatus == .ok, "\(bench.text)")
    #expect(bench.story.suffix(3) == ["write ok", "read warning", "write ok"])
    #expect(bench.results.dropLast().last?.notes == ["assert-value: the value is 0102, not 03"])
    let other = try SuiteBench("echo")
    #expect(try other.run("<connect/> \(operations)").exitStatus == .failed)
  }

  @Test("a bond is made and removed, also without a link before it")
  func bonds() throws {
    let bench = try SuiteBench("battery")
    let ending = try bench.run("<bond timeout=\"20000\"/> <unbond/> <connect/>")
    #expect(ending.exitStatus == .ok, "\(bench.text)")
    #expect(bench.world.events.contains { $0.description.contains("paired") })
  }
}
