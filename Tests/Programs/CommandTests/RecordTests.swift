// `blerun record`: a recording is played again as the same device; files, Ctrl-C, exit statuses.

import Fixtures
import Foundation
import Testing

@Suite("blerun record", .blocking)
struct RecordTests {
  private let uart = "Simulators/devices/uart.yaml"

  /// A chain with an exchange and a refused write, to the control point of echo.yaml.
  private static let control = """
    steps:
      - exchange: 6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40
        value: [{ u8: 2 }, { u8: 7 }]
        answer: 6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40
        where: { hex: "0207" }
      - write: 6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40
        value: { u8: 9 }
        expect: { error: refused }
      - read: 6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40
    """

  private static func device(_ name: String) -> String {
    "\(projectFolder)/Simulators/devices/\(name).yaml"
  }

  /// The values and errors of a chain, in their order, without times.
  private func values(_ device: String, in folder: TemporaryFolder) throws -> [String] {
    let run = try blerun(
      ["run", "chain.yaml", "--simulate", device, "--output", "json"], in: folder.path
    )
    let values = run.lines.compactMap { line -> String? in
      let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let event, ["value", "step-finished"].contains(event["event"] as? String) else {
        return nil
      }
      let error = event["error"] as? [String: Any]
      return "\(event["step"] ?? "") \(event["hex"] ?? "-") \(error?["code"] ?? "-")"
    }
    #expect(values.count > 1, "\(run.output)\(run.errors)")
    return values
  }

  @Test(
    "a chain reads the same values and errors from a device and from its recording",
    arguments: [
      ("echo", control), ("heart-rate", "steps: [read: body-sensor-location, read: battery-level]"),
      ("battery", "steps: [read-descriptor: battery-level/2904, mtu]"),
      (
        "thermometer",
        "steps: [read: temperature-type, { write: alert-level, value: { u8: 1 } }, read: alert-level]"
      ),
    ]
  )
  func repeats(_ name: String, _ chain: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("chain.yaml", chain)
    let device = Self.device(name)
    let run = try blerun(
      ["record", "--simulate", device, "--while", "chain.yaml", "-o", "recorded.yaml"],
      in: folder.path
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(try values("recorded.yaml", in: folder) == values(device, in: folder))
  }

  /// A control point that changes another value and answers by a notification, a counter that wraps within the
  /// recording, and a value that is answered late.
  private static let meter = """
    name: Meter
    address: C0:FF:EE:0A:00:03
    services:
      - service: fff0
        characteristics:
          - characteristic: fff1
            properties: [write]
            responses:
              - { when: { u8: 1 }, then: [{ set: { u8: 10 }, on: fff3 }, { notify: { u8: 0x81 }, on: fff2, after: 20ms }] }
              - { when: { u8: 2 }, then: [{ set: { u8: 20 }, on: fff3 }, { notify: { u8: 0x82 }, on: fff2, after: 20ms }] }
          - { characteristic: fff2, properties: [notify] }
          - { characteristic: fff3, properties: [read], value: { u8: 0 } }
          - { characteristic: fff4, properties: [notify], counter: { format: u8, from: 217, wraps: true, every: 700ms } }
          - { characteristic: fff5, properties: [read], value: { utf8: "slow one" } }
    faults: [{ on: read, characteristic: fff5, do: slow 8s }]
    """

  private static let metering = """
    steps:
      - { exchange: fff1, value: { u8: 1 }, answer: fff2 }
      - read: fff3
      - { command: /bin/echo, arguments: ["2"] }
      - { exchange: fff1, value: { u8: 2 }, answer: fff2 }
      - read: fff3
    """

  @Test("a chain is recorded with its subscriptions, its effects and its programs")
  func subscribed() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [("meter", Self.meter), ("chain", Self.metering)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).yaml"))
    }
    let words = ["record", "--simulate", "meter.yaml", "--while", "chain.yaml", "--for", "9s"]
    func blerun(_ arguments: [String]) throws -> RunningProgram.Ended {
      try RunningProgram(blerun: arguments, in: folder.path).end()
    }
    let refused = try blerun(words)
    #expect(
      refused.status == 65 && refused.errors.contains("--allow-commands"), "\(refused.errors)"
    )
    let run = try blerun(
      words + ["--allow-commands", "--unrecorded", "nearest", "-o", "recorded.yaml"]
    )
    #expect(run.status == 0, "\(run.errors)")
    let text = try String(contentsOfFile: folder.path + "/recorded.yaml", encoding: .utf8)
    for line in [
      "unrecorded: nearest", "- { set: { hex: \"0a\" }, on: fff3 }", "every: 700ms, wraps: true }",
      "# A read was answered after 80", "- { notify: { hex: \"82\" }, on: fff2, after: 20ms }",
    ] { #expect(text.contains(line), "\(line) in\n\(text)") }
    #expect(!text.contains("security:"), "\(text)")
    // The nearest of 3 is 2; the response to 1 was never used.
    let again = try blerun(
      [
        "run", "-e", "exchange fff1 u8:3 answer fff2; write fff1 u8:2", "--simulate",
        "recorded.yaml",
      ]
    )
    #expect(again.output.contains("exchange fff1 u8:3  82"), "\(again.output)")
    #expect(
      again.errors.hasSuffix("blerun: Meter: response 1 of fff1, to 01, was never used\n"),
      "\(again.errors)"
    )
    let scan = try blerun(["scan", "--simulate", "recorded.yaml"])
    #expect(!scan.errors.contains("was never used"), "nothing is connected to: \(scan.errors)")
  }

  /// A recording in a folder with one file: its status, and the number of times that its output has
  /// each text.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let words: String
    var file = ("file.yaml", "")
    var chain = ""
    var status: Int32 = 0
    let says: [String: Int]
  }

  static let cases = [
    Case(
      testDescription: "a series that goes on until the connection is ended is one that repeats",
      words: "--simulate belt.yaml --for 5s --keep",
      file: (
        "belt.yaml",
        """
        name: Belt
        address: C0:FF:EE:0A:00:05
        advertisement: { name: false }
        services:
          - service: fff0
            characteristics:
              - { characteristic: fff1, properties: [notify], series: { values: [{ u8: 3 }, { u8: 1 }, { u8: 4 }], every: 200ms } }
        """
      ),
      says: ["every: 200ms": 1, "repeats: false": 0, "name: Belt": 1]
    ),
    Case(
      testDescription: "a device that serves another name than it advertises keeps both",
      words: "--simulate scale.yaml --keep",
      file: (
        "scale.yaml",
        """
        name: BF950
        gap-name: Scale 9
        address: C0:FF:EE:0A:00:09
        services: [{ service: fff0, characteristics: [{ characteristic: fff1, properties: [read], value: { u8: 1 } }] }]
        """
      ),
      says: ["\nname: BF950\n": 1, "\ngap-name: \"Scale 9\"\n": 1]
    ),
    Case(
      testDescription:
        "a device that changes its address before it is connected keeps what it sends",
      words: "-d Tag --simulate tag.yaml --for 12s",
      file: (
        "tag.yaml",
        """
        name: Tag
        address: 00:00:5E:00:53:09
        address-type: public
        private-address: { kind: resolvable, every: 5s }
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read, notify], counter: { format: u8, every: 1s } }
        """
      ),
      says: ["counter: { format: u8": 1]
    ),
    Case(
      testDescription: "a device that changes its address while a read is held is followed",
      words: "-d *iPhone --simulate phone.yaml --keep",
      file: (
        "phone.yaml",
        """
        name: Ann's iPhone
        address: C4:5A:7E:91:3B:62
        private-address: { every: 10s }
        security: { pairing: just-works }
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read, notify], security: encrypted, value: { u8: 80 } }
        """
      ),
      says: [
        "address-type: random": 1, "address-type: public": 0, "characteristic: battery-level": 1,
        "security: encrypted": 1, "none was received": 0, "# Seen at ": 1,
      ]
    ),
    Case(
      testDescription: "a device whose services cannot be read is no empty file",
      words: "--simulate mute.yaml",
      file: (
        "mute.yaml",
        """
        address: C0:FF:EE:0A:00:0A
        services: [{ service: fff0 }]
        faults: [{ on: discover, do: refuse 0x0e }]
        """
      ),
      status: 75, says: ["address": 0]
    ),
    Case(
      testDescription:
        "a subscription that is refused by dropping the connection leaves the others",
      words: "--simulate safe.yaml --for 9s",
      file: (
        "safe.yaml",
        """
        scenario: Older
        host: { bluez: "5.66" }
        devices:
          - name: Safe
            address: C0:FF:EE:0A:00:06
            security: { pairing: just-works }
            services:
              - service: fff0
                characteristics:
                  - { characteristic: fff1, properties: [notify], counter: { format: u8, from: 3, every: 1s } }
                  - { characteristic: fff4, properties: [notify], counter: { format: u8, every: 1s } }
                  - { characteristic: fff2, properties: [read, notify], security: encrypted, value: { u8: 1 } }
                  - { characteristic: fff3, properties: [notify], counter: { format: u8, from: 9, every: 1s } }
            faults: [{ on: subscribe, characteristic: fff4, do: refuse 0x80 }]
        """
      ),
      says: [
        "# Not learned: what fff2 sends: it cannot be subscribed to (": 1, "every: 1s": 2,
        "what fff4 sends:": 1,
      ]
    ),
    Case(
      testDescription: "a chain that fails does not end the subscriptions",
      words: "--simulate $P/Simulators/devices/thermometer.yaml --while chain.yaml --for 9s",
      file: ("chain.yaml", "steps: [{ read: battery-level, expect: { percent: { above: 99 } } }]"),
      status: 1, says: ["it failed (expectation-not-met)": 1, "every: 500ms": 1]
    ),
    Case(
      testDescription: "a chain that connects again goes on, and the file says what that ended",
      words: "--simulate $P/Simulators/devices/battery.yaml --while chain.yaml --for 9s",
      file: ("chain.yaml", "steps: [disconnect, connect, read: battery-level]"),
      says: ["# Not learned: what battery-level sent later: its subscription ended (": 1]
    ),
    Case(
      testDescription:
        "a lost connection ends the subscriptions, and the earlier part of the recording is kept",
      words: "--simulate $P/Simulators/scenarios/out-of-range.yaml --for 30s", status: 75,
      says: [
        "characteristic: body-sensor-location": 1,
        "# Not learned: what would have come next: it failed (link-lost)": 1,
      ]
    ),
    Case(
      testDescription: "a device that drops the connection at a read is recorded all the same",
      words: "--simulate fragile.yaml",
      file: (
        "fragile.yaml",
        """
        address: C0:FF:EE:0A:00:07
        services:
          - service: fff0
            characteristics:
              - { characteristic: fff1, properties: [read], value: { utf8: "first" } }
              - { characteristic: fff2, properties: [read], refuse-read: insufficient-authorization }
        faults: [{ on: read, characteristic: fff1, do: lose-link }]
        """
      ),
      says: [
        "# Its value is not known: the connection dropped when it was read.": 1,
        "refuse-read: insufficient-authorization": 1, "what it sends": 0,
      ]
    ),
    Case(
      testDescription: "a write at which the connection drops is not one that the device refuses",
      words: "--simulate fragile.yaml --while chain.yaml",
      file: (
        "fragile.yaml",
        """
        address: C0:FF:EE:0A:00:08
        services: [{ service: fff0, characteristics: [{ characteristic: fff1, properties: [write] }] }]
        faults: [{ on: write, do: lose-link }]
        """
      ),
      chain: "steps: [{ write: fff1, value: { u8: 1 } }]",
      status: 75,
      says: [
        "what a write to fff1 causes that was not answered: the connection dropped": 1, "refuse": 0,
      ]
    ),
    Case(
      testDescription: "a device that accepts no connections is recorded without one",
      words: "--simulate $P/Simulators/devices/beacon.yaml --no-connect",
      says: [
        "changes: this is the first of": 1, "# Not learned: its services: it was not connected.": 1,
      ]
    ),
  ]

  @Test("events during the recording become part of it", arguments: cases)
  func records(example: Case) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(example.file.0, example.file.1)
    if !example.chain.isEmpty { _ = try folder.file("chain.yaml", example.chain) }
    let words = example.words.split(separator: " ")
      .map { String($0).replacing("$P", with: projectFolder) }
    let run = try RunningProgram(blerun: ["record"] + words, in: folder.path).end()
    #expect(run.status == example.status, "\(run.errors)")
    for (text, count) in example.says {
      #expect(run.output.components(separatedBy: text).count - 1 == count, "\(text) \(run.output)")
    }
  }

  @Test("with a passkey, protected attributes are recorded with their values and security")
  func protected() throws {
    let run = try blerun(
      [
        "record", "--simulate", "Simulators/devices/lock.yaml", "--pair", "--passkey-env", "LOCK",
      ],
      environment: ["LOCK": "042137"]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("value: { hex: \"01\" }\n        security: encrypted"), "\(run.output)"
    )
    #expect(!run.output.contains("042137"))
  }

  @Test("an existing file is not replaced, and nothing is recorded")
  func exists() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/mine.yaml"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    let run = try blerun("record", "--simulate", uart, "-o", file)
    #expect(run.status == 2)
    #expect(run.errors == "blerun: \(file) exists already: name another file, or remove it\n")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test("- means standard output, not a file of that name")
  func standardOutput() throws {
    let folder = try TemporaryFolder()
    let device = "\(projectFolder)/\(uart)"
    let run = try blerun(["record", "--simulate", device, "-o", "-"], in: folder.path)
    #expect(run.status == 0 && run.output.hasPrefix("# Recorded by blerun."), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/-"))
  }

  @Test("Ctrl-C keeps what was recorded, and ends with the status of the signal")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let run = try RunningProgram(
      blerun: [
        "record", "--simulate", "\(projectFolder)/Simulators/devices/heart-rate.yaml",
        "--real-time",
        "--scan", "2s", "--for", "1h", "-o", "recorded.yaml", "--verbose",
      ],
      in: folder.path
    )
    try run.waitForErrors("StartNotify")
    run.send(SIGINT)
    let ended = run.end()
    #expect(ended.status == 130, "\(ended.errors)")
    let text = try String(contentsOfFile: folder.path + "/recorded.yaml", encoding: .utf8)
    #expect(text.contains("characteristic: body-sensor-location"), "\(text)")
    #expect(text.contains("the recording was interrupted"))
    let check = try blerun("check", folder.path + "/recorded.yaml")
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test("a file that is neither a trace nor a cache is rejected with the accepted kinds")
  func other() throws {
    let run = try blerun("record", "--from", "README.md")
    #expect(run.status == 65)
    #expect(
      run.errors.hasPrefix("blerun: README.md: it is neither a btsnoop or PacketLogger trace nor")
    )
  }
}
