// Chains from files: what each part means, and the examples.

import Bluetooth
import Documents
import Fixtures
import Testing

@testable import Jobs

@Suite("Chain files")
struct ChainFileTests {
  func plan(_ text: String) throws -> Plan { try Plan.parse(text, file: "chain.yaml") }

  static let examples = projectFolder + "/docs/examples/"

  @Test("every key in the head of a chain is parsed")
  func head() throws {
    let plan = try plan(
      """
      name: Read it
      device: { name: "Thermo*" }
      timeout: 10s
      retry: { attempts: 3, backoff: 250ms }
      steps: [ { read: battery-level } ]
      """
    )
    #expect(plan.name == "Read it")
    #expect(plan.device == .name("Thermo*"))
    #expect(plan.timeout == .seconds(10))
    #expect(plan.retry == RetryRule(attempts: 3, backoff: .milliseconds(250)))
    #expect(plan.steps.map(\.description) == ["read battery-level"])
  }

  @Test("a chain without a head has the default limits and no device")
  func bare() throws {
    let plan = try plan(#"{"steps": [{"read": "2a19"}]}"#)
    #expect(plan.name == nil)
    #expect(plan.device == nil)
    #expect(plan.timeout == .seconds(20))
    #expect(plan.retry.attempts == 1)
  }

  @Test(
    "a device can be identified in four ways",
    arguments: [
      ("name: HRM-1", "'HRM-1'"), ("alias: my strap", "'my strap'"),
      ("address: c0-ff-ee-00-00-01", "C0:FF:EE:00:00:01"),
      ("service: heart-rate", "a device with heart-rate"),
    ]
  )
  func device(written: String, meant: String) throws {
    #expect(try plan("device: { \(written) }\nsteps: [connect]").device?.description == meant)
  }

  @Test(
    "each kind of step means the same as its one-line form",
    arguments: [
      ("connect", "connect"), ("{ disconnect: , timeout: 3s }", "disconnect within 3s"),
      ("{ sleep: 1.5s }", "sleep 1500ms"), ("{ log: two words }", #"log "two words""#),
      ("{ read: 2a19, as: b, timeout: 5s }", "read battery-level as b within 5s"),
      ("{ read: \"@12\", format: u16be }", "read @0x000c format u16be"),
      ("{ write: alert-level, value: { u8: 1 } }", "write alert-level u8:1"),
      (
        "{ write: 2a06, value: [{ u16be: 0x12c }, { utf8: a b }], kind: command }",
        #"write alert-level u16be:0x12c utf8:"a b" command"#
      ),
      (
        "{ notify: 2a37, until: { count: 5 }, for: 1m, as: h }",
        "notify heart-rate-measurement until 5x for 1m as h"
      ),
      (
        "{ notify: 2a37, for: 3s, after: { write: 2a39, value: { hex: 01 }, kind: request } }",
        "notify heart-rate-measurement "
          + "after { write heart-rate-control-point hex:01 request } for 3s"
      ),
    ]
  )
  func kinds(written: String, meant: String) throws {
    #expect(try plan("steps:\n- \(written)").steps.map(\.description) == [meant])
  }

  @Test(
    "an expectation means the same as its one-line form",
    arguments: [
      ("72", ["value = 72"]),
      ("{ percent: 72 }", ["percent = 72"]), ("{ percent: { is: 72 } }", ["percent = 72"]),
      ("{ percent: { not: 72 } }", ["percent != 72"]),
      ("{ percent: { min: 1, max: 2.5 } }", ["percent >= 1", "percent <= 2.5"]),
      ("{ percent: { above: -1, below: 0x10 } }", ["percent > -1", "percent < 16"]),
      ("{ percent: { between: [10, 40] } }", ["percent in 10..40"]),
      ("{ percent: { in: [1, 2, ear lobe] } }", [#"percent in 1,2,"ear lobe""#]),
      ("{ hex: 0064, u8: 100 }", ["hex = 0064", "u8 = 100"]),
    ]
  )
  func expectations(written: String, meant: [String]) throws {
    let plan = try plan("steps: [{ read: battery-level, expect: \(written) }]")
    #expect(plan.steps[0].expectations.map(\.description) == meant)
  }

  @Test("a condition may test several variables in several ways")
  func conditions() throws {
    let plan = try plan(
      """
      steps:
      - { read: temperature-measurement, as: t }
      - { read: battery-level, as: b }
      - { when: { t.celsius: { above: 30, below: 40 }, b: 72 }, steps: [connect] }
      """
    )
    #expect(plan.steps[2].description == "when t.celsius > 30 and t.celsius < 40 and b = 72")
  }

  @Test(
    "every example parses",
    arguments: ["thermometer", "heart-rate", "echo", "battery"]
  )
  func examples(name: String) throws {
    let plan = try Plan(file: Self.examples + name + ".yaml")
    #expect(plan.name != nil)
    #expect(plan.device != nil)
    #expect(plan.steps.count >= 1)
  }

  @Test("a dry run prints the plan of an example")
  func dryRun() throws {
    let plan = try Plan(file: Self.examples + "thermometer.yaml")
    #expect(
      plan.lines == [
        "chain     Read the thermometer",
        "device    'Thermo-1'",
        "timeout   10s a step",
        "retry     3 attempts, 500ms before the second",
        "",
        "      connect",
        "1     read battery-level expect percent > 5",
        "2     read temperature-measurement as reading expect celsius in 30..43",
        #"3     log "{reading.celsius} degrees, measured at the {reading.type}""#,
        "4     write alert-level u8:1",
        "5     notify temperature-measurement until 3x as latest "
          + "expect celsius >= 30 expect celsius <= 43",
        "6     when latest.celsius > 30",
        "6.1     write alert-level u8:2",
        "7     repeat 3",
        "7.1     read battery-level as battery",
        #"7.2     log "the battery has {battery.percent} percent left""#,
        "7.3     sleep 1s",
        "8     write alert-level u8:0",
        "      disconnect",
      ]
    )
  }

  @Test("keys below the verb of a step instead of beside it are one error, whatever its kind")
  func keysBelowVerb() throws {
    for entry in Step.entries {
      let verb = entry.verb
      let own = entry.descriptions.first { $0.name == verb }
      let beside = entry.descriptions.filter { $0.name != verb }
      if own?.shape.mayBeMapping == true { continue }
      for key in beside {
        let found = Plan.complaints("steps:\n  - \(verb):\n      \(key.name): 1\n")
        let error = "c:3:7: steps.1.\(verb): the keys of a step are beside its verb, not below it"
        #expect(found.count == 1 && found[0].hasPrefix(error), "\(verb): \(found)")
      }
    }
  }

  @Test("a step that cannot be read causes no errors in the steps that use its value")
  func noFollowUps() {
    let found = Plan.complaints(
      """
      steps:
        - rssi: { as: a }
        - raed: battery-level
          as: b
        - repeat: { steps: [{ read: battery-level, as: c }] }
        - set: { d: 1, e: 2 }
          as: both
        - log: "{a.rssi} {b.percent} {c.percent} {d} {e} {f}"
      """
    )
    let paths = found.map { $0.split(separator: " ")[1] }
    #expect(
      paths == ["steps.1.rssi:", "steps.2:", "steps.3.repeat:", "steps.4.as:", "steps.5.log:"],
      "\(found)"
    )
    #expect(found.last?.contains("no earlier step captures 'f'") == true, "\(found)")
    // The file may capture any name.
    let included = Plan.complaints("steps: [{ include: none.yaml }, { log: '{a}' }]")
    #expect(included.count == 1 && included[0].contains("'none.yaml'"), "\(included)")
  }

  @Test("a misspelt key is reported, and not that the right one is missing")
  func misspelt() {
    for step in ["throughput: , up: ff01, fro: 5s", "notify: ff01, fro: 5s"] {
      let found = Plan.complaints("steps: [{ \(step) }]")
      #expect(found.count == 1 && found[0].contains("unknown key 'fro'"), "\(found)")
    }
  }

  @Test("the number of steps and the nesting depth are limited")
  func limits() {
    var small = PlanLimits()
    small.writtenSteps = 2
    #expect(
      Plan.complaints("steps: [connect, connect, connect]", limits: small) == [
        "c:1:8: steps: 3 steps (expected at most 2)"
      ]
    )
    small.depth = 1
    let nested = "steps: [{ repeat: 2, steps: [{ repeat: 2, steps: [connect] }] }]"
    #expect(
      Plan.complaints(nested, limits: small) == [
        "c:1:50: steps.1.steps.1.steps: steps are nested deeper than 1 levels"
      ]
    )
  }

  @Test("a missing file, a folder and a file that is not text are reported with their path")
  func files() throws {
    let folder = try TemporaryFolder()
    let latin = folder.path + "/latin"
    try folder.write([0x61, 0x3a, 0x20, 0x62, 0x0a, 0x63, 0x3a, 0xe4, 0x0a], to: latin)
    for (path, complaint) in [
      ("no/such.yaml", ": the file cannot be read: No such file or directory"),
      ("/", ": the file cannot be read: Is a directory"), ("/dev/null", ":1:1: the file is empty"),
      ("/dev/zero", ": the file is longer than 4194304 bytes"),
      (latin, ":2:1: the file is not valid UTF-8"), ("", "the name of a file is empty"),
    ] {
      let errors = #expect(throws: DocumentErrors.self) { try Plan(file: path) }
      #expect(errors?.description == path + complaint)
    }
  }

  @Test("the fields known before a run are those that the decoders produce")
  func knownFields() throws {
    let samples: [(short: UInt16, octets: [UInt8])] = [
      (0x2a19, [72]), (0x2a21, [5, 0]),
      (0x2a1c, [7, 0x6e, 1, 0, 0xff, 0xea, 7, 1, 2, 3, 4, 5, 1]),
      (0x2a1e, [7, 0x6e, 1, 0, 0xff, 0xea, 7, 1, 2, 3, 4, 5, 1]),
      (0x2a37, [0x1e, 72, 1, 0, 0, 4]),
    ]
    for (short, octets) in samples {
      let uuid = BluetoothUUID(short: short)
      let fields = try fields(of: uuid, octets)
      #expect(fields?.sorted() == StandardValues.fieldNames(of: uuid).sorted())
    }
    // Others give no field that is not known; that they give all is tested where decoders are. The
    // bytes behind the known fields are one of any value.
    for short in UInt16(0x2a00)...0x2bff {
      let uuid = BluetoothUUID(short: short)
      for octets in [[0], [0, 0], [0, 0, 0, 0, 0]] as [[UInt8]] {
        let given = (try? fields(of: uuid, octets)) ?? []
        let known = StandardValues.fieldNames(of: uuid)
        #expect(known.isEmpty || given.allSatisfy((known + ["further"]).contains))
      }
    }
  }

  /// The fields that the decoder of a characteristic makes of octets; nil when it makes none.
  private func fields(of uuid: BluetoothUUID, _ octets: [UInt8]) throws -> [String]? {
    guard let decode = StandardValues.decoder(for: uuid) else { return nil }
    guard case .fields(let fields) = try decode(octets) else { return nil }
    return fields.map(\.name)
  }
}
