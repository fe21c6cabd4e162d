// Releasing what a killed run left behind.

import BlueZ
import Bluetooth
import Signals

/// The links of leases that nobody holds any more.
struct OrphanLinks: Sendable {
  enum Ending: Sendable, Equatable {
    /// It was up, and is disconnected now.
    case released
    /// It was still being made: the attempt is ended.
    case cancelled
    /// There was none any more.
    case gone
    /// Another program uses it; it is left up, and its lease stays.
    case used(by: String)
    /// It could not be ended, for the reason given; its lease stays.
    case failed(String)

    var leavesLease: Bool {
      switch self {
      case .released, .cancelled, .gone: false
      case .used, .failed: true
      }
    }
  }

  /// How long the release of one link may take.
  private static let limit = Duration.seconds(10)

  let ledger: HostLedger
  let scheduler: SerialScheduler
  let client: BlueZClient
  let interruption: Interruption
  /// Whether links that other programs use are ended too.
  var isForced = false

  /// Disconnects every orphan link, and removes the leases that hold none any more. A signal ends
  /// it: what is left then keeps its lease.
  func release() -> [(link: HeldLink, ending: Ending)] {
    let endings = ledger.orphans().flatMap { release($0.lease, in: $0.file) }
    ledger.remember(stale: endings.filter { !$0.ending.leavesLease }.map(\.link.device))
    return endings
  }

  /// Disconnects every link of one process, which may be stopped: then its lease stays as it is.
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
    // A bluetoothd that ends takes its links along.
    guard ledger.isServed(by: entry.daemon) else { return .gone }
    let isUp = client.isConnected(link.path)
    // bluetoothd continues an attempt that nobody waits for any more: it may yet make a link.
    guard isUp || entry.state == .connecting else { return .gone }
    // What another process of ours has made is its own to end.
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

  /// Prints what became of links.
  ///
  /// - Parameter owner: Whose they were: "a killed run".
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

  /// Who else uses a link, as far as that can be seen; nil for nobody.
  private func user(of link: HeldLink, besides owner: ProcessIdentity) -> String? {
    if let run = ledger.held().first(where: { $0.owner != owner && $0.names(link) }) {
      return "another run, process \(run.process)"
    }
    return client.hasSubscribers(link.path)
      ? "another program, which has subscribed to values of the device" : nil
  }
}
