// `blerun run` on simulated devices, as a user sees it: messages on standard error, no bus, a pipe.

import Fixtures
import Testing

@Suite("blerun run", .blocking)
struct RunTests {
  /// Two devices of one name: one near, and one far away that advertises more often.
  private static let lamps = """
    scenario: Lamps
    devices:
      - name: Lamp
        address: C0:FF:EE:00:00:05
        advertisement: { rssi: -80, rssi-spread: 0, interval: 100ms }
      - name: Lamp
        address: C0:FF:EE:00:00:06
        advertisement: { rssi: -40, rssi-spread: 0, interval: 900ms }
    """

  @Test("of several devices with one name the strongest is used, and the others are listed")
  func strongest() throws {
    let folder = try TemporaryFolder()
    let lamps = try folder.file("lamps.yaml", Self.lamps)
    let named = try blerun("run", "-e", "connect", "-d", "Lamp", "--simulate", lamps)
    #expect(named.status == 0, "\(named.errors)")
    let note =
      "2 devices match 'Lamp'; the strongest is used: 'Lamp' (C0:FF:EE:00:00:06, -40 dBm), "
      + "'Lamp' (C0:FF:EE:00:00:05, -80 dBm)"
    #expect(named.errors.contains(note), "\(named.errors)")
  }

  @Test("a missing bus prints one clear sentence and exits with 69")
  func noBus() throws {
    let run = try blerun(
      ["run", "-d", "Thermo", "-e", "read battery-level"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
    )
    #expect(run.status == 69)
    #expect(
      run.output.contains("why    the message bus at unix:path=/nonexistent/bus cannot be reached")
    )
    #expect(run.output.contains("try    "))
  }

  @Test("check reads a file that can be read only once")
  func checkOfPipe() throws {
    let example = "docs/examples/thermometer.yaml"
    let piped = try shell("cat \(example) | \"$0\" check /dev/stdin")
    let direct = try blerun("check", example).output
    #expect(piped.output == direct.replacing(example, with: "/dev/stdin"))
  }
}
