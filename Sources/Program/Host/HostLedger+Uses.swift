// Who uses a device, or an adapter for a batch, and who waits for that.

import BlueZ
import Bluetooth
import Signals

extension HostLedger {
  func reserve(_ link: HeldLink, run: Int64?) -> DeviceReservation {
    use(path("run", link), isForOne: true, run: run)
  }

  func use(
    of link: HeldLink,
    on loop: Loop,
    limit: Duration
  ) async throws -> (@Sendable () -> Void)? {
    let path = path("use", link)
    let end = loop.now + limit
    while true {
      switch use(path) {
      case .held(let giveBack): return giveBack
      case .taken: if loop.now >= end { return {} }
      }
      try await loop.sleep(for: .milliseconds(20))
    }
  }

  private func path(_ kind: String, _ link: HeldLink) -> String {
    let adapter = link.adapter.map { "\($0)" } ?? "-"
    let name = "\(bus)-\(adapter)-\(link.device)".map { $0 == ":" ? "_" : String($0) }.joined()
    return path(named: "\(kind)-\(name).lock")
  }
}
