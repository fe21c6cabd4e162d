// Turns at the radio and the record of connections, as files in the runtime folder of the user.

import BlueZ
import Bluetooth
import Glibc
import Signals

/// Coordinates the runs of one user on this host.
///
/// Files, each locked while it is in use:
///
/// - `adapter-ADDRESS.lock`: a run is connecting over that adapter.
/// - `scan-ADDRESS.lock`, a shared lock: runs are scanning with the adapter.
/// - `run-BUS-ADAPTER-DEVICE.lock`: a run uses the device.
/// - `use-BUS-ADAPTER-DEVICE.lock`: a process begins or ends its use of a connection.
/// - `lease-PID-START`: names the connections that a process holds.
///
/// A run that connects acquires the adapter's lock, and then waits for the scan lock. A run that scans checks the
/// adapter's lock several times a second, and pauses while it is held. An unlocked lease was left by a killed run. Runs
/// of other users have files of their own, which are not visible here.
final class HostLedger: LinkLedger {
  private struct State {
    var entries: [Lease.Entry] = []
    var lease: LockedFile?
    /// The unique name of bluetoothd, and the identity of its bus.
    var daemon: String?
    var bus = "-"
    var hasReported = false
    /// Devices with connection attempts of killed runs, as found at the start.
    var stale: [BluetoothAddress] = []
    var hasLeft = false
    /// The journal's number of this run.
    var run: Int64?
    /// The lock files of the devices that runs of this process use, by path.
    var uses: [String: Use] = [:]
  }

  private struct Use {
    let file: LockedFile
    /// The number of the run if this process has several; nil for the run of the process.
    let run: Int64?
    var count = 1
  }

  static let leasePrefix = "lease-"
  /// The interval between two attempts to acquire a lock.
  private static let interval = Duration.milliseconds(50)
  /// The longest wait for other scans to pause, before connecting during them. Scans check five times a second, and
  /// bluetoothd needs a moment to stop.
  private static let scanPauseLimit = Duration.seconds(3)

  private let folder: RuntimeFolder
  private let owner: ProcessIdentity
  private let notice: @Sendable (String) -> Void
  private let state = Guarded(State())

  /// - Parameters:
  ///   - owner: The process that the leases name.
  ///   - notice: Receives messages for the user.
  init(
    _ folder: RuntimeFolder, owner: ProcessIdentity = .own,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.folder = folder
    self.owner = owner
    self.notice = notice
  }

  // MARK: Turns

  func turn(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void {
    let path = path("adapter", adapter)
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path) {
      case .held(let file):
        file.write("\(getpid())\n")
        await awaitPausedScans(at: adapter, on: loop)
        let held = Guarded<LockedFile?>(file)
        return { held.withLock { $0 = nil } }
      case .taken:
        if loop.now >= end { throw Self.connecting(adapter, LockedFile.peek(path)) }
        do {
          try await loop.sleep(for: Self.interval)
        } catch is TimedOut {
          throw Self.connecting(adapter, LockedFile.peek(path))
        }
      // Without the file there are no turns: bluetoothd handles simultaneous connects.
      case .failed: return {}
      }
    }
  }

  /// Waits, up to ``scanPauseLimit``, until no other run scans with an adapter.
  private func awaitPausedScans(at adapter: BluetoothAddress, on loop: Loop) async {
    let end = loop.now + Self.scanPauseLimit
    while case .taken = LockedFile.attempt(path("scan", adapter), makes: false), loop.now < end {
      // After a cancellation or a timeout, the next operation throws.
      guard (try? await loop.sleep(for: Self.interval)) != nil else { return }
    }
  }

  func listen(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void {
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path("scan", adapter), isShared: true) {
      case .held(let file):
        // Acquires the scan lock before it checks: one of the two runs sees the other.
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

  func path(_ kind: String, _ adapter: BluetoothAddress) -> String {
    let name = "\(adapter)".map { $0 == ":" ? "_" : String($0) }.joined()
    return path(named: "\(kind)-\(name).lock")
  }

  func path(named name: String) -> String { "\(folder.path)/\(name)" }

  // MARK: Uses

  /// The identity of the bus of bluetoothd.
  var bus: String { state.withLock { $0.bus } }

  /// Sets the number of the run of this process, which waiting processes show.
  func setRun(_ number: Int64?) {
    state.withLock { state in
      state.run = number
      for use in state.uses.values where use.run == nil { use.file.write(Self.holder(number)) }
    }
  }

  /// Tries to reserve a device by its lock file, without waiting.
  ///
  /// - Parameters:
  ///   - isForOne: Whether only one part of this process may reserve it at a time.
  ///   - run: The number of the run if this process has several.
  func use(_ path: String, isForOne: Bool = false, run: Int64? = nil) -> DeviceReservation {
    let taken: String? = state.withLock { state in
      if state.uses[path] != nil, !isForOne {
        state.uses[path]?.count += 1
        return nil
      }
      switch LockedFile.attempt(path) {
      case .held(let file):
        file.write(Self.holder(run ?? state.run))
        state.uses[path] = Use(file: file, run: run)
        return nil
      case .taken: return Self.run(in: LockedFile.peek(path))
      // Without the file, devices are not reserved.
      case .failed: return nil
      }
    }
    if let taken { return .taken(by: taken) }
    return .held { [self] in endUse(path) }
  }

  private func endUse(_ path: String) {
    state.withLock { state in
      guard let use = state.uses[path] else { return }
      if use.count > 1 {
        state.uses[path]?.count -= 1
      } else {
        // Removed before it is unlocked: a process that has opened it notices, and opens it again.
        use.file.remove()
        state.uses[path] = nil
      }
    }
  }

  private static func holder(_ run: Int64?) -> String {
    "\(getpid())\t\(run.map { "\($0)" } ?? "-")\n"
  }

  /// "run 12, process 4711", from the text of ``holder(_:)``.
  private static func run(in holder: String) -> String {
    let words = holder.split { $0 == "\t" || $0 == "\n" }
    let run = words.count > 1 ? Int64(words[1]) : nil
    let process = words.first.flatMap { Int32($0) }
    return DeviceReservation.user(run: run, process: process)
  }

  func isShared(_ link: HeldLink) -> Bool {
    held().contains { $0.owner != owner && $0.shares(link) }
  }

  static func busy(_ meaning: String) -> DeviceFailure {
    DeviceFailure(
      code: .busy, class: .passing, operation: "waiting for the adapter", meaning: meaning,
      hint: "let it finish, or end it, and try again"
    )
  }

  private static func connecting(_ adapter: BluetoothAddress, _ holder: String) -> DeviceFailure {
    let process = Int32(holder.prefix { $0.isNumber })
    return busy(
      "another run is connecting over the adapter \(adapter)"
        + (process.map { ", process \($0)" } ?? "")
    )
  }

  // MARK: Leases

  /// Sets the identity of the bus of bluetoothd, which leases name.
  func setBus(_ bus: String) { state.withLock { $0.bus = bus } }

  func served(by daemon: String?) { state.withLock { $0.daemon = daemon } }

  func begins(_ link: HeldLink) { change { Self.put(link, .connecting, $1, &$0) } }

  func established(_ link: HeldLink) { change { Self.put(link, .up, $1, &$0) } }

  func uses(_ link: HeldLink, isShared: Bool) {
    change { Self.put(link, isShared ? .shared : .used, $1, &$0) }
  }

  func ended(_ link: HeldLink) { change { entries, _ in entries.removeAll { $0.link == link } } }

  private static func put(
    _ link: HeldLink, _ state: Lease.Entry.State, _ daemon: String, _ entries: inout [Lease.Entry]
  ) {
    let entry = Lease.Entry(link: link, state: state, daemon: daemon)
    if let index = entries.firstIndex(where: { $0.link == link }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }

  /// Changes the content of the lease. It is on the disk when this returns.
  private func change(_ change: (inout [Lease.Entry], _ daemon: String) -> Void) {
    let problem = state.withLock { state -> String? in
      change(&state.entries, state.daemon ?? "-")
      var reason: String?
      if state.lease == nil, !state.entries.isEmpty, !state.hasLeft {
        // A process that looks for leases locks each of them for an instant.
        for attempt in 0..<20 where state.lease == nil {
          if attempt > 0 { poll(nil, 0, 1) }
          switch LockedFile.attempt(leasePath) {
          case .held(let file): (state.lease, reason) = (file, nil)
          case .taken: reason = "another program holds it"
          case .failed(let text): reason = text
          }
        }
      }
      let lease = Lease(owner: owner, bus: state.bus, entries: state.entries)
      reason = state.lease?.write(lease.text, isSynced: true) ?? reason
      defer { if reason != nil { state.hasReported = true } }
      return state.hasReported ? nil : reason
    }
    if let problem {
      notice("no lease could be written (\(problem)): were this run killed, its link would stay")
    }
  }

  private var leasePath: String {
    "\(folder.path)/\(Self.leasePrefix)\(owner.process)-\(owner.start)"
  }

  /// Removes the lease at the end of the process, unless it names connections of this process: the next run then
  /// releases them.
  func removeLeaseAtEnd() {
    state.withLock { state in
      if state.entries.allSatisfy({ $0.state == .used }) { state.lease?.remove() }
      state.lease = nil
      state.hasLeft = true
    }
  }

  func isStale(_ device: BluetoothAddress) -> Bool {
    state.withLock { $0.stale.contains(device) }
  }

  // MARK: The leases of killed runs

  /// The leases on this bus whose processes have ended, each with its locked file.
  ///
  /// Leases of an earlier boot are removed, because their connections ended with it. Leases on another bus are left to
  /// the runs there.
  func orphans() -> [(lease: Lease, file: LockedFile)] {
    let bus = state.withLock { $0.bus }
    return leaseFiles.compactMap { path in
      guard case .held(let file) = LockedFile.attempt(path, makes: false) else { return nil }
      guard let lease = Lease(file.read()), lease.owner.boot == ProcessIdentity.presentBoot else {
        file.remove()
        return nil
      }
      // A lock may stay after the end of its process on some network file systems: the identity of the process
      // decides.
      guard lease.isOf(bus: bus), !lease.owner.isThere || lease.owner == owner else { return nil }
      return (lease, file)
    }
  }

  /// The leases of running processes on this bus, without those that are locked by a process that releases them.
  func held() -> [Lease] {
    let bus = state.withLock { $0.bus }
    return leaseFiles.compactMap { path in
      guard case .taken = LockedFile.attempt(path, makes: false),
        let lease = Lease(LockedFile.peek(path)), lease.isOf(bus: bus), lease.owner.isThere
      else { return nil }
      return lease
    }
  }

  private var leaseFiles: [String] {
    folder.names.filter { $0.hasPrefix(Self.leasePrefix) }.map { "\(folder.path)/\($0)" }
  }

  /// Whether the bluetoothd with this unique name is the present one.
  func isServed(by daemon: String) -> Bool { state.withLock { $0.daemon == daemon } }

  /// Remembers devices with connection attempts of killed runs.
  func remember(stale devices: [BluetoothAddress]) {
    state.withLock { $0.stale += devices.filter { $0.number != 0 } }
  }
}

// MARK: The users of a device

extension HostLedger {
  func reserve(_ link: HeldLink, run: Int64?) -> DeviceReservation {
    use(path("run", link), isForOne: true, run: run)
  }

  func use(
    of link: HeldLink, on loop: Loop, limit: Duration
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

// MARK: One batch at an adapter at a time

// Turns keep two runs from connecting at once. They do not keep two batches from using each other's devices, and the
// few connections that a controller supports. Single runs continue between the devices of a batch.
extension HostLedger {
  struct BatchWait: Sendable {
    let limit: Duration
    /// Called with a description of the batch that holds the adapter.
    let notice: @Sendable (String) -> Void
    /// Returns whether the wait continues.
    let mayContinue: @Sendable () -> Bool
  }

  /// Reserves an adapter for a batch, once no other batch of this user uses it.
  ///
  /// - Parameter wait: nil for no wait.
  /// - Returns: Releases the adapter.
  /// - Throws: ``DeviceFailure`` with the code `busy` if another batch still uses it after the wait;
  ///   `CancellationError` if the wait does not continue.
  func beginBatch(
    at adapter: BluetoothAddress, on loop: Loop, _ wait: BatchWait?
  ) async throws -> @Sendable () -> Void {
    let path = path("batch", adapter)
    let end = loop.now + (wait?.limit ?? .zero)
    var noticed: String?
    while true {
      switch use(path, isForOne: true) {
      case .held(let giveBack): return giveBack
      case .taken(let run):
        guard let wait, loop.now < end else {
          throw Self.busy("another batch runs over the adapter \(adapter): \(run)")
        }
        if !wait.mayContinue() { throw CancellationError() }
        if run != noticed { wait.notice(run) }
        noticed = run
        try await loop.sleep(for: .milliseconds(50))
      }
    }
  }
}
