// The journal of a command's run: opened before anything is touched, first to receive events, ended last.

import ArgumentParser
import Bluetooth
package import Jobs
package import Journal
package import Signals

/// A run's journal under way, and what is done when it fails.
package final class RunJournal: Sendable {
  private let file: JournalFile
  private let recorder: RunRecorder
  private let options: JournalOptions
  /// Events that are not reported yet, in their order.
  private let held = Guarded<[HeldEvent]>([])

  /// Opens the journal that the options name.
  ///
  /// - Returns: Nil when none is written, or an optional one cannot be, which is then printed.
  /// - Throws: ``Ending`` when a required one cannot be written.
  package static func open(
    _ options: JournalOptions?,
    isSimulated: Bool
  ) throws(Ending) -> JournalFile? {
    guard let options, let path = try options.path(isSimulated: isSimulated) else { return nil }
    do {
      return try JournalFile(writing: path, sync: options.journalSync)
    } catch {
      if options.need == .required { throw Ending(.output, "\(error)") }
      StandardError.failure("this run is in no journal: \(error)")
      return nil
    }
  }

  /// Writes down that a run begins.
  ///
  /// - Parameter cancel: Ends its chains when a required journal fails later.
  /// - Throws: What a required one fails with at once.
  init(
    _ file: JournalFile,
    _ options: JournalOptions,
    _ header: RunHeader,
    on loop: Loop,
    cancel: @escaping @Sendable (RunFailure) -> Void
  ) throws(JournalFailure) {
    self.file = file
    self.options = options
    let onFailure = Self.onFailure(options.need, cancel)
    recorder = RunRecorder(
      header,
      to: file,
      on: loop,
      onWritten: { [held] in held.report(isWritten: true) },
      onFailure: onFailure
    )
    recorder.begin()
    if options.need == .required, let failure = recorder.failure { throw failure }
  }

  /// Writes down that a run of one scheduler begins: its chains are cancelled when a required
  /// journal fails later.
  ///
  /// - Parameter scheduler: Theirs; nil for the world's own.
  /// - Throws: ``Ending`` when a required one fails at once.
  package static func begin(
    _ file: JournalFile,
    _ options: JournalOptions,
    _ header: RunHeader,
    in world: World,
    on scheduler: SerialScheduler? = nil
  ) throws(Ending) -> RunJournal {
    let scheduler = scheduler ?? world.scheduler
    do {
      return try RunJournal(file, options, header, on: world.loop) { scheduler.cancelAll($0) }
    } catch {
      throw Ending(.output, "\(error)")
    }
  }

  /// Records that this process resumes a run.
  ///
  /// - Parameter cancel: Ends its chains when a required journal fails later.
  /// - Throws: What the journal fails with at once, required or not.
  init(
    _ file: JournalFile,
    _ options: JournalOptions,
    resuming run: Int64,
    _ takeover: RunTakeover,
    on loop: Loop,
    cancel: @escaping @Sendable (RunFailure) -> Void
  ) throws(JournalFailure) {
    self.file = file
    self.options = options
    recorder = try RunRecorder(
      resuming: run,
      takeover,
      in: file,
      on: loop,
      onWritten: { [held] in held.report(isWritten: true) },
      onFailure: Self.onFailure(options.need, cancel)
    )
  }

  private static func onFailure(
    _ need: JournalOptions.Need,
    _ cancel: @escaping @Sendable (RunFailure) -> Void
  ) -> @Sendable (JournalFailure) -> Void {
    { failure in
      switch need {
      case .required: cancel(RunFailure(failure))
      case .optional:
        StandardError.failure(
          "\(failure). The run goes on; its results are kept until they can be written, up "
            + "to \(RunRecorder.mostUnwritten) records"
        )
      }
    }
  }

  /// The number of the run; nil as long as it could not be written.
  package var run: Int64? { recorder.run }

  /// What receives the events of the next chain, and of chains that follow it, each with what
  /// reports it.
  ///
  /// A required journal has an event before it is reported: events wait until everything before
  /// them is written, a second at most. What it cannot have is not reported.
  func chain() -> @Sendable (RunEvent, _ report: @escaping @Sendable () -> Void) -> Void {
    let record = recorder.chain()
    switch options.need {
    case .optional:
      return { event, report in
        record(event)
        report()
      }
    case .required:
      return { [recorder, held] event, report in
        // Nothing is recorded of what a person has to type now.
        if case .pairingDisplay = event.change { return report() }
        held.withLock { $0.append(HeldEvent(isResult: event.isResult, report: report)) }
        record(event)
        if recorder.isWritten {
          held.report(isWritten: true)
        } else if recorder.failure != nil {
          held.report(isWritten: false)
        }
      }
    }
  }

  /// Reports what is not recorded itself, behind all that was recorded before.
  func report(_ report: @escaping @Sendable () -> Void) {
    guard options.need == .required, !recorder.isWritten else { return report() }
    held.withLock { $0.append(HeldEvent(isResult: true, report: report)) }
    if recorder.failure != nil { held.report(isWritten: false) }
  }

  /// Writes down which devices a run of a batch is for.
  func take(_ devices: [BatchMember]) { recorder.take(devices) }

  /// What receives the events of a chain: the journal, then `report`.
  package func receiving(
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    let chain = chain()
    return { event in chain(event) { report(event) } }
  }

  /// Writes down how the run ended, and closes the journal.
  ///
  /// - Returns: The status of the run with this journal.
  package func end(_ status: ExitStatus) -> ExitStatus {
    defer { file.close() }
    return finish(status)
  }

  /// Writes down how the run ended.
  ///
  /// - Returns: The status of the run with this journal.
  func finish(_ status: ExitStatus) -> ExitStatus {
    recorder.finish(status)
    guard let complaint else {
      prune()
      return status
    }
    StandardError.failure("\(complaint)")
    if recorder.failure == nil { prune() }
    return options.need == .required && status.rawValue < 128 ? .output : status
  }

  /// What the journal does not have of the run, and why; nil when it has all.
  private var complaint: String? {
    let count = recorder.unwritten
    let missing = "\(counted(count, "record")) \(count == 1 ? "is" : "are")"
    if let failure = recorder.failure {
      return "\(failure). \(count == 0 ? "The end of the run is" : missing) not in it"
    }
    guard count > 0 else { return nil }
    return
      "the journal \(file.path): \(missing) not in it, because more came while it could not be "
      + "written than are kept; history shows the run as incomplete"
  }

  private func prune() {
    let retention = options.retention(at: recorder.time, sparing: recorder.run)
    guard retention != Retention(sparing: recorder.run) else { return }
    do {
      _ = try file.prune(retention) { ProcessIdentity($0)?.isThere ?? false }
    } catch {
      StandardError.failure("old runs stay: \(error)")
    }
  }
}

/// An event that waits to be reported.
private struct HeldEvent: Sendable {
  let isResult: Bool
  let report: @Sendable () -> Void
}

extension Guarded<[HeldEvent]> {
  /// Reports what waits; without results where the journal does not have them.
  fileprivate func report(isWritten: Bool) {
    let due = withLock { held in
      defer { held = [] }
      return held
    }
    for event in due where isWritten || !event.isResult { event.report() }
  }
}

extension RunEvent {
  /// Whether it has something that came of a step: the start and the end of a run are reported also
  /// when nothing is recorded, with the reason.
  fileprivate var isResult: Bool {
    switch change {
    case .value, .advertisement, .gap, .note, .stepFinished: true
    case .runStarted, .stepStarted, .pairingDisplay, .runFinished: false
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
      sparing: run,
      valuesFrom: journalValuesAge.map { Timestamp.text(time - $0.duration) }
    )
  }
}

extension RunFailure {
  /// A required journal could not be written.
  init(_ failure: JournalFailure) {
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
  /// A run of this process that begins now.
  ///
  /// - Parameters:
  ///   - command: `run`, `batch`, `suite`.
  ///   - definition: What is to be done, as a dry run prints it.
  package init(
    _ command: String,
    _ definition: String,
    _ identity: RunIdentity,
    isSimulated: Bool,
    on loop: Loop
  ) {
    self.init(
      identity: identity.description,
      command: command,
      definition: definition,
      seed: identity.seed,
      isSimulated: isSimulated,
      owner: isSimulated ? nil : ProcessIdentity.own.text,
      version: Blerun.configuration.version,
      started: loop.wallClockAtStart + loop.now.sinceStart
    )
  }
}
