// `blerun simulate --control`, and what is left when `blerun simulate` is killed.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Controlling blerun simulate", .blocking)
struct SteeredSimulationTests {
  let heartRate = "Simulators/devices/heart-rate.yaml"

  /// Whether a program is on this machine.
  static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  @Test(
    "the example of docs/simulator-control.md runs with busctl and bluetoothctl",
    .enabled(if: has("busctl", "bluetoothctl"), "needs busctl (systemd) and bluetoothctl (bluez)")
  )
  func example() throws {
    let script = try Example(in: "docs/simulator-control.md").blocks("sh")[0]
    let run = try blerun("simulate", heartRate, "--control", "--", "sh", "-c", script)
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("\"Device1.Connect\" \"C0:FF:EE:00:00:02\""))
    #expect(run.errors.contains("to steer it: busctl --address='unix:path="))
  }

  @Test(
    "without --control, control calls fail", .enabled(if: has("busctl"), "needs busctl (systemd)")
  )
  func uncontrolled() throws {
    let call = "busctl --system call blerun.Simulator1 /blerun/simulator blerun.Simulator1 Unplug"
    let run = try blerun("simulate", heartRate, "--", "sh", "-c", call)
    #expect(run.status != 0)
    #expect(run.errors.contains("blerun.Simulator1"))
  }

  @Test(
    "a refused control call returns over the bus what was expected",
    .enabled(if: has("busctl"), "needs busctl (systemd)")
  )
  func refusal() throws {
    let call = "busctl --system call blerun.Simulator1 /blerun/simulator blerun.Simulator1 "
    let run = try blerun([
      "simulate", heartRate, "--control", "--", "sh", "-c", call + "Vanish s HRM-2",
    ]
    )
    #expect(run.status == 1)
    #expect(run.errors.contains("did you mean 'HRM-1'?"), "\(run.errors)")
  }

  @Test(
    "a killed simulation leaves no daemon, folder or command behind", arguments: [SIGKILL, SIGTERM]
  )
  func killed(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let run = try RunningProgram(
      blerun: ["simulate", heartRate, "--", "sh", "-c", "echo started; exec sleep 600"],
      environment: ["TMPDIR": folder.path]
    )
    try run.waitForOutput("started")
    // blerun, the supervising shell, the daemon, and the command, which has it in its environment.
    // A process that replaces itself has neither for an instant.
    #expect(Self.becomes { Self.processes(of: folder).count >= 4 })
    run.send(signal)
    // Its output ends with the command, which has it too.
    #expect(run.end().status == 128 + signal)
    #expect(Self.becomes { Self.processes(of: folder).isEmpty && Self.names(in: folder).isEmpty })
  }

  @Test(
    "SIGTERM at any moment of the start ends the simulation",
    arguments: sampled(0..<20 as Range<Int32>)
  )
  func terminated(step: Int32) throws {
    try expectTerminated(running: "exec sleep 600") { run, folder in
      // The bus is being started; the simulation and the command come next.
      #expect(Self.becomes { !Self.names(in: folder).isEmpty })
      poll(nil, 0, 3 * step)
      run.send(SIGTERM)
    }
  }

  @Test(
    "SIGTERM from its own command ends the simulation and the command", arguments: sampled(0..<5)
  )
  func terminatedFromInside(number: Int) throws {
    try expectTerminated(running: "kill -TERM $PPID; exec sleep 600") { _, _ in }
  }

  private func expectTerminated(
    running script: String, by terminate: (RunningProgram, TemporaryFolder) -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let run = try RunningProgram(
      blerun: ["simulate", heartRate, "--", "sh", "-c", script],
      environment: ["TMPDIR": folder.path], limit: .seconds(300)
    )
    terminate(run, folder)
    #expect(run.end().status == 128 + SIGTERM)
    #expect(Self.becomes { Self.processes(of: folder).isEmpty && Self.names(in: folder).isEmpty })
  }

  /// The processes that have a folder in their arguments or in their environment.
  private static func processes(of folder: TemporaryFolder) -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { process in
      guard Int(process) != nil else { return false }
      return ["cmdline", "environ"].contains { file in
        text(of: "/proc/\(process)/\(file)").contains(folder.path)
      }
    }
  }

  /// The text of a file; empty if it cannot be read, as for a process that has ended.
  private static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var octets = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&octets, 1, octets.count, file)
    return String(decoding: octets[..<count], as: UTF8.self)
  }

  private static func names(in folder: TemporaryFolder) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  }

  /// Whether a condition that other processes bring about holds within a minute.
  private static func becomes(_ isSo: () -> Bool) -> Bool {
    for _ in 0..<1200 {
      if isSo() { return true }
      poll(nil, 0, 50)
    }
    return false
  }
}
