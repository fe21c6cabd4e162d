// `firmware` on a simulated device with MCUboot, in virtual time.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Documents
import Fixtures
import Reports
import RunEvents
import Signals
import SimulatedDevices
import Testing

@testable import Jobs

@Suite("Firmware steps")
struct FirmwareStepTests {
  /// A device, and a folder with the image `app.bin`.
  private final class Bench {
    let world: SimulatedWorld
    let folder: TemporaryFolder
    private let recorded = Recorded<RunEvent>()
    let image: [UInt8]

    /// - Parameters:
    ///   - buffer: The longest request that the device receives, in bytes.
    ///   - firmware: Further keys of the device's firmware.
    ///   - faults: Faults of the device.
    ///   - events: Faults of the scenario.
    ///   - others: Further devices of the scenario.
    init(
      _ version: FirmwareVersion = FirmwareVersion(2, 0, 0), bytes: Int = 40_000,
      buffer: Int = 1024,
      firmware: String = "", faults: String = "", events: String = "", others: String = ""
    ) throws {
      folder = try TemporaryFolder()
      image = FirmwareStepTests.image(version, bytes: bytes)
      try folder.write(image, to: folder.path + "/app.bin")
      world = try SimulatedWorld(
        .yaml(
          """
          scenario: Update
          devices:
            - name: SMP-1
              address: C0:FF:EE:00:00:0E
              advertisement: { services: [mcumgr-smp] }
              link: { mtu: 247, latency: 8ms }
              services:
                - service: mcumgr-smp
                  characteristics:
                    - characteristic: mcumgr-smp
                      properties: [write-without-response, notify]
                      longest: 244
                - service: device-information
                  characteristics:
                    - characteristic: firmware-revision-string
                      properties: [read]
                      value: { utf8: "1.0.0" }
                - service: battery
                  characteristics:
                    - { characteristic: battery-level, properties: [read], value: { u8: 20 } }
              firmware: { version: 1.0.0, buffer: \(buffer), restart: 3s\(firmware) }
              faults: [\(faults)]\(others)
          faults: [\(events)]
          """))
    }

    func plan(_ line: String) throws -> Plan {
      try Plan.parse(line: line, file: folder.path + "/-e", includesFiles: true)
    }

    /// Runs steps on the device.
    @discardableResult
    func run(
      _ line: String, on target: DeviceTarget? = nil, within limit: Duration = .seconds(10_000)
    ) throws -> RunEnding? {
      let plan = try plan(line)
      let device: any Device =
        try target.map {
          BlueZDevice(client: world.client, target: $0, scheduler: world.scheduler)
        } ?? world.service()
      recorded.removeAll()
      let runner = ChainRunner(
        plan: plan, service: device, identity: RunIdentity(seed: 0, plan: plan), device: "SMP-1"
      ) { [recorded] in recorded.add($0) }
      _ = runner.chain().collect().map { Optional($0) }.firstOrDefault(nil, within: limit)
      return recorded.all.compactMap { event in
        if case .run(.finished(let ending)) = event.change { ending } else { nil }
      }.last
    }

    /// The values of the run.
    var values: [DecodedValue] {
      recorded.all.compactMap { event -> DecodedValue? in
        guard case .data(_, .value(let value)) = event.change else { return nil }
        return value.decoded
      }
    }

    /// The lines of a report of the run.
    func lines(_ report: some RunReport) -> [String] {
      recorded.all.flatMap { report.lines(for: $0) }
    }

    /// The percentages that were reported.
    var percents: [Int] { recorded.all.compactMap(\.uploadedPercent) }

    /// The result of the firmware step.
    var result: StepResult? {
      recorded.all.compactMap { event -> StepResult? in
        guard case .step(.finished(let result)) = event.change,
          result.step.operation == "firmware"
        else { return nil }
        return result
      }.last
    }

    /// The named part of the value of the firmware step.
    func part(_ name: String) -> String? {
      guard case .value(let value)? = result?.outcome else { return nil }
      return value.decoded?[name].map { "\($0)" }
    }

    var calls: [String] { world.log.map { "\($0.event)" } }
  }

  private static func image(_ version: FirmwareVersion, bytes: Int = 40_000) -> [UInt8] {
    MCUbootImage.octets(version, body: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  }

  @Test("uploads, tests, resets and confirms, with the services read anew")
  func updates() throws {
    let bench = try Bench()
    let ending = try bench.run(
      "firmware app.bin as update expect version = 2.0.0 expect rate > 1000; "
        + #"read firmware-revision-string expect value = "2.0.0"; log "{update.before}""#
    )
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(bench.part("before") == "1.0.0")
    #expect(bench.part("outcome") == "confirmed")
    #expect(bench.part("bytes") == "\(bench.image.count)")
    let percents = bench.percents
    #expect(percents == percents.sorted() && percents.last == 100)
    #expect(bench.calls.contains { $0.contains("RemoveDevice") })
  }

  @Test("a bond is kept, so the device is not forgotten after the reset")
  func bonded() throws {
    let bench = try Bench()
    let ending = try bench.run("pair; firmware app.bin")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(bench.part("outcome") == "confirmed")
    #expect(!bench.calls.contains { $0.contains("RemoveDevice") })
  }

  @Test("after the reset, services that bluetoothd has read before are not used")
  func stale() throws {
    let bench = try Bench(
      events: "{ fault: services-stale, service: device-information, at: 3s }"
    )
    let ending = try bench.run("firmware app.bin; services lacks device-information")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
  }

  @Test("a report of values has the value of the step, and not how far the upload is")
  func reportedValues() throws {
    let bench = try Bench()
    try bench.run("firmware app.bin")
    #expect(bench.percents.count > 1)
    let values = bench.lines(ValueReport())
    #expect(values.count == 1)
    #expect(values.first?.contains("confirmed") == true, "\(values)")
    let cells = bench.lines(CSVReport())
    #expect(cells.count == 6, "\(cells)")
    #expect(cells.contains { $0.contains(",outcome,confirmed,") }, "\(cells)")
    #expect(!cells.contains { $0.contains(",percent,") }, "\(cells)")
    #expect(bench.lines(JSONLinesReport()).contains { $0.contains("percent") })
  }

  @Test("an image that runs and is confirmed is not uploaded again")
  func again() throws {
    let bench = try Bench()
    try bench.run("firmware app.bin")
    let first = bench.result?.took ?? .zero
    #expect(try bench.run("firmware app.bin")?.status == .ok)
    #expect(bench.part("outcome") == "current")
    #expect(bench.part("bytes") == "0")
    #expect(bench.percents.isEmpty)
    #expect(bench.result?.notes == ["the image was running and confirmed: nothing was uploaded"])
    #expect((bench.result?.took ?? first) < first / 4)
  }

  @Test("an older image needs permission")
  func older() throws {
    let bench = try Bench(FirmwareVersion(0, 9, 0))
    let failure = try bench.run("firmware app.bin")?.failure
    #expect(failure?.code == .firmwareFailed)
    #expect(failure?.class == .definite)
    #expect(failure?.why == "the device runs 1.0.0, and the image is 0.9.0")
    #expect(try bench.run("firmware app.bin downgrade")?.status == .ok)
    #expect(bench.part("version") == "0.9.0")
  }

  @Test("another image of the same version is told apart by its hash")
  func sameVersion() throws {
    let bench = try Bench(FirmwareVersion(1, 0, 0))
    let failure = try bench.run("firmware app.bin")?.failure
    let hash = try MCUbootImage(bench.image).hash
    let own = DecodedValue.octets(Array(hash.prefix(4))).description
    let begin = "the device runs another image of the same version, 1.0.0: one with the hash "
    #expect(failure?.why.hasPrefix(begin) == true, "\(failure?.why ?? "")")
    #expect(failure?.why.hasSuffix("…, and app.bin has \(own)…") == true)
    #expect(failure?.hint.contains("'downgrade: true'") == true)
  }

  @Test("an image number that the device does not have is named, with those that it has")
  func imageNumber() throws {
    let failure = try Bench().run("firmware app.bin image-number 1")?.failure
    #expect(failure?.why == "the device has no image with the number 1: it lists 0")
    #expect(failure?.hint.hasPrefix("leave out 'image-number'") == true)
  }

  @Test("a device that refuses the image is quoted with its error")
  func refused() throws {
    let bench = try Bench(firmware: ", refuses: true")
    let failure = try bench.run("firmware app.bin")?.failure
    #expect(failure?.why == "the device refused the upload: access denied (code 11)")
    #expect(bench.part("outcome") == nil)
  }

  @Test("a device whose buffer is too small for an upload is named at once, with what it needs")
  func smallBuffer() throws {
    for buffer in [64, 97] {
      let bench = try Bench(buffer: buffer)
      let failure = try bench.run("firmware app.bin")?.failure
      #expect(failure?.code == .firmwareFailed)
      #expect(failure?.class == .definite)
      #expect(
        failure?.why
          == "the device receives requests of \(buffer) bytes at most, and the first one with data needs 98"
      )
      #expect((bench.result?.took ?? .seconds(100)) < .seconds(10))
      #expect(bench.percents.isEmpty)
    }
    let enough = try Bench(bytes: 4000, buffer: 98)
    let ending = try enough.run("firmware app.bin")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
  }

  @Test("after a connection that is lost in the middle, the upload continues")
  func lost() throws {
    let bench = try Bench(
      events: "{ fault: link-lost, after: written, characteristic: mcumgr-smp, nth: 60 }, "
        + "{ fault: link-lost, after: written, characteristic: mcumgr-smp, nth: 130 }"
    )
    let ending = try bench.run("firmware app.bin")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(bench.part("outcome") == "confirmed")
    let percents = bench.percents
    #expect(percents == percents.sorted())
  }

  @Test("lost packets are sent again")
  func lostPackets() throws {
    let bench = try Bench(
      faults: "{ on: command, characteristic: mcumgr-smp, every: 50, do: lose-write }"
    )
    let ending = try bench.run("firmware app.bin")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(bench.part("version") == "2.0.0")
  }

  @Test("a device that does not come back after the reset is no device that was not found")
  func hangs() throws {
    let bench = try Bench(firmware: ", new-image: hangs")
    let failure = try bench.run("firmware app.bin")?.failure
    #expect(failure?.code == .firmwareFailed)
    #expect(failure?.class == .definite)
    let begin =
      "the device did not come back within 2m after the reset into 2.0.0: it still starts, or hangs "
      + "in this image, which is not confirmed, or has another address ("
    #expect(failure?.why.hasPrefix(begin) == true, "\(failure?.why ?? "")")
    #expect(failure?.hint.contains("look for it with blerun scan; if it hangs, a reset") == true)
    #expect((bench.result?.took ?? .zero) >= .seconds(120))
  }

  @Test("an image that crashes is not confirmed, and the version that runs is named")
  func reverts() throws {
    let bench = try Bench(firmware: ", new-image: reverts")
    let failure = try bench.run("firmware app.bin")?.failure
    #expect(failure?.why.hasPrefix("after the reset the device runs 1.0.0, not 2.0.0") == true)
    #expect(try bench.run(#"read firmware-revision-string expect value = "1.0.0""#)?.status == .ok)
  }

  @Test("a device with another address after the update is found by its name, not by the address")
  func nextAddress() throws {
    let named = try Bench(firmware: ", next-address: C0:FF:EE:00:00:FF")
    let ending = try named.run("firmware app.bin", on: .name("SMP-1"))
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(
      named.result?.notes == [
        "after the reset the device has the address C0:FF:EE:00:00:FF; before, it had C0:FF:EE:00:00:0E"
      ]
    )
    #expect((named.result?.took ?? .zero) >= .seconds(60))
    let addressed = try Bench(firmware: ", next-address: C0:FF:EE:00:00:FF")
    let failure = try addressed.run("firmware app.bin")?.failure
    #expect(failure?.code == .firmwareFailed)
    #expect(failure?.hint.contains("select the device by its name") == true)
  }

  @Test("while the device starts, another one with its name is not used")
  func otherWithTheName() throws {
    let bench = try Bench(
      others:
        "\n  - { name: SMP-1, address: C0:FF:EE:00:00:0A, advertisement: { rssi: -90, services: [mcumgr-smp] } }"
    )
    let ending = try bench.run("firmware app.bin", on: .name("SMP-1"))
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(bench.part("version") == "2.0.0")
    #expect(bench.result?.notes == [])
    #expect((bench.result?.took ?? .zero) < .seconds(60))
  }

  @Test("a battery level below the limit ends the step before anything is uploaded")
  func battery() throws {
    let bench = try Bench()
    let failure = try bench.run("firmware app.bin battery 30")?.failure
    #expect(failure?.why == "the battery level is 20 %, below 30 %")
    #expect(bench.percents.isEmpty)
    #expect(try bench.run("firmware app.bin battery 20")?.status == .ok)
  }

  @Test("the board is compared with what the device states")
  func board() throws {
    let silent = try Bench()
    let failure = try silent.run("firmware app.bin board nrf52840dk")?.failure
    #expect(failure?.why == "the device does not state its board")
    let bench = try Bench(firmware: ", board: nrf52840dk")
    let other = try bench.run("firmware app.bin board nrf5340dk")?.failure
    #expect(other?.why == "the device is a 'nrf52840dk', and the image is for 'nrf5340dk'")
    #expect(bench.percents.isEmpty)
    #expect(try bench.run("firmware app.bin board nrf52840dk")?.status == .ok)
  }

  @Test("an image on test is restored by a reset, or confirmed by a second step")
  func onTest() throws {
    let bench = try Bench()
    let ending = try bench.run(
      "firmware app.bin confirm no as tested; read firmware-revision-string; firmware app.bin as kept; "
        + "log \"{tested.outcome} {kept.outcome} {kept.before}\""
    )
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    #expect(ending?.captured["tested"]?["outcome"] == .text("tested"))
    #expect(ending?.captured["kept"]?["outcome"] == .text("confirmed"))
    #expect(ending?.captured["kept"]?["before"] == .text("1.0.0"))
  }

  @Test("a run after one that was cancelled in the middle continues at the offset of the device")
  func resumed() throws {
    let bench = try Bench(bytes: 250_000, firmware: ", work: 100ms")
    let cut = try bench.run("firmware app.bin", within: .seconds(5))
    #expect(cut?.status == .cancelled)
    let reached = bench.percents.last ?? 0
    #expect(reached > 10 && reached < 100)
    #expect(try bench.run("firmware app.bin")?.status == .ok)
    let bytes = Int(bench.part("bytes") ?? "") ?? 0
    #expect(bytes > 0)
    #expect(bytes <= bench.image.count * (100 - reached) / 100)
  }

  @Test("a run that is cut at any time is completed by the next one")
  func cutAnywhere() throws {
    for milliseconds in stride(from: 300, through: 12_000, by: 900) {
      let bench = try Bench(bytes: 60_000, firmware: ", work: 100ms")
      _ = try bench.run("firmware app.bin", within: .milliseconds(milliseconds))
      let ending = try bench.run("firmware app.bin")
      #expect(ending?.status == .ok, "\(milliseconds) ms: \(String(describing: ending?.failure))")
      #expect(bench.part("version") == "2.0.0")
      #expect(try bench.run("firmware app.bin")?.status == .ok)
      #expect(bench.part("outcome") == "current")
    }
  }

  @Test("a run that is cancelled with the image on trial says so, and what the next reset does")
  func cancelledOnTrial() throws {
    let onTrial =
      "2.0.0 is on trial: the next reset restores the image before, unless it is confirmed; "
      + "run the chain again to confirm it"
    var notes: [[String]] = []
    for milliseconds in stride(from: 400, through: 12_000, by: 400) {
      let bench = try Bench(bytes: 2000, firmware: ", work: 100ms")
      _ = try bench.run("firmware app.bin", within: .milliseconds(milliseconds))
      guard let result = bench.result else { continue }
      if result.status == .ok { break }
      #expect(result.status == .cancelled)
      notes.append(result.notes)
    }
    #expect(notes.first == [])
    #expect(notes.last == [onTrial])
    // The device was gone for three seconds.
    #expect(notes.count { $0 == [onTrial] } >= 3000 / 400)
  }

  @Test("a later attempt of the step that succeeds leaves no remark of the one before")
  func attempts() throws {
    let bench = try Bench()
    let ending = try bench.run("firmware app.bin within 3s attempts 10")
    #expect(ending?.status == .ok, "\(String(describing: ending?.failure))")
    let notes = bench.result?.notes ?? []
    #expect(notes.first?.hasPrefix("try 1 of 10 failed: ") == true, "\(notes)")
    #expect(!notes.contains { $0.contains("on trial") }, "\(notes)")
  }

  // MARK: Plans

  private func complaint(_ line: String, _ octets: [UInt8] = image(FirmwareVersion(2, 0, 0)))
    throws -> String
  {
    let folder = try TemporaryFolder()
    try folder.write(octets, to: folder.path + "/app.bin")
    do {
      _ = try Plan.parse(line: line, file: folder.path + "/-e", includesFiles: true)
      return ""
    } catch {
      return "\(error)".replacing(folder.path + "/", with: "")
    }
  }

  @Test("a missing, damaged or other image is an error of the file, before anything runs")
  func invalidImages() throws {
    #expect(try complaint("firmware app.bin") == "")
    #expect(try complaint("firmware other.bin").contains("'other.bin': the file cannot be read"))
    #expect(
      try complaint("firmware app.bin", [1, 2])
        .contains("is incomplete: it has 2 bytes, and its header alone has 32")
    )
    #expect(try complaint("firmware app.bin", []).contains("'app.bin': the file is empty ("))
    #expect(
      try complaint("firmware app.bin", Array(repeating: 7, count: 64))
        .contains("not an MCUboot image")
    )
    var damaged = Self.image(FirmwareVersion(2, 0, 0))
    damaged[100] ^= 1
    #expect(try complaint("firmware app.bin", damaged).contains("is damaged"))
    let octets = Self.image(FirmwareVersion(2, 0, 0))
    let own = DecodedValue.octets(try MCUbootImage(octets).hash).description.prefix(8)
    let whole = DecodedValue.octets(SHA256.digest(of: octets)).description.prefix(8)
    let first = "expected the first digits of the hash of app.bin, such as \(own)"
    #expect(try complaint("firmware app.bin hash \(own.uppercased())") == "")
    #expect(try complaint("firmware app.bin hash 0000").contains("app.bin has the hash "))
    #expect(
      try complaint("firmware app.bin hash zz")
        .contains("'zz' is not hexadecimal digits (\(first))")
    )
    #expect(
      try complaint("firmware app.bin hash \(whole)")
        .contains("is the SHA-256 of the whole file, not the hash of the image in it (\(first))")
    )
    #expect(try complaint("firmware app.bin battery 101").contains("from 1 to 100"))
    #expect(try complaint("firmware app.bin expect outcome = done").contains("outcome"))
  }

  @Test("an expectation that contradicts the image or the step is an error of the file")
  func contradictions() throws {
    #expect(try complaint("firmware app.bin expect version = 2.0.0") == "")
    #expect(try complaint("firmware app.bin expect version != 3.0.0") == "")
    #expect(try complaint("firmware app.bin expect version ~ 3.*") == "")
    #expect(try complaint("firmware app.bin expect version in 2.0.0,3.0.0") == "")
    #expect(
      try complaint("firmware app.bin expect version = 3.0.0")
        .contains("version cannot be '3.0.0': app.bin is 2.0.0")
    )
    #expect(
      try complaint("firmware app.bin as update; when update.version = 3.0.0 { sleep 1s }")
        .contains("cannot be '3.0.0'")
    )
    let tested = "expect outcome = tested"
    #expect(try complaint("firmware app.bin confirm no \(tested)") == "")
    #expect(try complaint("firmware app.bin confirm no expect outcome = confirmed") == "")
    #expect(try complaint("firmware app.bin expect outcome in current,confirmed") == "")
    #expect(
      try complaint("firmware app.bin \(tested)").contains(
        "outcome cannot be 'tested': 'tested' needs 'confirm: false'")
    )
  }

  @Test("a chain that is not in a file cannot name an image")
  func notInAFile() {
    let error = #expect(throws: DocumentErrors.self) {
      try Plan.parse("steps: [{ firmware: app.bin }]", file: "the request")
    }
    #expect("\(String(describing: error))".contains("a chain that is not in a file"))
  }

  @Test("a file, a line and Swift produce the same step, and the plan names the image")
  func forms() throws {
    let bench = try Bench()
    let path = bench.folder.path + "/app.bin"
    let hash = try FirmwareFile(path).hash
    let line = try bench.plan(
      "firmware '\(path)' hash \(hash.prefix(8)) board nrf52840dk battery 30 downgrade confirm no"
    )
    let file = try Plan(
      file: bench.folder.file(
        "chain.yaml",
        """
        steps:
          - firmware: \(path)
            hash: "\(hash.prefix(8))"
            board: nrf52840dk
            battery: 30
            downgrade: true
            confirm: false
        """
      ))
    #expect(line.steps == file.steps)
    #expect(line.lines.contains { $0.hasPrefix("image     \(path) = 2.0.0, \(hash.prefix(16))") })
    var step = FirmwareStep(try FirmwareFile(path))
    (step.hash, step.board, step.battery) = (String(hash.prefix(8)), "nrf52840dk", 30)
    (step.allowsDowngrade, step.confirms) = (true, false)
    #expect(line.steps == [Step(.firmware(step))])
  }

  /// Ten devices of one kind.
  private static func tens(_ kind: Int, firmware: String = "", faults: String = "") -> String {
    """
      - name: Tag\(kind)-#
        address: C0:FF:EE:0\(kind):00:00
        count: 10
        advertisement: { services: [mcumgr-smp] }
        link: { mtu: 247, latency: 8ms }
        services:
          - service: mcumgr-smp
            characteristics:
              - characteristic: mcumgr-smp
                properties: [write-without-response, notify]
                longest: 244
        firmware: { version: 1.0.0, buffer: 1024, restart: 3s\(firmware) }
        faults: [\(faults)]

    """
  }

  @Test("of fifty devices with four kinds of faults, those that can be updated are")
  func fifty() throws {
    let command = "on: command, characteristic: mcumgr-smp"
    let drops = (1...10).map { number in
      "  - { fault: link-lost, device: Tag2-\(number), after: written, "
        + "characteristic: mcumgr-smp, nth: \(3 * number) }"
    }
    let world = try SimulatedWorld(
      .yaml(
        "scenario: Fifty\ndevices:\n" + Self.tens(1)
          + Self.tens(2)
          + Self.tens(3, faults: "{ \(command), every: 30, do: lose-write }")
          + Self.tens(4, firmware: ", refuses: true")
          + Self.tens(5, firmware: ", new-image: reverts")
          + "faults:\n" + drops.joined(separator: "\n")
      ))
    let folder = try TemporaryFolder()
    try folder.write(
      Self.image(FirmwareVersion(2, 0, 0), bytes: 20_000), to: folder.path + "/app.bin")
    let plan = try Plan.parse(
      line: "firmware app.bin", file: folder.path + "/-e", includesFiles: true)
    let devices = (1...5).flatMap { kind in
      (0..<10).map { index in
        let address = BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(kind << 16 + index))
        return BatchDevice(label: "\(kind)-\(index)", target: .address(address), plan: plan)
      }
    }
    let failed = Recorded<String>()
    let runner = BatchRunner(
      Batch(devices: .listed(devices), concurrency: 4), on: world.scheduler, seed: 1,
      service: { target, _, lane in
        BlueZDevice(client: world.client, target: target, scheduler: lane)
      },
      onEvent: { event in
        guard case .deviceEnded(let device, let ending, _) = event.change,
          let failure = ending.failure
        else { return }
        failed.add("\(device.label.prefix(1)): \(failure.code.rawValue)")
      }
    )
    _ = try world.loop.run { await runner.run(most: 1) }
    #expect(failed.all.count == 20, "\(failed.all)")
    #expect(Set(failed.all) == ["4: firmware-failed", "5: firmware-failed"])
  }

  @Test("a batch with another image is another batch, and cannot be sent to a fleet")
  func batches() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file(
      "fleet.yaml",
      """
      steps:
        - firmware: app.bin
      devices: [C0:FF:EE:00:00:01, C0:FF:EE:00:00:02]
      """
    )
    try folder.write(Self.image(FirmwareVersion(2, 0, 0)), to: folder.path + "/app.bin")
    let before = try Batch.load(path: path)
    try folder.write(Self.image(FirmwareVersion(2, 0, 1)), to: folder.path + "/app.bin")
    let after = try Batch.load(path: path)
    #expect(before.digest != after.digest)
    #expect(after.difference(from: before.lines)?.now?.contains("app.bin = 2.0.1") == true)
    guard case .listed(let devices) = after.devices else {
      Issue.record("the batch lists its devices")
      return
    }
    let refusal = #expect(throws: PortableChain.Refusal.self) { try PortableChain(devices[0]) }
    #expect(
      refusal?.description
        == "the chain cannot be sent to a fleet: it has the firmware image app.bin"
    )
  }
}
