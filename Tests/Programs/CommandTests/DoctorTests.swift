// `blerun doctor`: from facts to findings, and the command as a user sees it: beside the leases of
// other processes, with an exit status.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Glibc
import Jobs
import Testing

@testable import Program

@Suite("blerun doctor", .blocking)
struct DoctorTests {
  private let adapter = AdapterFacts(
    path: "/org/bluez/hci0", name: "hci0", address: BluetoothAddress(number: 0x00aa_0100_0023),
    alias: "bench", isPowered: true
  )

  private func good() -> HostFacts {
    var facts = HostFacts()
    facts.adapters = [adapter]
    facts.version = HostFacts.Version(text: "5.66", source: "bluetoothd itself")
    facts.capabilities = .max
    return facts
  }

  private func findings(_ facts: HostFacts, _ subject: String) -> [Finding] {
    Diagnosis(facts).findings.filter { $0.subject == subject }
  }

  @Test("a healthy host has only good findings")
  func allIsWell() {
    let diagnosis = Diagnosis(good())
    #expect(diagnosis.findings.allSatisfy { $0.grade == .ok && $0.hint == nil })
    #expect(diagnosis.exitStatus.rawValue == 0)
  }

  @Test("a refused call is explained by the policy of the bus")
  func refused() {
    var facts = HostFacts()
    facts.problem = RunFailure(
      code: .notPermitted, class: .unavailable, what: "asking bluetoothd",
      why: "the message bus does not permit this user to call bluetoothd",
      hint: "add the user to the group bluetooth, or run as root"
    )
    let finding = Diagnosis(facts).findings.first
    #expect(finding?.grade == .unusable)
    #expect(finding?.text.contains("policy") == true)
    #expect(finding?.hint?.contains("group bluetooth") == true)
    #expect(Diagnosis(facts).exitStatus.rawValue == 69)
  }

  @Test("the rfkill findings distinguish a soft block from a hard block")
  func rfkill() {
    var facts = good()
    facts.switches = [
      .init(name: "hci0", isSoftBlocked: true, isHardBlocked: false),
      .init(name: "laptop", isSoftBlocked: false, isHardBlocked: true),
      .init(name: "free", isSoftBlocked: false, isHardBlocked: false),
    ]
    let found = findings(facts, "rfkill")
    #expect(found.count == 2)
    #expect(found[0].hint == "rfkill unblock bluetooth")
    #expect(found[1].text.contains("by a switch or key"))
  }

  @Test("a powered-off adapter is fatal if it is the only one, and a note otherwise")
  func adapterOff() {
    let off = AdapterFacts(
      path: "/org/bluez/hci1", name: "hci1", address: nil, alias: "", isPowered: false
    )
    var facts = good()
    facts.adapters = [adapter, off]
    #expect(findings(facts, "adapter").map(\.grade) == [.ok, .note])
    facts.adapters = [off]
    #expect(findings(facts, "adapter").map(\.grade) == [.unusable])
    facts.adapters = []
    facts.controllers = ["hci0"]
    #expect(findings(facts, "adapter")[0].text.contains("the kernel has hci0"))
    facts.controllers = []
    #expect(findings(facts, "adapter")[0].text == "there is no Bluetooth adapter")
  }

  @Test("features are derived from the BlueZ version, and its source is stated")
  func version() {
    var facts = good()
    facts.version = HostFacts.Version(text: "5.84", source: "bluetoothctl")
    facts.hasExperimentalInterfaces = true
    let text = findings(facts, "daemon")[0].text
    #expect(text.hasPrefix("BlueZ 5.84 (from bluetoothctl), with reasons of disconnections"))
    #expect(
      text.hasSuffix("passive scanning; not compared with the simulated one, as 5.66 and 5.82 are"))
    facts.version = HostFacts.Version(text: "5.82", source: "bluetoothctl")
    #expect(findings(facts, "daemon")[0].text.hasSuffix("; compared with the simulated one"))
    facts.version = HostFacts.Version(text: "5.50", source: "bluetoothctl")
    #expect(findings(facts, "daemon").map(\.grade) == [.ok, .warning])
    facts.version = nil
    #expect(findings(facts, "daemon").map(\.grade) == [.note])
  }

  @Test("the holder of a link is identified as a run, a killed run or another program")
  func links() throws {
    let addresses = (1...3).map { BluetoothAddress(number: $0) }
    var facts = good()
    facts.links = addresses.map { LinkFacts(path: "/x", address: $0, name: nil) }
    func lease(_ process: Int32, _ address: BluetoothAddress) -> Lease {
      let link = HeldLink(adapter: nil, device: address, path: "/x")
      return Lease(
        owner: ProcessIdentity(process: process, start: 1, boot: "b"), bus: "-",
        entries: [Lease.Entry(link: link, state: .up, daemon: ":1.0")]
      )
    }
    facts.runs = [lease(10, addresses[0])]
    facts.orphans = [lease(11, addresses[1])]
    let found = findings(facts, "link")
    #expect(found.map(\.grade) == [.note, .warning, .note])
    #expect(found[0].text.contains("process 10"))
    #expect(found[1].hint == "blerun doctor --release")
    #expect(found[2].text.contains("leave it up"))
    #expect(findings(facts, "orphan").count == 1)
  }

  @Test("missing privileges are listed with their purpose")
  func privileges() {
    var facts = good()
    facts.capabilities = 1 << 12
    let found = findings(facts, "privilege")
    #expect(found.count == 1)
    #expect(found[0].grade == .note)
    #expect(found[0].text.contains("CAP_NET_RAW"))
    #expect(found[0].text.contains("no connection parameters, read or changed"))
    #expect(!found[0].text.contains("CAP_NET_ADMIN"))
  }

  @Test("a pipe in the lease folder does not block the doctor")
  func pipe() throws {
    let host = try SimulatedHost()
    let environment = try host.environment()
    _ = try blerun(["doctor"], environment: environment)
    for name in ["lease-1-1", "adapter-00_AA_01_00_00_23.lock"] {
      #expect(mkfifo("\(host.folder.path)/run/blerun/\(name)", 0o600) == 0)
    }
    let ended = try RunningProgram(
      blerun: ["doctor", "--release"], environment: environment, limit: .seconds(120)
    ).end()
    #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
  }

  @Test("a simulated host is healthy; a host without a bus is not, and every line is a finding")
  func command() throws {
    let simulated = try blerun("doctor", "--simulate", "Simulators/devices/battery.yaml")
    #expect(simulated.status == 0, "\(simulated.output)")
    #expect(simulated.lines.count == 2)
    let none = try blerun(
      "doctor", "--output", "json",
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
    )
    #expect(none.status == 69)
    #expect(none.lines.first?.contains(#""grade":"unusable","subject":"bus""#) == true)
    #expect(none.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"event":"finding""#) })
  }
}
