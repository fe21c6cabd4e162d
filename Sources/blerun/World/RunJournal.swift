// The journal of a command's run: opened before anything is touched, heard first, ended last.

import ArgumentParser
import Bluetooth
import Jobs
import Journal
import Signals

/// A run's journal under way, and what is done when it fails.
final class RunJournal: Sendable {
  private let file: JournalFile
  private let recorder: RunRecorder
  private let options: JournalOptions

  /// Opens the journal that the options name.
  ///
  /// - Returns: Nil when none is written, or an optional one cannot be, which is said then.
  /// - Throws: ``Ending`` when a required one cannot be written.
  static func open(
    _ options: JournalOptions?,
    isSimulated: Bool
  ) throws(Ending) -> JournalFile? {
    guard let options, let path = try options.path(isSimulated: isSimulated) else { return nil }
    do {
      return try JournalFile(writing: path, sync: options.journalSync)
    } catch {
      if options.need == .required { throw Ending(.output, "\(error)") }
      StandardError.line("blerun: this run is in no journal: \(error)")
      return nil
    }
  }

  /// Writes down that a run begins.
  ///
  /// - Parameter world: Its chains are cancelled when a required journal fails later.
  /// - Throws: ``Ending`` when a required one fails at once.
  init(
    _ file: JournalFile,
    _ options: JournalOptions,
    _ header: RunHeader,
    in world: World
  ) throws(Ending) {
    self.file = file
    self.options = options
    let scheduler = world.scheduler
    let need = options.need
    recorder = RunRecorder(header, to: file, on: world.loop) { failure in
      switch need {
      case .required:
        scheduler.cancelAll(RunFailure(failure))
      case .optional:
        StandardError.line(
          "blerun: \(failure). The run goes on; what it brings is kept until it can be written"
        )
      }
    }
    recorder.begin()
    if options.need == .required, let failure = recorder.failure {
      throw Ending(.output, "\(failure)")
    }
  }

  /// What hears the events of a chain: the journal, then `report`.
  func hearing(
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    let record = recorder.chain()
    return { event in
      record(event)
      report(event)
    }
  }

  /// Writes down how the run ended, and closes the journal.
  ///
  /// - Returns: The status of the run with this journal.
  func end(_ status: ExitStatus) -> ExitStatus {
    recorder.finish(status)
    defer { file.close() }
    if let failure = recorder.failure {
      let count = recorder.unwritten
      let missing = count == 1 ? "1 record is" : "\(count) records are"
      StandardError.line("blerun: \(failure). \(missing) not in it")
      return options.need == .required && status.rawValue < 128 ? .output : status
    }
    prune()
    return status
  }

  private func prune() {
    let retention = options.retention(at: recorder.time, sparing: recorder.run)
    guard retention.from != nil || retention.mostOctets != nil else { return }
    do {
      _ = try file.prune(retention) { ProcessIdentity($0)?.isThere ?? false }
    } catch {
      StandardError.line("blerun: old runs stay: \(error)")
    }
  }
}

extension JournalOptions {
  /// What of the journal is kept.
  ///
  /// - Parameter time: Now, since 1970-01-01T00:00:00Z.
  func retention(at time: Duration, sparing run: Int64?) -> Retention {
    Retention(
      from: journalAge.map { Timestamp.text(time - $0.duration) },
      mostOctets: journalSize?.octets,
      sparing: run
    )
  }
}

extension RunFailure {
  /// A required journal could not be written.
  fileprivate init(_ failure: JournalFailure) {
    self.init(
      code: .journalFailed,
      class: .unavailable,
      what: "writing the journal \(failure.path)",
      why: "\(failure.meaning) (\(failure.reason))",
      hint: failure.hint
    )
  }
}

extension RunHeader {
  /// A run of one plan.
  init(_ plan: Plan, _ identity: RunIdentity, in world: World) {
    self.init(
      identity: identity.description,
      command: "run",
      definition: plan.description,
      seed: identity.seed,
      isSimulated: world.isSimulated,
      owner: world.isSimulated ? nil : ProcessIdentity.own.text,
      version: Blerun.configuration.version,
      started: world.loop.wallClockAtStart + world.loop.now.sinceStart
    )
  }
}
