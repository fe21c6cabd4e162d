// Command lines that are refused before anything is done, as the parser of the program finds them, in this process.
//
// That the program prints the message, and ends with the status, is recorded in Tests/Golden/recorded/help.txt.

import ArgumentParser
import Fixtures
import Jobs
import SimulatedDevices
import Testing

@testable import Program

@Suite("Usage")
struct UsageTests {
  /// The status and the message of a command line that is refused; nil where it would be carried out.
  static func refusal(_ words: [String]) -> (status: Int32, message: String)? {
    do {
      _ = try Blerun.command(of: words)
      return nil
    } catch let ending as Program.CommandExit {
      return (ending.status.rawValue, ending.messages.joined(separator: "\n").withoutPasskeys)
    } catch {
      let isUsage = Blerun.exitCode(for: error) == .validationFailure
      return (isUsage ? 2 : 65, Blerun.fullMessage(for: error).withoutPasskeys)
    }
  }

  static func refusal(_ line: String) -> (status: Int32, message: String)? {
    refusal(line.split(separator: " ").map { $0 == "''" ? "" : String($0) })
  }

  @Test(
    "unquoted steps are an error that shows the problem and the corrected line",
    arguments: [
      (["read", "battery-level"], "read: no such file", "read battery-level"),
      (["-e", "read", "battery-level"], "battery-level: no such file", "read battery-level"),
      (["log", "two words"], "log: no such file", "log \"two words\""),
    ]
  )
  func unquotedSteps(words: [String], problem: String, line: String) throws {
    let options = try PlanOptions.parse(words)
    let ending = #expect(throws: Program.CommandExit.self) { try options.paths() }
    #expect(ending?.messages == [problem + "; steps are one argument after -e: -e '\(line)'"])
  }

  @Test(
    "contradictory, missing and unknown arguments are usage errors with a hint",
    arguments: [
      ("rum", "unknown command 'rum' (did you mean 'run'?)"),
      ("help rn", "unknown command 'rn' (did you mean 'run'?)"),
      ("history shwo 1", "unknown command 'history shwo' (did you mean 'show'?)"),
      ("help history exprot", "unknown command 'history exprot' (did you mean 'export'?)"),
      ("devices", "unknown command 'devices' (did you mean 'scan'?)"),
      ("connect HRM-1", "unknown command 'connect' (did you mean 'run'?)"),
      ("frobnicate", " run, batch, simulate, "),
      ("run x.yaml --no-such-option", "Usage: blerun run"),
      ("run --json x.yaml", "Unknown option '--json' (did you mean '--output json'?)"),
      ("run --mac=C0:FF:EE:00:00:01 x.yaml", "Unknown option '--mac' (did you mean '-d'?)"),
      ("doctor --name HRM", "Unknown option '--name' (did you mean '-d'?)"),
      ("check --json x.yaml", "Usage: blerun check"),
      ("demo --json", "Usage: blerun demo"),
      ("run -q -v -e connect", "Give --quiet or --verbose, not both."),
      ("run --color sometimes -e connect", "'auto', 'always' or 'never'"),
      ("run -e connect --report a.pdf", "'a.pdf' is invalid for '--report <file>'"),
      ("run -e connect --journal ''", "--journal '': expected the name of a file"),
      ("run -e connect --journal-size 1", "must be at least 4K"),
      ("run -e connect --journal-size 60kB", "a number of bytes, or one with K, M or G: 500M"),
      ("batch b.yaml --skip-failed", "--skip-failed goes with --resume."),
      ("batch b.yaml --resume --runs 2", "it takes no --runs"),
      ("batch b.yaml --resume --no-journal", "it takes no --no-journal"),
      ("read 2a19 --offset 600", "--offset must be between 0 and 512."),
      ("read 2a19 --timeout 0s", "expected a duration above 0"),
      ("read 2a19 --output junit", "'text' and 'json'"),
      ("write 2a19", "Missing expected argument '<value> ...'"),
      ("write 2a19 u8:1 --command --request", "Give one of --request, --command and --reliable."),
      ("write 2a19 u8:1 --command --offset 1", "A write without response carries no offset."),
      ("write 2a19/2901 u8:1 --descriptor --offset 1", "--offset is for characteristics."),
      ("write 2a19 u8:1 --acquire --request", "takes commands alone"),
      ("run --filter '' x.yaml", "--filter is empty"),
      (
        "gateway --fleet nats://h/f --environment NO_SUCH_VARIABLE",
        "--environment NO_SUCH_VARIABLE: this variable is not set"
      ),
      ("watch", "Missing characteristic."),
      ("watch -d A", "Missing characteristic."),
      ("watch Thermo-1", "characteristic after the device 'Thermo-1', such as battery-level."),
      ("watch -d A 2a37 -d B", "Missing characteristic after --device B."),
      ("watch 2a19 -d A 2a37 -d B 2a37", "'2a19': expected --device before it"),
      ("watch 2a37 --rate", "--rate and --window belong together"),
      ("watch 2a37 --window 5s", "--rate and --window belong together"),
      ("watch 2a37 --rate --window 0s", "expected a duration"),
      ("watch 2a37 2a19 --rate --window 1s --combine", "Give --rate or --combine, not both."),
      ("watch 2a37 --poll 1s --acquire", "Give --poll or --acquire, not both."),
      ("watch 2a37 --combine", "--combine: expected two characteristics or more"),
      ("watch 2a37 --field bmp", "unknown field 'bmp'; did you mean 'bpm'?"),
      ("watch 2a37 --count 0", "--count must be at least 1."),
      ("watch -d A rssi --format u8", "--format: the RSSI has no bytes to decode."),
      ("scan --for 5", "The value '5' is invalid for '--for <time>': add a unit: 5s"),
      ("scan --for 0s", "expected a duration above 0"),
      ("inspect --read-timeout 0s", "expected a duration above 0"),
      ("pair --confirm --reject", "Give --confirm or --reject, not both."),
      ("pair --passkey-env A --passkey-file B", "Give --passkey-file or --passkey-env, not both."),
      ("pair --passkey 1", "Unknown option '--passkey'"),
      ("pair --capability all", "'keyboard-display'"),
      ("doctor --force", "--force goes with --release."),
      ("serve --poll 0s HRM-1 battery-level", "expected a duration"),
      ("history export 1 --output json", "Unknown option '--output'"),
      ("schema lamp", "'chain', 'batch', 'device' or 'scenario'"),
      ("simulate Package.swift --bus-log bus.txt", "Unknown option '--bus-log'"),
      ("inspect Thermo-1", "a device is given with -d: blerun inspect -d Thermo-1"),
      ("pair Thermo-1", "a device is given with -d: blerun pair -d Thermo-1"),
      ("unpair Thermo-1", "a device is given with -d: blerun unpair -d Thermo-1"),
    ]
  )
  func usage(line: String, message: String) throws {
    let refusal = try #require(Self.refusal(line))
    #expect(refusal.status == 2)
    #expect(refusal.message.contains(message), "\(refusal.message)")
  }

  @Test(
    "invalid names and values have the same exit status as in a file",
    arguments: [
      ("read nosuch", "unknown characteristic 'nosuch'"),
      ("read bolt -d x", "a UUID, @ and a handle, or a name that --names or 'names' defines"),
      ("read 2a19 --descriptor", "expected characteristic/descriptor"),
      ("read Thermo-1 2a19", "; a device is given with -d"),
      ("read 2a19 -d C0:FF:EE", "'C0:FF:EE' is not a complete address"),
      ("inspect -d ''", "--device: the name of a device is empty"),
      ("write Thermo-1 2a06 u8:1", "; a device is given with -d"),
      ("write 2a19 u8:300", "300 is more than 255"),
      ("write 2a19 5", "invalid value '5' (expected u8:1"),
      ("scan --rssi 99", "--rssi 99: expected an RSSI from -127 to 20 dBm"),
      ("scan --service hart-rate", "--service: unknown service 'hart-rate'"),
      ("scan --manufacturer apple", "--manufacturer: expected 0x004c"),
      ("scan --service-data feaa:0", "--service-data: expected feaa"),
      ("scan --address C0:FF", "--address: expected an address"),
    ]
  )
  func unreadable(line: String, message: String) throws {
    let refusal = try #require(Self.refusal(line))
    #expect(refusal.status == 65)
    #expect(
      refusal.message.contains(message) && !refusal.message.contains("Usage"), "\(refusal.message)"
    )
  }

  @Test(
    "a passkey on the command line is refused, and not shown",
    arguments: ["passkey=042137", "pin:042137", "042137", "-d Thermo-1 042137"]
  )
  func passkey(words: String) throws {
    let refusal = try #require(Self.refusal("pair \(words)"))
    #expect(refusal.status == 2 && !refusal.message.contains("042137"), "\(refusal.message)")
  }

  @Test("a command after the definitions of simulate requires --, and gets the options after it")
  func simulatedCommand() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("device.yaml", "name: A\n")
    let refusal = try #require(
      Self.refusal(["simulate", "--seed", "7", file, "no-such-file", "-c", "echo it's"])
    )
    #expect(refusal.status == 2)
    #expect(
      refusal.message == "no-such-file: no such file; a command follows --: "
        + "blerun simulate --seed 7 \(file) -- no-such-file -c 'echo it'\\''s'"
    )
  }

  @Test("--trace is rejected for simulated devices, with the option to use instead")
  func trace() throws {
    let error = #expect(throws: ValidationError.self) {
      try TraceOption.parse(["--trace", "a.btsnoop"]).check(isSimulated: true)
    }
    #expect(error?.message.contains("use --bus-log") == true)
  }

  @Test(
    "--disconnect-delay is that of a simulated host whose scenario says none",
    arguments: [
      ("", [], nil), ("", ["--disconnect-delay", "0s"], .zero),
      ("host: { disconnect-delay: 1s }", ["--disconnect-delay", "0s"], .seconds(1)),
      ("host: { answer-timeout: 9s }", ["--disconnect-delay", "300ms"], .milliseconds(300)),
    ] as [(String, [String], Duration?)]
  )
  func disconnectDelay(host: String, options: [String], expected: Duration?) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("room.yaml", "scenario: Room\ndevices: []\n\(host)\n")
    let scenario = try Simulate.parse([file] + options).scenario()
    #expect(scenario.host.disconnectDelay == expected)
  }
}
