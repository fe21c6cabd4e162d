// Names for UUIDs on the command line: `--names`, the user's file, and what is printed with them.
//
// The user's file is read once a process, and is found by its environment.

import Fixtures
import Foundation
import Testing

@Suite("Names on the command line", .blocking)
struct NamesCommandTests {
  private static let echo = "Simulators/devices/echo.yaml"
  private static let text = """
    names:
      echo: 6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40
      echo-value: 6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40
      caption: 2901

    """

  private let folder: TemporaryFolder
  private let names: String

  init() throws {
    folder = try TemporaryFolder()
    names = try folder.file("echo-names.yaml", Self.text)
  }

  /// A run with these names in the names file of the user.
  private func blerun(_ arguments: [String], user: String? = nil) throws -> RunningProgram.Ended {
    let settings = folder.path + "/config"
    if let user {
      try FileManager.default.createDirectory(
        atPath: settings + "/blerun", withIntermediateDirectories: true
      )
      _ = try folder.file("config/blerun/names.yaml", user)
    }
    return try RunningProgram(blerun: arguments, environment: ["XDG_CONFIG_HOME": settings]).end()
  }

  @Test("run, its plan and its JSON use the names of --names")
  func run() throws {
    let steps = "write echo/echo-value utf8:hi; read echo-value format utf8; services"
    let run = try blerun(["run", "-e", steps, "--names", names, "--simulate", Self.echo])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.contains("1  write echo/echo-value utf8:hi  ok"), "\(run.output)")
    #expect(run.lines.contains("2  read echo-value  hi"), "\(run.output)")
    #expect(run.lines.contains { $0.hasPrefix("3  services  ") && $0.hasSuffix(" echo") })
    let plan = try blerun(["run", "-e", steps, "--names", names, "--dry-run"])
    let line = "name      echo-value = 6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"
    #expect(plan.lines.contains(line), "\(plan.output)")
    #expect(!plan.output.contains("caption"))
    let json = try blerun([
      "run", "-e", steps, "--names", names, "--simulate", Self.echo, "--output", "json",
    ]
    )
    #expect(json.output.contains(#""name":"echo-value""#), "\(json.output)")
    #expect(json.output.contains(#""attribute":"echo/echo-value""#), "\(json.output)")
  }

  @Test("read, write, watch, inspect, scan and check take --names")
  func commands() throws {
    let simulated = ["--names", names, "--simulate", Self.echo]
    func end(_ arguments: String...) throws -> RunningProgram.Ended {
      try RunningProgram(blerun: arguments + simulated).end()
    }
    #expect(try end("write", "echo-value", "utf8:hi").status == 0)
    #expect(try end("read", "echo-value/caption", "--descriptor").output == "Echo\n")
    #expect(try end("watch", "echo-value", "--for", "100ms").status == 0)
    let inspected = try end("inspect").lines
    #expect(inspected.contains { $0.hasPrefix("echo  6e5d0001-") }, "\(inspected)")
    #expect(inspected.contains { $0.hasPrefix("  echo-value  6e5d0002-") })
    #expect(inspected.contains { $0.hasPrefix("    caption  2901") })
    #expect(try end("inspect", "--output", "json").output.contains(#""name":"echo-value""#))
    let found = try end("scan", "--service", "ECHO")
    #expect(found.output.contains("Echo-1  echo, 0xffff"), "\(found.output)")
    let checked = try end("check", names, "-e", "read echo-value")
    #expect(checked.lines.contains("\(names): 3 names, ok"), "\(checked.errors)")
    #expect(checked.lines.contains("-e: 1 step, ok"))
  }

  @Test("write takes the fields of a described value, and says which one it does not have")
  func fields() throws {
    let names = try folder.file(
      "log.names.yaml",
      """
      names:
        log:
          uuid: 6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40
          fields: [ { level: u8 }, { mode: u8, names: { 2: eco } } ]
      """
    )
    func write(_ value: String) throws -> RunningProgram.Ended {
      let arguments = ["write", "log", value, "--names", names, "--simulate", Self.echo]
      return try RunningProgram(blerun: arguments + ["--output", "json"]).end()
    }
    let written = try write("fields:level=7 mode=eco")
    #expect(written.status == 0, "\(written.errors)")
    #expect(written.output.contains(#""hex":"0702""#), "\(written.output)")
    for (value, message) in [
      ("fields:levle=7 mode=eco", "unknown field 'levle' of log (did you mean 'level'?)"),
      ("fields:level=300 mode=eco", "300 is not in 0 to 255"), ("fields:", "expected fields"),
    ] {
      let refused = try write(value)
      #expect(refused.status == 65 && refused.output.isEmpty, "\(value): \(refused.output)")
      #expect(refused.errors.contains(message), "\(value): \(refused.errors)")
      #expect(!refused.errors.contains("-e:"), "\(value): \(refused.errors)")
    }
  }

  @Test("scan and inspect print the names of the simulated device's file")
  func ofDevice() throws {
    let own = try folder.file(
      "own.yaml",
      """
      name: Own-1
      address: C0:FF:EE:00:00:23
      names: { pot: 0000a000-1212-efde-1523-785feabcd123, moisture: fff1 }
      advertisement: { services: [pot] }
      services:
        - service: pot
          characteristics:
            - characteristic: moisture
              properties: [read, notify]
              counter: { format: u8, every: 100ms }
      """
    )
    let inspected = try blerun(["inspect", "--simulate", own])
    #expect(inspected.lines.contains { $0.hasPrefix("pot  0000a000-") }, "\(inspected.output)")
    #expect(inspected.lines.contains { $0.hasPrefix("  moisture  fff1") })
    let found = try blerun(["scan", "--simulate", own])
    #expect(found.output.contains("Own-1  pot"), "\(found.output)")
    let override = try folder.file("override.yaml", "names: { wetness: fff1 }\n")
    let overridden = try blerun(["inspect", "--simulate", own, "--names", override])
    #expect(overridden.lines.contains { $0.hasPrefix("  wetness  fff1") }, "\(overridden.output)")
    // A chain for real devices has names of its own: those of the device's file are not for arguments.
    #expect(try blerun(["read", "moisture", "--simulate", own]).status == 65)
  }

  @Test("inspect decodes values as the simulated device's file describes them")
  func descriptionsOfDevice() throws {
    let own = try folder.file(
      "described.yaml",
      """
      name: Own-2
      address: C0:FF:EE:00:00:24
      names: { log: { uuid: fff1, fields: [ { level: u8 }, { mode: u8, names: { 2: eco } } ] } }
      services:
        - service: fff0
          characteristics:
            - { characteristic: log, properties: [read], value: { fields: { level: 7, mode: eco } } }
      """
    )
    let inspected = try blerun(["inspect", "--simulate", own])
    let line = inspected.lines.first { $0.hasPrefix("  log  fff1") }
    #expect(line?.hasSuffix("  level 7, mode eco") == true, "\(inspected.output)")
  }

  @Test("a batch takes --names for its chain and its scan")
  func batch() throws {
    let text = "steps: [{ read: echo-value }]\ndevices: { scan: 1s, service: echo }\n"
    let file = try folder.file("batch.yaml", text)
    let run = try blerun(["batch", file, "--names", names, "--simulate", Self.echo, "--each-step"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("1  read echo-value"), "\(run.output)")
    #expect(try blerun(["batch", file, "--simulate", Self.echo]).status == 65)
  }

  @Test("names of a chain override those of --names, which override those of the user")
  func precedence() throws {
    let chain = try folder.file(
      "chain.yaml",
      "names: { one: ff01 }\nsteps: [{ read: one }, { read: two }, { read: three }]\n"
    )
    let option = try folder.file("option.yaml", "names: { one: ff02, two: ff04 }\n")
    let plan = try blerun(
      ["run", chain, "--names", option, "--dry-run"],
      user: "names: { one: ff05, two: ff06, three: ff03 }\n"
    )
    let named = plan.lines.filter { $0.hasPrefix("name ") }
    #expect(named == ["name      one = ff01", "name      three = ff03", "name      two = ff04"])
  }

  @Test("a missing or invalid names file ends every command with 65, its place and the reason")
  func wrong() throws {
    let none = folder.path + "/none.yaml"
    for command in [["read", "echo-value"], ["run", "-e", "rssi"], ["scan"], ["inspect"]] {
      let run = try RunningProgram(
        blerun: command + ["--names", none, "--simulate", Self.echo]
      ).end()
      #expect(run.status == 65, "\(command): \(run.errors)")
      #expect(run.errors == "blerun: \(none): the file cannot be read: No such file or directory\n")
    }
    let own = folder.path + "/config/blerun/names.yaml"
    let broken = try blerun(
      ["read", "2a19", "--simulate", Self.echo], user: "names:\n  echo: soon\n"
    )
    #expect(broken.status == 65)
    #expect(broken.errors.hasPrefix("blerun: \(own):2:9: names.echo: expected a UUID such as "))
    let misspelt = try blerun(["scan"], user: "nmaes: {}\n")
    #expect(misspelt.status == 65)
    #expect(misspelt.errors.contains("unknown key 'nmaes' (did you mean 'names'?)"))
  }

  @Test("a failure lists the attributes of the device by name")
  func failure() throws {
    let run = try blerun([
      "run", "-e", "read battery-level", "--names", names, "--simulate", Self.echo,
    ]
    )
    #expect(run.status == 1)
    #expect(run.output.contains(" echo/echo-value, echo/6e5d0003-"), "\(run.output)")
    let service = try blerun([
      "run", "-e", "read battery/battery-level", "--names", names, "--simulate", Self.echo,
    ]
    )
    #expect(service.output.contains("does not offer battery; it offers"), "\(service.output)")
    #expect(service.output.contains("echo"), "\(service.output)")
  }

  @Test("an nRF Connect suite is printed with the names, in its plan and its run")
  func suite() throws {
    let suite = ["run", "docs/examples/nordic/echo.xml", "-E", "ADDRESS", "C0:FF:EE:00:00:04"]
    let naming = ["--names", names, "--simulate", Self.echo]
    let run = try RunningProgram(blerun: suite + naming).end()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("write echo/echo-value hex:68656c6c6f  ok"), "\(run.output)")
    let plan = try RunningProgram(blerun: suite + naming + ["--dry-run"]).end()
    #expect(plan.output.contains("write echo/echo-value hex:0102 by command"), "\(plan.output)")
  }

  @Test("the names may come from a pipe: the file is read once")
  func pipe() throws {
    let run = try shell("\"$0\" read echo-value --names <(cat '\(names)') --simulate \(Self.echo)")
    #expect(run.status == 0, "\(run.errors)")
  }
}
