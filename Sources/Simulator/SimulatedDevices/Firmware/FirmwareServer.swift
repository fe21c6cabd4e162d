// The SMP server of a device and its bootloader: packets in, responses out.
//
// Pure. DeviceState sends the responses and performs the reset.

import Bluetooth

/// The firmware of a device: two slots, the upload in progress, and the effect of the next start.
///
/// - Source: Zephyr documentation, "SMP Protocol Specification", with the groups 0 (operating system)
///   and 1 (images); MCUboot documentation, "Image swapping".
package struct FirmwareServer {
  /// An error that refuses a request.
  private struct Refusal: Error {
    /// The group of the error; nil for an error of the protocol itself.
    let group: UInt16?
    let code: Int64
    /// The error in the original protocol, which has no groups.
    let original: ManagementError

    /// An error of the protocol.
    init(_ error: ManagementError) { (group, code, original) = (nil, error.rawValue, error) }
    /// An error of the image group.
    init(_ error: ImageError) { (group, code, original) = (1, error.rawValue, error.original) }
    /// A format of information that the device does not know.
    static let noFormat = Refusal(group: 0, code: 2)
    /// A query that the bootloader does not answer.
    static let noAnswer = Refusal(group: 0, code: 3)
    private init(group: UInt16, code: Int64) {
      (self.group, self.code, original) = (group, code, .unsupported)
    }
  }

  private enum ManagementError: Int64 {
    case unknown = 1
    case invalid = 3
    case badState = 6
    case unsupported = 8
    case busy = 10
    case accessDenied = 11
  }

  private enum ImageError: Int64 {
    case noHash = 8
    case noFreeSlot = 9
    case invalidSlot = 14
    case offsetMissing = 20
    case lengthMissing = 21
    case shortHeader = 22
    case noImage = 23
    case invalidHash = 24
    case notNewer = 27
    case alreadyPending = 28
    case tooLarge = 30
    case overrun = 31
    case testOfActive = 33

    /// - Source: Zephyr, `img_mgmt_translate_error_code`.
    var original: ManagementError {
      switch self {
      case .noFreeSlot, .notNewer, .alreadyPending: .badState
      case .invalidSlot, .offsetMissing, .lengthMissing, .shortHeader, .invalidHash: .invalid
      case .noHash, .noImage, .tooLarge, .overrun, .testOfActive: .unknown
      }
    }
  }

  /// The image in a slot.
  private struct Stored {
    let octets: [UInt8]
    /// Nil: the bytes are not a valid image.
    let image: MCUbootImage?

    init(_ octets: [UInt8]) {
      self.octets = octets
      image = try? MCUbootImage(octets)
    }
  }

  private struct Upload {
    var octets: [UInt8]
    let size: Int
    /// The hash that the client sent, by which it resumes; empty: none.
    let hash: [UInt8]
  }

  /// The effect of the next start on the second slot.
  private enum NextStart { case same, test, permanent }

  /// A response, and whether the device resets after it.
  package struct Reply {
    package let frame: [UInt8]
    package let resets: Bool
  }

  let definition: FirmwareDefinition
  /// The running image, and the second slot.
  private var running: Stored
  private var second: Stored?
  private var isConfirmed = true
  private var next = NextStart.same
  private var upload: Upload?
  private var collector: SMPCollector
  /// The number of frames that are being handled.
  private var handled = 0
  private var isResetting = false
  /// True if an update was installed.
  private(set) var isUpdated = false
  /// True if the device does not start again.
  package private(set) var isHung = false

  package init(_ definition: FirmwareDefinition) {
    self.definition = definition
    running = Stored(
      MCUbootImage.octets(definition.version, body: Array(repeating: 0x5a, count: 64)))
    collector = SMPCollector(limit: definition.buffer)
  }

  /// The version of the running image.
  var version: FirmwareVersion { running.image?.version ?? definition.version }

  /// The address of the device; nil: its own.
  var address: BluetoothAddress? { isUpdated ? definition.nextAddress : nil }

  /// Drops an incomplete frame.
  package mutating func linkDown() {
    collector.reset()
    handled = 0
  }

  /// Ends the handling of a frame, whose response was sent.
  package mutating func finish() { handled = max(0, handled - 1) }

  /// Starts the device: installs the image of the second slot, or returns to it if the running one
  /// was not confirmed.
  package mutating func start() {
    (upload, isResetting, handled) = (nil, false, 0)
    collector.reset()
    let planned = next
    next = .same
    switch planned {
    case .same:
      // An image that was not confirmed is replaced by the one before.
      if !isConfirmed { swap() }
      isConfirmed = true
    case .test, .permanent:
      guard second?.image != nil else {
        // The bootloader erases an image whose hash does not match.
        second = nil
        return
      }
      swap()
      isConfirmed = planned == .permanent
      if definition.start == .reverts, !isConfirmed {
        swap()
        isConfirmed = true
      } else {
        isUpdated = true
      }
    }
  }

  private mutating func swap() {
    guard let other = second else { return }
    (running, second) = (other, running)
  }

  // MARK: Requests

  /// Receives a packet, and returns the response if it completes a request. A packet that is no part
  /// of a frame, and a frame for which there is no buffer, are dropped without a response.
  package mutating func receive(_ packet: [UInt8]) -> Reply? {
    guard let octets = try? collector.add(packet), let header = SMPHeader(octets),
      let operation = header.operation.response, handled < definition.buffers
    else { return nil }
    handled += 1
    let wasResetting = isResetting
    var body: CBORValue
    do throws(Refusal) {
      guard !isResetting else { throw Refusal(.busy) }
      guard let frame = try? SMPFrame(decoding: octets) else { throw Refusal(.invalid) }
      body = try respond(frame)
    } catch {
      body = Self.body(error, version: header.version)
    }
    let response = SMPFrame(
      operation, header.command, sequence: header.sequence, version: header.version, body
    )
    return Reply(frame: response.encoded, resets: isResetting && !wasResetting)
  }

  private static func body(_ refusal: Refusal, version: UInt8) -> CBORValue {
    guard version > 0, let group = refusal.group else {
      return .map([.init("rc", .integer(refusal.original.rawValue))])
    }
    let members: [CBORValue.Member] = [
      .init("group", .integer(Int64(group))), .init("rc", .integer(refusal.code)),
    ]
    return .map([.init("err", .map(members))])
  }

  private mutating func respond(_ frame: SMPFrame) throws(Refusal) -> CBORValue {
    let body = frame.body
    switch (frame.command, frame.operation) {
    case (.echo, _):
      guard let text = body["d"]?.text else { throw Refusal(.invalid) }
      return .map([.init("r", .text(text))])
    case (.reset, .write):
      isResetting = true
      isHung = definition.start == .hangs && next != .same && second?.image != nil
      return .map([])
    case (.parameters, .read):
      return .map([
        .init("buf_size", .integer(Int64(definition.buffer))),
        .init("buf_count", .integer(Int64(definition.buffers))),
      ])
    case (.information, .read):
      guard let board = definition.board else { throw Refusal(.unsupported) }
      guard body["format"]?.text == "i" else { throw .noFormat }
      return .map([.init("output", .text(board))])
    case (.bootloader, .read):
      guard body["query"] == nil else { throw .noAnswer }
      return .map([.init("bootloader", .text("MCUboot"))])
    case (.imageState, .read): return states
    case (.imageState, .write):
      try setState(hash: body["hash"]?.octets, isPermanent: body["confirm"]?.truth ?? false)
      return states
    case (.imageUpload, .write): return try upload(body)
    case (.imageErase, .write):
      try erase(slot: body["slot"]?.integer ?? 1)
      return .map([])
    // open: numbers of commands
    default: throw Refusal(.unsupported)
    }
  }

  // MARK: Images

  private var states: CBORValue {
    func entry(_ slot: Int64, _ stored: Stored?, _ flags: [(String, Bool)]) -> CBORValue? {
      guard let image = stored?.image else { return nil }
      return .map(
        [
          .init("slot", .integer(slot)), .init("version", .text("\(image.version)")),
          .init("hash", .octets(image.hash)), .init("bootable", .truth(true)),
        ] + flags.map { .init($0.0, .truth($0.1)) }
      )
    }
    let first = entry(
      0, running,
      [("pending", false), ("confirmed", isConfirmed), ("active", true), ("permanent", false)]
    )
    let other = entry(
      1, second,
      [
        ("pending", next != .same), ("confirmed", !isConfirmed), ("active", false),
        ("permanent", next == .permanent),
      ]
    )
    return .map([
      .init("images", .list([first, other].compactMap(\.self))), .init("splitStatus", .integer(0)),
    ])
  }

  /// - Parameter isPermanent: Whether the image stays after the next start.
  private mutating func setState(hash: [UInt8]?, isPermanent: Bool) throws(Refusal) {
    guard let hash else {
      guard isPermanent else { throw Refusal(.invalidHash) }
      return try confirm()
    }
    if hash == running.image?.hash {
      guard isPermanent else { throw Refusal(.testOfActive) }
      return try confirm()
    }
    guard hash == second?.image?.hash else { throw Refusal(.noHash) }
    // The image to return to cannot be tested.
    guard isConfirmed else { throw Refusal(.alreadyPending) }
    next = isPermanent ? .permanent : .test
  }

  private mutating func confirm() throws(Refusal) {
    guard next == .same else { throw Refusal(.alreadyPending) }
    isConfirmed = true
  }

  /// True if the second slot is needed: for the next start, or to return to its image.
  private var isSecondInUse: Bool { next != .same || !isConfirmed }

  private mutating func erase(slot: Int64) throws(Refusal) {
    guard slot == 1 else { throw Refusal(.invalidSlot) }
    guard !isSecondInUse else { throw Refusal(.noFreeSlot) }
    (second, upload) = (nil, nil)
  }

  private mutating func upload(_ body: CBORValue) throws(Refusal) -> CBORValue {
    guard let offset = body["off"]?.integer else { throw Refusal(.offsetMissing) }
    let data = body["data"]?.octets ?? []
    if offset == 0 {
      if let done = try begin(body, data) { return done }
    } else {
      // Data for another offset is dropped; the response says which one is expected.
      guard let (end, size) = upload.map({ ($0.octets.count, $0.size) }), offset == end else {
        return progress
      }
      guard end + data.count <= size else { throw refused(.overrun) }
      // Appended in place: a copy of all earlier data for each request would take quadratic time.
      upload?.octets += data
    }
    return finishUpload()
  }

  /// The offset that the device expects next.
  private var progress: CBORValue {
    .map([.init("off", .integer(Int64(upload?.octets.count ?? 0)))])
  }

  /// Ends the upload, and returns its error.
  private mutating func refused(_ error: ImageError) -> Refusal {
    upload = nil
    return Refusal(error)
  }

  /// Begins an upload, or resumes the one with the same hash: then it returns the response.
  private mutating func begin(
    _ body: CBORValue, _ data: [UInt8]
  ) throws(Refusal) -> CBORValue? {
    guard data.count >= MCUbootImage.headerLength else { throw refused(.shortHeader) }
    guard let length = body["len"]?.integer, length >= 0 else { throw refused(.lengthMissing) }
    guard let version = try? MCUbootImage.version(in: data) else { throw refused(.noImage) }
    let hash = body["sha"]?.octets ?? []
    guard hash.count <= 32 else { throw refused(.invalidHash) }
    if let upload, !hash.isEmpty, upload.hash == hash { return progress }
    guard body["image"]?.integer ?? 0 == 0, !isSecondInUse else { throw refused(.noFreeSlot) }
    guard length <= definition.slotSize else { throw refused(.tooLarge) }
    guard data.count <= length else { throw refused(.overrun) }
    if body["upgrade"]?.truth == true, version <= self.version { throw refused(.notNewer) }
    guard !definition.isRefusing else {
      upload = nil
      throw Refusal(.accessDenied)
    }
    if let second, second.octets.count == length, SHA256.digest(of: second.octets) == hash {
      upload = nil
      return .map([.init("off", .integer(length)), .init("match", .truth(true))])
    }
    second = nil
    upload = Upload(octets: data, size: Int(length), hash: hash)
    return nil
  }

  /// The response to data; after the last data the image is stored.
  private mutating func finishUpload() -> CBORValue {
    guard let upload, upload.octets.count == upload.size else { return progress }
    self.upload = nil
    second = Stored(upload.octets)
    let offset = CBORValue.Member("off", .integer(Int64(upload.size)))
    guard !upload.hash.isEmpty else { return .map([offset]) }
    let isMatch = SHA256.digest(of: upload.octets) == upload.hash
    return .map([offset, .init("match", .truth(isMatch))])
  }
}
