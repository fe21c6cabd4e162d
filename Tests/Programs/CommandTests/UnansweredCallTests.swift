// Calls that bluetoothd never answers are not a success, and the exit status matches the last event.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Unanswered calls", .blocking)
struct UnansweredCallTests {
  private static func scenario(_ fault: String) -> String {
    """
    scenario: Silent
    host: { disconnect-delay: 4s }
    devices:
      - name: Quick-1
        address: C0:FF:EE:00:00:07
        advertisement: { services: [heart-rate], interval: 20ms }
        services:
          - service: heart-rate
            characteristics:
              - characteristic: heart-rate-measurement
                properties: [notify]
                series: { values: [{ hex: "00 48" }], every: 10ms }
    faults: [\(fault)]
    """
  }

  @Test("a subscription that was never confirmed fails the command")
  func watch() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "scenario.yaml", Self.scenario("{ fault: unanswered-calls, on: subscribe, at: 0s }")
    )
    let program = try RunningProgram(
      blerun: [
        "watch", "-d", "Quick-1", "heart-rate-measurement", "--for", "1s", "--timeout", "10s",
        "--no-resume", "--simulate", file,
      ]
    )
    let ended = program.end()
    #expect(ended.status == 75, "\(ended.output) \(ended.errors)")
    #expect(ended.errors.contains("subscribing"), "\(ended.errors)")
  }

  @Test("after a signal during the last disconnect, the last event matches the exit status")
  func lastDisconnect() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("scenario.yaml", Self.scenario(""))
    let program = try RunningProgram(
      blerun: [
        "run", "-d", "Quick-1", "-e", "notify heart-rate-measurement until 1x", "--simulate", file,
        "--real-time", "--output", "json",
      ]
    )
    try program.waitForOutput(#""operation":"disconnect""#)
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130, "\(ended.errors)")
    #expect(ended.lines.last?.contains(#""exitStatus":130"#) == true, "\(ended.output)")
  }
}
