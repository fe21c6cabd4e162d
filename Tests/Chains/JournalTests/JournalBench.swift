// A journal in its own folder, and runs recorded in it.

import Fixtures
import GRDB
import Jobs
import Signals

@testable import Journal

/// A journal for one test, written in virtual time.
struct JournalBench {
  let folder: TemporaryFolder
  let loop = VirtualTimeLoop()
  private let loopEnd: LoopEnding
  let failures = Recorded<JournalFailure>()

  init() throws {
    folder = try TemporaryFolder()
    loopEnd = LoopEnding(loop)
  }

  var path: String { folder.path + "/journal.sqlite" }

  func header(owner: String? = nil, started: Duration = .seconds(946_684_800)) -> RunHeader {
    RunHeader(
      identity: "0123456789abcdef", command: "run", definition: "read battery-level", seed: 7,
      isSimulated: false, owner: owner, version: "0.1.0", started: started
    )
  }

  func recorder(
    to file: JournalFile, owner: String? = nil, started: Duration = .seconds(946_684_800)
  ) -> RunRecorder {
    RunRecorder(header(owner: owner, started: started), to: file, on: loop) { [failures] in
      failures.add($0)
    }
  }

  /// Writes a run of chains that read a value each.
  @discardableResult
  func run(_ values: [UInt8] = [72], in file: JournalFile) throws -> Int64? {
    let recorder = recorder(to: file)
    recorder.begin()
    for value in values {
      let hear = recorder.chain()
      for event in try EventScript.reading(value) { hear(event) }
    }
    recorder.finish(.ok)
    return recorder.run
  }

  /// A chain that has started to listen.
  ///
  /// - Parameter values: The number of values already received.
  func listening(_ recorder: RunRecorder, values: Int = 0) throws -> (
    hear: @Sendable (RunEvent) -> Void, script: EventScript
  ) {
    recorder.begin()
    let hear = recorder.chain()
    var script = try EventScript("notify heart-rate-measurement until 9x")
    script.start()
    script.begin(1)
    for _ in 0..<values { script.value([7], in: 1) }
    for event in script.events { hear(event) }
    return (hear, script)
  }

  /// The contents of the file as another program reads them now.
  func count(_ table: String) throws -> Int {
    let database = try DatabaseQueue(path: path)
    return try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }
}
