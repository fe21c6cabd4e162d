// The update of one device over SMP, as a state machine: events in, actions out.
//
// Pure: it has no clock and no connection. The next action follows from the images that the device
// lists, so that it continues an update that was interrupted anywhere, also by another program.

package import Signals

/// The update of one device: upload, test, reset, and confirmation.
///
/// It sends nothing by itself. The owner passes events to ``apply(_:at:)``, performs the actions in
/// order, and passes ``Event/elapsed`` at the ``deadline``.
///
/// - Source: Zephyr documentation, "SMP Protocol Specification", "Application/software image
///   management group" and "Default / OS Management Group"; smpclient 7.3, `upload`.
package struct FirmwareUpdate: Sendable {
  /// The image to install, and the conditions for it.
  package struct Goal: Sendable {
    package let octets: [UInt8]
    package let image: MCUbootImage
    /// The SHA-256 of all bytes, by which the device resumes an upload.
    package let sha: [UInt8]
    /// The number of the image on a device that has several.
    package var number = 0
    /// Whether a running image may be replaced by an older one, or by another of the same version.
    package var allowsDowngrade = false
    /// Whether the image is confirmed once it runs; if not, the next reset restores the one before.
    package var confirms = true
    /// The name of the board that the device must state; nil: any.
    package var board: String?

    package init(_ octets: [UInt8]) throws(MCUbootImageError) {
      self.octets = octets
      image = try MCUbootImage(octets)
      sha = SHA256.digest(of: octets)
    }
  }

  package enum Event: Sendable {
    /// The connection is up, and notifications are subscribed. A command carries at most `packet`
    /// bytes.
    case connected(packet: Int)
    /// A notification arrived.
    case received([UInt8])
    /// The ``FirmwareUpdate/deadline`` has passed.
    case elapsed
    /// The connection is down.
    case lost
  }

  package enum Action: Sendable, Hashable {
    /// Write a command.
    case send([UInt8])
    /// Report how many bytes the device has.
    case progress(Int)
    /// Disconnect, and apply ``Event/lost``.
    case disconnect
    /// Connect, subscribe, and apply ``Event/connected(packet:)``.
    case reconnect(Reconnection)
    case finish(Report)
    case fail(Failure)
  }

  package enum Reconnection: Sendable, Hashable {
    /// The connection was lost.
    case loss
    /// The device was reset: its attributes and its address may have changed.
    case restart
  }

  /// The outcome of an update.
  package struct Report: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
      /// The image ran before, and was confirmed; nothing was done.
      case current
      /// The image runs until the next reset.
      case tested
      /// The image runs, and stays.
      case confirmed
    }

    package let outcome: Outcome
    /// The version that ran before, as the device spells it.
    package let before: String
    /// The version that runs.
    package let after: String
    /// The number of bytes that this update has uploaded.
    package let bytes: Int
    /// The time from the first request of the upload to the response to the last one.
    package let uploading: Duration
  }

  package enum Failure: Error, Sendable, Hashable {
    case refused(SMPFrame.Command, SMPRefusal)
    case unanswered(SMPFrame.Command)
    case invalidResponse(SMPFrame.Command, String)
    case wrongBoard(found: String)
    /// The device states no board.
    case noBoard
    case notNewer(running: String, hash: [UInt8]?)
    /// The device lists no image with the number of the goal.
    case noImage(listed: [Int64])
    case noRunningImage
    /// The device received the whole image, but its hash does not match.
    case damaged
    /// The device received the whole image, but does not list it.
    case notStored
    /// The device accepts no more data from `offset` on.
    case stuck(offset: Int)
    /// The first data needs a frame of `needed` bytes, and the device receives shorter ones only.
    case bufferTooSmall(bytes: Int, needed: Int)
    /// The device does not join packets, and the first data needs a frame that is longer than one.
    case packetTooShort(bytes: Int, needed: Int)
    /// Several connections in a row were lost, with no response between them that advanced the
    /// update.
    case linkLost(times: Int)
    /// After the reset another image runs.
    case notStarted(running: String)
    /// The image still waits for a reset after this update has reset the device.
    case notReset
    /// The device did not keep the confirmation.
    case notConfirmed
    /// The device that answers after a lost connection runs another image than the one before.
    case otherDevice
  }

  /// The time limits and maximum counts of an update.
  private enum Limit {
    /// The first request erases the slot.
    static let firstData = Duration.seconds(40)
    static let data = Duration.seconds(3)
    static let request = Duration.seconds(5)
    /// The maximum time from the response to a reset until the connection is down.
    static let reset = Duration.seconds(10)
    static let attempts = 3
    /// The maximum number of data requests in a row that do not advance the upload.
    static let stalls = 8
    static let losses = 5
    static let resets = 2
    static let window = 4
    static let frame = 4096
  }

  /// The trial of an image, which a reset of the device starts or ends.
  package enum Trial: Sendable, Hashable {
    /// The next reset starts the image, and the one after that restores the image before.
    case marked
    /// The image was started, and the next reset restores the one before.
    case started
  }

  private enum Request: Hashable {
    case parameters, board, states, test, reset, confirm
    case data(from: Int, to: Int)

    var command: SMPFrame.Command {
      switch self {
      case .parameters: .parameters
      case .board: .information
      case .states, .test, .confirm: .imageState
      case .reset: .reset
      case .data: .imageUpload
      }
    }

    var operation: SMPFrame.Operation {
      switch self {
      case .parameters, .board, .states: .read
      case .test, .reset, .confirm, .data: .write
      }
    }

    var limit: Duration {
      switch self {
      case .data(from: 0, to: _): Limit.firstData
      case .data: Limit.data
      case .parameters, .board, .states, .test, .reset, .confirm: Limit.request
      }
    }
  }

  /// A request whose response is awaited.
  private struct Sent {
    let sequence: UInt8
    let request: Request
    let attempt: Int
    let deadline: Instant
    /// Whether its frame needs several packets.
    let isLong: Bool
    /// Whether data from an earlier offset was sent again since: the response then does not tell
    /// which offset the device expects now.
    var isStale = false

    var isFirst: Bool { if case .data(from: 0, to: _) = request { true } else { false } }
  }

  /// An image in a slot.
  private struct Stored {
    let version: String
    let hash: [UInt8]?
    let isActive, isConfirmed, isPending: Bool

    init(_ entry: CBORValue) {
      version = entry["version"]?.text ?? "unknown"
      hash = entry["hash"]?.octets
      isActive = entry["active"]?.truth ?? false
      isConfirmed = entry["confirmed"]?.truth ?? false
      isPending = entry["pending"]?.truth ?? false
    }
  }

  private let goal: Goal
  private var isOver = false
  /// The known trial of the image; while a request is unanswered, the trial that the device may
  /// have begun.
  package private(set) var trial: Trial?

  // The connection.
  private var packet = 20
  private var collector = SMPCollector(limit: SMPFrame.headerLength + 0xffff)
  private var sequence: UInt8 = 0
  private var sent: [Sent] = []
  /// The time by which the device is to drop the connection, after the response to a reset.
  private var lossDeadline: Instant?
  private var losses = 0
  /// Whether the next loss is that of a disconnection that this update requested. It counts as one
  /// of the stalls.
  private var isDisconnecting = false

  // The device.
  private var hasParameters = false
  /// Whether the device has stated the wanted board, or its running image was compared since.
  private var hasBoard = false
  /// The longest frame that the device receives; nil: unknown.
  private var buffer: Int?
  /// Whether frames are limited to one packet, unless the first data needs a longer one.
  private var hasShortFrames = false
  private var window = 1
  private var before: Stored?
  private var resets = 0
  private var hasAskedConfirm = false

  // The upload.
  /// The offset of the next data.
  private var next = 0
  /// The offset that the device expected last.
  private var expected = 0
  /// The number of bytes that the device has.
  package private(set) var furthest = 0
  private var stalls = 0
  private var hasUploadedAgain = false
  private var bytes = 0
  private var uploadBegan: Instant?
  private var uploadEnded: Instant?
  private var lastProgress: Instant?

  package init(_ goal: Goal) { self.goal = goal }

  /// The time at which the owner applies ``Event/elapsed``; nil: there is none.
  package var deadline: Instant? {
    (sent.map(\.deadline) + [lossDeadline].compactMap(\.self)).min()
  }

  private var size: Int { goal.octets.count }

  /// Applies an event.
  ///
  /// - Returns: The actions that the owner performs, in order. Nothing follows
  ///   ``Action/finish(_:)`` and ``Action/fail(_:)``.
  package mutating func apply(_ event: Event, at now: Instant) -> [Action] {
    guard !isOver else { return [] }
    switch event {
    case .connected(let packet):
      self.packet = max(20, packet)
      (sent, lossDeadline) = ([], nil)
      collector.reset()
      return ask(hasParameters ? afterParameters : .parameters, at: now)
    case .received(let packet): return received(packet, at: now)
    case .elapsed: return elapsed(at: now)
    case .lost: return lost()
    }
  }

  // MARK: Requests

  /// The request that follows the parameters, and begins each further connection.
  private var afterParameters: Request { goal.board == nil || hasBoard ? .states : .board }

  private mutating func ask(_ request: Request, attempt: Int = 1, at now: Instant) -> [Action] {
    if request == .reset { resets += 1 }
    if request == .test { trial = .marked }
    let octets = frame(request).encoded
    sent.append(
      Sent(
        sequence: sequence, request: request, attempt: attempt, deadline: now + request.limit,
        isLong: octets.count > packet
      ))
    sequence &+= 1
    return stride(from: 0, to: octets.count, by: packet).map { start in
      .send(Array(octets[start..<min(start + packet, octets.count)]))
    }
  }

  private func frame(_ request: Request) -> SMPFrame {
    let members: [CBORValue.Member] =
      switch request {
      case .parameters, .states, .reset: []
      case .board: [.init("format", .text("i"))]
      case .test: [.init("hash", .octets(goal.image.hash)), .init("confirm", .truth(false))]
      case .confirm: [.init("hash", .octets(goal.image.hash)), .init("confirm", .truth(true))]
      case .data(let start, let end): data(start, Array(goal.octets[start..<end]))
      }
    return SMPFrame(request.operation, request.command, sequence: sequence, .map(members))
  }

  private func data(_ offset: Int, _ octets: [UInt8]) -> [CBORValue.Member] {
    let always: [CBORValue.Member] = [
      .init("off", .integer(Int64(offset))), .init("data", .octets(octets)),
    ]
    guard offset == 0 else { return always }
    let image = goal.number == 0 ? [] : [CBORValue.Member("image", .integer(Int64(goal.number)))]
    return image + [
      .init("len", .integer(Int64(size))), .init("sha", .octets(goal.sha)),
    ] + always
  }

  /// The length of the shortest frame with the first data, which a device accepts only with all of
  /// the image's header.
  ///
  /// - Source: Zephyr, `img_mgmt_upload_inspect`.
  private var leastFrame: Int {
    let header = Array(goal.octets.prefix(MCUbootImage.headerLength))
    return SMPFrame(.write, .imageUpload, sequence: 0, .map(data(0, header))).encoded.count
  }

  /// The number of bytes that a request with data for an offset carries.
  private func length(at offset: Int) -> Int {
    let longest = hasShortFrames ? min(packet, buffer ?? packet) : buffer ?? packet
    let wanted = min(max(longest, leastFrame), Limit.frame)
    let empty = SMPFrame(.write, .imageUpload, sequence: 0, .map(data(offset, []))).encoded.count
    // The length of the data takes a byte more, and two from 256 on.
    let room = wanted - empty
    return room < 258 ? min(room - 1, 255) : room - 2
  }

  private mutating func received(_ packet: [UInt8], at now: Instant) -> [Action] {
    // A response that lost a packet is dropped: its request is repeated.
    guard let octets = try? collector.add(packet), let header = SMPHeader(octets),
      let index = sent.firstIndex(where: { one in
        one.sequence == header.sequence && one.request.command == header.command
          && one.request.operation.response == header.operation
      })
    else { return [] }
    let answered = sent.remove(at: index)
    // A device responds in the order of the requests: an earlier request without a response was
    // lost, or its response was. It is removed, because it would keep its place in the window until
    // its deadline. A long one stays: its missing response shows that the device does not join
    // packets.
    sent.replaceSubrange(..<index, with: sent[..<index].filter(\.isLong))
    let body: CBORValue
    do throws(SMPError) {
      body = try SMPFrame(decoding: octets).body
    } catch {
      return fail(.invalidResponse(header.command, "\(error)"))
    }
    if let refusal = SMPRefusal(body) {
      switch answered.request {
      case .parameters: return parameters(nil, at: now)
      case .board: return fail(.noBoard)
      case .data where answered.isStale: return sendData(at: now)
      case .test:
        trial = nil
        return fail(.refused(header.command, refusal))
      case .states, .reset, .confirm, .data:
        return fail(.refused(header.command, refusal))
      }
    }
    switch answered.request {
    case .parameters: return parameters(body, at: now)
    case .board:
      guard let found = body["output"]?.text else { return fail(.noBoard) }
      guard found == goal.board else { return fail(.wrongBoard(found: found)) }
      hasBoard = true
      return ask(.states, at: now)
    case .states:
      let images = images(body)
      return images.isEmpty ? fail(.noImage(listed: numbers(body))) : decide(images, at: now)
    case .test: return ask(.reset, at: now)
    case .reset:
      lossDeadline = now + Limit.reset
      trial = .started
      return []
    case .confirm:
      let running = images(body).first(where: \.isActive)
      guard let running, running.hash == goal.image.hash, running.isConfirmed else {
        return fail(.notConfirmed)
      }
      trial = nil
      return finish(.confirmed, running)
    case .data(let start, let end):
      guard let offset = body["off"]?.integer.flatMap({ Int(exactly: $0) }),
        (0...size).contains(offset)
      else { return fail(.invalidResponse(header.command, "it names no offset in the image")) }
      if body["match"]?.truth == false { return uploadAgain(at: now) ?? fail(.damaged) }
      return accepted(offset, start..<end, isStale: answered.isStale, at: now)
    }
  }

  private mutating func elapsed(at now: Instant) -> [Action] {
    if let limit = lossDeadline, limit <= now {
      // The owner applies the loss, which is that of the reset.
      lossDeadline = now + Limit.reset
      return [.disconnect]
    }
    let late = sent.filter { $0.deadline <= now }
    sent.removeAll { $0.deadline <= now }
    guard let first = late.first else { return [] }
    // A damaged header may announce a frame that never ends, and would swallow further responses.
    collector.reset()
    guard case .data = first.request else {
      if first.attempt < Limit.attempts {
        if first.request == .reset { resets -= 1 }
        return ask(first.request, attempt: first.attempt + 1, at: now)
      }
      if first.request == .parameters { return parameters(nil, at: now) }
      return fail(.unanswered(first.request.command))
    }
    guard late.contains(where: { !$0.isStale }) else { return sendData(at: now) }
    guard late.contains(where: \.isLong) else { return goBack(to: expected, at: now) }
    // The device does not join the packets of a frame, or has lost one and takes the next ones for
    // the rest of that frame. On a new connection it begins a new frame, and this update sends
    // frames of one packet.
    hasShortFrames = true
    stalls += 1
    if stalls < Limit.stalls {
      isDisconnecting = true
      return [.disconnect]
    }
    guard packet < leastFrame else { return fail(.stuck(offset: expected)) }
    return fail(.packetTooShort(bytes: packet, needed: leastFrame))
  }

  private mutating func lost() -> [Action] {
    let isRestart = lossDeadline != nil || sent.contains { $0.request == .reset }
    let isOwn = isDisconnecting
    (sent, lossDeadline, isDisconnecting) = ([], nil, false)
    // After a reset the hash of the image is compared; a new image may not state its board.
    if resets == 0 { hasBoard = false }
    guard !isRestart else {
      trial = .started
      return [.reconnect(.restart)]
    }
    guard !isOwn else { return [.reconnect(.loss)] }
    losses += 1
    return losses > Limit.losses ? fail(.linkLost(times: losses)) : [.reconnect(.loss)]
  }

  // MARK: Images

  private func images(_ body: CBORValue) -> [Stored] {
    (body["images"]?.list ?? [])
      .filter { $0["image"]?.integer ?? 0 == Int64(goal.number) }.map { Stored($0) }
  }

  /// The numbers of all images that a response lists.
  private func numbers(_ body: CBORValue) -> [Int64] {
    Set((body["images"]?.list ?? []).map { $0["image"]?.integer ?? 0 }).sorted()
  }

  /// Continues with what is missing, by the images that the device lists.
  private mutating func decide(_ images: [Stored], at now: Instant) -> [Action] {
    guard let running = images.first(where: \.isActive) else { return fail(.noRunningImage) }
    let other = images.first { !$0.isActive }
    if running.hash == goal.image.hash {
      trial = running.isConfirmed ? nil : .started
    } else {
      trial = other?.hash == goal.image.hash && other?.isPending == true ? .marked : nil
    }
    guard running.hash != goal.image.hash else {
      // Before the update, the device ran the image that it would return to.
      if before == nil, !running.isConfirmed { before = other }
      if running.isConfirmed {
        // A confirmation may have succeeded although its response was lost.
        return finish(before == nil && !hasAskedConfirm ? .current : .confirmed, running)
      }
      guard goal.confirms else { return finish(.tested, running) }
      hasAskedConfirm = true
      return ask(.confirm, at: now)
    }
    let isMine = other?.hash == goal.image.hash
    if let before {
      guard before.hash == running.hash else { return fail(.otherDevice) }
    } else {
      let isNewer = FirmwareVersion(running.version).map { goal.image.version > $0 } ?? false
      guard isNewer || goal.allowsDowngrade else {
        return fail(.notNewer(running: running.version, hash: running.hash))
      }
      before = running
    }
    guard isMine else {
      if resets > 0 { return fail(.notStarted(running: running.version)) }
      return uploadEnded == nil ? upload(at: now) : uploadAgain(at: now) ?? fail(.notStored)
    }
    if uploadBegan != nil, uploadEnded == nil {
      // The last data was accepted, and its response was lost with the connection.
      (bytes, furthest, uploadEnded) = (bytes + size - furthest, size, now)
    }
    let isPending = other?.isPending ?? false
    guard resets > 0 else { return ask(isPending ? .reset : .test, at: now) }
    guard isPending else { return fail(.notStarted(running: running.version)) }
    return resets < Limit.resets ? ask(.reset, at: now) : fail(.notReset)
  }

  // MARK: The upload

  /// Begins the upload, or continues it: the device names the offset in the response to the first data.
  private mutating func upload(at now: Instant) -> [Action] {
    if let buffer, buffer < leastFrame {
      return fail(.bufferTooSmall(bytes: buffer, needed: leastFrame))
    }
    if uploadBegan == nil { uploadBegan = now }
    (next, expected) = (0, 0)
    return sendData(at: now)
  }

  /// Uploads again, in frames of one packet. With longer frames, the first packet of the next frame
  /// fills the place of a lost one, which is noticed only at the end.
  ///
  /// - Returns: Nil if that was done before.
  private mutating func uploadAgain(at now: Instant) -> [Action]? {
    guard !hasUploadedAgain else { return nil }
    (hasUploadedAgain, uploadEnded, hasShortFrames) = (true, nil, true)
    (furthest, stalls, sent) = (0, 0, [])
    return upload(at: now)
  }

  /// Sends data as far as the window allows. The first data is sent alone.
  private mutating func sendData(at now: Instant) -> [Action] {
    var actions: [Action] = []
    while next < size, sent.count < (next == 0 ? 1 : window), !sent.contains(where: \.isFirst) {
      let end = min(size, next + length(at: next))
      actions += ask(.data(from: next, to: end), at: now)
      next = end
    }
    return actions
  }

  /// Continues after a response to data.
  ///
  /// - Parameter offset: The offset that the device names.
  private mutating func accepted(
    _ offset: Int, _ data: Range<Int>, isStale: Bool, at now: Instant
  ) -> [Action] {
    let isNew = offset > furthest
    var actions: [Action] = []
    if isNew {
      // Data that the device has from an earlier run was not uploaded by this one.
      if furthest > 0 || offset == data.upperBound { bytes += offset - furthest }
      (furthest, stalls, losses) = (offset, 0, 0)
      actions = progress(at: now)
    }
    guard offset < size else {
      (sent, uploadEnded) = ([], now)
      return actions + ask(.states, at: now)
    }
    if isStale {
      expected = max(expected, offset)
      next = max(next, offset)
      return actions + sendData(at: now)
    }
    expected = offset
    if offset == data.upperBound { return actions + sendData(at: now) }
    return actions + (isNew ? jump(to: offset, at: now) : goBack(to: offset, at: now))
  }

  /// Sends data again that the device did not accept.
  ///
  /// Sends everything from this offset on: a device keeps no data beyond the offset that it
  /// expects, so data that was sent after lost data is lost, too. The responses to that data are
  /// still awaited, but tell nothing new.
  private mutating func goBack(to offset: Int, at now: Instant) -> [Action] {
    stalls += 1
    return stalls < Limit.stalls ? jump(to: offset, at: now) : fail(.stuck(offset: offset))
  }

  private mutating func jump(to offset: Int, at now: Instant) -> [Action] {
    next = offset
    for index in sent.indices { sent[index].isStale = true }
    return sendData(at: now)
  }

  /// Reports the progress of the upload, at most once a second, and its end.
  private mutating func progress(at now: Instant) -> [Action] {
    if let lastProgress, now - lastProgress < .seconds(1), furthest < size { return [] }
    lastProgress = now
    return [.progress(furthest)]
  }

  // MARK: Answers

  private mutating func parameters(_ body: CBORValue?, at now: Instant) -> [Action] {
    hasParameters = true
    // A size of 0 or less counts as unknown.
    buffer = body?["buf_size"]?.integer.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    // One buffer is left for the responses.
    let count = body?["buf_count"]?.integer ?? 1
    window = Int(min(max(2, count), Int64(Limit.window) + 1)) - 1
    return ask(afterParameters, at: now)
  }

  private mutating func fail(_ failure: Failure) -> [Action] {
    isOver = true
    return [.fail(failure)]
  }

  private mutating func finish(_ outcome: Report.Outcome, _ running: Stored) -> [Action] {
    isOver = true
    var uploading = Duration.zero
    if let uploadBegan, let uploadEnded { uploading = uploadEnded - uploadBegan }
    return [
      .finish(
        Report(
          outcome: outcome, before: before?.version ?? running.version, after: running.version,
          bytes: bytes, uploading: uploading
        ))
    ]
  }
}
