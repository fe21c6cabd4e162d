// Devices with a program or a socket as their logic, from the command line: how their end affects a
// run, and that no process is left.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Device logic", .blocking)
struct LogicTests {
  private static let hasPython = access("/usr/bin/python3", X_OK) == 0

  /// A folder with a device that has a `sh` script as its logic.
  private struct Folder {
    let folder: TemporaryFolder

    /// - Parameters:
    ///   - script: The program that answers, after the answer to `start`.
    ///   - keys: Further keys of `logic`, besides the program.
    init(_ script: String, _ keys: String = ", deadline: 60s") throws {
      folder = try TemporaryFolder()
      try write("logic.sh", "read -r line; echo '{\"id\":1}'\n" + script)
      try write(
        "door.yaml",
        """
        name: Door-1
        address: C0:FF:EE:00:00:01
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
        logic: { program: [sh, logic.sh]\(keys) }
        """
      )
    }

    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    func run(_ steps: String) throws -> RunningProgram.Ended {
      try blerun("run", "--simulate", folder.path + "/door.yaml", "-e", steps)
    }
  }

  /// Answers each event with its id and these members.
  private static func answering(_ members: String) -> String {
    "while read -r line; do id=${line#*'\"id\": '}; echo \"{\\\"id\\\":${id%%,*}\(members)}\"; done"
  }

  @Test("a shell program answers reads, and its standard error is passed on")
  func answers() throws {
    let folder = try Folder("echo ready >&2\n" + Self.answering(""))
    let usual = try folder.run("read battery-level")
    #expect(usual.status == 0 && usual.output.contains("87 %"), "\(usual.output) \(usual.errors)")
    #expect(usual.errors.contains("blerun: Door-1: ready\n"), "\(usual.errors)")
  }

  static let failures: [(String, String, [String])] = [
    ("exit 3", "", ["ended at '", "the program's status is 3"]),
    ("exit 200", "", ["the program's status is 200"]),
    ("kill -9 $$", "", ["signal 9 ended the program"]),
    ("read -r line; exec sleep 600", ", deadline: 50ms", ["within 50ms", "'deadline'"]),
    (
      "read -r line; echo hello; exec sleep 600", "", ["invalid JSON at byte 0", "received: hello"]
    ),
    (answering(", \\\"vlaue\\\": 1"), "", ["did you mean 'value'?"]),
    (answering("} {"), "", ["invalid JSON"]),
    ("read -r line; echo '{\"id\":1}'; exec sleep 600", "", ["the id is 1: expected 2"]),
    ("read -r line; exec cat /dev/zero", ", deadline: 20s", ["more than 65536 bytes"]),
  ]

  @Test("a program that fails ends the run with its explanation", arguments: failures)
  func fails(_ script: String, _ keys: String, _ texts: [String]) throws {
    let run = try Folder(script, keys).run("read battery-level")
    #expect(run.status == 1, "\(run.output) \(run.errors)")
    for text in texts + ["door.yaml:7:8: the logic of Door-1"] {
      #expect(run.errors.contains(text), "\(run.errors)")
    }
    #expect(run.output.contains("logic-failed"), "\(run.output)")
  }

  @Test("a program that fails ends the whole batch, not just one device")
  func failsInBatch() throws {
    let folder = try Folder("exit 3")
    try folder.write("other.yaml", "name: Other\naddress: C0:FF:EE:00:00:02\n")
    try folder.write(
      "batch.yaml",
      """
      steps: [ { read: battery-level } ]
      devices: [Other, Door-1, Third]
      concurrency: 2
      retry: { attempts: 3 }
      """
    )
    let path = folder.folder.path
    let run = try blerun([
      "batch", path + "/batch.yaml", "--simulate", path + "/other.yaml", "--simulate",
      path + "/door.yaml",
    ]
    )
    #expect(run.status == 1, "\(run.output) \(run.errors)")
    #expect(run.output.contains("3 devices: 2 cancelled, 1 not run"), "\(run.output)")
    #expect(run.output.contains("the program's status is 3"), "\(run.output)")
  }

  @Test(
    "processes started by a program do not outlive the run, in whatever group or session",
    arguments: ["sleep 600 & echo $! >pid", "setsid sleep 600 & echo $! >pid"]
  )
  func endsWithChildren(_ script: String) throws {
    let folder = try Folder(script + "\n" + Self.answering(""))
    let run = try folder.run("read battery-level")
    #expect(run.status == 0, "\(run.errors)")
    #expect(hasEnded(try folder.folder.text("pid")))
  }

  @Test("a program that ignores every request does not outlive a killed run")
  func killed() throws {
    let folder = try Folder(
      "trap '' TERM; echo $$ >pid\n" + Self.answering("") + "\nwhile :; do sleep 1; done"
    )
    let run = try RunningProgram(blerun: [
      "run", "--simulate", folder.folder.path + "/door.yaml", "--real-time", "-e",
      "read battery-level; sleep 600s",
    ])
    try run.waitForOutput("87 %")
    run.send(SIGKILL)
    #expect(run.end().status == 137)
    #expect(hasEnded(try folder.folder.text("pid")))
  }

  @Test("a program that ignores the end of its input and SIGTERM does not outlive the run")
  func ends() throws {
    let folder = try Folder(
      "trap '' TERM; echo $$ >pid\n" + Self.answering("") + "\nwhile :; do sleep 1; done"
    )
    let run = try folder.run("read battery-level")
    #expect(run.status == 0, "\(run.errors)")
    let pid = try String(contentsOfFile: folder.folder.path + "/pid", encoding: .utf8)
    let number = try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(number, 0) != 0)
  }

  @Test("a program that cannot be started is reported by check and before a run begins")
  func missing() throws {
    let folder = try Folder("")
    let text = "address: C0:FF:EE:00:00:01\nlogic: { program: [./missing] }\n"
    try folder.write("missing.yaml", text)
    let path = folder.folder.path + "/missing.yaml"
    for run in [try blerun("check", path), try blerun("scan", "--simulate", path)] {
      #expect(run.status == 65, "\(run.output) \(run.errors)")
      #expect(run.errors.contains("missing.yaml:2:20: logic.program.1: "), "\(run.errors)")
      #expect(run.errors.contains("no such file: "), "\(run.errors)")
    }
    try folder.write("door.yaml", "address: C0:FF:EE:00:00:01\nlogic: { socket: no.sock }\n")
    let run = try folder.run("read battery-level")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.errors.contains("door.yaml:2:8: the logic of C0:FF:EE:00:00:01 cannot be reached"))
  }

  @Test(
    "the door opens for the right response, and each run is the same",
    .enabled(if: hasPython, "needs python3")
  )
  func door() throws {
    let chain = "docs/examples/door.yaml"
    let runs = try (0..<2).map { _ in
      try blerun("run", chain, "--simulate", "Simulators/devices/door.yaml", "--output", "json")
    }
    #expect(runs[0].status == 0, "\(runs[0].output) \(runs[0].errors)")
    #expect(runs[0].output == runs[1].output)
    #expect(runs[0].errors == runs[1].errors)
    let text = try blerun("run", chain, "--simulate", "Simulators/devices/door.yaml")
    let page = try String(contentsOfFile: projectFolder + "/docs/device-logic.md", encoding: .utf8)
    #expect(page.contains(text.output), "\(text.output)")
  }

  /// Serves a socket, attaches it twice, and reads over busctl.
  private static let attached = """
    import json, os, socket, subprocess, sys, threading
    path = os.path.join(sys.argv[1], "door.sock")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    seen = []
    def serve():
        lines = server.accept()[0].makefile("rw")
        for line in lines:
            event = json.loads(line)
            seen.append((event["event"], event.get("handle")))
            answer = {"id": event["id"]}
            if event["event"] == "read": answer["value"] = "2a"
            print(json.dumps(answer), file=lines, flush=True)
    threading.Thread(target=serve, daemon=True).start()
    def call(name, *arguments):
        words = ["busctl", "--system", "call", "blerun.Simulator1", "/blerun/simulator", "blerun.Simulator1"]
        return subprocess.run([*words, name, *arguments], capture_output=True, text=True)
    print(call("AttachLogic", "ssas", "HRM-1", path, "1", "connected").returncode)
    print(call("AttachLogic", "ssas", "HRM-1", path, "1", "reed battery-level").stderr.strip())
    print(call("AttachLogic", "ssas", "HRM-1", path + "x", "0").stderr.strip())
    print(call("AttachLogic", "ssas", "HRM-1", path, "1", "read 2a38").returncode)
    print(seen)
    """

  @Test(
    "a socket can be attached while the simulation runs",
    .enabled(if: hasPython && SteeredSimulationTests.has("busctl"), "needs python3 and busctl")
  )
  func attach() throws {
    let folder = try TemporaryFolder()
    let run = try blerun([
      "simulate", "Simulators/devices/heart-rate.yaml", "--control", "--", "python3", "-c",
      Self.attached, folder.path,
    ])
    let lines = run.output.split(separator: "\n")
    #expect(run.status == 0 && lines.count == 5, "\(run.output) \(run.errors)")
    guard lines.count == 5 else { return }
    #expect(lines[0] == "0" && lines[3] == "0")
    #expect(lines[1].contains("unknown event 'reed battery-level'"), "\(lines[1])")
    #expect(lines[2].contains("cannot be reached at \(folder.path)/door.sockx"), "\(lines[2])")
    #expect(lines[4] == "[('start', None)]")
  }
}
