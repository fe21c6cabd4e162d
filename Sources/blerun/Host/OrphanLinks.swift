// Releasing what a killed run left behind.

import BlueZ
import Bluetooth
import Signals

/// The links of leases that nobody holds any more.
struct OrphanLinks: Sendable {
  /// What became of one link.
  enum Ending: Sendable, Equatable {
    /// It was up, and is disconnected now.
    case released
    /// There was none any more.
    case gone
    /// It could not be ended, for the reason given; its lease stays.
    case failed(String)
  }

  let ledger: HostLedger
  let scheduler: SerialScheduler
  let client: BlueZClient

  /// Disconnects every orphan link, and removes the leases that hold none any more.
  ///
  /// - Parameter limit: How long each may take.
  func release(limit: Duration = .seconds(10)) -> [(link: HeldLink, ending: Ending)] {
    var endings: [(link: HeldLink, ending: Ending)] = []
    for orphan in ledger.orphans() {
      var left: [HeldLink] = []
      for link in orphan.lease.links {
        let ending = release(link, limit)
        if case .failed = ending { left.append(link) }
        endings.append((link, ending))
      }
      if left.isEmpty {
        orphan.file.remove()
      } else {
        orphan.file.write(Lease(process: orphan.lease.process, links: left).text)
      }
    }
    ledger.remember(stale: endings.map(\.link.device))
    return endings
  }

  private func release(_ link: HeldLink, _ limit: Duration) -> Ending {
    let service = BlueZDeviceService(
      client: client,
      target: .address(link.device),
      adapter: link.adapter.map { .address($0) } ?? .first,
      scheduler: scheduler
    )
    let wasUp = client.isConnected(link.path)
    // Also where no link is seen: an attempt may be under way that nobody waits for.
    let outcome = service.disconnect().map { true }.firstOrDefault(false, within: limit)
    if let error = outcome.error { return wasUp ? .failed("\(error)") : .gone }
    return wasUp ? .released : .gone
  }
}
