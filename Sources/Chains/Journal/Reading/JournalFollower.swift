// Following the runs of a journal that other processes write.

import GRDB
import Reports

/// Finds the runs that changed each time it looks at a journal.
package struct JournalFollower: Sendable {
  /// The time for which a run of simulated devices counts as under way without a new record. The
  /// journal does not name its process.
  static let patience = Duration.seconds(60)
  /// The interval, in looks, at which a run without an owner that seems interrupted is read again.
  private static let rereadInterval = 10
  /// The maximum number of chains shown with their steps: those under way, and the last ones.
  private static let mostChains = 8
  /// The maximum number of steps shown of each chain: the last ones.
  private static let mostSteps = 25
  /// The maximum number of devices named of a run.
  private static let mostDevices = 16

  private struct Seen: Sendable {
    var run: FollowedRun
    /// The time of the last change seen while it was followed; nil without one.
    var changed: Duration?
    /// The chains that were shown as under way.
    var open: Set<Int>
  }

  private let most: Int
  private let isThere: @Sendable (String) -> Bool
  private var seen: [Int64: Seen] = [:]
  /// The number of looks so far.
  private var looks: Int

  /// A follower that has not looked yet.
  ///
  /// - Parameters:
  ///   - most: The maximum number of runs that are followed: the latest ones.
  ///   - isEmpty: Whether there was no journal so far, so that all its runs count as new.
  ///   - isThere: Whether the process with this owner text is alive.
  package init(
    most: Int, isEmpty: Bool = false, isThere: @escaping @Sendable (_ owner: String) -> Bool
  ) {
    self.most = most
    self.isThere = isThere
    looks = isEmpty ? 1 : 0
  }

  /// The runs that changed since the last look, in the order of their numbers; the first look finds
  /// all.
  ///
  /// - Parameters:
  ///   - own: The runs of this process that are under way.
  ///   - now: The time, on any clock that does not jump.
  /// - Throws: ``JournalFailure``.
  /// - Complexity: Linear in the chains and steps of the runs that are under way.
  package mutating func look(
    at file: JournalFile, own: Set<Int64> = [], now: Duration
  ) throws(JournalFailure) -> [FollowedRun] {
    let (most, isThere, seen, looks) = (most, isThere, self.seen, self.looks)
    let hasLooked = looks > 0
    let (present, changed) = try file.read { database in
      let rows = try database.rows(
        "SELECT run, owner, finished FROM runs ORDER BY run DESC LIMIT ?", [most]
      )
      var changed: [Seen] = []
      var present: Set<Int64> = []
      for row in rows.reversed() {
        let number = try row.integer("run")
        present.insert(number)
        let known = seen[number]
        let finished = try row.optionalText("finished")
        if let known, finished != nil, known.run.finished == finished { continue }
        let owner = try row.optionalText("owner")
        let isKnown = own.contains(number) || owner.map(isThere) == true
        // A process that has ended writes no more. A simulated run has no owner, so it is read now
        // and then.
        if let known, finished == nil, owner == known.run.owner, !isKnown, !known.run.isUnderWay,
          owner != nil || looks % Self.rereadInterval != 0
        {
          continue
        }
        let isFollowed = hasLooked || known != nil || finished == nil
        let open = try database.openChains(of: number, most: Self.mostChains)
        let shown = open.union(known?.open ?? [])
        guard
          var run = try database.followed(
            number, devices: Self.mostDevices, chains: isFollowed ? shown : nil,
            last: Self.mostChains / 2, steps: Self.mostSteps
          )
        else { continue }
        run.isUnderWay = known?.run.isUnderWay ?? false
        let isChanged = known?.run != run
        let changedAt = isChanged && hasLooked ? now : known?.changed
        let hasChangedLately = owner == nil && changedAt.map { now - $0 < Self.patience } ?? false
        run.isUnderWay = finished == nil && (isKnown || hasChangedLately)
        guard isChanged || run != known?.run else { continue }
        changed.append(Seen(run: run, changed: changedAt, open: open))
      }
      return (present, changed)
    }
    self.looks += 1
    self.seen = seen.filter { present.contains($0.key) }
    for entry in changed { self.seen[entry.run.run] = entry }
    return changed.map(\.run)
  }
}

extension Database {
  /// The last chains of a run that have not ended.
  fileprivate func openChains(of run: Int64, most: Int) throws -> Set<Int> {
    let rows = try rows(
      "SELECT chain FROM chains WHERE run = ? AND status IS NULL ORDER BY chain DESC LIMIT ?",
      [run, most]
    )
    return Set(try rows.map { try $0.ordinal("chain") })
  }

  /// A run with the steps of these chains and of the last ones; without steps if `chains` is nil.
  fileprivate func followed(
    _ run: Int64, devices mostDevices: Int, chains: Set<Int>?, last: Int, steps mostSteps: Int
  ) throws -> FollowedRun? {
    let head = try row(
      """
      SELECT r.command, r.owner, r.started, r.finished, r.exit_status, b.run IS NOT NULL AS batch,
        b.name, (SELECT count(*) FROM batch_devices d WHERE d.run = r.run) AS planned,
        (SELECT count(*) FROM steps s WHERE s.run = r.run AND s.status IS NOT NULL) AS ended
      FROM runs r LEFT JOIN batches b ON b.run = r.run WHERE r.run = ?
      """,
      [run]
    )
    let sums = try row(
      """
      SELECT count(*) AS chains, count(DISTINCT device) AS devices,
        count(CASE WHEN status IS NOT NULL AND is_last THEN 1 END) AS ended,
        count(CASE WHEN status = 'ok' AND is_last THEN 1 END) AS ok
      FROM (
        SELECT device, status, chain = (
          SELECT max(l.chain) FROM chains l WHERE l.device = c.device AND l.run = c.run
        ) AS is_last
        FROM chains c WHERE run = ?)
      """,
      [run]
    )
    guard let head, let sums else { return nil }
    let first = try rows(
      "SELECT chain, device, name, steps FROM chains WHERE run = ? ORDER BY chain LIMIT ?",
      [run, mostDevices]
    )
    var named: Set<String> = []
    let devices = try first.map { try $0.text("device") }.filter { named.insert($0).inserted }
    let isBatch = try head.boolean("batch")
    var progress: RunProgress?
    if isBatch {
      let (planned, ended) = (try head.ordinal("planned"), try sums.ordinal("ended"))
      let failed = ended - (try sums.ordinal("ok"))
      progress = planned > 0 ? .init(.devices, ended: ended, failed: failed, total: planned) : nil
    } else if try sums.ordinal("chains") == 1, try head.text("command") != "watch" {
      progress = try self.progress(of: run, total: try first.first?.ordinal("steps") ?? 0)
    }
    return FollowedRun(
      run: run, command: try head.text("command"),
      name: try head.optionalText("name")
        ?? (isBatch ? nil : try first.first?.optionalText("name")),
      started: try head.time("started"), finished: try head.optionalTime("finished"),
      exitStatus: try head.exitStatus("exit_status"), owner: try head.optionalText("owner"),
      devices: devices, deviceCount: try sums.ordinal("devices"), progress: progress,
      stepsEnded: try head.ordinal("ended"), failure: try failure(of: run),
      steps: try chains.map { try steps(of: run, $0, last: last, most: mostSteps) } ?? []
    )
  }

  /// The progress of the only chain of a run, in its last attempt.
  private func progress(of run: Int64, total: Int) throws -> RunProgress? {
    guard total > 0 else { return nil }
    let ended = try rows(
      """
      SELECT position, status = 'failed' AS failed FROM steps
      WHERE run = ?1 AND status IS NOT NULL
        AND attempt = (SELECT max(attempt) FROM steps WHERE run = ?1)
        AND instr(replace(position, '[1]', ''), '[') = 0
      """,
      [run]
    ).filter { RunProgress.counts(try $0.text("position")) }
    let failed = try ended.count { try $0.boolean("failed") }
    return RunProgress(.steps, ended: min(ended.count, total), failed: failed, total: total)
  }

  private func failure(of run: Int64) throws -> String? {
    try row(
      """
      SELECT e.message FROM chains c
      JOIN errors e ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
      WHERE c.run = ?1 AND c.status = 'failed' AND NOT EXISTS (
        SELECT 1 FROM chains l JOIN batches b ON b.run = l.run
        WHERE l.run = c.run AND l.device = c.device AND l.chain > c.chain)
      ORDER BY c.chain DESC LIMIT 1
      """,
      [run]
    )?.optionalText("message")
  }

  private func steps(
    of run: Int64, _ chains: Set<Int>, last: Int, most: Int
  ) throws -> [FollowedStep] {
    let latest = try rows(
      "SELECT chain FROM chains WHERE run = ? ORDER BY chain DESC LIMIT ?", [run, last]
    )
    let shown = chains.union(try latest.map { try $0.ordinal("chain") })
    return try shown.sorted().flatMap { chain in
      try rows(
        """
        SELECT c.device, s.attempt, s.position, s.operation, s.attribute, s.status,
          CASE WHEN json_valid(s.result) THEN json(s.result) END AS result, e.message
        FROM steps s JOIN chains c ON c.run = s.run AND c.chain = s.chain
        LEFT JOIN errors e ON e.run = s.run AND e.chain = s.chain AND e.event = s.finished_event
        WHERE s.run = ? AND s.chain = ? ORDER BY s.step DESC LIMIT ?
        """,
        [run, chain, most]
      ).reversed().map { row in
        let operation = try row.text("operation")
        let attribute = try row.optionalText("attribute")
        return FollowedStep(
          chain: chain, device: try row.text("device"), attempt: try row.ordinal("attempt"),
          position: try row.text("position"), operation: operation, attribute: attribute,
          status: try row.optionalText("status"),
          outcome: try row.json("result").flatMap {
            TextReport.text(recorded: $0, of: operation, attribute)
          },
          message: try row.optionalText("message")
        )
      }
    }
  }
}
