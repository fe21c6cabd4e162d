// Shared by the tests of an update: a device that answers as MCUmgr does, and an update of it.

import Signals
import Testing

@testable import Bluetooth

/// A device with two slots, and what is wrong with it.
struct ModelDevice {
  struct Stored {
    let octets: [UInt8]
    let image: MCUbootImage

    init(_ octets: [UInt8]) throws {
      self.octets = octets
      image = try MCUbootImage(octets)
    }
  }

  var running: Stored
  var other: Stored?
  var isConfirmed = true
  var isPending = false
  private(set) var upload: (octets: [UInt8], size: Int, sha: [UInt8])?
  private var collector = SMPCollector(limit: 70_000)

  /// The answer to `os mcumgr-params`; nil: it is refused. Longer frames are dropped.
  var buffer: (size: Int, count: Int64)? = (300, 4)
  /// Whether a frame may have several packets.
  var joinsPackets = true
  var board: String?
  /// The number of its image.
  var number: Int64 = 0
  /// Whether the image before is restored after a reset.
  var reverts = false
  /// Whether a reset does nothing.
  var ignoresReset = false
  /// Whether no image may be tested.
  var refusesTest = false
  /// Whether data is accepted.
  var acceptsData = true
  /// The number of uploads that it loses when they are complete.
  var lostUploads = 0
  /// The error for a command.
  var refusals: [SMPFrame.Command: CBORValue] = [:]
  /// The requests that it has handled.
  private(set) var requests: [SMPFrame] = []

  init(_ version: FirmwareVersion) throws {
    running = try Stored(MCUbootImage.octets(version, body: [1, 2, 3]))
  }

  /// The commands that it has handled, those for data in a row as one.
  var commands: [String] {
    var names: [String] = []
    for request in requests {
      let name = "\(request.operation) \(request.command.group).\(request.command.number)"
      if names.last != name { names.append(name) }
    }
    return names
  }

  /// The bytes of all data that it was sent.
  var dataSent: Int { requests.reduce(0) { $0 + ($1.body["data"]?.octets?.count ?? 0) } }

  mutating func disconnect() { collector.reset() }

  /// Receives a packet, and returns the response to the request that it completes.
  mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
    guard let octets = try? collector.add(packet) else {
      if !joinsPackets { collector.reset() }
      return nil
    }
    if let buffer, buffer.size > 0, octets.count > buffer.size { return nil }
    guard let request = try? SMPFrame(decoding: octets), let operation = request.operation.response
    else { return nil }
    requests.append(request)
    let body = refusals[request.command] ?? answer(request)
    return SMPFrame(operation, request.command, sequence: request.sequence, body).encoded
  }

  /// Starts the device, as its bootloader does.
  mutating func restart() {
    upload = nil
    collector.reset()
    guard !ignoresReset else { return }
    let installs = isPending
    (isPending, isConfirmed) = (false, isConfirmed || !installs)
    if installs, !reverts {
      if let new = other { (other, running) = (running, new) }
      isConfirmed = false
    }
  }

  private mutating func answer(_ request: SMPFrame) -> CBORValue {
    switch request.command {
    case .parameters:
      guard let buffer else { return Self.error(8) }
      return .map([
        .init("buf_size", .integer(Int64(buffer.size))),
        .init("buf_count", .integer(buffer.count)),
      ])
    case .information: return board.map { .map([.init("output", .text($0))]) } ?? Self.error(8)
    case .imageState:
      guard request.operation == .write else { return states }
      if request.body["confirm"]?.truth == true {
        isConfirmed = true
      } else {
        guard !refusesTest else { return Self.error(6) }
        isPending = true
      }
      return states
    case .imageUpload: return data(request.body)
    case .reset: return .map([])
    // open: numbers of commands
    default: return Self.error(8)
    }
  }

  static func error(_ code: Int64) -> CBORValue { .map([.init("rc", .integer(code))]) }

  private var states: CBORValue {
    func entry(_ slot: Int64, _ stored: Stored, _ isActive: Bool) -> CBORValue {
      .map([
        .init("image", .integer(number)), .init("slot", .integer(slot)),
        .init("version", .text("\(stored.image.version)")),
        .init("hash", .octets(stored.image.hash)), .init("active", .truth(isActive)),
        .init("confirmed", .truth(isActive && isConfirmed)),
        .init("pending", .truth(!isActive && isPending)),
      ])
    }
    let slots = [entry(0, running, true)] + (other.map { [entry(1, $0, false)] } ?? [])
    return .map([.init("images", .list(slots))])
  }

  private mutating func data(_ body: CBORValue) -> CBORValue {
    guard let offset = body["off"]?.integer, let data = body["data"]?.octets else {
      return Self.error(3)
    }
    if offset == 0, let size = body["len"]?.integer, let sha = body["sha"]?.octets,
      upload?.sha != sha
    {
      (upload, other) = (([], Int(size), sha), nil)
    }
    if acceptsData, offset == upload?.octets.count ?? -1 { upload?.octets += data }
    let received = upload?.octets ?? []
    if received.count == upload?.size {
      other = lostUploads > 0 ? nil : try? Stored(received)
      lostUploads -= 1
      upload = nil
    }
    return .map([.init("off", .integer(Int64(received.count)))])
  }
}

/// An update of a model device, in the time of its own.
struct PlayedUpdate {
  var update: FirmwareUpdate
  var device: ModelDevice
  private(set) var now = Instant.start
  /// The packets to the device, by number from 1, that are lost.
  var lostPackets: Set<Int> = []
  /// The responses, by number from 1, that are lost.
  var lostResponses: Set<Int> = []
  /// The packets to the device after which the connection is lost.
  var drops: Set<Int> = []
  /// The packet to the device before which the update is killed.
  var killedAt: Int?
  private(set) var packets = 0
  private(set) var responses = 0
  private(set) var progress: [(offset: Int, at: Instant)] = []
  private(set) var reconnections: [FirmwareUpdate.Reconnection] = []
  private(set) var disconnects = 0
  /// The maximum length of a packet to the device.
  var packet = 120

  init(_ goal: FirmwareUpdate.Goal, on device: ModelDevice) {
    update = FirmwareUpdate(goal)
    self.device = device
  }

  /// Plays until the update ends; nil if it was killed.
  mutating func play() throws -> FirmwareUpdate.Action? {
    var events: [FirmwareUpdate.Event] = [.connected(packet: packet)]
    for _ in 0..<100_000 {
      if events.isEmpty {
        now = max(now, try #require(update.deadline))
        events = [.elapsed]
      }
      let actions = update.apply(events.removeFirst(), at: now)
      now = now + .milliseconds(10)
      for action in actions {
        switch action {
        case .send(let packet):
          packets += 1
          if packets == killedAt { return nil }
          send(packet, &events)
        case .progress(let offset): progress.append((offset, now))
        case .disconnect:
          disconnects += 1
          device.disconnect()
          events = [.lost]
        case .reconnect(let reconnection):
          reconnections.append(reconnection)
          events = [.connected(packet: packet)]
        case .finish, .fail: return action
        }
      }
    }
    Issue.record("the update does not end")
    return nil
  }

  private mutating func send(_ packet: [UInt8], _ events: inout [FirmwareUpdate.Event]) {
    // The rest of what is sent over a connection that was lost.
    if case .lost? = events.last { return }
    #expect(packet.count <= self.packet)
    if !lostPackets.contains(packets), let response = device.receive(packet) {
      responses += 1
      if !lostResponses.contains(responses) {
        events += stride(from: 0, to: response.count, by: 50).map { start in
          .received(Array(response[start..<min(start + 50, response.count)]))
        }
      }
      if device.requests.last?.command == .reset, !device.ignoresReset {
        device.restart()
        events.append(.lost)
      }
    }
    if drops.contains(packets) {
      device.disconnect()
      events = [.lost]
    }
  }
}
