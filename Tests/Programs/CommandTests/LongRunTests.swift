// Thousands of repetitions take no more stack than one: the stack of a process is limited.

import Fixtures
import Foundation
import Testing

@Suite("Long runs on a small stack", .blocking)
struct LongRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the binary with half a MiB of stack: a frame for each time is seen after some thousands.
  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    try RunningProgram(
      ["sh", "-c", "ulimit -s 512; exec \"$0\" \"$@\"", binaryPath] + arguments, in: projectFolder
    ).end()
  }

  @Test("a chain of thousands of reads, each a call to a simulated object, does not overflow")
  func reads() throws {
    let count = testsEverything ? 10_000 : 4_000
    let chain = try folder.file(
      "chain.yaml", "steps: [ { repeat: \(count), steps: [ { read: battery-level } ] } ]\n"
    )
    let device = "Simulators/devices/battery.yaml"
    let ended = try run("run", chain, "--simulate", device, "--report", folder.path + "/a.txt")
    #expect(ended.status == 0, "\(ended.errors)")
  }

  @Test("a journaled suite of two thousand operations does not overflow")
  func operations() throws {
    let sleeps = String(repeating: "<sleep timeout=\"1\"/>", count: 2_000)
    let suite = try folder.file(
      "suite.xml",
      """
      <test-suite description="Long"><target id="a" name="A" address="C0:FF:EE:00:00:03"/>
      <test id="t" target="a"><connect/>\(sleeps)<disconnect/></test><run-test ref="t"/></test-suite>
      """
    )
    let device = "Simulators/devices/battery.yaml"
    let journal = folder.path + "/journal.sqlite"
    let ended = try run("run", suite, "--simulate", device, "--journal", journal)
    #expect(ended.status == 0, "\(ended.errors)")
  }
}
