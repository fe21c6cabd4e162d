// An update of a simulated device over a hostile wire.

import Bluetooth
import Signals
import SimulatedDevices

/// Plays a client and a device until the update ends.
struct DisturbedUpdate: CustomStringConvertible {
  /// The behaviour of the wire after the drawn disturbances.
  private enum Rest: String {
    case honest, silent, dropping

    var disturbance: Disturbance {
      switch self {
      case .honest: .none
      case .silent: .loss
      case .dropping: .drop
      }
    }
  }

  /// More events than any update of some hundred bytes needs.
  private static let eventLimit = 20_000
  /// The longest frame that an update sends.
  private static let longestFrame = 4_096

  private let goal: FirmwareUpdate.Goal
  private let firmware: FirmwareDefinition
  /// The longest packet to the device, and the longest one from it.
  private let packet, part: Int
  private let disturbances: [Disturbance]
  private let rest: Rest
  /// Whether packets are only lost, so that no response was forged.
  private let isGenuine: Bool

  private var update: FirmwareUpdate
  private var device: FirmwareServer
  private var now = Instant.start
  private var events: [FirmwareUpdate.Event] = []
  private var next = 0
  private var isDown = false
  /// The packets that arrive after the next one, to the device and from it.
  private var heldRequests: [[UInt8]] = []
  private var heldResponses: [[UInt8]] = []
  private var sentFrames = SMPCollector(limit: longestFrame)

  init(_ draw: inout FrameDraw) throws {
    var goal = try FirmwareUpdate.Goal(draw.generator.pick(draw.images))
    goal.allowsDowngrade = draw.generator.hits(1, in: 2)
    goal.confirms = draw.generator.hits(3, in: 4)
    goal.board = draw.generator.pick([nil, nil, nil, "a board"])
    goal.number = draw.generator.pick([0, 0, 0, 0, 0, 0, 0, 1])
    var firmware = FirmwareDefinition()
    firmware.board = draw.generator.pick([nil, "a board", "another"])
    firmware.buffer = draw.generator.pick([64, 112, 128, 384, 1_024, 65_543])
    firmware.buffers = draw.generator.pick([1, 2, 4, 64])
    firmware.slotSize = draw.generator.pick([1_024, 262_144])
    firmware.isRefusing = draw.generator.hits(1, in: 16)
    firmware.start = draw.generator.pick([.starts, .starts, .starts, .reverts, .hangs])
    packet = draw.generator.pick([0, 20, 100, 182, 244, 512])
    part = draw.generator.pick([64, 244, 512])
    rest = draw.generator.pick([.honest, .honest, .silent, .dropping])
    let isGenuine = draw.generator.hits(1, in: 4)
    var disturbances: [Disturbance] = []
    for _ in 0..<draw.generator.pick([0, 5, 20, 20, 60]) {
      disturbances.append(isGenuine ? .drawLoss(&draw) : .draw(&draw))
    }
    self.isGenuine = isGenuine
    self.disturbances = disturbances
    self.goal = goal
    self.firmware = firmware
    update = FirmwareUpdate(goal)
    device = FirmwareServer(firmware)
  }

  var description: String {
    let lines = [
      "an update to \(goal.image.version) of \(goal.octets.count) bytes: number \(goal.number), "
        + "downgrade \(goal.allowsDowngrade), confirm \(goal.confirms), "
        + "board \(goal.board ?? "any")",
      "\(firmware)", "packets of \(packet) bytes, notifications of \(part)",
    ]
    let packets = disturbances.enumerated().map { "packet \($0 + 1) \($1)" }
    return (lines + packets + ["the rest of the wire is \(rest.rawValue)"])
      .joined(separator: "\n")
  }

  /// Plays until the update ends.
  ///
  /// - Returns: True if it succeeded.
  /// - Throws: ``BrokenPromise``.
  mutating func play() throws -> Bool {
    events = [.connected(packet: packet)]
    for _ in 0..<Self.eventLimit {
      let event = try nextEvent()
      let actions = update.apply(event, at: now)
      if case .elapsed = event, let deadline = update.deadline, deadline <= now {
        throw BrokenPromise(description: "a deadline that has passed stays")
      }
      for (index, action) in actions.enumerated() {
        guard let hasSucceeded = try perform(action) else { continue }
        guard index == actions.count - 1, update.apply(.elapsed, at: now).isEmpty,
          update.apply(.lost, at: now).isEmpty
        else { throw BrokenPromise(description: "an update goes on after its end") }
        try BootloaderRequests.checkStart(of: device)
        return hasSucceeded
      }
      // The device does not start again.
      if device.isHung { return false }
      now = now + .milliseconds(1)
    }
    throw BrokenPromise(description: "the update does not end")
  }

  /// The next event; after the last one, the deadline passes, and the held packets arrive.
  private mutating func nextEvent() throws -> FirmwareUpdate.Event {
    if !events.isEmpty { return events.removeFirst() }
    guard let deadline = update.deadline else {
      throw BrokenPromise(description: "the update waits for nothing")
    }
    now = max(now, deadline)
    events = heldResponses.map { .received($0) }
    heldResponses = []
    return .elapsed
  }

  /// Performs an action.
  ///
  /// - Returns: Whether the update succeeded; nil if it has not ended.
  private mutating func perform(_ action: FirmwareUpdate.Action) throws -> Bool? {
    switch action {
    case .send(let packet):
      try check(packet)
      try transmit(packet)
    case .progress(let offset):
      guard (0...goal.octets.count).contains(offset) else {
        throw BrokenPromise(description: "the progress is \(offset)")
      }
    case .disconnect: drop()
    case .reconnect:
      isDown = false
      sentFrames.reset()
      events = [.connected(packet: packet)]
    case .finish(let report):
      if isGenuine { try check(report) }
      return true
    case .fail: return false
    }
    return nil
  }

  // MARK: The wire

  private mutating func disturbance() -> Disturbance {
    guard next < disturbances.count else { return rest.disturbance }
    defer { next += 1 }
    return disturbances[next]
  }

  private mutating func drop() {
    device.linkDown()
    isDown = true
    (heldRequests, heldResponses) = ([], [])
    events = [.lost]
  }

  /// Passes a packet to the device, and its responses back.
  private mutating func transmit(_ packet: [UInt8]) throws {
    guard !isDown else { return }
    for packet in disturbed(packet, \.heldRequests) where !isDown {
      guard let reply = device.receive(packet) else { continue }
      device.finish()
      respond(try BootloaderRequests.checked(reply))
      guard reply.resets else { continue }
      device.start()
      isDown = true
      events.append(.lost)
    }
  }

  private mutating func respond(_ frame: [UInt8]) {
    for start in stride(from: 0, to: frame.count, by: part) where !isDown {
      let part = Array(frame[start..<min(start + part, frame.count)])
      events += disturbed(part, \.heldResponses).map { .received($0) }
    }
  }

  /// The packets that arrive in place of one.
  private mutating func disturbed(
    _ packet: [UInt8], _ held: WritableKeyPath<Self, [[UInt8]]>
  ) -> [[UInt8]] {
    let disturbance = disturbance()
    switch disturbance {
    case .drop: drop()
    case .later: self[keyPath: held].append(packet)
    case .none, .loss, .twice, .octet, .cut, .body, .packet, .extra:
      defer { self[keyPath: held] = [] }
      return disturbance.packets(for: packet) + self[keyPath: held]
    }
    return []
  }

  // MARK: Rules

  /// Checks a packet to the device, and the frame that it completes.
  private mutating func check(_ packet: [UInt8]) throws {
    // The shortest packet is that of an MTU of 23.
    guard !packet.isEmpty, packet.count <= max(20, self.packet) else {
      throw BrokenPromise(description: "a packet has \(packet.count) bytes")
    }
    do throws(SMPError) {
      guard let octets = try sentFrames.add(packet) else { return }
      let body = try SMPFrame(decoding: octets).body
      guard let offset = body["off"]?.integer, let data = body["data"]?.octets else { return }
      guard !data.isEmpty, offset >= 0, goal.octets.dropFirst(Int(offset)).starts(with: data) else {
        throw .incomplete(bytes: data.count)
      }
    } catch {
      throw BrokenPromise(description: "a request is not one: \(error)")
    }
  }

  /// Checks the success of an update whose responses were genuine.
  private func check(_ report: FirmwareUpdate.Report) throws {
    let running = try BootloaderRequests.runningImage(of: device)
    guard running["hash"]?.octets == goal.image.hash,
      running["confirmed"]?.truth == (report.outcome != .tested)
    else {
      throw BrokenPromise(description: "\(report.outcome), and the device runs \(running)")
    }
  }
}
