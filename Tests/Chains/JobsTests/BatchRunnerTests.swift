// Running batches: which devices run at the same time, what ends a batch, and its events.

import Bluetooth
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Running a batch")
struct BatchRunnerTests {
  /// A batch of scripted devices in virtual time.
  final class Bench: Sendable {
    let loop = VirtualTimeLoop()
    let events = Recorded<RunEvent>()
    let told = Recorded<BatchEvent>()
    /// The answers of each device to the battery read; immediate if not listed.
    let answers: [String: [ScriptedDevice.Answer]]
    let found: [Advertisement]
    private let loopEnd: LoopEnding

    init(_ answers: [String: [ScriptedDevice.Answer]] = [:], found: [Advertisement] = []) {
      self.answers = answers
      self.found = found
      loopEnd = LoopEnding(loop)
    }

    func runner(
      _ batch: Batch, resuming past: PreviousRound? = nil,
      acquireAdapter: @escaping BatchRunner.AcquireAdapter = { _, _ in {} }
    ) -> BatchRunner {
      BatchRunner(
        batch, on: SerialScheduler(on: loop, name: "chains"), seed: 7, resuming: past,
        service: { [answers, found] target, _, lane in
          let device = ScriptedDevice(in: lane)
          device.found = found
          let scripted = answers[target.text] ?? [.value([72])]
          for answer in scripted { device.answer("read battery-level", answer) }
          return device
        },
        acquireAdapter: acquireAdapter, onRunEvent: { [events] in events.add($0) },
        onEvent: { [told] in told.add($0) }
      )
    }

    @discardableResult
    func run(_ batch: Batch, most: Int? = nil) throws -> Jobs.ExitStatus {
      try run(runner(batch), most: most)
    }

    @discardableResult
    func run(_ runner: BatchRunner, most: Int? = nil) throws -> Jobs.ExitStatus {
      try loop.run { await runner.run(most: most) }
    }

    var endings: [BatchEnding] {
      told.all.compactMap { if case .finished(let ending) = $0.change { ending } else { nil } }
    }

    var starts: [BatchStart] {
      told.all.compactMap { if case .started(let start) = $0.change { start } else { nil } }
    }

    /// When each device began, and how and when it ended, in order.
    var story: [String] {
      events.all.compactMap { event in
        let at = (event.wallClock - loop.wallClockAtStart).components.seconds
        return switch event.change {
        case .run(.started): "\(event.device) begins at \(at)"
        case .run(.finished(let ending)): "\(event.device) \(ending.status.rawValue) at \(at)"
        default: nil
        }
      }
    }
  }

  static func batch(
    _ names: String..., concurrency: Int = 1, onFailure: FailureRule = .continue, attempts: Int = 1
  ) throws -> Batch {
    var plan = try Plan.parse(line: "read battery-level")
    plan.retry = RetryRule(attempts: attempts, backoff: .seconds(1))
    let devices = names.map { BatchDevice(label: $0, target: .name($0), plan: plan) }
    return Batch(devices: .listed(devices), concurrency: concurrency, onFailure: onFailure)
  }

  static let lost = ScriptedDevice.Answer.failure(DeviceFailure.scripted(.linkLost, .passing))
  static let refused = ScriptedDevice.Answer.failure(DeviceFailure.scripted(.refused, .definite))
  static func slow(_ seconds: Int) -> ScriptedDevice.Answer {
    .value([1], after: .seconds(seconds))
  }

  @Test("one at a time: a device begins when the previous one has ended")
  func serial() throws {
    let bench = Bench(["A": [Self.slow(3)], "B": [Self.slow(2)]])
    #expect(try bench.run(Self.batch("A", "B", "C")) == .ok)
    #expect(
      bench.story == [
        "A begins at 0", "A ok at 3", "B begins at 3", "B ok at 5", "C begins at 5", "C ok at 5",
      ]
    )
    #expect(bench.endings.map(\.counts.ok) == [3])
  }

  @Test("two at a time: a free lane takes the next device in order")
  func sideBySide() throws {
    let bench = Bench(["A": [Self.slow(5)], "B": [Self.slow(2)], "C": [Self.slow(2)]])
    try bench.run(Self.batch("A", "B", "C", "D", concurrency: 2))
    #expect(
      bench.story == [
        "A begins at 0", "B begins at 0", "B ok at 2", "C begins at 2", "C ok at 4",
        "D begins at 4", "D ok at 4", "A ok at 5",
      ]
    )
  }

  @Test("the end of a device is reported before the next begins in its lane")
  func told() throws {
    let bench = Bench()
    let order = Recorded<String>()
    let runner = BatchRunner(
      try Self.batch("A", "B"), on: SerialScheduler(on: bench.loop), seed: 7,
      service: { _, _, lane in ScriptedDevice(in: lane) },
      onRunEvent: { if case .run(.started) = $0.change { order.add("\($0.device) begins") } },
      onEvent: { if case .deviceEnded(let device, _, _) = $0.change { order.add(device.label) } }
    )
    try bench.run(runner)
    #expect(order.all == ["A begins", "A", "B begins", "B"])
  }

  @Test(
    "a batch ends as transient only if all its failures are transient",
    arguments: [
      ([lost], [lost], Jobs.ExitStatus.passing), ([lost], [refused], .failed),
      ([lost], [.value([72])], .passing),
    ]
  )
  func status(a: [ScriptedDevice.Answer], b: [ScriptedDevice.Answer], status: Jobs.ExitStatus)
    throws
  {
    let bench = Bench(["A": a, "B": b])
    #expect(try bench.run(Self.batch("A", "B")) == status)
    #expect(bench.endings.map(\.exitStatus) == [status])
  }

  @Test("after the allowed number of failures no further device begins; running ones continue")
  func stop() throws {
    let bench = Bench(["A": [Self.refused], "B": [Self.slow(4)], "C": [Self.refused]])
    let batch = try Self.batch("A", "B", "C", "D", "E", concurrency: 2, onFailure: .stop(after: 2))
    #expect(try bench.run(batch) == .failed)
    #expect(bench.endings.map(\.notRun) == [["D", "E"]])
    #expect(bench.story.last == "B ok at 4")
  }

  @Test("a device with a transient failure is tried again, before the next device")
  func retries() throws {
    let bench = Bench(["A": [Self.lost]])
    #expect(try bench.run(Self.batch("A", "B", attempts: 3)) == .passing)
    #expect(bench.story == ["A begins at 0", "A failed at 3", "B begins at 3", "B ok at 3"])
  }

  @Test("the deadline ends the running chains, and no further device begins")
  func deadline() throws {
    let bench = Bench(["A": [Self.slow(2)], "B": [Self.slow(60)]])
    var batch = try Self.batch("A", "B", "C")
    batch.deadline = .seconds(10)
    #expect(try bench.run(batch) == .passing)
    #expect(
      bench.story == [
        "A begins at 0", "A ok at 2", "B begins at 2", "B cancelled at 10",
      ]
    )
    let ending = try #require(bench.endings.first)
    #expect(ending.status == .cancelled && ending.notRun == ["C"])
    #expect(ending.failure?.message == "running the batch: the batch did not end within 10s")
  }

  @Test("the first device runs alone; the others begin if it succeeds")
  func first() throws {
    var batch = try Self.batch("A", "B", "C", concurrency: 2)
    batch.first = 1
    let good = Bench(["A": [Self.slow(3)]])
    #expect(try good.run(batch) == .ok)
    #expect(good.story.prefix(3) == ["A begins at 0", "A ok at 3", "B begins at 3"])
    #expect(good.endings.map(\.counts.ok) == [3])
    let bad = Bench(["A": [Self.refused]])
    #expect(try bad.run(batch) == .failed)
    #expect(bad.story == ["A begins at 0", "A failed at 0"])
    #expect(bad.endings.map(\.notRun) == [["B", "C"]])
  }

  @Test("no device begins once too large a part of all devices has failed")
  func rate() throws {
    let bench = Bench(["A": [Self.refused], "C": [Self.refused]])
    let stop = FailureRule.stopAbove(percent: 40)
    #expect(try bench.run(Self.batch("A", "B", "C", "D", onFailure: stop)) == .failed)
    #expect(bench.endings.map(\.counts.failed) == [2])
    #expect(bench.endings.map(\.notRun) == [["D"]])
  }

  @Test("a signal cleans up the running chains and reports the remaining devices as not run")
  func interrupted() throws {
    let bench = Bench(["A": [Self.slow(60)], "B": [Self.slow(60)]])
    let runner = bench.runner(try Self.batch("A", "B", "C", concurrency: 2))
    bench.loop.after(.seconds(3)) { runner.cancel(Interrupted(signal: 15)) }
    #expect(try bench.run(runner) == .interrupted(by: 15))
    #expect(bench.story.suffix(2) == ["A cancelled at 3", "B cancelled at 3"])
    #expect(bench.endings.map(\.notRun) == [["C"]])
    let disconnects = bench.events.all.count { event in
      guard case .step(.finished(let result)) = event.change else { return false }
      return result.step.operation == "disconnect" && result.status == .ok
    }
    #expect(disconnects == 2)
  }

  @Test("lost output ends the batch with its own status, even when no chain is running")
  func unread() throws {
    let bench = Bench()
    let runner = bench.runner(try Self.batch("A", "B"))
    let failure = RunFailure(
      code: .interrupted, class: .definite, what: "running the chain",
      why: "the reader of standard output is gone"
    )
    runner.cancel(failure)
    #expect(try bench.run(runner) == .output)
    #expect(bench.endings.map(\.exitStatus) == [.output])
    #expect(bench.endings.map(\.notRun) == [["A", "B"]])
    #expect(bench.endings.first?.failure?.code == .interrupted)
  }

  /// A chain of one step, before it has a device.
  private static func reading() throws -> ChainTemplate {
    try .parse("steps: [{ read: battery-level }]", file: "chain.yaml")
  }

  @Test("devices found by a scan are run; too few devices are a transient failure")
  func scan() throws {
    let found = (1...2).map { Advertisement.of(0xc0ff_ee00_0000 + $0, "Lamp-\($0)") }
    let template = BatchTemplate(chain: try Self.reading())
    let scanning = ScanStep(for: .seconds(5))
    let scan = try BatchScan(scanning, least: 2, most: 10, template)
    let bench = Bench(found: found)
    #expect(try bench.run(Batch(devices: .scanned(scan))) == .ok)
    #expect(bench.story.map { $0.prefix(17) }.first == "C0:FF:EE:00:00:01")
    #expect(bench.endings.map(\.counts.ok) == [2])

    let many = try BatchScan(scanning, least: 3, most: 10, template)
    let other = Bench(found: found)
    #expect(try other.run(Batch(devices: .scanned(many))) == .passing)
    #expect(other.endings.first?.failure?.code == .notFound)
    #expect(other.events.all.isEmpty)
  }

  @Test(
    "if a device changes its address during the scan, its newest address is used"
  )
  func changedAddress() throws {
    func tag(_ address: UInt64, _ name: String?, _ type: AddressType = .random) -> Advertisement {
      .of(address, name, type: type, advertisedServices: nil)
    }
    let bench = Bench(
      found: [
        tag(0x4a1, "A"), tag(0x4a1, "A"), tag(0x4b1, "Twin"), tag(0x4b2, "Twin"), tag(0x4c1, nil),
        tag(0x4d1, "Public", .public), tag(0x4b1, "Twin"), tag(0x4a2, "A"), tag(0x4e1, "Twin*"),
      ]
    )
    let scan = try BatchScan(
      ScanStep(for: .seconds(5)), least: 1, most: 10, BatchTemplate(chain: try Self.reading())
    )
    #expect(try bench.run(Batch(devices: .scanned(scan))) == .ok)
    let targets = try #require(bench.starts.first).devices.map(\.target)
    func address(_ number: UInt64) -> DeviceTarget { .address(BluetoothAddress(number: number)) }
    #expect(
      targets == [
        address(0x4b1), address(0x4b2), address(0x4c1), address(0x4d1),
        .seen(BluetoothAddress(number: 0x4a2), name: "A"),
        .seen(BluetoothAddress(number: 0x4e1), name: "Twin*"),
      ]
    )
    #expect(bench.story.first == "00:00:00:00:04:B1 begins at 5")
  }

  @Test("a scan that finds no device says that one is asked for")
  func foundNone() throws {
    let scanning = ScanStep(for: .seconds(7), filter: ScanFilter(name: "Lamp-*"))
    let scan = try BatchScan(
      scanning, least: 1, most: 10, BatchTemplate(chain: try Self.reading())
    )
    let bench = Bench(found: [])
    #expect(try bench.run(Batch(devices: .scanned(scan))) == .passing)
    let why = bench.endings.first?.failure?.why ?? ""
    #expect(why.hasPrefix("0 devices were found in 7s, and at least 1 is asked for"), "\(why)")
  }

  @Test("a scan that finds too few devices lists the others in range with the reason for each")
  func others() throws {
    let found: [Advertisement] = [
      .of(0xc0ff_ee00_0001, "Lamp-1"), .of(0xc0ff_ee00_0002, "Lump-2"), .of(0xc0ff_ee00_0003, nil),
    ]
    let scanning = ScanStep(for: .seconds(7), filter: ScanFilter(name: "Lamp-*", rssi: -70))
    let template = BatchTemplate(chain: try Self.reading())
    let scan = try BatchScan(scanning, least: 2, most: 10, template)
    let bench = Bench(found: found)
    #expect(try bench.run(Batch(devices: .scanned(scan))) == .passing)
    #expect(
      bench.endings.first?.failure?.why
        == "1 device was found in 7s, and at least 2 are asked for; "
        + "in range: 'Lump-2' (C0:FF:EE:00:00:02, -60 dBm: another name), "
        + "a device without a name (C0:FF:EE:00:00:03, -60 dBm: advertises no name)"
    )
  }

  @Test("a batch that cannot acquire the adapter runs nothing and reports the reason")
  func adapterRefused() throws {
    let bench = Bench()
    let runner = bench.runner(try Self.batch("A")) { _, _ in
      throw DeviceFailure.scripted(.busy, .passing)
    }
    #expect(try bench.run(runner) == .passing)
    #expect(bench.events.all.isEmpty)
    #expect(bench.endings.map { $0.failure?.code } == [.busy])
  }

  @Test(
    "rounds on an interval do not overlap, report missed times, and have their own identities"
  )
  func every() throws {
    let bench = Bench(["A": [Self.slow(25)]])
    var batch = try Self.batch("A")
    batch.every = .seconds(10)
    #expect(try bench.run(batch, most: 3) == .passing)
    #expect(
      bench.story == [
        "A begins at 0", "A failed at 20", "A begins at 20", "A failed at 40", "A begins at 40",
        "A failed at 60",
      ]
    )
    let missed = bench.told.all.compactMap { event -> Int? in
      if case .waiting(_, let missed) = event.change { missed } else { nil }
    }
    #expect(missed == [1, 1])
    #expect(Set(bench.events.all.map(\.run)).count == 3)
    #expect(Set(bench.told.all.map(\.batch)).count == 3)
  }

  @Test("a signal ends the wait for the next round at once")
  func interruptedWait() throws {
    let bench = Bench()
    var batch = try Self.batch("A")
    batch.every = .seconds(600)
    let runner = bench.runner(batch)
    bench.loop.after(.seconds(100)) { runner.cancel(Interrupted(signal: 2)) }
    #expect(try bench.run(runner) == .interrupted(by: 2))
    #expect(bench.loop.now.sinceStart == .seconds(100))
    #expect(bench.endings.count == 1)
  }
}
