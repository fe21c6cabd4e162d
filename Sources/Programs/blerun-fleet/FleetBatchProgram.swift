// `blerun batch --fleet`: checks that a batch can run on a fleet, and runs it there.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

/// Runs a batch on a fleet.
struct FleetBatchProgram {
  private let command: BatchCommand

  init(_ command: BatchCommand) { self.command = command }

  /// Runs the batch to its end.
  ///
  /// - Throws: ``CommandExit``, always.
  func run() throws {
    let options = command.onFleet
    var batchOptions = FleetBatch.Options()
    (batchOptions.pin, batchOptions.prefer, batchOptions.needs) = (
      options.pin, options.prefer, options.needs
    )
    batchOptions.isIdempotent = options.idempotent
    batchOptions.detaches = options.detach
    batchOptions.readsEnvironmentAtGateway = options.gatewayEnvironment
    for name in [batchOptions.pin, batchOptions.prefer].compactMap(\.self) + batchOptions.needs
    where !StoreName.isValid(name) {
      throw CommandExit(.usage, "'\(name)': expected \(MemberName.expected)")
    }
    // The last messages, such as the announcement of a detached batch, are sent before the process exits.
    let opened = Guarded<FleetConnection?>(nil)
    defer { opened.withLock { $0 }?.close() }
    try command.run {
      [batchOptions] world, batch, resumption throws(CommandExit) -> MakeBatchRunning in
      var batchOptions = batchOptions
      batchOptions.patience = options.patience ?? batch.deadline ?? batchOptions.patience
      guard FleetBounds.deadline.contains(batchOptions.patience) else {
        throw CommandExit(.usage, "a device of a fleet may wait for 1 s to 7 days")
      }
      guard batch.first == 0 else {
        throw CommandExit(
          .usage, "a batch with 'first' cannot run on a fleet: it submits all jobs at once")
      }
      let devices = try Self.devices(of: batch)
      Self.note("pin", batchOptions.pin, over: devices.compactMap(\.0.placement.pin))
      Self.note("prefer", batchOptions.prefer, over: devices.compactMap(\.0.placement.prefer))
      let closed = Guarded((batch: nil as FleetBatch?, reason: nil as RunFailure?))
      let connection = try FleetConnection.open(
        options.server, client: "blerun batch", on: world.loop
      ) { reason in
        let failure = RunFailure(lost: reason)
        let batch = closed.withLock { closed in
          closed.reason = closed.reason ?? failure
          return closed.batch
        }
        batch?.abandon(failure)
      }
      opened.withLock { $0 = connection }
      let finalOptions = batchOptions
      return { receivers in
        let made = FleetBatch(
          batch, devices, in: world, connection, finalOptions, resuming: resumption, receivers
        )
        let reason = closed.withLock { closed in
          closed.batch = made
          return closed.reason
        }
        if let reason { made.abandon(reason) }
        return made
      }
    }
  }

  /// Prints that an option overrides gateways in the file.
  private static func note(_ key: String, _ option: String?, over file: [String]) {
    let others = Set(file).subtracting([option].compactMap(\.self)).sorted()
    guard let option, !others.isEmpty else { return }
    let list = others.joined(separator: ", ")
    StandardError.notice("--\(key) \(option) overrides the file's '\(key)' (\(list))")
  }

  /// Returns the devices and their chains in a form that can be sent.
  private static func devices(of batch: Batch) throws(CommandExit) -> [(BatchDevice, PortableChain)]
  {
    guard case .listed(let devices) = batch.devices else {
      throw CommandExit(
        .data,
        "a batch on a fleet lists its devices: which ones a scan finds depends on the gateway"
      )
    }
    var result: [(BatchDevice, PortableChain)] = []
    for device in devices {
      let chain: PortableChain
      do {
        chain = try PortableChain(device)
      } catch {
        throw CommandExit(.data, "\(device.label): \(error)")
      }
      try check(device, chain)
      result.append((device, chain))
    }
    return result
  }

  private static func check(_ device: BatchDevice, _ chain: PortableChain) throws(CommandExit) {
    switch device.target {
    case .address: break
    case .name(let name, _) where !name.contains { "*?".contains($0) }: break
    case .name, .service, .alias, .seen, .any:
      throw CommandExit(
        .data,
        "\(device.label): a batch on a fleet names devices by address, or by a name without wildcards"
      )
    }
    guard !device.plan.onlyScans else {
      throw CommandExit(.data, "\(device.label): a chain that only scans is not for a fleet")
    }
    let isTooLong = chain.values.values.contains { $0.utf8.count > FleetBounds.valueText }
    guard chain.text.utf8.count <= FleetBounds.chain, !isTooLong,
      chain.values.count <= FleetBounds.values
    else {
      throw CommandExit(
        .data,
        "\(device.label): a chain for a fleet has at most \(FleetBounds.chain) bytes, and "
          + "\(FleetBounds.values) variables of \(FleetBounds.valueText) bytes"
      )
    }
  }
}

extension RunFailure {
  /// Creates the failure of a batch whose connection to the fleet has ended.
  fileprivate init(lost why: String) {
    self.init(code: .busUnreachable, class: .unavailable, what: "running the batch", why: why)
  }
}
