// Turns at the radio and the record of links, by files in the user's runtime folder.

import BlueZ
import Bluetooth
import Glibc
import Signals

/// What the runs of one user on this host agree on.
///
/// Files: `adapter-ADDRESS.lock`, held while a run connects over that adapter; `lease-PID`, held by
/// a run and naming the links that it holds. A lease that nobody holds was left by a run that was
/// killed. Runs of other users have files of their own, and are not seen.
final class HostLedger: LinkLedger {
  private struct State {
    var links: [HeldLink] = []
    var lease: LockedFile?
    /// Devices whose attempts were left by runs that are dead, as found at the start.
    var stale: [BluetoothAddress] = []
    var hasLeft = false
  }

  static let leasePrefix = "lease-"
  /// How often a lock that is taken is asked for.
  private static let interval = Duration.milliseconds(50)

  private let folder: RuntimeFolder
  private let state = Guarded(State())

  init(_ folder: RuntimeFolder) { self.folder = folder }

  // MARK: Turns

  func turn(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void {
    let name = "\(adapter)".map { $0 == ":" ? "_" : String($0) }.joined()
    let path = "\(folder.path)/adapter-\(name).lock"
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path) {
      case .held(let file):
        file.write("\(getpid())\n")
        let held = Guarded<LockedFile?>(file)
        return { held.withLock { $0 = nil } }
      case .taken:
        if loop.now >= end { throw Self.busy(adapter, LockedFile.peek(path)) }
        do {
          try await loop.sleep(for: Self.interval)
        } catch is TimedOut {
          throw Self.busy(adapter, LockedFile.peek(path))
        }
      // Without the file, connecting side by side is left to bluetoothd.
      case .failed: return {}
      }
    }
  }

  private static func busy(_ adapter: BluetoothAddress, _ holder: String) -> DeviceFailure {
    let process = Int32(holder.prefix { $0.isNumber })
    return DeviceFailure(
      code: .busy,
      class: .passing,
      operation: "waiting for the adapter",
      meaning: "another run is connecting over the adapter \(adapter)"
        + (process.map { ", process \($0)" } ?? ""),
      hint: "let it finish, or end it, and try again"
    )
  }

  // MARK: Leases

  func begins(_ link: HeldLink) { change { links in if !links.contains(link) { links += [link] } } }

  func ended(_ link: HeldLink) { change { links in links.removeAll { $0 == link } } }

  private func change(_ change: (inout [HeldLink]) -> Void) {
    state.withLock { state in
      change(&state.links)
      if state.lease == nil, !state.links.isEmpty, !state.hasLeft {
        let path = "\(folder.path)/\(Self.leasePrefix)\(getpid())"
        if case .held(let file) = LockedFile.attempt(path) { state.lease = file }
      }
      state.lease?.write(Lease(process: getpid(), links: state.links).text)
    }
  }

  /// The program ends: a lease that names no link goes; one that does stays for the next run.
  func leave() {
    state.withLock { state in
      if state.links.isEmpty { state.lease?.remove() }
      state.lease = nil
      state.hasLeft = true
    }
  }

  func isStale(_ device: BluetoothAddress) -> Bool {
    state.withLock { $0.stale.contains(device) }
  }

  // MARK: What others left

  /// Leases that nobody holds, each with its file, held from now on.
  func orphans() -> [(lease: Lease, file: LockedFile)] {
    folder.names.filter { $0.hasPrefix(Self.leasePrefix) }.compactMap { name in
      guard
        case .held(let file) = LockedFile.attempt("\(folder.path)/\(name)", makes: false)
      else { return nil }
      guard let lease = Lease(file.read()) else {
        file.remove()
        return nil
      }
      return (lease, file)
    }
  }

  /// Leases of runs under way.
  func held() -> [Lease] {
    folder.names.filter { $0.hasPrefix(Self.leasePrefix) }.compactMap { name in
      let path = "\(folder.path)/\(name)"
      guard case .taken = LockedFile.attempt(path, makes: false) else { return nil }
      return Lease(LockedFile.peek(path))
    }
  }

  /// Remembers that these devices' attempts belong to nobody.
  func remember(stale devices: [BluetoothAddress]) {
    state.withLock { $0.stale += devices.filter { !$0.isZero } }
  }
}

extension BluetoothAddress {
  fileprivate var isZero: Bool { number == 0 }
}
