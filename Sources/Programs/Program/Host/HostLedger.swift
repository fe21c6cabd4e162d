// Turns at the radio and the record of links, by files in the user's runtime folder.

import BlueZ
import Bluetooth
import Glibc
import Signals

/// What the runs of one user on this host agree on.
///
/// Files: `adapter-ADDRESS.lock`, held while a run connects over that adapter; `scan-ADDRESS.lock`,
/// shared by the runs that scan with it; `run-BUS-ADAPTER-DEVICE.lock`, held by the run that uses a
/// device; `use-BUS-ADAPTER-DEVICE.lock`, held while a process begins or ends its use of a link;
/// `lease-PID-START`, held by a process and naming the links that it holds. A run that connects takes the first and waits a moment for the second to be free: who
/// scans looks now and then whether the first is taken, and pauses then. A lease that nobody holds was left by a run that was
/// killed. Runs of other users have files of their own, and are not seen.
final class HostLedger: LinkLedger {
  private struct State {
    var entries: [Lease.Entry] = []
    var lease: LockedFile?
    /// The unique name of bluetoothd, and the identity of the bus it is on.
    var daemon: String?
    var bus = "-"
    var hasComplained = false
    /// Devices whose attempts were left by runs that are dead, as found at the start.
    var stale: [BluetoothAddress] = []
    var hasLeft = false
    /// The number in the journal of the run of this process.
    var run: Int64?
    /// The files that show others what the runs of this process use, by path.
    var uses: [String: Use] = [:]
  }

  private struct Use {
    let file: LockedFile
    /// The number of the run, where this process has several; nil: that of the process.
    let run: Int64?
    var count = 1
  }

  static let leasePrefix = "lease-"
  /// How often a lock that is taken is asked for.
  private static let interval = Duration.milliseconds(50)
  /// How long the scans of others may take to pause before it is connected beside them: they look
  /// five times a second, and bluetoothd takes a moment to stop.
  private static let silenceLimit = Duration.seconds(3)

  private let folder: RuntimeFolder
  private let owner: ProcessIdentity
  private let notice: @Sendable (String) -> Void
  private let state = Guarded(State())

  /// - Parameters:
  ///   - owner: Whose leases are written.
  ///   - notice: Receives what a person should know.
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
        await silence(at: adapter, on: loop)
        let held = Guarded<LockedFile?>(file)
        return { held.withLock { $0 = nil } }
      case .taken:
        if loop.now >= end { throw Self.connecting(adapter, LockedFile.peek(path)) }
        do {
          try await loop.sleep(for: Self.interval)
        } catch is TimedOut {
          throw Self.connecting(adapter, LockedFile.peek(path))
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
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void {
    let end = loop.now + limit
    while true {
      switch LockedFile.attempt(path("scan", adapter), isShared: true) {
      case .held(let file):
        // Announced first, then looked: a run that connects either sees it or is seen.
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

  /// The identity of the bus that bluetoothd is on.
  var bus: String { state.withLock { $0.bus } }

  /// The run of this process has a number: those who wait for it show it.
  func isRun(_ number: Int64?) {
    state.withLock { state in
      state.run = number
      for use in state.uses.values where use.run == nil { use.file.write(Self.holder(number)) }
    }
  }

  /// Asks for a file that shows what this process uses, without waiting.
  ///
  /// - Parameters:
  ///   - isForOne: Whether one part of this process has it at a time; else several may.
  ///   - run: The number of the run, where this process has several.
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
      // Without the file, runs are not distinguished.
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
        // Removed while it is held: who opened it before looks again.
        use.file.remove()
        state.uses[path] = nil
      }
    }
  }

  private static func holder(_ run: Int64?) -> String {
    "\(getpid())\t\(run.map { "\($0)" } ?? "-")\n"
  }

  /// "run 12, process 4711" of what ``holder(_:)`` writes.
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

  /// The identity of the bus that bluetoothd is on: its leases are distinguished from those of others.
  func isOn(bus: String) { state.withLock { $0.bus = bus } }

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

  /// Changes the content of the lease, and has it on the disk before this returns.
  private func change(_ change: (inout [Lease.Entry], _ daemon: String) -> Void) {
    let complaint = state.withLock { state -> String? in
      change(&state.entries, state.daemon ?? "-")
      var reason: String?
      if state.lease == nil, !state.entries.isEmpty, !state.hasLeft {
        // A program that looks for leases holds one for an instant.
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
      defer { if reason != nil { state.hasComplained = true } }
      return state.hasComplained ? nil : reason
    }
    if let complaint {
      notice("no lease could be written (\(complaint)): were this run killed, its link would stay")
    }
  }

  private var leasePath: String {
    "\(folder.path)/\(Self.leasePrefix)\(owner.process)-\(owner.start)"
  }

  /// The program ends: a lease that names no link of ours goes; one that does stays for the next
  /// run.
  func leave() {
    state.withLock { state in
      if state.entries.allSatisfy({ $0.state == .used }) { state.lease?.remove() }
      state.lease = nil
      state.hasLeft = true
    }
  }

  func isStale(_ device: BluetoothAddress) -> Bool {
    state.withLock { $0.stale.contains(device) }
  }

  // MARK: What others left

  /// Leases of this boot and this bus whose processes are gone, each with its file, held from now
  /// on.
  ///
  /// What another boot left is removed: its connections ended with it. What belongs to another bus is left
  /// to the runs there.
  func orphans() -> [(lease: Lease, file: LockedFile)] {
    let bus = state.withLock { $0.bus }
    return leaseFiles.compactMap { path in
      guard case .held(let file) = LockedFile.attempt(path, makes: false) else { return nil }
      guard let lease = Lease(file.read()), lease.owner.boot == ProcessIdentity.presentBoot else {
        file.remove()
        return nil
      }
      // The kernel gives locks back at the end; where it could not, as on some network folders, the
      // process identity decides.
      guard lease.isOf(bus: bus), !lease.owner.isThere || lease.owner == owner else { return nil }
      return (lease, file)
    }
  }

  /// Leases of runs under way, on this bus. One that is held by whoever releases it is none.
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

  /// Whether the bluetoothd that made a link is the one that answers now.
  func isServed(by daemon: String) -> Bool { state.withLock { $0.daemon == daemon } }

  /// Remembers that these devices' attempts belong to nobody.
  func remember(stale devices: [BluetoothAddress]) {
    state.withLock { $0.stale += devices.filter { $0.number != 0 } }
  }
}

// MARK: Who uses a device

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

// Turns keep two runs from connecting at once; they do not keep two batches from taking each other's
// devices, and the few links that a controller has. Single runs go on between: they take turns.
extension HostLedger {
  struct BatchWait: Sendable {
    let limit: Duration
    /// Called with who is waited for.
    let notice: @Sendable (String) -> Void
    /// Whether it is to be waited on.
    let goesOn: @Sendable () -> Bool
  }

  /// Marks an adapter as used by a batch, once no other batch of this user uses it.
  ///
  /// - Parameter wait: nil for none.
  /// - Returns: What gives it back.
  /// - Throws: ``DeviceFailure`` of the code `busy` when another batch does, at the end of the wait;
  ///   `CancellationError` when it is not to be waited on.
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
        if !wait.goesOn() { throw CancellationError() }
        if run != noticed { wait.notice(run) }
        noticed = run
        try await loop.sleep(for: .milliseconds(50))
      }
    }
  }
}
