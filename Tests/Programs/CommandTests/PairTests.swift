// `blerun pair` and `blerun unpair`, and that no output of a process shows a passkey of its environment.

import Fixtures
import Foundation
import Testing

@Suite("blerun pair", .blocking)
struct PairTests {
  let lock = "Simulators/devices/lock.yaml"
  static let state = "4c6f0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"
  static let command = "4c6f0003-1b1a-4e1c-8f6b-0b6c1d2e3f40"

  @Test("pair uses the passkey from a variable or a file and reports success")
  func passkey() throws {
    let folder = try TemporaryFolder()
    let marked = try folder.file("marked.txt", "\u{feff} 042137 \r\n")
    for arguments in [["--passkey-env", "LOCK"], ["--passkey-file", marked]] {
      let run = try blerun(
        ["pair", "--simulate", lock] + arguments, environment: ["LOCK": "042137"]
      )
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.lines.last == "ok: 1 step in 3.410 s")
    }
  }

  @Test(
    "a pair step uses the passkey on each release of BlueZ, as it is offered before connecting",
    arguments: ["5.66", "5.82", "5.84"]
  )
  func releases(bluez: String) throws {
    let folder = try TemporaryFolder()
    let scenario = try folder.file(
      "host.yaml",
      """
      scenario: A host
      host: { bluez: "\(bluez)" }
      devices: [ { use: \(projectFolder)/\(lock) } ]
      """
    )
    let steps = ["-e", "pair passkey env:LOCK; read \(Self.state)"]
    let run = try blerun(
      ["run", "--simulate", scenario] + steps, environment: ["LOCK": "042137"]
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(!run.output.contains("unauthenticated"), "\(run.output)")
  }

  @Test("a wrong passkey ends with 1; a missing or malformed one with 65 before connecting")
  func wrong() throws {
    let wrong = try blerun(
      ["pair", "--simulate", lock, "--passkey-env", "LOCK"], environment: ["LOCK": "1"]
    )
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("pairing-failed"))
    let missing = try blerun("pair", "--simulate", lock, "--passkey-env", "BLERUN_NO_SUCH_VARIABLE")
    #expect(missing.status == 65)
    #expect(missing.output.isEmpty)
    let folder = try TemporaryFolder()
    let word = try folder.file("word.txt", "abcdef")
    let noPasskey = try blerun("pair", "--simulate", lock, "--passkey-file", word)
    #expect(noPasskey.status == 65)
    #expect(noPasskey.errors.contains("word.txt is not a passkey: expected up to six digits"))
  }

  @Test("--timeout also limits the time to connect")
  func timeout() throws {
    let folder = try TemporaryFolder()
    let scenario = try folder.file(
      "hangs.yaml",
      """
      scenario: Hangs
      devices: [ { use: \(projectFolder)/\(lock) } ]
      faults: [ { fault: connect-hangs } ]
      """
    )
    let run = try blerun("pair", "--simulate", scenario, "--timeout", "3s")
    #expect(run.status == 75, "\(run.errors)")
    #expect(run.output.contains("was not connected and ready within 3 s"), "\(run.output)")
  }

  @Test("a passkey to type on the device is displayed")
  func display() throws {
    let folder = try TemporaryFolder()
    let device = try folder.file(
      "keypad.yaml",
      """
      name: Keypad-1
      address: C0:FF:EE:00:00:09
      security: { pairing: passkey-display, passkey: 777 }
      """
    )
    let run = try blerun("pair", "--simulate", device, "--capability", "display-only")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.contains("1  pair capability display-only  type 000777 on the device"))
  }

  @Test(
    "no output shows a passkey: text, JSON, errors, bus log, dry run",
    arguments: ["042137", "9876543", "secret-passkey"]
  )
  func nothingShown(passkey: String) throws {
    let folder = try TemporaryFolder()
    let chain = try folder.file(
      "chain.yaml",
      """
      pairing: { passkey: { env: LOCK } }
      steps:
        - pair: { passkey: { env: LOCK }, capability: keyboard-only }
        - { read: \(Self.state), format: u8 }
        - { write: \(Self.command), value: { u8: 0 } }
        - unpair
      """
    )
    let written = try folder.file(
      "written.yaml", "steps: [ { pair: { passkey: \"\(passkey)\" } } ]"
    )
    let log = folder.path + "/bus.log"
    var shown: [String] = []
    let common = ["--simulate", lock]
    for arguments in [
      ["run", chain, "--bus-log", log, "--output", "json"] + common,
      ["run", chain, "--dry-run"] + common, ["run", written, "--output", "json"] + common,
      ["run", written, "--dry-run"] + common, ["check", written, chain],
      ["pair", "--passkey-env", "LOCK"] + common,
      ["run", "-e", "pair passkey \(passkey)"] + common,
    ] {
      let run = try blerun(arguments, environment: ["LOCK": passkey])
      shown += [run.output, run.errors]
    }
    let logged = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    // The log can be searched once the agent has been called.
    if Int(passkey).map({ $0 < 1_000_000 }) == true {
      #expect(logged.contains("Agent1.RequestPasskey"))
      #expect(logged.contains("(secret)"))
    }
    let number = Int(passkey).map { "\($0)" } ?? passkey
    for text in shown + [logged] {
      #expect(!text.contains(passkey), "\(text)")
      #expect(!text.contains("(\(number))"), "\(text)")
    }
  }

  @Test("a chain answers the pairing that a read of a protected value starts")
  func answering() throws {
    let folder = try TemporaryFolder()
    let chain = try folder.file(
      "chain.yaml",
      """
      pairing: { passkey: { env: LOCK } }
      steps:
        - { write: \(Self.command), value: { u8: 0 } }
      """
    )
    let run = try blerun(["run", chain, "--simulate", lock], environment: ["LOCK": "042137"])
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let without = try blerun([
      "run", "--simulate", try folder.scenario(ofDevice: lock, bluez: "5.66"), "-e",
      "read \(Self.state) within 40s",
    ])
    #expect(without.status == 1)
    #expect(without.lines.last?.hasSuffix("not-paired") == true)
  }

  @Test("a passkey in the chain causes a warning on a real device but not on a simulated one")
  func warning() throws {
    let folder = try TemporaryFolder()
    let chain = try folder.file("chain.yaml", "steps: [ { pair: { passkey: \"042137\" } } ]")
    let real = try blerun(
      ["run", chain, "-d", "Lock-1"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/none"]
    )
    #expect(real.status == 69, "\(real.errors)")
    #expect(real.errors.contains("a passkey stands in the chain (step 1)"))
    #expect(!(real.output + real.errors).contains("042137"))
    let simulated = try blerun("run", chain, "--simulate", lock)
    #expect(simulated.status == 0)
    #expect(!simulated.errors.contains("passkey"))
  }
}
