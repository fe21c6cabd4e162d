// Damaged journals.

import Documents
import GRDB
import Jobs
import Journal
import Signals

/// Opens damaged journals with every reader, and with the code that writes and prunes.
struct JournalFiles: FuzzTarget {
  private let seed: UInt64
  private let folder: InputFolder
  private let journals: [RecordedJournal]
  /// The export of the first journal, undamaged.
  private var whole: [String] = []

  private var path: String { "\(folder.path)/journal.sqlite" }

  init(seed: UInt64) throws {
    self.seed = seed
    folder = try InputFolder()
    journals = [
      try .recorded(in: folder, isOpen: false), try .recorded(in: folder, isOpen: true),
      try .stored(at: "Tests/Golden/journals/version-4.sqlite"),
    ]
    try RecordedJournal.write(journals[0].octets, [], to: path)
    defer { RecordedJournal.remove(path) }
    let file = try JournalFile(reading: path)
    defer { file.close() }
    whole = try Self.contents(of: file)
    guard try file.check().isComplete, !whole.isEmpty else {
      throw FuzzError("the journal is damaged before it was touched")
    }
  }

  /// One damaged journal.
  private struct Input {
    let journal: Int
    let damages: [JournalDamage]
    var generator: SeededGenerator
  }

  private func makeInput(_ number: UInt64) -> Input {
    var generator = SeededGenerator("journals", seed: seed, number: number)
    let journal = generator.pick([0, 0, 0, 0, 1, 2])
    let kinds = generator.hits(2, in: 3) ? JournalDamage.ofOctets : JournalDamage.allCases
    let damages = (0..<generator.pick([1, 1, 1, 2, 3])).map { _ in generator.pick(kinds) }
    return Input(journal: journal, damages: damages, generator: generator)
  }

  func input(_ number: UInt64) -> String {
    let input = makeInput(number)
    let kinds = input.damages.map { "\($0)" }.joined(separator: ", ")
    return "journal \(input.journal), damaged: \(kinds)"
  }

  mutating func feed(_ number: UInt64) throws -> Bool {
    var input = makeInput(number)
    var (octets, log) = (journals[input.journal].octets, journals[input.journal].log)
    defer { RecordedJournal.remove(path) }
    let ofOctets = input.damages.filter(JournalDamage.ofOctets.contains)
    if ofOctets.count < input.damages.count {
      try RecordedJournal.write(octets, log, to: path)
      for damage in input.damages { run(damage, &input.generator) }
      (octets, log) = (try RecordedJournal.contents(path), [])
    }
    for damage in ofOctets {
      if !log.isEmpty, input.generator.hits(1, in: 2) {
        damage.apply(to: &log, &input.generator)
      } else {
        damage.apply(to: &octets, &input.generator)
      }
    }
    try RecordedJournal.write(octets, log, to: path)
    do {
      let isJudged = input.journal == 0 && ofOctets.count == input.damages.count
      let isWhole = try read(isJudged: isJudged)
      try write()
      return isWhole
    } catch let failure as JournalFailure {
      guard !failure.reason.isEmpty else {
        throw BrokenPromise(description: "the journal is refused without a reason")
      }
      return false
    }
  }

  /// Runs the damage's statements; those that SQLite refuses have no effect.
  private func run(_ damage: JournalDamage, _ generator: inout SeededGenerator) {
    let statements = damage.statements(&generator)
    guard !statements.isEmpty else { return }
    let parts =
      damage.needsLooseTables
      ? [JournalDamage.loosening, statements, JournalDamage.tightening] : [statements]
    for part in parts {
      // A new connection, because it reads the schema again.
      guard let database = try? DatabaseQueue(path: path) else { continue }
      for statement in part {
        try? database.writeWithoutTransaction { try $0.execute(sql: statement) }
      }
      try? database.close()
    }
  }

  // MARK: Reading

  /// Reads everything.
  ///
  /// - Parameter isJudged: Whether the records must then equal the recorded ones.
  /// - Returns: True if the check finds no damage.
  private func read(isJudged: Bool) throws -> Bool {
    let file = try JournalFile(reading: path)
    defer { file.close() }
    let check = try file.check()
    let contents = try Self.contents(of: file)
    if isJudged, check.isComplete, contents != whole {
      throw BrokenPromise(
        description: "the check finds no damage, and records are not what they were")
    }
    return check.problems.isEmpty
  }

  /// Records a run, and prunes all others.
  private func write() throws {
    let loop = VirtualTimeLoop()
    defer { loop.end() }
    let file = try JournalFile(existing: path)
    defer { file.close() }
    try RecordedJournal.record(in: file, on: loop)
    _ = try file.prune(Retention(from: "2001", mostOctets: 1 << 16)) { _ in false }
  }

  /// Every record of a journal, in each printed form.
  private static func contents(of file: JournalFile) throws -> [String] {
    var lines: [String] = []
    for run in try file.runs(most: 100) {
      var exported: [String] = []
      _ = try file.exportJSON(run.run) { exported.append($0) }
      guard exported.allSatisfy({ $0.hasPrefix("{\"v\":1,\"event\":") && $0.hasSuffix("}") }) else {
        throw BrokenPromise(description: "an exported line is not a JSON object")
      }
      _ = try file.exportCSV(run.run) { exported.append($0) }
      guard exported.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isPrintable) }) else {
        throw BrokenPromise(
          description: "an exported line has something in it that is not printable")
      }
      let steps = try run.chains.flatMap { try file.steps(of: $0.chain, run: run.run) }
      let devices = try file.finishedDevices(of: run.run)
      lines += ["\(run)"] + exported + steps.map { "\($0)" } + devices.map { "\($0)" }
    }
    return lines
  }
}
