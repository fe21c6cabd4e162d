// `blerun simulate`: other people's programs against a simulated org.bluez.

import Fixtures
import Foundation
import Testing

@Suite("blerun simulate", .blocking)
struct SimulateTests {
  let heartRate = "Simulators/devices/heart-rate.yaml"

  @Test(
    "the status is that of the command, of its signal, or of the failure to start it",
    arguments: [
      (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137),
      (["no-such-program-here"], 127),
      (["/etc/passwd"], 126),
    ] as [([String], Int32)]
  )
  func status(command: [String], status: Int32) throws {
    let run = try blerun(["simulate", heartRate, "--"] + command)
    #expect(run.status == status, "\(run.errors)")
  }

  @Test("an invalid definition exits with 65, and the command is not started")
  func wrongDefinition() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("device.yaml", "nam: x\n")
    let run = try blerun("simulate", file, "--", "echo", "started")
    #expect(run.status == 65)
    #expect(!run.output.contains("started"))
  }

  @Test("blerun runs a chain over the private bus, whatever characters its folder has")
  func ownClient() throws {
    let folder = try TemporaryFolder()
    let temporary = folder.path + "/-grep it's a&b<c>,d=e;100% é*\\n \"q\""
    mkdir(temporary, 0o700)
    let command = [binaryPath, "run", "-d", "*", "-e", "read body-sensor-location"]
    let run = try blerun(
      ["simulate", heartRate, "--"] + command, environment: ["TMPDIR": temporary]
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }

  @Test("programs get the bus, and for Qt the simulated release, also of a scenario")
  func variables() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("room.yaml", "scenario: x\ndevices: []\nhost: { bluez: \"5.83\" }\n")
    let print = "echo $DBUS_SYSTEM_BUS_ADDRESS $BLUETOOTH_FORCE_DBUS_LE_VERSION"
    let run = try blerun("simulate", file, "--", "sh", "-c", print)
    #expect(run.output.hasPrefix("unix:path="), "\(run.output) \(run.errors)")
    #expect(run.output.hasSuffix(" 5.83\n"), "\(run.output) \(run.errors)")
  }

  @Test("a failed write to standard output or a bus log is reported and ends with 74")
  func full() throws {
    for line in [
      "simulate \(heartRate) >/dev/full", "help run >/dev/full", "--version >/dev/full",
      "run --simulate \(heartRate) -e 'read body-sensor-location' --bus-log /dev/full",
    ] {
      let ended = try shell("\"$0\" \(line)")
      #expect(ended.status == 74, "\(line): \(ended.errors)")
      #expect(ended.errors.contains("could not be written: No space left"), "\(ended.errors)")
    }
  }

  @Test("too few descriptors are reported as the reason")
  func fewDescriptors() throws {
    let ended = try shell("ulimit -n 10; exec \"$0\" simulate \(heartRate) -- true")
    #expect(ended.status == 69)
    #expect(ended.errors.contains("see ulimit -n"), "\(ended.errors)")
  }

  @Test("a killed simulation ends its own children but no other program on its bus")
  func killed() throws {
    let served = try RunningProgram(
      blerun: ["simulate", heartRate, "--", "sh", "-c", "env; exec sleep 600"]
    )
    let address = try served.waitForText(after: "DBUS_SYSTEM_BUS_ADDRESS=")
    let other = try RunningProgram(
      ["sh", "-c", "echo begun; exec sleep 600"], in: projectFolder,
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "PATH": "/usr/bin:/bin"]
    )
    try other.waitForOutput("begun")
    served.send(SIGKILL)
    // Its output is closed once its child has ended.
    #expect(served.end().status == 137)
    #expect(!other.hasExited())
    other.send(SIGKILL)
    _ = other.end()
  }
}
