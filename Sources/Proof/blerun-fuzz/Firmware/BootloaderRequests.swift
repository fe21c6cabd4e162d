// Hostile requests to the firmware of a simulated device.

import Bluetooth
import Signals
import SimulatedDevices

struct BootloaderRequests: CustomStringConvertible {
  private enum Event {
    case packet([UInt8])
    /// A frame was handled.
    case handled
    case linkLost
    /// The device starts, as after a reset.
    case start
  }

  private let firmware: FirmwareDefinition
  private let events: [Event]

  init(_ draw: inout FrameDraw) {
    var firmware = FirmwareDefinition()
    firmware.board = draw.generator.pick([nil, "a board"])
    firmware.buffer = draw.generator.pick([64, 384, 1_024, 65_543])
    firmware.buffers = draw.generator.pick([1, 4])
    firmware.slotSize = draw.generator.pick([1_024, 262_144])
    firmware.start = draw.generator.pick([.starts, .starts, .reverts, .hangs])
    self.firmware = firmware
    var events: [Event] = []
    for _ in 0..<draw.generator.pick([1, 8, 24]) {
      switch draw.generator.index(12) {
      case 0: events.append(.linkLost)
      case 1: events.append(.start)
      default: events += Self.packets(&draw).map { .packet($0) }
      }
      if draw.generator.hits(7, in: 8) { events.append(.handled) }
    }
    self.events = events
  }

  /// Draws a frame, in one packet or several; some frames are damaged, some packets are lost.
  private static func packets(_ draw: inout FrameDraw) -> [[UInt8]] {
    var frame = draw.request().encoded
    if draw.generator.hits(1, in: 6) { frame = frame.prefix(8) + draw.content() }
    if draw.generator.hits(1, in: 4) { frame = draw.damaged(frame) }
    let size = draw.generator.pick([20, 244, 70_000])
    let packets = stride(from: 0, to: frame.count, by: size).map { start in
      Array(frame[start..<min(start + size, frame.count)])
    }
    return draw.generator.hits(1, in: 12) ? Array(packets.dropFirst()) : packets
  }

  var description: String {
    let lines = events.map { event in
      switch event {
      case .packet(let packet): digits(packet)
      case .handled: "a frame was handled"
      case .linkLost: "the connection is lost"
      case .start: "the device starts"
      }
    }
    return (["\(firmware)"] + lines).joined(separator: "\n")
  }

  /// Sends the packets.
  ///
  /// - Returns: True if a request succeeded.
  /// - Throws: ``BrokenPromise``.
  func play() throws -> Bool {
    var device = FirmwareServer(firmware)
    var (waiting, hasSucceeded) = (0, false)
    for event in events {
      switch event {
      case .packet(let packet):
        guard let reply = device.receive(packet) else { continue }
        waiting += 1
        guard waiting <= firmware.buffers else {
          throw BrokenPromise(description: "more frames are handled than there are buffers")
        }
        let body = try SMPFrame(decoding: Self.checked(reply)).body
        if SMPRefusal(body) == nil { hasSucceeded = true }
        // The device resets, and never starts.
        if device.isHung { return hasSucceeded }
      case .handled:
        waiting = max(0, waiting - 1)
        device.finish()
      case .linkLost:
        waiting = 0
        device.linkDown()
      case .start:
        waiting = 0
        device.start()
      }
    }
    try Self.checkStart(of: device)
    return hasSucceeded
  }

  // MARK: Rules

  /// The frame of a reply, which must be a complete response.
  static func checked(_ reply: FirmwareServer.Reply) throws -> [UInt8] {
    do throws(SMPError) {
      let frame = try SMPFrame(decoding: reply.frame)
      guard frame.operation.response == nil else { throw .incomplete(bytes: reply.frame.count) }
      return reply.frame
    } catch {
      throw BrokenPromise(description: "a reply is no response: \(error)")
    }
  }

  /// The image that runs, as the device lists it.
  static func runningImage(of device: FirmwareServer) throws -> CBORValue {
    var device = device
    device.linkDown()
    let request = SMPFrame(.read, .imageState, sequence: 0)
    let body = try device.receive(request.encoded).map { try SMPFrame(decoding: $0.frame).body }
    let running = (body?["images"]?.list ?? []).filter { $0["active"]?.truth == true }
    guard running.count == 1, running[0]["hash"]?.octets?.count == 32 else {
      throw BrokenPromise(description: "the images are \(String(describing: body))")
    }
    return running[0]
  }

  /// Checks that an image runs after the next start, and is confirmed after another one.
  static func checkStart(of device: FirmwareServer) throws {
    var device = device
    device.start()
    _ = try runningImage(of: device)
    device.start()
    guard try runningImage(of: device)["confirmed"]?.truth == true else {
      throw BrokenPromise(description: "an image that was not confirmed stays")
    }
  }
}
