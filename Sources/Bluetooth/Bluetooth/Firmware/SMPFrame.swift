// Frames of the Simple Management Protocol (SMP), which MCUmgr's tools and Zephyr devices speak.
//
// Pure. Over Bluetooth, a frame that is longer than a packet is split into several; the header in the
// first one says how long it is.

/// A request or a response.
///
/// - Source: Zephyr documentation, "SMP Protocol Specification" and "SMP Transport Specification".
package struct SMPFrame: Hashable, Sendable {
  package enum Operation: UInt8, Sendable {
    case read = 0
    case readResponse = 1
    case write = 2
    case writeResponse = 3

    /// The operation of the response to a request; nil for a response.
    package var response: Operation? {
      switch self {
      case .read: .readResponse
      case .write: .writeResponse
      case .readResponse, .writeResponse: nil
      }
    }
  }

  /// A command: its group, and its number in the group.
  package struct Command: Hashable, Sendable {
    package let group: UInt16
    package let number: UInt8

    package init(_ group: UInt16, _ number: UInt8) {
      self.group = group
      self.number = number
    }

    package static let echo = Command(0, 0)
    package static let reset = Command(0, 5)
    /// The size and number of the device's buffers.
    package static let parameters = Command(0, 6)
    /// Information about the device and its operating system.
    package static let information = Command(0, 7)
    package static let bootloader = Command(0, 8)
    package static let imageState = Command(1, 0)
    package static let imageUpload = Command(1, 1)
    package static let imageErase = Command(1, 5)
  }

  /// The characteristic for requests, which are written without response, and for responses, which
  /// are notified: `da2e7828-fbce-4e01-ae9e-261174997c48`.
  package static let characteristic = BluetoothUUID(
    high: 0xda2e_7828_fbce_4e01, low: 0xae9e_2611_7499_7c48
  )

  /// The length of a header.
  package static let headerLength = 8

  package var operation: Operation
  /// The version of the protocol: 0 is the original one, 1 has errors with a group.
  package var version: UInt8
  package var command: Command
  package var sequence: UInt8
  /// The body, always a map.
  package var body: CBORValue

  package init(
    _ operation: Operation, _ command: Command, sequence: UInt8, version: UInt8 = 1,
    _ body: CBORValue = .map([])
  ) {
    self.operation = operation
    self.command = command
    self.sequence = sequence
    self.version = version
    self.body = body
  }

  /// The bytes of the frame.
  ///
  /// - Precondition: The body has at most 65 535 bytes.
  package var encoded: [UInt8] {
    let body = body.encoded
    precondition(body.count <= 0xffff, "the length of a frame has 16 bits")
    let (length, group) = (UInt16(body.count), command.group)
    return [
      version << 3 | operation.rawValue, 0, UInt8(length >> 8), UInt8(length & 0xff),
      UInt8(group >> 8), UInt8(group & 0xff), sequence, command.number,
    ] + body
  }

  /// Decodes a complete frame.
  package init(decoding octets: [UInt8]) throws(SMPError) {
    guard let header = SMPHeader(octets) else {
      throw .incomplete(bytes: octets.count)
    }
    guard octets.count == header.total else {
      throw .length(announced: header.total, found: octets.count)
    }
    do throws(CBORError) {
      body = try CBORValue(decoding: Array(octets[Self.headerLength...]))
    } catch {
      throw .body(error)
    }
    guard case .map = body else { throw .notAMap }
    operation = header.operation
    version = header.version
    command = header.command
    sequence = header.sequence
  }
}

/// The header of a frame, which is complete before its body is.
package struct SMPHeader: Hashable, Sendable {
  package let operation: SMPFrame.Operation
  package let version: UInt8
  package let command: SMPFrame.Command
  package let sequence: UInt8
  /// The bytes of the frame, with the header.
  package let total: Int

  /// Decodes the header of a frame; nil if there are too few bytes, or the operation is unknown.
  package init?(_ octets: [UInt8]) {
    guard octets.count >= SMPFrame.headerLength,
      let operation = SMPFrame.Operation(rawValue: octets[0] & 7)
    else { return nil }
    self.operation = operation
    version = octets[0] >> 3 & 3
    total = SMPFrame.headerLength + (Int(octets[2]) << 8 | Int(octets[3]))
    command = SMPFrame.Command(UInt16(octets[4]) << 8 | UInt16(octets[5]), octets[7])
    sequence = octets[6]
  }
}

/// Why bytes are not a frame.
package enum SMPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no complete header with a known operation.
  case incomplete(bytes: Int)
  /// The frame has another length than its header announces.
  case length(announced: Int, found: Int)
  /// The frame is longer than the receiver's buffer.
  case tooLong(bytes: Int, limit: Int)
  case body(CBORError)
  /// The body is not a map.
  case notAMap

  package var description: String {
    switch self {
    case .incomplete(let bytes): "the \(bytes) bytes do not begin with an SMP header"
    case .length(let announced, let found):
      "the SMP frame has \(found) bytes, but its header announces \(announced)"
    case .tooLong(let bytes, let limit):
      "the SMP frame has \(bytes) bytes: at most \(limit) fit into the buffer"
    case .body(let error): "the SMP frame has \(error)"
    case .notAMap: "the body of the SMP frame is not a map"
    }
  }
}

/// Collects the packets of a frame.
///
/// A lost packet is noticed when the next frame makes the collected one too long; all collected
/// packets are then dropped.
package struct SMPCollector: Sendable {
  private let limit: Int
  private var octets: [UInt8] = []

  /// - Parameter limit: The longest frame, in bytes.
  package init(limit: Int) { self.limit = limit }

  /// Drops the packets of an incomplete frame.
  package mutating func reset() { octets = [] }

  /// Adds a packet, and returns the complete frame; nil as long as packets are missing.
  package mutating func add(_ packet: [UInt8]) throws(SMPError) -> [UInt8]? {
    octets += packet
    guard octets.count >= SMPFrame.headerLength else { return nil }
    var isWanted = false
    defer { if !isWanted { octets = [] } }
    guard let header = SMPHeader(octets) else { throw .incomplete(bytes: octets.count) }
    guard header.total <= limit else { throw .tooLong(bytes: header.total, limit: limit) }
    guard octets.count <= header.total else {
      throw .length(announced: header.total, found: octets.count)
    }
    if octets.count == header.total { return octets }
    isWanted = true
    return nil
  }
}
