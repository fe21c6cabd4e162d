// Disconnects the devices that killed runs left connected.

import BlueZ
import Bluetooth
import Signals

/// The connections of leases whose processes have ended.
struct OrphanLinks: Sendable {
  enum Ending: Sendable, Equatable {
    /// The connection was up, and was ended.
    case released
    /// bluetoothd was still connecting, and the attempt was cancelled.
    case cancelled
    /// The connection had already ended.
    case gone
    /// Another program uses the connection: it stays up, and its lease is kept.
    case used(by: String)
    /// Disconnecting failed for this reason, and the lease is kept.
    case failed(String)

    var leavesLease: Bool {
      switch self {
      case .released, .cancelled, .gone: false
      case .used, .failed: true
      }
    }
  }

  /// The timeout for releasing one connection.
  private static let limit = Duration.seconds(10)

  let ledger: HostLedger
  let scheduler: SerialScheduler
  let client: BlueZClient
  let interruption: Interruption
  /// Whether connections that other programs use are ended too.
  var isForced = false

  /// Ends every orphaned connection, and removes leases without further ones. After a signal it stops, and the remaining
  /// leases are kept.
  func release() -> [(link: HeldLink, ending: Ending)] {
    let endings = ledger.orphans().flatMap { release($0.lease, in: $0.file) }
    ledger.remember(stale: endings.filter { !$0.ending.leavesLease }.map(\.link.device))
    return endings
  }

  /// Ends every connection of one process. If it is only stopped, its lease stays unchanged.
  func release(of owner: ProcessIdentity) -> [(link: HeldLink, ending: Ending)] {
    if let orphan = ledger.orphans().first(where: { $0.lease.owner == owner }) {
      return release(orphan.lease, in: orphan.file)
    }
    return ledger.held().first { $0.owner == owner }.map { release($0, in: nil) } ?? []
  }

  private func release(_ whole: Lease, in file: LockedFile?) -> [(link: HeldLink, ending: Ending)] {
    var lease = whole
    var endings: [(link: HeldLink, ending: Ending)] = []
    for entry in whole.entries where entry.state != .used && interruption.signal == nil {
      let ending = release(entry, of: whole.owner)
      if !ending.leavesLease { lease.entries.removeAll { $0.link == entry.link } }
      endings.append((entry.link, ending))
    }
    if lease.links.isEmpty {
      file?.remove()
    } else {
      file?.write(lease.text, isSynced: true)
    }
    return endings
  }

  private func release(_ entry: Lease.Entry, of owner: ProcessIdentity) -> Ending {
    let link = entry.link
    // The connections of a bluetoothd end with it.
    guard ledger.isServed(by: entry.daemon) else { return .gone }
    let isUp = client.isConnected(link.path)
    // bluetoothd continues an attempt whose caller has ended: it may still connect.
    guard isUp || entry.state == .connecting else { return .gone }
    // A shared connection is ended by the last process of this user that uses it.
    if !isForced || entry.state == .shared, let user = user(of: link, besides: owner) {
      return .used(by: user)
    }
    let service = BlueZDevice(
      client: client, target: .address(link.device),
      adapter: link.adapter.map { .address($0) } ?? .first, scheduler: scheduler
    )
    let ending = isUp ? service.disconnect() : service.endAbandonedAttempt()
    let outcome = ending.map { true }.firstOrDefault(false, within: Self.limit)
    if let error = outcome.error { return .failed("\(error)") }
    return isUp ? .released : .cancelled
  }

  /// Prints the results.
  ///
  /// - Parameter owner: The former owner of the connections: "a killed run".
  static func report(_ endings: [(link: HeldLink, ending: Ending)], of owner: String) {
    for (link, ending) in endings {
      let device = "\(link.device), which \(owner) had left up"
      switch ending {
      case .released: StandardError.notice("disconnected \(device)")
      case .cancelled:
        StandardError.notice("ended the attempt of \(owner) to connect to \(link.device)")
      case .gone: break
      case .used(let user):
        StandardError.notice(
          "\(device), is used by \(user): it is left up; blerun doctor --release --force ends it"
        )
      case .failed(let reason):
        StandardError.failure("\(device), is still connected: \(reason)")
      }
    }
  }

  /// Another known user of a connection; nil without one.
  private func user(of link: HeldLink, besides owner: ProcessIdentity) -> String? {
    if let run = ledger.held().first(where: { $0.owner != owner && $0.names(link) }) {
      return "another run, process \(run.process)"
    }
    return client.hasSubscribers(link.path)
      ? "another program, which has subscribed to values of the device" : nil
  }
}
