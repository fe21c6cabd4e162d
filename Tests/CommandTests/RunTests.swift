// `blerun run` on simulated devices, as a user sees it.

import Fixtures
import Testing

@Suite("blerun run", .blocking)
struct RunTests {
  let heartRate = "Simulators/devices/heart-rate.yaml"

  @Test("the demo shows each step with its decoded value and ends well")
  func demo() throws {
    let run = try blerun(
      "run",
      "docs/examples/thermometer.yaml",
      "--simulate",
      "Simulators/devices/thermometer.yaml"
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("°C"))
    #expect(run.output.contains("disconnect"))
  }

  @Test(
    "every example runs against its device",
    arguments: [
      "thermometer", "heart-rate", "battery", "beacon", "echo", "firmware-update", "glucose", "tag",
      "thingy", "uart",
    ]
  )
  func examples(name: String) throws {
    let run = try blerun(
      "run",
      "docs/examples/\(name).yaml",
      "--simulate",
      "Simulators/devices/\(name).yaml"
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
  }

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

  @Test("of several devices of one name the strongest is used, and the others are reported")
  func strongest() throws {
    let folder = try TemporaryFolder()
    let lamps = try folder.file("lamps.yaml", Self.lamps)
    func run(_ device: String) throws -> RunningProgram.Ended {
      try blerun("run", "-e", "connect", "-d", device, "--simulate", lamps, "--output", "json")
    }
    let named = try run("Lamp")
    #expect(named.status == 0, "\(named.errors)")
    let note =
      "2 devices match 'Lamp'; the strongest is used: 'Lamp' (C0:FF:EE:00:00:06, -40 dBm), "
      + "'Lamp' (C0:FF:EE:00:00:05, -80 dBm)"
    #expect(named.errors.contains(note), "\(named.errors)")
    #expect(named.output.contains(#""candidates":[{"address":"C0:FF:EE:00:00:06","name":"Lamp","#))
    let given = try run("C0:FF:EE:00:00:05")
    #expect(given.status == 0 && !given.output.contains("candidates"), "\(given.output)")
  }

  @Test("where one device is to match, several are a failure with all of them")
  func unique() throws {
    let folder = try TemporaryFolder()
    let lamps = try folder.file("lamps.yaml", Self.lamps)
    let chain = try folder.file(
      "chain.yaml",
      "device: { name: \"La*\", unique: true }\nsteps: [ connect ]\n"
    )
    let run = try blerun("run", chain, "--simulate", lamps, "--output", "json")
    #expect(run.status != 0)
    let texts = [
      #""code":"ambiguous""#, "2 devices match 'La*'", "C0:FF:EE:00:00:05, -80 dBm",
      "C0:FF:EE:00:00:06, -40 dBm",
    ]
    for text in texts { #expect(run.output.contains(text), "\(run.output)") }
  }

  @Test("a one-line chain receives notifications for a while, in virtual time")
  func notifications() throws {
    let run = try blerun(
      "run",
      "--simulate",
      heartRate,
      "-e",
      "notify heart-rate-measurement for 3s"
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("bpm"))
  }

  @Test("JSON lines carry the promised keys, and the exit status at the end")
  func json() throws {
    let run = try blerun(
      "run",
      "--simulate",
      heartRate,
      "--output",
      "json",
      "-e",
      "read body-sensor-location"
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.first?.contains(#""event":"run-started""#) == true)
    #expect(run.lines.last?.contains(#""event":"run-finished""#) == true)
    #expect(run.lines.last?.contains(#""exitStatus":0"#) == true)
    #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"event":"#) })
  }

  @Test("the same seed gives the same output in two processes, from another folder")
  func repeats() throws {
    let elsewhere = try TemporaryFolder()
    let arguments = [
      "run", "--simulate", "\(packageFolder)/\(heartRate)", "--seed", "7", "--output", "json",
      "-e", "notify heart-rate-measurement until 10x; read body-sensor-location",
    ]
    let here = try RunningProgram(blerun: arguments).end()
    let there = try RunningProgram(blerun: arguments, in: elsewhere.path).end()
    #expect(here.status == 0, "\(here.errors)")
    #expect(here.output == there.output)
    #expect(!here.output.isEmpty)
  }

  @Test("a dry run prints the plan and touches nothing")
  func dryRun() throws {
    let run = try blerun("run", "docs/examples/thermometer.yaml", "--dry-run")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("read"))
  }

  @Test("no such device: one clear sentence, status 75")
  func notFound() throws {
    let run = try blerun(
      "run",
      "--simulate",
      heartRate,
      "--device",
      "Nobody",
      "-e",
      "read battery-level"
    )
    #expect(run.status == 75)
    #expect((run.output + run.errors).contains("Nobody"))
  }

  @Test("no such characteristic: a definite failure, status 1, and the device is disconnected")
  func missing() throws {
    let run = try blerun("run", "--simulate", heartRate, "-e", "read temperature-measurement")
    #expect(run.status == 1)
    #expect((run.output + run.errors).contains("temperature-measurement"))
  }

  @Test("an expectation that is not met: status 1, with what was expected and what came")
  func expectation() throws {
    let run = try blerun(
      "run",
      "--simulate",
      heartRate,
      "-e",
      "read battery-level expect percent < 1"
    )
    #expect(run.status == 1)
    #expect((run.output + run.errors).contains("expected percent < 1, got "))
  }

  @Test("a missing bus: one clear sentence, status 69")
  func noBus() throws {
    let run = try blerun(
      "run",
      "-d",
      "Thermo",
      "-e",
      "read battery-level",
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
    )
    #expect(run.status == 69)
    #expect(
      run.output.contains("why    the message bus at unix:path=/nonexistent/bus cannot be reached")
    )
    #expect(run.output.contains("try    "))
  }

  @Test("wrong usage: status 2")
  func usage() throws {
    #expect(try blerun("run", "--no-such-option").status == 2)
    #expect(try blerun("run").status == 2)
  }

  @Test("a wrong file: file, line, column, key and the nearest known key, status 65")
  func wrongFile() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("chain.yaml", "name: x\nsteps:\n  - reed: battery-level\n")
    let run = try blerun("run", file, "--simulate", heartRate)
    #expect(run.status == 65)
    #expect(run.errors.contains("chain.yaml:3:5"))
    #expect(run.errors.contains("reed"))
    #expect(run.errors.contains("read"))
    #expect(run.output.isEmpty)
  }

  @Test("check finds what run would complain of")
  func check() throws {
    let folder = try TemporaryFolder()
    let good = try blerun("check", "docs/examples/thermometer.yaml")
    #expect(good.status == 0, "\(good.errors)")
    let file = try folder.file("chain.yaml", "steps:\n  - read: battery-level\n    timeout: soon\n")
    #expect(try blerun("check", file).status == 65)
  }

  @Test("check reads a file that can be read only once")
  func checkOfPipe() throws {
    let example = "docs/examples/thermometer.yaml"
    let piped = try RunningProgram(
      ["sh", "-c", "cat \(example) | \"$0\" check /dev/stdin", binaryPath],
      in: packageFolder
    )
    let direct = try blerun("check", example).output
    #expect(piped.end().output == direct.replacing(example, with: "/dev/stdin"))
  }
}
