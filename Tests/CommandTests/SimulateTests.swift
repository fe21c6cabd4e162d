// `blerun simulate`: other people's programs against a simulated org.bluez.

import Fixtures
import Foundation
import Testing

@Suite("blerun simulate", .blocking)
struct SimulateTests {
  let heartRate = "Simulators/devices/heart-rate.yaml"

  @Test("the command's own status is returned", arguments: [0, 7])
  func status(status: Int) throws {
    let run = try blerun("simulate", heartRate, "--", "sh", "-c", "exit \(status)")
    #expect(run.status == Int32(status), "\(run.errors)")
  }

  @Test("a command ended by a signal gives 128 and its number")
  func signalled() throws {
    #expect(try blerun("simulate", heartRate, "--", "sh", "-c", "kill -9 $$").status == 137)
  }

  @Test("a command that does not exist gives 127, one that cannot run 126")
  func missing() throws {
    #expect(try blerun("simulate", heartRate, "--", "no-such-program-here").status == 127)
    #expect(try blerun("simulate", heartRate, "--", "/etc/passwd").status == 126)
  }

  @Test("a wrong definition gives 65, and the command is not started")
  func wrongDefinition() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("device.yaml", "nam: x\n")
    let run = try blerun("simulate", file, "--", "echo", "started")
    #expect(run.status == 65)
    #expect(!run.output.contains("started"))
  }

  @Test("our own client runs a chain over the private bus")
  func ownClient() throws {
    let run = try blerun([
      "simulate", heartRate, "--", binaryPath, "run", "-d", "*", "-e", "read body-sensor-location",
    ])
    #expect(run.status == 0, "\(run.output) \(run.errors)")
  }

  @Test(
    "the folder for temporary files may be called anything",
    arguments: ["-grep", "it's a&b<c>,d=e;100% é*\\n \"q\""]
  )
  func temporaryFolder(name: String) throws {
    let folder = try TemporaryFolder()
    let temporary = "\(folder.path)/\(name)"
    mkdir(temporary, 0o700)
    let command = [binaryPath, "run", "-d", "*", "-e", "read body-sensor-location"]
    let run = try blerun(
      ["simulate", heartRate, "--"] + command,
      environment: ["TMPDIR": temporary]
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }

  @Test("an address that cannot be printed, and a bus log that cannot be written, end with 74")
  func full() throws {
    for line in [
      "simulate \(heartRate) >/dev/full",
      "run --simulate \(heartRate) -e 'read body-sensor-location' --bus-log /dev/full",
    ] {
      let ended = try RunningProgram(["sh", "-c", "'\(binaryPath)' \(line)"], in: packageFolder)
        .end()
      #expect(ended.status == 74, "\(line): \(ended.errors)")
      #expect(ended.errors.contains("could not be written: No space left"), "\(ended.errors)")
    }
  }

  @Test("few descriptors are named as the reason")
  func fewDescriptors() throws {
    let line = "ulimit -n 10; exec '\(binaryPath)' simulate \(heartRate) -- true"
    let ended = try RunningProgram(["sh", "-c", line], in: packageFolder).end()
    #expect(ended.status == 69)
    #expect(ended.errors.contains("see ulimit -n"), "\(ended.errors)")
  }

  @Test("what is killed ends its own children, and no other program on its bus")
  func killed() throws {
    let served = try RunningProgram(
      blerun: ["simulate", heartRate, "--", "sh", "-c", "env; exec sleep 600"]
    )
    let address = try served.waitForText(after: "DBUS_SYSTEM_BUS_ADDRESS=")
    let other = try RunningProgram(
      ["sh", "-c", "echo begun; exec sleep 600"],
      in: packageFolder,
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

  @Test(
    "bluetoothctl sees the adapter",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/bluetoothctl"))
  )
  func bluetoothctl() throws {
    let run = try blerun("simulate", heartRate, "--", "bluetoothctl", "list")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Controller"))
  }

  @Test("dbus-send reads a property")
  func dbusSend() throws {
    let run = try blerun([
      "simulate", heartRate, "--", "dbus-send", "--system", "--print-reply=literal",
      "--dest=org.bluez", "/org/bluez/hci0", "org.freedesktop.DBus.Properties.Get",
      "string:org.bluez.Adapter1", "string:Powered",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("boolean true"))
  }
}
