// Turns at the radio and the record of links, by files in the user's runtime folder.

import BlueZ
import Bluetooth
import Glibc
import Signals

/// What the runs of one user on this host agree on.
///
/// Files: `adapter-ADDRESS.lock`, held while a run connects over that adapter; `scan-ADDRESS.lock`,
/// shared by the runs that scan with it; `lease-PID`, held by a run and naming the links that it
/// holds. A run that connects takes the first and waits a moment for the second to be free: who
/// scans looks now and then whether the first is taken, and pauses then. A lease that nobody holds was left by a run that was
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
  /// How long the scans of others may take to pause before it is connected beside them: they look
  /// five times a second, and bluetoothd takes a moment to stop.
  private static let silenceLimit = Duration.seconds(3)

  private let folder: RuntimeFolder
  private let state = Guarded(State())

  init(_ folder: RuntimeFolder) { self.folder = folder }

  // MARK: Turns

  func turn(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void {
    let path = path("adapter", adapter)
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path) {
      case .held(let file):
        file.write("\(getpid())\n")
        await silence(at: adapter, on: loop)
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

  /// Waits a moment until no other run scans with an adapter.
  private func silence(at adapter: BluetoothAddress, on loop: Loop) async {
    let end = loop.now + Self.silenceLimit
    while case .taken = LockedFile.attempt(path("scan", adapter), makes: false), loop.now < end {
      // A deadline that passes meanwhile is met by what follows.
      guard (try? await loop.sleep(for: Self.interval)) != nil else { return }
    }
  }

  func listen(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void {
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path("scan", adapter), isShared: true) {
      case .held(let file):
        // Said first, then looked: a run that connects either sees it or is seen.
        if !isTurnTaken(at: adapter) || loop.now >= end {
          let held = Guarded<LockedFile?>(file)
          return { held.withLock { $0 = nil } }
        }
      case .taken: if loop.now >= end { return {} }
      case .failed: return {}
      }
      try await loop.sleep(for: Self.interval)
    }
  }

  func isTurnTaken(at adapter: BluetoothAddress) -> Bool {
    let path = path("adapter", adapter)
    if case .taken = LockedFile.attempt(path, makes: false, isShared: true) { return true }
    return false
  }

  private func path(_ kind: String, _ adapter: BluetoothAddress) -> String {
    let name = "\(adapter)".map { $0 == ":" ? "_" : String($0) }.joined()
    return "\(folder.path)/\(kind)-\(name).lock"
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
