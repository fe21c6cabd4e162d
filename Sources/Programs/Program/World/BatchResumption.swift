// Decides which run of a batch is resumed, and with which devices. Pure.

import Bluetooth
package import Jobs
import Journal

/// A run of a batch to resume, from the journal.
package struct BatchResumption: Sendable {
  /// The number in the journal.
  let run: Int64
  /// The last owner of the run.
  let owner: String?
  /// The identity of the run, as it began.
  package let identity: String
  /// The number of chains that have ended, by device.
  package let chains: [String: Int]
  package let past: PreviousRound
  /// The lock on a simulated run, which has no owner in the journal.
  var lock: LockedFile?

  /// The decision about a wish to resume.
  enum Decision {
    case goOn(BatchResumption)
    /// Nothing is left to do, for this reason.
    case nothing(String)
  }

  /// A request to resume a run.
  struct Wish {
    /// The number of the run; nil for the latest one of the batch.
    var run: Int64?
    var skipsFailed: Bool
    /// Whether devices of a fleet run again that may have been written to.
    var runsUnknown = true
    /// The path as the user gave it.
    var file: String
    var batch: Batch
    var isSimulated: Bool
  }

  /// Finds the run in a journal, and decides.
  ///
  /// - Parameter looksOnly: Whether no lock is acquired.
  /// - Throws: ``CommandExit`` if the run cannot be resumed, ``JournalFailure`` if the journal cannot be read.
  static func find(_ wish: Wish, in file: JournalFile, looksOnly: Bool) throws -> Decision {
    let found =
      if let number = wish.run {
        try file.run(number)
      } else {
        try file.lastRun(ofBatch: Batch.wholePath(of: wish.file))
      }
    // Real runs need no lock: the journal has their owner.
    guard let run = found, run.isSimulated, run.batch != nil else {
      return try decide(wish, found, in: file)
    }
    let lock: LockedFile?
    switch LockedFile.attempt(ofRun: run.run, in: file.path, makes: !looksOnly) {
    case .taken: throw CommandExit(.passing, "run \(run.run) is under way, in another process")
    case .failed(let reason):
      if !looksOnly {
        throw CommandExit(.output, "\(file.path): run \(run.run) cannot be locked: \(reason)")
      }
      lock = nil
    case .held(let file): lock = file
    }
    var isKept = looksOnly
    defer { if !isKept { lock?.remove() } }
    // Reads the run again: its former owner may have finished it before the lock was acquired.
    let decision = try decide(wish, try file.run(run.run), in: file)
    guard case .goOn(var resumption) = decision, !looksOnly else { return decision }
    (resumption.lock, isKept) = (lock, true)
    return .goOn(resumption)
  }

  private static func decide(
    _ wish: Wish, _ run: RunSummary?, in file: JournalFile
  ) throws -> Decision {
    let finished = try run.map { try file.finishedDevices(of: $0.run) } ?? []
    return try decide(wish, run, finished, isThere: RunOwner.isThere)
  }

  /// - Parameters:
  ///   - run: The run in the journal; nil if there is none.
  ///   - finished: The devices of that run whose chains have ended.
  ///   - isThere: Returns whether the process of an owner runs.
  static func decide(
    _ wish: Wish, _ run: RunSummary?, _ finished: [FinishedDevice], isThere: (String) -> Bool
  ) throws(CommandExit) -> Decision {
    guard let run else {
      throw wish.run.map { CommandExit.noRun($0) }
        ?? CommandExit(
          .failed, "the journal has no run of \(wish.file): begin one, without --resume")
    }
    let number = "run \(run.run)"
    guard let batch = run.batch else {
      throw CommandExit(.usage, "\(number) is of no batch: blerun history lists them")
    }
    if run.finished == nil, let owner = run.owner, isThere(owner) {
      let process = owner.prefix { $0 != " " }
      throw CommandExit(.passing, "\(number) is under way, in process \(process)")
    }
    guard run.isSimulated == wish.isSimulated else {
      let devices =
        run.isSimulated ? "simulated devices: name them with --simulate" : "real devices"
      throw CommandExit(.usage, "\(number) is one of \(devices)")
    }
    guard batch.origin.digest == wish.batch.digest else {
      throw CommandExit(.data, changed(wish, run))
    }
    // After the check of the batch: the success of another batch does not count.
    if run.exitStatus == 0 {
      return .nothing(
        "nothing is left of \(wish.file): \(number), which began at \(run.started), succeeded on "
          + "every device; without --resume all begins anew"
      )
    }
    return .goOn(
      BatchResumption(run, batch, wish, finished)
    )
  }

  private init(
    _ run: RunSummary, _ batch: BatchSummary, _ wish: Wish, _ finished: [FinishedDevice]
  ) {
    self.run = run.run
    owner = run.owner
    identity = run.identity
    chains = Dictionary(finished.map { ($0.device, $0.chains) }, uniquingKeysWith: { $1 })
    let unknown = Set(finished.filter { $0.code == "unknown" }.map(\.device))
    let endings = Dictionary(
      finished.map { ($0.device, PreviousRound.Ending($0)) }, uniquingKeysWith: { $1 }
    )
    // A run that was killed before the list was recorded has run none of the devices.
    let members = batch.devices.isEmpty ? wish.batch.members : batch.devices
    let devices = members.map { member in
      var device = PreviousRound.Device(
        label: member.device, name: member.name, ending: endings[member.device] ?? nil
      )
      device.isLeftOut = !wish.runsUnknown && unknown.contains(member.device)
      return device
    }
    past = PreviousRound(round: batch.origin.round, devices: devices, skipsFailed: wish.skipsFailed)
  }

  /// The message for a batch file that was changed since the run.
  private static func changed(_ wish: Wish, _ run: RunSummary) -> String {
    let old = run.definition.split(separator: "\n", omittingEmptySubsequences: false)
    let difference = wish.batch.difference(from: old.map(String.init)).map {
      " (then \(shown($0.then)), now \(shown($0.now)))"
    }
    return "\(wish.file): what is done, or on which devices, is not what run \(run.run) began with"
      + "\(difference ?? ""): put it back, with the chain and the table that it names and the values "
      + "of --set, to go on; or begin anew, without --resume"
  }

  private static func shown(_ line: String?) -> String {
    guard let line else { return "nothing" }
    let text = line.split(separator: " ").joined(separator: " ")
    return "'\(text.count > 60 ? text.prefix(59) + "…" : text[...])'"
  }

  /// The message at the start of the resumed run.
  var notice: String {
    let counts = past.counts
    let failed = counts.failed == 0 ? "" : ", \(counts.failed) failed and are left out"
    let all = past.devices.count
    guard all > 0 else { return "resuming run \(run): its devices had not been found" }
    return "resuming run \(run): \(counts.ok) of \(counted(all, "device")) "
      + "succeeded\(failed), \(past.left) to be run"
  }
}

extension LockedFile {
  /// Tries to acquire the lock on a simulated run: a file in the folder of the journal.
  ///
  /// Real runs have their owner in the journal. Simulated runs have none, so that their journals are equal byte for
  /// byte.
  static func attempt(ofRun run: Int64, in journal: String, makes: Bool = true) -> Attempt {
    attempt("\(Batch.wholePath(of: journal))-run-\(run).lock", makes: makes)
  }
}

extension Batch {
  /// The devices that are listed in the batch, and so known before the start.
  fileprivate var members: [BatchMember] {
    guard case .listed(let devices) = devices else { return [] }
    return devices.map { BatchMember(device: $0.label, name: $0.name) }
  }
}

extension PreviousRound.Ending {
  /// Reads how a device ended; nil for values of a later version of blerun: the device is then run
  /// again.
  fileprivate init?(_ finished: FinishedDevice) {
    guard let status = RunEnding.Status(rawValue: finished.status) else { return nil }
    self.init(
      status, finished.class.flatMap { FailureClass(rawValue: $0) }, warnings: finished.warnings
    )
  }
}
