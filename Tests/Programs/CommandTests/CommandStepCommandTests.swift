// `command` from the command line: real programs, in a simulation and outside one;
// what ends them, and what a signal to blerun does.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Programs in chains", .blocking)
struct CommandStepCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a chain with one step over a script of `sh`.
  private func run(
    _ script: String, _ keys: String = "", options: [String] = ["--allow-commands"]
  ) throws -> RunningProgram.Ended {
    _ = try folder.file("run.sh", "#!/bin/sh\n" + script)
    chmod(folder.path + "/run.sh", 0o755)
    _ = try folder.file(
      "chain.yaml",
      "steps: [ { read: battery-level, as: b }, { command: ./run.sh, as: v\(keys) }, { log: 'v={v}' } ]\n"
    )
    let simulate = ["--simulate", projectFolder + "/Simulators/devices/thermometer.yaml"]
    return try blerun(
      ["run", folder.path + "/chain.yaml"] + simulate + options, in: "/", environment: [:]
    )
  }

  @Test(
    "a program runs in the folder of the chain, with arguments and input",
    arguments: [[], ["--real-time"]]
  )
  func runs(_ options: [String]) throws {
    let keys = ", arguments: ['{b.percent}', 'a b'], input: 'in'"
    let run = try run(
      "echo $(basename $PWD) $# \"$1\" \"$2\" $(cat)", keys,
      options: ["--allow-commands"] + options
    )
    let name = (folder.path as NSString).lastPathComponent
    #expect(run.output.contains("log  v=\(name) 2 87 a b in\n"), "\(run.output) \(run.errors)")
    #expect(run.status == 0)
  }

  @Test(
    "the output explains the failure of a program",
    arguments: [
      ("echo no such key >&2; exit 3", "", "it ended with status 3: no such key"),
      ("kill -9 $$", "", "signal 9 ended it"),
      ("echo slow >&2; exec sleep 600", ", timeout: 5s", "it did not end within 5s: slow"),
      ("exec cat /dev/zero", "", "it printed more than 65536 bytes"),
      ("printf '\\377'", "", "it printed what is not UTF-8"),
      ("exit 200", "", "it ended with status 200"),
    ]
  )
  func fails(_ script: String, _ keys: String, _ why: String) throws {
    // In real time, a different loop waits for the program.
    for options in keys.isEmpty ? [[]] : [[], ["--real-time"]] {
      let run = try run(script, keys, options: ["--allow-commands"] + options)
      #expect(run.output.contains("why    \(why)"), "\(run.output) \(run.errors)")
      #expect(run.output.contains("disconnect  ok") && run.status == 1, "\(run.output)")
    }
  }

  @Test(
    "the output explains why a file cannot be started",
    arguments: [
      ("#!/no/such/interpreter\n", "the interpreter that its first line names is missing"),
      ("echo\n", "it is no program, and has no first line such as #!/bin/sh"),
    ]
  )
  func notStarted(_ text: String, _ why: String) throws {
    _ = try folder.file("own", text)
    chmod(folder.path + "/own", 0o755)
    _ = try folder.file("chain.yaml", "steps: [ { command: ./own } ]\n")
    let run = try blerun([
      "run", folder.path + "/chain.yaml", "--allow-commands", "--simulate",
      projectFolder + "/Simulators/devices/thermometer.yaml",
    ]
    )
    #expect(run.output.contains("could not be started: \(why)\n"), "\(run.output)")
  }

  @Test(
    "a program that times out ends with all its children, in whatever group or session",
    arguments: [
      "sleep 600 & echo $! >pid; trap '' TERM; wait; wait",
      // A session of its own, while its parent is there.
      "setsid sleep 600 & echo $! >pid; sleep 600",
      // A session of its own whose parent has ended, and which ignores the request.
      "(setsid sh -c 'trap \"\" TERM; echo $$ >pid; while :; do sleep 1; done' &) ; sleep 600",
      // A stopped process gets no signal but SIGKILL.
      "setsid sh -c 'echo $$ >pid; kill -STOP $$' & sleep 600",
    ]
  )
  func leavesNothing(_ script: String) throws {
    // Long enough for the program to start its children.
    let run = try run(script, ", timeout: 5s")
    #expect(run.output.contains("it did not end within 5s"), "\(run.output)")
    #expect(hasEnded(try folder.text("pid")))
  }

  @Test("a program that ends by itself may leave children behind")
  func leavesOthers() throws {
    let run = try run("sleep 600 >/dev/null 2>&1 & echo $! >pid; echo done")
    #expect(run.output.contains("v=done"), "\(run.output)")
    let text = try folder.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)
    let process = try #require(pid_t(text))
    #expect(kill(process, SIGKILL) == 0)
  }

  /// Runs the chain until its program has written its identifier.
  private func started(_ options: [String]) throws -> (RunningProgram, pid: String) {
    // Opening it waits for the program.
    #expect(mkfifo(folder.path + "/started", 0o600) == 0)
    let program = try RunningProgram(
      blerun: ["run", folder.path + "/chain.yaml", "--allow-commands"]
        + ["--simulate", projectFolder + "/Simulators/devices/thermometer.yaml"] + options
    )
    let pipe = open(folder.path + "/started", O_RDONLY | O_CLOEXEC)
    var octets = [UInt8](repeating: 0, count: 32)
    let pid = String(decoding: octets[..<max(0, read(pipe, &octets, octets.count))], as: UTF8.self)
    close(pipe)
    return (program, pid)
  }

  @Test(
    "a signal ends a program that ignores SIGTERM, and then the run",
    arguments: [[], ["--real-time"]]
  )
  func signal(_ options: [String]) throws {
    _ = try folder.file(
      "run.sh", "#!/bin/sh\ntrap '' TERM; echo $$ >started; while :; do sleep 1; done\n"
    )
    chmod(folder.path + "/run.sh", 0o755)
    _ = try folder.file("chain.yaml", "steps: [ { command: ./run.sh, timeout: 60s } ]\n")
    let (program, pid) = try started(options)
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130, "\(ended.output) \(ended.errors)")
    let number = try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(number, 0) != 0)
  }

  @Test(
    "a program does not outlive a run that is killed or exits immediately",
    arguments: [[], ["--real-time"]], [[SIGKILL], [SIGINT, SIGQUIT]]
  )
  func killed(_ options: [String], _ signals: [Int32]) throws {
    _ = try folder.file(
      "run.sh",
      """
      #!/bin/sh
      trap '' TERM INT
      (setsid sh -c 'trap "" TERM; echo $$ >other; while :; do sleep 1; done' &)
      while [ ! -s other ]; do sleep 0.01; done
      echo $$ >started
      while :; do sleep 1; done

      """
    )
    chmod(folder.path + "/run.sh", 0o755)
    _ = try folder.file("chain.yaml", "steps: [ { command: ./run.sh, timeout: 60s } ]\n")
    let (program, pid) = try started(options)
    for (index, signal) in signals.enumerated() {
      if index > 0 { try program.waitForErrors("press Ctrl-C again") }
      program.send(signal)
    }
    let ended = program.end()
    #expect(ended.status == 128 + signals[signals.count - 1], "\(ended.account)")
    #expect(hasEnded(pid))
    #expect(hasEnded(try folder.text("other")))
  }

  @Test(
    "after a signal, the programs of a clean-up still run",
    arguments: [[], ["--real-time"]]
  )
  func cleanUp(_ options: [String]) throws {
    _ = try folder.file("run.sh", "#!/bin/sh\necho $$ >started; exec sleep 600\n")
    _ = try folder.file("last.sh", "#!/bin/sh\necho done\n")
    for name in ["run.sh", "last.sh"] { chmod(folder.path + "/" + name, 0o755) }
    _ = try folder.file(
      "chain.yaml",
      "steps: [ { try: [ { command: ./run.sh, timeout: 60s } ], finally: [ { command: ./last.sh } ] } ]\n"
    )
    let (program, _) = try started(options)
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130 && ended.output.contains("last.sh  done"), "\(ended.output)")
  }

  @Test("a program in an included file runs beside that file, under the rules of the chain")
  func included() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/lib", withIntermediateDirectories: true
    )
    _ = try folder.file("lib/mac.sh", "#!/bin/sh\nbasename $PWD; echo $1\n")
    chmod(folder.path + "/lib/mac.sh", 0o755)
    _ = try folder.file(
      "lib/unlock.yaml", "- { command: ./mac.sh, arguments: ['{b.percent}'], as: m }\n")
    _ = try folder.file(
      "chain.yaml",
      "steps: [ { read: battery-level, as: b }, { include: lib/unlock.yaml }, { log: 'm={m}' } ]\n"
    )
    let simulate = ["--simulate", projectFolder + "/Simulators/devices/thermometer.yaml"]
    let arguments = ["run", folder.path + "/chain.yaml"] + simulate
    let allowed = try blerun(arguments + ["--allow-commands"])
    #expect(allowed.status == 0 && allowed.output.contains("m=lib"), "\(allowed.output)")
    let refused = try blerun(arguments)
    #expect(refused.status == 65 && refused.output == "", "\(refused.output)")
    #expect(refused.errors.contains("unlock.yaml:1:"), "\(refused.errors)")
    _ = try folder.file("batch.yaml", "chain: chain.yaml\ndevices: [ Thermo-1 ]\n")
    let batch = ["batch", folder.path + "/batch.yaml", "--allow-command"]
    let other = try blerun(batch + [String(repeating: "0", count: 64)] + simulate)
    let hint = "allow it with --allow-command "
    let digest = try #require(other.errors.components(separatedBy: hint).last?.prefix(64))
    #expect(other.status == 65, "\(other.errors)")
    #expect(try blerun(batch + [String(digest)] + simulate).status == 0)
  }

  @Test("without permission the chain does not begin")
  func notAllowed() throws {
    let run = try run("touch ran", options: [])
    #expect(run.status == 65 && run.output == "", "\(run.output)")
    #expect(run.errors.contains("chain.yaml:1:42: the chain runs the program "), "\(run.errors)")
    #expect(run.errors.contains("allow it with --allow-commands"), "\(run.errors)")
    #expect(access(folder.path + "/ran", F_OK) != 0)
  }

  @Test("a batch runs only the program with the allowed digest")
  func batch() throws {
    _ = try run("echo x")
    _ = try folder.file("batch.yaml", "chain: chain.yaml\ndevices: [ Thermo-1 ]\n")
    let batch = { (digest: String) in
      try blerun([
        "batch", folder.path + "/batch.yaml", "--allow-command", digest, "--no-journal",
        "--each-step", "--simulate", projectFolder + "/Simulators/devices/thermometer.yaml",
      ]
      )
    }
    let refused = try batch(String(repeating: "0", count: 64))
    #expect(refused.status == 65, "\(refused.errors)")
    let hint = "allow it with --allow-command "
    let digest = try #require(refused.errors.components(separatedBy: hint).last?.prefix(64))
    let allowed = try batch(String(digest))
    #expect(
      allowed.status == 0 && allowed.output.contains("v=x"), "\(allowed.output) \(allowed.errors)"
    )
  }

  /// A batch that may run the program with the content of `run.sh`.
  private func batch(of chain: String) throws -> RunningProgram.Ended {
    chmod(folder.path + "/run.sh", 0o755)
    _ = try folder.file("chain.yaml", chain)
    _ = try folder.file("batch.yaml", "chain: chain.yaml\ndevices: [ Thermo-1 ]\n")
    let digest = try shell("sha256sum <run.sh", in: folder.path).output.prefix(64)
    return try blerun([
      "batch", folder.path + "/batch.yaml", "--allow-command", String(digest), "--no-journal",
      "--each-step", "--simulate", projectFolder + "/Simulators/devices/thermometer.yaml",
    ])
  }

  @Test(
    "an allowed program runs unchanged even if its file is changed meanwhile",
    arguments: [
      // A shell reads its script while it runs.
      "echo 'echo evil' >>run.sh; echo good",
      "printf '#!/bin/sh\\necho evil\\n' >other; cat other >run.sh; echo good",
      "printf '#!/bin/sh\\necho evil\\n' >other; chmod +x other; mv other run.sh; cat \"$0\" | tail -c 5",
    ]
  )
  func unchanged(_ script: String) throws {
    _ = try folder.file("run.sh", "#!/bin/sh\n\(script)\n# good\n")
    let run = try batch(of: "steps: [ { command: ./run.sh, as: v }, { log: 'v={v}' } ]\n")
    #expect(run.status == 0 && run.output.contains("v=good\n"), "\(run.output) \(run.errors)")
  }

  @Test("a program swapped for the allowed one at any moment does not run")
  func exchanged() throws {
    _ = try folder.file("good", "#!/bin/sh\necho good >>good-ran\n")
    _ = try folder.file("evil", "#!/bin/sh\necho evil >>evil-ran\n")
    let exchange = try RunningProgram(
      [
        "sh", "-c",
        """
        chmod +x good evil; cp -p good run.sh
        while :; do for each in evil good; do ln -f $each new; mv -f new run.sh; rm -f new; done; done
        """,
      ],
      in: folder.path
    )
    while access(folder.path + "/run.sh", X_OK) != 0 { poll(nil, 0, 1) }
    let digest = try shell("sha256sum <good", in: folder.path).output.prefix(64)
    _ = try folder.file(
      "chain.yaml",
      "steps: [ { repeat: 100, steps: [ { command: ./run.sh, on-failure: continue } ] } ]\n"
    )
    _ = try folder.file("batch.yaml", "chain: chain.yaml\ndevices: [ Thermo-1 ]\n")
    // The batch does not begin if the swapped program is in place at its start.
    for _ in 0..<50 where access(folder.path + "/good-ran", F_OK) != 0 {
      _ = try blerun([
        "batch", folder.path + "/batch.yaml", "--allow-command", String(digest), "--no-journal",
        "--simulate", projectFolder + "/Simulators/devices/thermometer.yaml",
      ])
    }
    #expect(access(folder.path + "/good-ran", F_OK) == 0)
    #expect(access(folder.path + "/evil-ran", F_OK) != 0)
    withExtendedLifetime(exchange) {}
  }

  @Test("an allowed program gets its arguments, and runs in the folder of the chain")
  func surroundings() throws {
    _ = try folder.file("key", "secret")
    _ = try folder.file("run.sh", "#!/bin/sh\necho $(cat key) $1 $0\n")
    let run = try batch(
      of: "steps: [ { command: ./run.sh, arguments: [a], as: v }, { log: 'v={v}' } ]\n"
    )
    #expect(run.output.contains("v=secret a /proc/self/fd/3\n"), "\(run.output) \(run.errors)")
  }

  @Test("an allowed program that is not a script keeps its name")
  func binary() throws {
    _ = try shell("cp /usr/bin/env run.sh", in: folder.path)
    let run = try batch(
      of: "steps: [ { command: ./run.sh, arguments: [echo, done], as: v }, { log: 'v={v}' } ]\n"
    )
    #expect(run.output.contains("v=done\n"), "\(run.output) \(run.errors)")
  }
}
