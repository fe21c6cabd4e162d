// The search for jobs whose submitter has ended: at intervals one gateway reads all devices and announces
// their jobs.
//
// A compare-and-set decides which gateway does it. That only saves traffic: two sweeps at once would
// merely announce twice.

import Bluetooth
import Signals

/// A gateway's part in the sweeps.
struct Sweep: Sendable {
  private let gateway: String
  private let incarnation: String
  private let settings: FleetSettings
  private var revision: Revision = 0
  private var changedAt: Instant
  private var isOwn = false
  private var turns = 0
  private var isListing = false
  /// The request that is not answered yet.
  var pending: RequestID?
  /// The time when `advance` has a request to send.
  private(set) var next: Instant?

  init(gateway: String, incarnation: String, settings: FleetSettings, at now: Instant) {
    self.gateway = gateway
    self.incarnation = incarnation
    self.settings = settings
    changedAt = now
    next = now + settings.sweepEvery
  }

  /// Returns the request that is due, if one is.
  mutating func advance(at now: Instant) -> StoreRequest? {
    guard pending == nil, let due = next, due <= now else { return nil }
    next = now + settings.sweepEvery
    if isListing {
      isListing = false
      return .list(.all(.device))
    }
    let waits = isOwn ? settings.sweepEvery : settings.sweepEvery * 3
    guard revision == 0 || now - changedAt >= waits else { return .list(.one(.sweep)) }
    turns += 1
    let turn = SweepTurn(gateway: gateway, nonce: "\(incarnation)-sweep-\(turns)")
    return revision == 0
      ? .create(.sweep, .sweep(turn)) : .update(.sweep, .sweep(turn), expecting: revision)
  }

  /// - Returns: The devices to announce, and whose entries to read.
  mutating func answered(_ answer: StoreAnswer, at now: Instant) -> [BluetoothAddress] {
    pending = nil
    switch answer {
    case .applied(let revision):
      (self.revision, changedAt, isOwn, isListing) = (revision, now, true, true)
      next = now
    case .entries(let entries):
      if let entry = entries.first, case .sweep = entry.value {
        if entry.revision > revision { (revision, changedAt, isOwn) = (entry.revision, now, false) }
      }
      return entries.compactMap { entry in
        guard case .device = entry.value else { return nil }
        return entry.key.address
      }
    case .refused:
      isOwn = false
      revision = max(revision, 1)
      changedAt = now
      next = now + settings.retryAfter
    case .unknown, .unavailable, .unreadable, .published:
      break
    }
    return []
  }
}
