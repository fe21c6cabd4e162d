// Facts about a host, read from files and programs that the test creates.

import Fixtures
import Foundation
import Testing

@testable import Program

@Suite("A survey of the host")
struct HostSurveyTests {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  private func radio(_ entry: String, _ contents: [(name: String, text: String)]) throws {
    let folder = temporary.path + "/" + entry
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in contents { _ = try temporary.file("\(entry)/\(name)", text) }
  }

  @Test("rfkill switches of Bluetooth radios are read, and others are ignored")
  func switches() throws {
    try radio(
      "rfkill0", [("type", "wlan\n"), ("name", "phy0\n"), ("soft", "1\n"), ("hard", "0\n")])
    try radio(
      "rfkill1", [("type", "bluetooth\n"), ("name", "hci0\n"), ("soft", "0\n"), ("hard", "1\n")]
    )
    var survey = HostSurvey()
    survey.switchFolder = temporary.path
    #expect(survey.switches() == [.init(name: "hci0", isSoftBlocked: false, isHardBlocked: true)])
    survey.switchFolder = temporary.path + "/nowhere"
    #expect(survey.switches().isEmpty)
  }

  @Test("capabilities are read from the status of the process")
  func capabilities() throws {
    var survey = HostSurvey()
    survey.statusFile = try temporary.file("status", "Name:\tblerun\nCapEff:\t0000000000002000\n")
    var facts = HostFacts()
    facts.capabilities = survey.capabilities()
    #expect(facts.has(HostFacts.rawSockets))
    #expect(!facts.has(HostFacts.networkAdministration))
    survey.statusFile = temporary.path + "/nowhere"
    #expect(survey.capabilities() == nil)
  }

  @Test("the version is taken from the first program that prints one")
  func version() {
    var survey = HostSurvey()
    survey.programs = [
      (["/nonexistent/bluetoothd"], "nobody"), (["/bin/echo", "no number"], "nonsense"),
      (["/bin/echo", "bluetoothctl: 5.66"], "bluetoothctl"),
    ]
    #expect(survey.version() == HostFacts.Version(text: "5.66", source: "bluetoothctl"))
    survey.programs = []
    #expect(survey.version() == nil)
  }
}
