// Suites, how each of their operations ends, and the chains that they become.

import BLETesting
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

@Suite("Samples of suites")
struct SampleTests {
  /// A suite on its devices.
  struct Sample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let devices: [String]
    let suite: Suite
    /// How each operation of all tests ends.
    let endings: [String]
    let exitStatus: Int32
    /// Whether its chains perform all of its operations.
    let isWhole: Bool

    func bench() throws -> SuiteBench {
      // The samples say what bluetoothd does that hides Generic Access, and answers a read without a bond.
      var bench = try SuiteBench(devices, bluez: .debian12)
      let device = DeviceTarget.address(try bench.world.device().definition.address)
      bench.devices = ["dut": device, "device": device]
      return bench
    }
  }

  @Test(
    "each operation ends as listed, and every connection is closed by the end of its test",
    arguments: samples
  )
  func endings(_ sample: Sample) throws {
    let bench = try sample.bench()
    let ending = try bench.run(sample.suite)
    let isExpected = bench.endings.elementsEqual(sample.endings) { found, expected in
      expected.hasSuffix("…") ? found.hasPrefix(expected.dropLast()) : found == expected
    }
    #expect(isExpected, "\(bench.endings)")
    #expect(ending.exitStatus.rawValue == sample.exitStatus)
    let events = bench.world.events.map(\.description)
    #expect(events.count { $0.hasSuffix("link up") } == events.count { $0.hasSuffix("link down") })
  }

  @Test(
    "a chain ends as its suite does, or the conversion reports what it omitted", arguments: samples
  )
  func chains(_ sample: Sample) throws {
    let results = try sample.bench().run(sample.suite).results
    let chains = sample.suite.chains()
    let omissions = chains.flatMap(\.omissions)
    #expect(omissions.isEmpty == sample.isWhole, "\(omissions)")
    for (chain, result) in zip(chains, results) {
      guard chain.omissions.isEmpty else { continue }
      let plan = try Plan.parse(chain.lines.joined(separator: "\n"), file: "\(chain.name).yaml")
      let world = try sample.bench().world
      let runner = ChainRunner(
        plan: plan, service: try world.service("\(world.device().definition.address)"),
        identity: RunIdentity(seed: 0, plan: plan)
      )
      let error = runner.chain().collect().map { Optional($0) }
        .firstOrDefault(nil, within: .seconds(8000)).error
      let passes = result.status == .ok || result.status == .warning
      #expect((error == nil) == passes, "\(chain.lines.joined(separator: "\n"))")
    }
  }

  // MARK: Samples

  /// Each with how its operations end: after `=>` where all of it becomes chains, after `~>` where
  /// something is lost. A number there is the exit status, and `…` any rest.
  ///
  /// Without a first line of their own, operations are those of a test on the echo.
  private static let text = """
    # Files of the package.

    docs/examples/nordic/heart-rate.xml on heart-rate
    ~> scan-for | connect | discover-services
    | scan-for ok: no matching advertisement was received within 2s | assert-service | connect
    | read | write-descriptor | assert-notification warning: 62 beats: the value is 16…
    | read-rssi | disconnect

    docs/examples/nordic/lamp.xml on thingy
    => connect | discover-services | assert-service | write | sleep | write

    docs/examples/nordic/echo.xml ADDRESS=C0:FF:EE:00:00:04 on echo
    => connect | write | read | write | write ok: the device refused: value not allowed | connect
    | write-descriptor | assert-notification

    Tests/Golden/suites/battery.xml ADDRESS=C0:FF:EE:00:00:03 on battery
    => connect | discover-services | read warning: Half full: the value is 64, not 32

    Tests/Golden/suites/every-operation.xml on thermometer, heart-rate
    ~> 1 scan | scan-for | scan-for failed: expected a failure, but it succeeded

    Tests/Golden/suites/macro.xml on thingy
    => connect | discover-services | assert-service | write | sleep | write

    # Reading and writing.

    <connect/> <discover-services/> <write $echo value='0102'/>
    <read $echo><assert-value value='0102'/></read>
    <write type='WRITE_COMMAND' $echo value-string='hi'/>
    <read $echo><assert-value value-string='hi'/></read> <disconnect/>
    => connect | discover-services | write | read | write | read | disconnect

    <connect/> <write $echo value='01'/>
    <read $echo><assert-value description='Two' value='02'/></read>
    <write $echo value='03'/>
    => 1 connect | write | read failed: Two: the value is 01, not 02

    <connect/> <read $echo><assert-value value='00'/></read>
    ~> connect | read

    <connect/> <read $echo><assert-value value='0000' expected='FAIL'/></read>
    ~> 1 connect | read failed: assert-value: expected not to hold, but it holds

    <connect/> <read-descriptor $description $echo><assert-value value-string='Echo'/></read-descriptor>
    <read-descriptor $description $control/>
    => 1 connect | read-descriptor | read-descriptor failed: the device does not have…

    <connect/> <read $echo/> <read service-uuid='180f' characteristic-uuid='2a19'/>
    => 1 connect | read | read failed: the device does not have battery/battery-level

    <connect/> <read service-uuid='1800' characteristic-uuid='2a00'/>
    => 1 connect | read failed: this is not supported here: bluetoothd hides Generic Access

    <connect/> <assert-service uuid='1800' expected='FAIL'/>
    ~> 1 connect
    | assert-service failed: this is not supported here: bluetoothd hides Generic Access

    <connect/> <read $echo><assert-value value-string='hi' expected='FAIL_WARNING_ON_SUCCESS'/></read>
    <read $echo><assert-value description='Empty' value='00' expected='FAIL_WARNING_ON_SUCCESS'/></read>
    <read $echo><assert-value description='5' value='05' expected='SUCCESS_WARNING_ON_FAIL'/></read>
    <read $echo><assert-value description='Not empty' value='00' expected='FAIL'/></read>
    ~> 1 connect | read | read warning: Empty: expected not to hold, but it holds
    | read warning: 5: the value is empty, not 05
    | read failed: Not empty: expected not to hold, but it holds

    # Services.

    <connect/>
    <assert-service $service>
    <assert-characteristic $uuid>
    <property name='READ'/> <property name='INDICATE' requirement='EXCLUDED'/>
    <assert-value value='00'/> <assert-cccd><assert-value value='0000'/></assert-cccd>
    <assert-descriptor uuid='2906' expected='FAIL'/>
    </assert-characteristic>
    </assert-service>
    <write $echo value='07'/>
    <assert-service $service>
    <assert-characteristic $uuid><assert-value value='07'/></assert-characteristic>
    </assert-service>
    <assert-service uuid='180d' expected='FAIL'/>
    <assert-service $service instance-id='1' expected='FAIL_WARNING_ON_SUCCESS'/>
    <assert-service $service>
    <assert-characteristic $uuid>
    <property name='READ' requirement='EXCLUDED'/> <property name='INDICATE'/>
    </assert-characteristic>
    </assert-service>
    ~> 1 connect | assert-service | write | assert-service
    | assert-service ok: the device does not have the service heart-rate
    | assert-service ok: the device does not have the service 6e5d…
    | assert-service failed: assert-characteristic: it has the property READ; it does not have the property INDICATE

    <connect/>
    <assert-service $service>
    <assert-characteristic $uuid>
    <property name='READ'/> <property name='INDICATE' requirement='EXCLUDED'/>
    <assert-cccd/> <assert-descriptor uuid='2906' expected='FAIL'/>
    </assert-characteristic>
    </assert-service>
    <assert-service uuid='180d' expected='FAIL'/>
    <assert-service $service>
    <assert-characteristic $uuid><property name='INDICATE'/></assert-characteristic>
    </assert-service>
    => 1 connect | assert-service
    | assert-service ok: the device does not have the service heart-rate
    | assert-service failed: assert-characteristic: it does not have the property INDICATE

    # Notifications. A macro waits without a timeout; a suite does not.

    macro on slow
    $subscribeSlow <wait-for-notification $level/>
    => connect | discover-services | write-descriptor | wait-for-notification

    macro on slow
    $subscribeSlow <wait-for-notification $level/><sleep timeout='1'/>
    => connect | discover-services | write-descriptor | wait-for-notification | sleep

    on slow
    <connect/> $subscribeSlow <assert-notification $level/>
    => 75 connect | write-descriptor | assert-notification failed: it did not end within 5s

    # One subscription and two waits: the second value arrives between two steps of a chain.

    <connect/> $subscribe $first
    $answer<assert-value value='02'/></assert-notification>
    ~> connect | write-descriptor | assert-notification | assert-notification

    <connect/> $subscribe <write $control value='01'/> $answer</assert-notification>
    ~> connect | write-descriptor | write | assert-notification

    <connect/> $subscribe $first
    => connect | write-descriptor | assert-notification

    <connect/> $first
    ~> 75 connect | assert-notification failed: it did not end within 1s

    <connect/> $answer$subscribe</assert-notification> $first
    ~> 75 connect | assert-notification failed: it did not end within 1s

    <connect/> $subscribe <write-descriptor $cccd $answers value='0000'/>
    $answer<write $control value='01'/></assert-notification>
    ~> 75 connect | write-descriptor | write-descriptor
    | assert-notification failed: it did not end within 1s

    <connect/> $subscribe $answer<write $control value='07'/></assert-notification>
    => 1 connect | write-descriptor
    | assert-notification failed: the device refused: value not allowed

    <connect/> $subscribe $answer<write $control value='07' expected='FAIL'/></assert-notification>
    ~> 75 connect | write-descriptor | assert-notification failed: it did not end within 1s

    <connect/> $subscribe $answer<read $echo/></assert-notification>
    ~> 75 connect | write-descriptor | assert-notification failed: it did not end within 1s

    <connect/> $subscribe
    <assert-notification $answers timeout='1000' expected='FAIL'/>
    => connect | write-descriptor | assert-notification ok: it did not end within 1s

    # The configuration of a subscription that a chain does not have.

    <connect/> $subscribe
    $configuration<assert-value value='0100'/></read-descriptor>
    ~> connect | write-descriptor | read-descriptor

    <connect/> $configuration<assert-value value='0100'/></read-descriptor>
    => 1 connect | read-descriptor failed: assert-value: the value is 0000, not 0100

    # Waits for a value.

    <connect/> $subscribe <write $control value='0203'/>
    <sleep-until $answers value='0203'/> <sleep-if $answers value='00'/>
    <sleep-if $answers value='0203' timeout='500' expected='FAIL'/>
    <sleep-until $answers value='04' timeout='500'/>
    ~> 75 connect | write-descriptor | write | sleep-until | sleep-if
    | sleep-if ok: it did not end within 500ms | sleep-until failed: it did not end within 500ms

    <connect/> <sleep-until $answers value='01'/>
    ~> 75 connect | sleep-until failed: it did not end within 1h

    # Connections.

    <refresh/>
    ~> 1 refresh failed: $unconnected

    <discover-services/>
    ~> 1 discover-services failed: $unconnected

    <read-rssi/>
    ~> 1 read-rssi failed: $unconnected

    <read $echo/>
    ~> 1 read failed: $unconnected

    <connect/> <disconnect/> <read $echo/>
    ~> 1 connect | disconnect | read failed: $unconnected

    <connect/> <disconnect/> <refresh/>
    ~> 1 connect | disconnect | refresh failed: $unconnected

    <connect/> <refresh/> <read $control/>
    ~> 1 connect
    | refresh warning: bluetoothd updates its cache of services by itself when it connects
    | read failed: $unreadable

    <bond/> <read $echo/>
    => bond | read

    <connect expected='FAIL'/>
    => 1 connect failed: expected a failure, but it succeeded

    <connect expected='FAIL_WARNING_ON_SUCCESS'/> <read $echo/>
    ~> connect warning: expected a failure, but it succeeded | read

    on battery
    <bond timeout='20000'/> <unbond/> <connect/>
    => bond | unbond | connect

    on beacon
    <connect expected='FAIL'/> <sleep timeout='1'/>
    => connect ok: the device was not connected… | sleep

    # Reliable writes.

    <connect/> <begin-reliable-write/> <execute-reliable-write/>
    ~> 1 connect | begin-reliable-write
    | execute-reliable-write failed: nothing was written since the reliable write began

    <connect/> <execute-reliable-write/>
    ~> 1 connect | execute-reliable-write failed: no reliable write was begun

    <connect/> <begin-reliable-write/> <begin-reliable-write/>
    ~> 1 connect | begin-reliable-write
    | begin-reliable-write failed: a reliable write is under way

    <connect/> <begin-reliable-write/> <write $echo value='07'/>
    <read $echo><assert-value value='07' expected='FAIL'/></read>
    <execute-reliable-write/> <read $echo><assert-value value='07'/></read>
    => connect | begin-reliable-write | write | read | execute-reliable-write | read

    <connect/> <write $echo value='05'/> <begin-reliable-write/>
    <write $echo value='07'/> <abort-reliable-write/>
    <read $echo><assert-value value='05'/></read>
    => connect | write | begin-reliable-write | write | abort-reliable-write | read

    <connect/> <begin-reliable-write/> <write $echo value='05'/> <write $echo value='07'/>
    <execute-reliable-write/>
    => connect | begin-reliable-write | write | write
    | execute-reliable-write warning: bluetoothd executes each of the 2 writes…

    # Expected results.

    <connect/> <read $control/>
    => 1 connect | read failed: $unreadable

    <connect/> <read $echo/>
    => connect | read

    <connect/> <read $control expected='SUCCESS_WARNING_ON_FAIL'/>
    => connect | read warning: $unreadable

    <connect/> <read $echo expected='SUCCESS_WARNING_ON_FAIL'/>
    => connect | read

    <connect/> <read $control expected='FAIL'/>
    => connect | read ok: $unreadable

    <connect/> <read $echo expected='FAIL'/>
    => 1 connect | read failed: expected a failure, but it succeeded

    <connect/> <read $control expected='FAIL_WARNING_ON_SUCCESS'/>
    => connect | read ok: $unreadable

    <connect/> <read $echo expected='FAIL_WARNING_ON_SUCCESS'/>
    => connect | read warning: expected a failure, but it succeeded

    <connect/> <write $control value='07' expected='FAIL' expectedErrorCode='19'/>
    => connect | write ok: the device refused: value not allowed

    <connect/> <write $control value='07' expected='FAIL' expectedErrorCode='2'/>
    => 1 connect | write failed: the device refused: value not allowed; expected error 2

    <connect/> <write $control value='07' expected='FAIL' expectedErrorCode='133'/>
    ~> 1 connect | write failed: the device refused: value not allowed; expected error 133

    <connect/> <write $control value='01' expected='FAIL' expectedErrorCode='19'/>
    => 1 connect | write failed: expected a failure, but it succeeded

    <connect/> <write $answers value='07' expected='FAIL' expectedErrorCode='3'/>
    => connect | write ok: …

    <connect/> <write $answers value='07' expected='FAIL' expectedErrorCode='13'/>
    => 1 connect | write failed: …

    <connect/> <disconnect/> <connect/>
    <read $control expected='FAIL' expectedErrorCode='5'/>
    => 1 connect | disconnect | connect | read failed: $unreadable; expected error 5

    on lock
    <connect/> <write $lock value='00' timeout='60000' expected='FAIL' expectedErrorCode='15'/>
    => connect | write ok: the device requires pairing…

    <connect/> <read-rssi expected='FAIL'/>
    => 1 connect | read-rssi failed: expected a failure, but it succeeded

    <connect/> <bond expected='FAIL'/>
    => 1 connect | bond failed: expected a failure, but it succeeded

    <connect/> <read $echo expected='FAIL'><assert-value value='77'/></read>
    ~> connect | read ok: assert-value: the value is empty, not 77

    # The connection, and scans.

    <connect/> <read-rssi><assert-value value='-90+'/></read-rssi>
    <read-rssi><assert-value value='-90-' expected='FAIL'/></read-rssi>
    <read-rssi><assert-value description='Far' value='-90-'/></read-rssi>
    ~> 1 connect | read-rssi | read-rssi | read-rssi failed: Far: the RSSI is -…

    <connect/> <request-mtu value='100'/> <request-mtu value='517'/>
    => connect | request-mtu | request-mtu warning: the MTU is 247 bytes, not 517…

    <connect/> <request-connection-priority type='HIGH'/> <request-connection-priority/>
    => connect | request-connection-priority | request-connection-priority

    <connect/> <request-connection-priority type='LOW_POWER' expected='FAIL'/>
    => 1 connect | request-connection-priority failed: expected a failure, but it succeeded

    <connect/> <read-phy><assert-value tx='LE_1M' rx='LE_1M'/></read-phy>
    <set-preferred-phy tx='LE_1M|LE_2M' rx='LE_2M'/> <read-phy><assert-value tx='LE_2M|LE_CODED'/></read-phy>
    <set-preferred-phy/> <set-preferred-phy tx='LE_CODED' option='S8'/>
    <read-phy><assert-value description='Fast' rx='LE_1M|LE_2M'/></read-phy>
    ~> 1 connect | read-phy | set-preferred-phy | read-phy | set-preferred-phy | set-preferred-phy
    | read-phy failed: Fast: the PHY is tx LE_CODED, rx LE_CODED, not rx LE_1M|LE_2M

    <connect/> <read-phy><assert-value tx='LE_2M' expected='FAIL'/></read-phy>
    ~> connect | read-phy

    <scan timeout='1000' rssi='-90'/> <scan-for name='Echo-1'/>
    <scan-for name='Nobody' timeout='2000' expected='FAIL'/>
    <connect timeout='9000'/> <read-rssi><assert-value value='-90+'/></read-rssi> <disconnect/>
    => scan | scan-for | scan-for ok: no matching advertisement was received within 2s | connect
    | read-rssi | disconnect

    <scan-for name='Echo*' timeout='1000'/>
    ~> 75 scan-for failed: no matching advertisement was received within 1s

    <scan-for name='Nobody' timeout='1000'/>
    => 75 scan-for failed: no matching advertisement was received within 1s

    # Macros.

    macro on echo
    $subscribe <write $control value='02'/>
    <wait-for-notification $answers><assert-value value-string='first'/></wait-for-notification>
    <wait-for-indication $answers><assert-value value='02'/></wait-for-indication>
    <sleep-until $answers value='02' server='false' timeout='0'/>
    <wait-for-write $echo><assert-value value='01'/></wait-for-write>
    ~> 1 connect | discover-services | write-descriptor | write | wait-for-notification
    | wait-for-indication | sleep-until
    | wait-for-write failed: this is not supported here: blerun is a GATT client and serves no attributes

    macro on echo
    <write $echo value='0102'/> <read $echo><assert-value value='03'/></read>
    <write $echo value='04'/>
    => connect | discover-services | write | read warning: assert-value: the value is 0102, not 03
    | write

    # Several tests, several devices.

    suite on echo
    <target id='dut' address='C0:FF:EE:00:00:04'/>
    <test id='bad' target='dut'><connect/><read $control/><sleep/></test>
    <test id='good' target='dut'><connect/><read $echo/></test>
    <run-test ref='bad'/> <run-test ref='good'/>
    => 1 connect | read failed: $unreadable | connect | read

    suite on echo, battery
    <target id='echo' address='C0:FF:EE:00:00:04'/> <target id='cell' address='C0:FF:EE:00:00:03'/>
    <test id='both' target='echo'>
    <connect/> <connect target='cell'/> <read target='cell' $level/> <write $echo value='01'/>
    </test>
    <run-test ref='both'/>
    ~> connect | connect | read | write

    suite on echo
    <target id='nobody'/><test id='t' target='nobody'><connect expected='FAIL'/></test><run-test ref='t'/>
    => 1 connect failed: the target 'nobody' is not bound to a device
    """

  private static let words = [
    ("subscribeSlow", "<write-descriptor $cccd $level value='0100'/>"),
    ("subscribe", "<write-descriptor $cccd $answers value='0100'/>"),
    ("configuration", "<read-descriptor $cccd $answers>"),
    (
      "first",
      "$answer<write $control value='02'/><assert-value value-string='first'/></assert-notification>"
    ),
    ("answers", Echo.answers), ("answer", "<assert-notification \(Echo.answers) timeout='1000'>"),
    ("echo", Echo.echo), ("control", Echo.control), ("cccd", Echo.subscription),
    ("service", "uuid='6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40'"),
    ("uuid", "uuid='6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40'"), ("description", "uuid='2901'"),
    ("level", "service-uuid='180f' characteristic-uuid='2a19'"),
    (
      "lock",
      "service-uuid='4c6f0001-1b1a-4e1c-8f6b-0b6c1d2e3f40' "
        + "characteristic-uuid='4c6f0003-1b1a-4e1c-8f6b-0b6c1d2e3f40'"
    ), ("unconnected", "the test has not connected the device, or has disconnected it"),
    (
      "unreadable",
      "the device does not permit reading this attribute; the characteristic supports write"
    ),
  ]

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

  static let samples = text.split(separator: "\n\n").filter { !$0.hasPrefix("#") }.map { block in
    do {
      return try sample(block)
    } catch {
      preconditionFailure("\(block): \(error)")
    }
  }

  private static func sample(_ block: Substring) throws -> Sample {
    let filled = words.reduce(String(block)) { $0.replacing("$\($1.0)", with: $1.1) }
    var lines = filled.split(separator: "\n")
    let end = lines.firstIndex { $0.hasPrefix("=>") || $0.hasPrefix("~>") } ?? lines.endIndex
    var endings = lines[end...].joined(separator: " ").dropFirst(3)
    let number = endings.prefix { $0.isNumber }
    if !number.isEmpty { endings = endings.dropFirst(number.count + 1) }
    let isWhole = lines[end].hasPrefix("=>")
    lines.removeSubrange(end...)
    let head = lines.first?.contains("<") == false ? lines.removeFirst() : " on echo"
    let devices = head.split(separator: "on ").last?.split(separator: ", ").map(String.init) ?? []
    return Sample(
      testDescription: String(block.prefix { $0 != "\n" }),
      devices: devices.map { $0 == "slow" ? slow : $0 },
      suite: try suite(head.split(separator: " "), lines.joined(separator: "\n")),
      endings: endings.split(separator: " | ").map(String.init), exitStatus: Int32(number) ?? 0,
      isWhole: isWhole
    )
  }

  private static func suite(_ head: [Substring], _ body: String) throws -> Suite {
    switch head[0] {
    case "suite": return try .parse("<test-suite>\(body)</test-suite>", file: "suite.xml")
    case "macro": return try .parse("<macro name='M'>\(body)</macro>", file: "macro.xml")
    case "on": return try SuiteBench.suite(body)
    default:
      let variables = head[1].split(separator: "=", maxSplits: 1).map(String.init)
      return try .load(
        path: "\(projectFolder)/\(head[0])",
        variables: variables.count == 2 ? [(variables[0], variables[1])] : []
      )
    }
  }
}
