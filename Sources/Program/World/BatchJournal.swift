// The journal of a batch: each round is a run of it, with a chain for each device.

import ArgumentParser
package import Jobs
package import Journal
import Signals

/// A batch's journal under way.
///
/// It receives everything before anybody else does: the results of a device are
/// committed when this has received the end of its chain.
package final class BatchJournal: Sendable {
  private typealias Chain = @Sendable (RunEvent, _ report: @escaping @Sendable () -> Void) -> Void

  private struct State {
    /// The round under way.
    var round: RunJournal?
    /// What keeps others from that round, where no owner in the journal does.
    var lock: LockedFile?
    /// What receives the events of the chains under way, by their devices.
    var chains: [String: Chain] = [:]
    /// That of the first round whose required journal failed.
    var failed: ExitStatus?
    var cancel: @Sendable (RunFailure) -> Void = { _ in }
  }

  private let file: JournalFile
  private let options: JournalOptions
  private let batch: Batch
  /// The whole path of the batch's file.
  private let path: String
  private let resumption: BatchResumption?
  private let loop: Loop
  private let isSimulated: Bool
  private let state = Guarded(State())

  /// - Parameters:
  ///   - path: The whole path of the batch's file.
  ///   - resumption: What the batch resumes; nil for a batch that begins.
  init(
    _ file: JournalFile,
    _ options: JournalOptions,
    of batch: Batch,
    at path: String,
    goingOn resumption: BatchResumption?,
    in world: World
  ) {
    self.file = file
    self.options = options
    self.batch = batch
    self.path = path
    self.resumption = resumption
    loop = world.loop
    isSimulated = world.isSimulated
  }

  /// The journal of a batch that begins.
  ///
  /// - Parameter path: The whole path of the batch's file.
  package convenience init(
    _ file: JournalFile,
    _ options: JournalOptions,
    of batch: Batch,
    at path: String,
    in world: World
  ) {
    self.init(file, options, of: batch, at: path, goingOn: nil, in: world)
  }

  /// - Parameter cancel: Ends the batch when a required journal fails under way. Kept until the end.
  package func onFailure(_ cancel: @escaping @Sendable (RunFailure) -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  /// The number of the round under way in the journal; nil between rounds, and as long as it could
  /// not be written.
  package var run: Int64? { state.withLock { $0.round }?.run }

  // MARK: Rounds

  /// Writes down that a round begins, or goes on.
  ///
  /// - Throws: ``RunFailure`` when that fails and the batch cannot do without.
  package func begin(_ identity: RunIdentity, round: Int) throws(RunFailure) {
    let cancel: @Sendable (RunFailure) -> Void = { [weak self] failure in
      self?.state.withLock { $0.cancel }(failure)
    }
    var isBegun = resumption != nil
    do {
      let journal =
        if let resumption {
          try RunJournal(
            file,
            options,
            resuming: resumption.run,
            takeover(from: resumption.owner),
            on: loop,
            cancel: cancel
          )
        } else {
          try RunJournal(file, options, header(identity, round), on: loop, cancel: cancel)
        }
      isBegun = true
      let lock = if let resumption { resumption.lock } else { try lock(journal.run) }
      state.withLock { state in
        state.round = journal
        state.lock = lock
      }
    } catch {
      // Another process that resumes the run is not a problem of the file.
      let isTaken = isBegun && error.kind == .locked
      state.withLock { $0.failed = $0.failed ?? (isTaken ? .passing : .output) }
      throw RunFailure(error)
    }
  }

  /// Keeps others from a run that began, where the journal does not record whose it is.
  ///
  /// - Throws: When another process resumed it already, in the moment since it began.
  private func lock(_ run: Int64?) throws(JournalFailure) -> LockedFile? {
    guard isSimulated, let run else { return nil }
    switch RunLock.attempt(run, of: file.path) {
    case .held(let lock): return lock
    case .taken:
      let reason = "another process is resuming run \(run)"
      throw JournalFailure(.locked, path: file.path, reason: reason)
    case .failed(let reason):
      StandardError.failure("nothing keeps another process from run \(run): \(reason)")
      return nil
    }
  }

  private func header(_ identity: RunIdentity, _ round: Int) -> RunHeader {
    let definition = batch.lines.joined(separator: "\n")
    var header = RunHeader("batch", definition, identity, isSimulated: isSimulated, on: loop)
    header.batch = BatchOrigin(
      file: path,
      name: batch.name,
      digest: batch.digest,
      round: round
    )
    return header
  }

  private func takeover(from former: String?) -> RunTakeover {
    RunTakeover(
      former: former,
      owner: isSimulated ? nil : ProcessIdentity.own.text,
      version: Blerun.configuration.version,
      started: loop.wallClockAtStart + loop.now.sinceStart
    )
  }

  // MARK: What happens

  package func receive(_ event: BatchEvent) {
    guard let round = state.withLock({ $0.round }) else { return }
    switch event.change {
    case .waiting, .deviceEnded: break
    case .started(let start):
      guard resumption?.past.devices.isEmpty ?? true else { return }
      round.take(start.devices.map { BatchMember(device: $0.label, name: $0.name) })
    case .finished(let ending):
      let status = round.finish(ending.exitStatus)
      state.withLock { state in
        state.lock?.remove()
        state.lock = nil
        state.round = nil
        state.chains = [:]
        if status != ending.exitStatus { state.failed = state.failed ?? status }
      }
    }
  }

  /// Records an event of a chain, and reports it when the journal has it, if it must.
  package func receive(_ event: RunEvent, _ report: @escaping @Sendable () -> Void) {
    let record = state.withLock { state -> Chain? in
      if case .runStarted = event.change { state.chains[event.device] = state.round?.chain() }
      if case .runFinished = event.change { return state.chains.removeValue(forKey: event.device) }
      return state.chains[event.device]
    }
    if let record { record(event, report) } else { report() }
  }

  /// Closes the journal, when all rounds are over.
  ///
  /// - Returns: The status of the batch with this journal.
  package func end(_ status: ExitStatus) -> ExitStatus {
    file.close()
    let failed = state.withLock { state in
      defer { state = State() }
      return state.failed
    }
    return status.rawValue > 128 ? status : failed ?? status
  }
}
