// The undamaged journals: one recorded here, and stored ones of earlier versions.

import Bluetooth
import Documents
import Glibc
import Jobs
import Journal
import Signals

/// The bytes of a journal's files.
struct RecordedJournal {
  /// The journal itself, and its `-wal` file; empty if there is none.
  let octets: [UInt8]
  let log: [UInt8]

  /// Records a batch of two devices, twice.
  ///
  /// - Parameter isOpen: Whether the latest commits are still in the `-wal` file, as after a kill.
  static func recorded(in folder: InputFolder, isOpen: Bool) throws -> RecordedJournal {
    let path = "\(folder.path)/recorded.sqlite"
    defer { remove(path) }
    let loop = VirtualTimeLoop()
    defer { loop.end() }
    let file = try JournalFile(writing: path)
    for _ in 0..<2 { try record(in: file, on: loop) }
    if !isOpen { file.close() }
    defer { file.close() }
    return RecordedJournal(octets: try contents(path), log: try contents(path + "-wal"))
  }

  /// Records a batch: values, gaps and failures, in several attempts.
  static func record(in file: JournalFile, on loop: VirtualTimeLoop) throws {
    var header = RunHeader(
      identity: "0123456789abcdef", command: "batch",
      definition: "read battery-level\nnotify heart-rate-measurement until 9x", seed: 7,
      isSimulated: false, owner: "1 2 boot", version: "0.1.0", started: loop.wallClockAtStart
    )
    header.batch = BatchOrigin(file: "/batch.yaml", name: "Evening", digest: "0123", round: 1)
    let recorder = RunRecorder(header, to: file, on: loop) { _ in }
    recorder.begin()
    recorder.record([BatchMember(device: "A", name: nil), BatchMember(device: "B", name: "b")])
    for device in ["A", "B"] { try chain(device, recorder.chain()) }
    recorder.finish(.failed)
  }

  private static func chain(_ device: String, _ record: (RunEvent) -> Void) throws {
    let plan = try Plan.parse(line: "read battery-level; notify heart-rate-measurement until 9x")
    let steps = plan.placedSteps.map(\.reported)
    let identity = RunIdentity(seed: 7, plan: plan)
    var offset = Duration.zero
    func emit(_ change: RunEvent.Change, attempt: Int = 1) {
      offset += .milliseconds(1)
      record(
        RunEvent(
          run: identity, device: device, attempt: attempt, offset: offset,
          wallClock: .seconds(946_684_800) + offset, change: change
        )
      )
    }
    let failure = RunFailure(
      code: .linkLost, class: .passing, what: "reading battery-level on '\(device)'",
      why: "the link was lost", hint: "bring the device closer"
    )
    emit(.run(.started(RunStart(chain: "Evening", steps: 2, seed: 7))))
    for attempt in 1...2 {
      for step in steps {
        emit(.step(.started(step)), attempt: attempt)
        for value in 0..<8 as Range<UInt8> {
          let decoded = DecodedValue.fields([
            .init("percent", .integer(Int128(value))), .init("name", .text("a \"b\", c")),
          ])
          emit(.data(step, .value(StepValue(octets: [value], decoded: decoded))), attempt: attempt)
        }
        let gap = NotificationGap(.linkLost, from: .start, to: .start + .seconds(1))
        emit(.data(step, .gap(gap)), attempt: attempt)
        let isLast = step == steps.last
        let result = StepResult(
          step, status: isLast ? .failed : .ok, outcome: isLast ? nil : .linked(.made),
          failure: isLast ? failure : nil, took: .milliseconds(5)
        )
        emit(.step(.finished(result)), attempt: attempt)
      }
    }
    emit(
      .run(.finished(RunEnding(status: .failed, failure: failure, step: steps.last, done: 3))),
      attempt: 2
    )
  }

  /// Loads a journal of an earlier version.
  static func stored(at path: String) throws -> RecordedJournal {
    RecordedJournal(octets: try contents(path), log: [])
  }

  /// Writes the files, replacing existing ones.
  static func write(_ octets: [UInt8], _ log: [UInt8], to path: String) throws {
    remove(path)
    for (octets, end) in [(octets, ""), (log, "-wal")] where end.isEmpty || !octets.isEmpty {
      let descriptor = open(path + end, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FuzzError("\(path) cannot be written") }
      defer { close(descriptor) }
      guard Glibc.write(descriptor, octets, octets.count) == octets.count else {
        throw FuzzError("\(path) cannot be written")
      }
    }
  }

  static func remove(_ path: String) {
    for end in ["", "-wal", "-shm", "-journal"] { unlink(path + end) }
  }

  /// The bytes of a file; empty if it is missing.
  static func contents(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 1 << 22)
    let count = read(descriptor, &octets, octets.count)
    guard (0..<octets.count).contains(count) else { throw FuzzError("\(path) cannot be read") }
    return Array(octets[..<count])
  }
}
