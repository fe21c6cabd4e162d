// `blerun check`: the problems found in files of each kind, without the printing.

import Documents
import Fixtures
import Foundation
import Jobs
import Testing

@testable import Program

@Suite("Problems that check finds", .blocking)
struct CheckTests {
  private static let thermometer = projectFolder + "/Simulators/devices/thermometer.yaml"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func check(_ words: [String]) throws -> Checked {
    let command = try Blerun.command(of: ["check"] + words)
    return try #require(command as? Program.Check).checked()
  }

  private func problems(_ words: String...) throws -> [String] {
    try check(words).problems.map(\.description)
  }

  @Test("check reports a chain that uses a device or characteristic that is not simulated")
  func notSimulated() throws {
    let chain = try folder.file(
      "lamp.yaml",
      "name: x\ndevice:\n  name: Lamp-1\nsteps:\n  - read: battery-level\n  - read: ff01\n"
    )
    let line = "connect; read heart-rate/body-sensor-location"
    let problems = try check([chain, "-e", line, "--simulate", Self.thermometer]).problems
    let texts = problems.map(\.description)
    #expect(texts.first?.hasPrefix("\(chain):3:3: device: no simulated device") == true)
    #expect(
      texts.dropFirst() == [
        "\(chain):6:5: no simulated device has ff01",
        "-e:1:10: no simulated device has heart-rate/body-sensor-location",
      ],
      "\(texts)"
    )
    #expect(problems.last.flatMap { LineExcerpt($0) }?.lines == [line, "         ^"])
  }

  @Test("check warns about names that are assigned ones, which they shadow in their own file alone")
  func shadows() throws {
    let device = try folder.file(
      "hall.yaml",
      """
      address: C0:FF:EE:10:02:04
      name: Hall-1
      names: { temperature: ff01 }
      services:
        - service: fff0
          characteristics:
            - { characteristic: temperature, properties: [read], value: { u8: 21 } }
            - { characteristic: 2a6e, properties: [read], value: { i16: 2500 } }
      """
    )
    _ = try folder.file("inner.yaml", "- read: temperature\n")
    let chain = try folder.file(
      "hall-chain.yaml",
      """
      names: { temperature: ff01 }
      steps:
        - { read: temperature, format: u8, expect: 21 }
        - include: inner.yaml
      """
    )
    let run = try blerun("check", chain, "--simulate", device)
    #expect(run.status == 0, "\(run.errors)")
    for place in ["\(chain):1:10", "\(device):3:10"] {
      let warning =
        "\(place): names.temperature: 'temperature' is the assigned name of the characteristic 2a6e, "
        + "and of another UUID in this file"
      #expect(run.errors.contains(warning), "\(run.errors)")
    }
    let read = try blerun("run", chain, "--simulate", device)
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.output.contains("1  read temperature"), "\(read.output)")
    #expect(read.output.contains("25.00"), "\(read.output)")
    let names = try folder.file("names.yaml", "names: { temperature: ff01 }\n")
    let refused = try blerun("check", names)
    #expect(refused.status != 0)
    #expect(refused.errors.contains("(expected another name)"), "\(refused.errors)")
  }

  @Test("check warns about timers of one state that fire at the same instants")
  func timers() throws {
    let device = try folder.file(
      "timers.yaml",
      """
      address: C0:FF:EE:10:02:03
      machines:
        - machine: m
          variables: { x: 0 }
          states:
            s:
              on:
                - { every: 50ms, do: { let: { x: $x + 1 } } }
                - { every: 70ms, do: { let: { x: $x + 1 } } }
                - { every: 50ms, if: $x < 10, do: { let: { x: $x - 1 } }, to: t }
            t:
              on: { every: 1s, do: { let: { x: 0 } } }
          always: { every: 100ms, do: { let: { x: $x } } }
      """
    )
    let checked = try check([device])
    #expect(checked.problems == [] && checked.confirmations == ["\(device): ok"])
    func warning(_ place: String, _ path: String, _ period: String, _ earlier: String) -> String {
      "\(device):\(place): machines.1.\(path): fires at the same instants as 'every: \(period)' at "
        + "\(device):\(earlier) (expected another period, or one 'every' for both)"
    }
    let found = checked.warnings.map(\.description)
    #expect(found.count == 3)
    #expect(found.first == warning("10:13", "states.s.on.3", "50ms", "8:13"))
    #expect(found.dropFirst().first == warning("13:13", "always", "50ms", "8:13"))
    #expect(found.last == warning("13:13", "always", "1s", "12:13"))
  }

  @Test("check reports operations that a characteristic lacks, unless the step must fail")
  func notOffered() throws {
    let device = try folder.file(
      "device.yaml",
      """
      address: C0:FF:EE:00:00:09
      services:
        - service: fff0
          characteristics:
            - { characteristic: fff1, properties: [write-without-response] }
            - { characteristic: fff2, properties: [write] }
            - { characteristic: fff3, properties: [] }
            - { characteristic: fff4, properties: [authenticated-signed-writes] }
            - { characteristic: fff5, properties: [read, notify], value: { u8: 1 } }
      """
    )
    let chain = try folder.file(
      "chain.yaml",
      """
      steps:
        - { write: fff1, value: { u8: 1 }, kind: request }
        - { write: fff1, value: { u8: 1 }, kind: request, expect: { error: any } }
        - { write: fff2, value: { u8: 1 }, kind: command }
        - { write: fff2, value: { u8: 1 }, delivery: acquire }
        - { write: fff2, value: { u8: 1 }, kind: reliable }
        - { write: fff3, value: { u8: 1 } }
        - { write: fff4, value: { u8: 1 } }
        - { read: fff2 }
        - { poll: fff1, every: 1s, until: { count: 1 } }
        - { notify: fff2, until: { count: 1 } }
        - repeat: 2
          steps: [ { exchange: fff5, value: { u8: 1 } } ]
        - combine: [ { notify: fff5, as: a }, { poll: fff3, every: 1s, as: b } ]
          for: 1s
      """
    )
    let texts = try problems(chain, "--simulate", device).map {
      $0.replacing("\(chain):", with: "")
    }
    let others = "; write with kind"
    #expect(
      texts == [
        "2:5: fff1 cannot be written with response; it supports write-without-response\(others) 'command'",
        "4:5: fff2 cannot be written without response; it supports write\(others) 'request'",
        "5:5: fff2 cannot be written without response; it supports write\(others) 'request', "
          + "each with a call",
        "7:5: fff3 cannot be written; it supports nothing",
        "9:5: fff2 cannot be read; it supports write",
        "10:5: fff1 cannot be read; it supports write-without-response",
        "11:5: fff2 sends neither notifications nor indications; it supports write",
        "13:14: fff5 cannot be written; it supports read, notify",
        "14:5: fff3 cannot be read; it supports nothing",
      ],
      "\(texts)"
    )
  }

  @Test("check reports errors in a scenario and in the devices that it uses")
  func scenario() throws {
    let device = try folder.file("device.yaml", "address: here\n")
    let scenario = try folder.file(
      "scenario.yaml",
      "scenario: Wrong\ndevices: [{ use: device.yaml }]\nfaults: [{ fault: link-lots }]\n"
    )
    let texts = try problems("--simulate", scenario).joined(separator: "\n")
    for text in [
      "\(device):1:10: address: expected an address such as C0:FF:EE:00:00:01, found 'here'",
      "\(scenario):3:19: faults.1.fault: 'link-lots' is not a fault", "did you mean 'link-lost'?",
    ] { #expect(texts.contains(text), "\(texts)") }
  }

  @Test("check tells device files, scenarios, chains and batches apart by their keys")
  func kinds() throws {
    // A file may be long, if only in what says nothing.
    let remark = "# " + String(repeating: "long, ", count: 200_000)
    let batch = try folder.file(
      "batch.yaml", "devices: [ Tag-1, Tag-2 ]\n\(remark)\nsteps: [ { read: battery-level } ]\n"
    )
    let files = ["Simulators/scenarios/silence.yaml", "docs/examples/heart-rate.yaml"].map {
      "\(projectFolder)/\($0)"
    }
    let good = try check([Self.thermometer, files[0], files[1], batch])
    #expect(good.problems.isEmpty)
    #expect(
      good.confirmations == [
        "\(Self.thermometer): ok", "\(files[0]): ok", "\(files[1]): 3 steps, ok",
        "\(batch): 2 devices, ok",
      ]
    )
    let device = try folder.file("device.yaml", "name: A\naddress: here\nservices: []\n")
    #expect(
      try problems(device) == [
        "\(device):2:10: address: expected an address such as C0:FF:EE:00:00:01, found 'here'"
      ]
    )
    let wrong = try folder.file(
      "wrong.yaml", "devices: [ Tag-1 ]\nsteps: [ { read: batery-level } ]\n"
    )
    #expect(try problems(wrong).joined().contains("did you mean 'battery-level'?"))
  }
}
