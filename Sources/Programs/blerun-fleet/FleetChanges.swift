// Changes to a fleet: cancelling jobs and draining gateways.
//
// They only set marks in the store. The gateways that see the marks act.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

/// Changes to a fleet.
struct FleetChanges: Sendable {
  /// The number of attempts to make a change while others change the same entry.
  private static let attempts = 20

  let connection: FleetConnection
  let loop: Loop

  private var store: any JobStore { connection.store }

  /// Returns the job of a name, or all jobs of the batch of this name.
  ///
  /// - Throws: ``CommandExit`` if there is neither.
  static func jobs(
    _ name: String, in connection: FleetConnection, on loop: Loop
  ) async throws -> [FleetJob] {
    let entries = try await connection.store.entries(.all(.job), on: loop)
    let found = entries.compactMap { entry -> FleetJob? in
      guard case .job(let job) = entry.value else { return nil }
      return job.id.text == name || job.id.text.hasPrefix(name + "-") ? job : nil
    }
    guard !found.isEmpty else {
      throw CommandExit(
        .failed, "unknown job or batch '\(name)' (blerun fleet jobs --all lists them)")
    }
    // Sort `b-2` before `b-10`, as in the batch.
    return found.sorted { a, b in
      a.id.text.utf8.count == b.id.text.utf8.count
        ? a.id < b.id : a.id.text.utf8.count < b.id.text.utf8.count
    }
  }

  /// Marks jobs, or all jobs of batches, as cancelled.
  func cancel(_ names: [String]) async throws {
    var count = 0
    for name in names {
      for job in try await Self.jobs(name, in: connection, on: loop) {
        if try await cancel(job) { count += 1 }
      }
    }
    StandardError.notice("\(counted(count, "job")) to be cancelled; the others have ended")
  }

  /// Marks a job as cancelled.
  ///
  /// - Returns: Whether the job was in the queue of its device; if not, it has ended.
  private func cancel(_ job: FleetJob) async throws -> Bool {
    let key = StoreKey.device(job.device)
    for _ in 0..<Self.attempts {
      guard let entry = try await store.entries(.one(key), on: loop).first,
        case .device(var device) = entry.value,
        let index = device.queue.firstIndex(where: { $0.job == job.id })
      else { return false }
      if device.queue[index].isCancelled { return true }
      device.queue[index].isCancelled = true
      let change = StoreRequest.update(key, .device(device), expecting: entry.revision)
      if try await isApplied(change) {
        let announcement = StoreRequest.publish(.announcement(of: job.device), .announcement)
        _ = try await store.ask(announcement, on: loop)
        return true
      }
    }
    throw CommandExit(
      .passing, "job \(job.id) could not be marked: its device changes all the time")
  }

  /// Removes a gateway that is gone from the list.
  func forget(_ name: String) async throws {
    guard StoreName.isValid(name),
      let entry = try await store.entries(.one(.known(name)), on: loop).first
    else {
      throw CommandExit(.failed, "unknown gateway '\(name)' (blerun fleet gateways lists them)")
    }
    guard try await store.entries(.one(.gateway(name)), on: loop).isEmpty else {
      throw CommandExit(.failed, "gateway \(name) is there: only one that is gone can be forgotten")
    }
    guard try await isApplied(.remove(entry.key, expecting: entry.revision)) else {
      throw CommandExit(.passing, "gateway \(name) has come back")
    }
  }

  /// Makes a change.
  ///
  /// - Returns: False if another member has changed the entry meanwhile.
  /// - Throws: ``CommandExit`` when the store does not answer.
  private func isApplied(_ change: StoreRequest) async throws -> Bool {
    switch try await store.ask(change, within: .seconds(10), on: loop) {
    case .applied: return true
    case .refused: return false
    case .unknown, .entries, .published, .unavailable, .unreadable:
      throw CommandExit(
        .unavailable, "the store of the fleet does not answer: whether the mark is set is unknown"
      )
    }
  }

  /// Marks a gateway as draining. The gateway sees the mark when it next renews its entry, within 10 s.
  func drain(_ name: String) async throws {
    let key = StoreKey.gateway(name)
    for _ in 0..<Self.attempts {
      guard StoreName.isValid(name),
        let entry = try await store.entries(.one(key), on: loop).first,
        case .gateway(var gateway) = entry.value
      else {
        throw CommandExit(.failed, "unknown gateway '\(name)' (blerun fleet gateways lists them)")
      }
      if gateway.isDraining { return }
      gateway.isDraining = true
      let change = StoreRequest.update(key, .gateway(gateway), expecting: entry.revision)
      if try await isApplied(change) {
        StandardError.notice("gateway \(name) is to be drained; it obeys within 10 s")
        return
      }
    }
    throw CommandExit(
      .passing, "gateway \(name) could not be marked: its entry changes all the time")
  }
}
