// Performs the actions of a firmware update: connections, writes, timers.
//
// FirmwareUpdate decides what happens, and in which order.

import Bluetooth
import Documents
import Signals

/// The firmware update of a step that runs.
struct FirmwareRun: Sendable {
  /// The reason that a connection is no longer needed.
  private enum Ending: Sendable {
    case finished(FirmwareUpdate.Report)
    case reconnect(FirmwareUpdate.Reconnection)
    /// The device has to be disconnected.
    case disconnect
  }

  /// The characteristic of requests and responses.
  static let characteristic = CharacteristicSelector(characteristic: SMPFrame.characteristic)
  /// The time limit for finding the device again.
  private static let reconnection = Duration.seconds(120)
  /// The time after a reset during which only the previous address is accepted.
  private static let sameAddress = Duration.seconds(60)
  private static let pause = Duration.seconds(1)

  private let run: StepRun
  private let step: FirmwareStep
  private let size: Int
  private let update: Guarded<FirmwareUpdate>
  /// The address of the last connection.
  private let address = Guarded<BluetoothAddress?>(nil)

  /// Creates the update of a step; nil if the step has no image.
  init?(_ step: FirmwareStep, _ run: StepRun) {
    guard var goal = step.image.goal else { return nil }
    goal.number = step.imageNumber
    goal.allowsDowngrade = step.allowsDowngrade
    goal.confirms = step.confirms
    goal.board = step.board
    self.step = step
    self.run = run
    size = goal.octets.count
    update = Guarded(FirmwareUpdate(goal))
  }

  private var service: any Device { run.service }
  private var loop: Loop { run.loop }

  /// The progress of the upload, for failure messages.
  var place: String {
    "\(update.withLock { $0.furthest }) of \(size) bytes were uploaded"
  }

  /// The image that stays on trial if the step ends now; nil if there is none.
  var trialLeft: String? {
    let version = step.image.version
    let again = step.confirms ? "run the chain again to confirm it" : "run the chain again"
    return switch update.withLock({ $0.trial }) {
    case .marked:
      "\(version) is marked for a test: the next reset starts it, and the one after that restores the image before, unless it is confirmed; \(again)"
    case .started:
      "\(version) is on trial: the next reset restores the image before, unless it is confirmed; \(again)"
    case nil: nil
    }
  }

  /// Updates the device, and sends the report.
  var report: Signal<FirmwareUpdate.Report> {
    Signal { sink in
      try await checkBattery()
      var isRestarted = false
      while true {
        switch try await communicate(isRestarted: isRestarted) {
        case .finished(let report): return try await sink(report)
        case .disconnect:
          try await service.disconnect().run { _ in }
          guard case .reconnect(let reconnection)? = try await perform(.lost) else {
            preconditionFailure("an update reconnects after a loss")
          }
          isRestarted = reconnection == .restart
          try await reconnect(after: reconnection)
        case .reconnect(let reconnection):
          isRestarted = reconnection == .restart
          try await reconnect(after: reconnection)
        }
      }
    }
  }

  /// Throws for a battery level below the limit of the step.
  private func checkBattery() async throws {
    guard let least = step.battery else { return }
    var octets: [UInt8] = []
    do {
      let level = CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a19))
      try await service.read(level).run { octets = $0 }
    } catch let failure as DeviceFailure where failure.code == .characteristicMissing {
      throw failed("the device has no battery-level, and the step demands \(least) %")
    }
    guard let level = octets.first, level >= least else {
      let found = octets.first.map { "\($0) %" } ?? "empty"
      throw failed(
        "the battery level is \(found), below \(least) %",
        hint: "charge the battery, or change its limit"
      )
    }
  }

  // MARK: A connection

  /// Exchanges requests and responses until the connection is no longer needed.
  private func communicate(isRestarted: Bool) async throws -> Ending {
    run.awaits(limit: run.limit)
    noteAddress(isRestarted: isRestarted)
    do {
      let packet = try await longestPacket()
      var ending: Ending?
      try await service.subscribe(Self.characteristic, SubscriptionOptions())
        .flattenMap { exchange($0.notifications, packet) }.run { ending = $0 }
      guard let ending else { throw NoValue(operation: run.step.participle) }
      return ending
    } catch let failure as DeviceFailure
      where failure.code == .linkLost || failure.code == .notConnected
    {
      try Task.checkCancellation()
      if let ending = try await perform(.lost) { return ending }
      throw failure
    } catch let failure as DeviceFailure where isRestarted && failure.code != .firmwareFailed {
      throw failure.adding(
        hint: "bluetoothd may use the attributes of the firmware before: \(.unpair)")
    }
  }

  /// The maximum length of a command.
  private func longestPacket() async throws -> Int {
    var mtu = 23
    do {
      try await service.mtu().run { mtu = $0 }
    } catch let failure as DeviceFailure where failure.code == .notSupported {
      // bluetoothd before 5.62 does not report it.
    }
    return min(mtu - 3, WrittenValue.longest)
  }

  private func exchange(
    _ notifications: Signal<NotifiedValue>, _ packet: Int
  ) -> Signal<Ending> {
    let expiries = Subject<FirmwareUpdate.Event>()
    let events = Signal.merge(
      .just(FirmwareUpdate.Event.connected(packet: packet)),
      notifications.map { .received($0.value) }, expiries.signal
    )
    return Signal<Ending?> { sink in
      var timer: LoopTimer?
      defer { timer?.cancel() }
      try await events.run { event in
        timer?.cancel()
        let ending = try await perform(event)
        let deadline = update.withLock { $0.deadline }
        timer = deadline.map { deadline in
          loop.after(max(.zero, deadline - loop.now)) { expiries.send(.elapsed) }
        }
        try await sink(ending)
      }
    }
    .takeThrough { $0 != nil }.compactMap { $0 }
  }

  /// Applies an event, and performs the actions that follow.
  ///
  /// - Returns: The reason to stop using the connection; nil while it is still needed.
  private func perform(_ event: FirmwareUpdate.Event) async throws -> Ending? {
    for action in update.withLock({ $0.apply(event, at: loop.now) }) {
      switch action {
      case .send(let packet):
        try await service.write(packet, to: Self.characteristic, kind: .command).run { _ in }
      case .progress(let offset): report(offset)
      case .disconnect: return .disconnect
      case .reconnect(let reconnection): return .reconnect(reconnection)
      case .finish(let report): return .finished(report)
      case .fail(let failure): throw self.failure(failure)
      }
    }
    return nil
  }

  /// Reports how many bytes the device has.
  private func report(_ offset: Int) {
    let value = DecodedValue.fields([
      .init("offset", .integer(Int128(offset)), unit: "bytes"),
      .init("size", .integer(Int128(size)), unit: "bytes"),
      .init("percent", .integer(Int128(offset * 100 / size)), unit: "%"),
    ])
    run.chain.emit(.data(run.reported, .value(StepValue(octets: [], decoded: value))))
  }

  // MARK: Between connections

  /// Stores the address of the device, and adds a remark if it has changed.
  private func noteAddress(isRestarted: Bool) {
    guard let now = service.address else { return }
    let before = address.withLock { address in
      defer { address = now }
      return address
    }
    guard let before, before != now else { return }
    let after = isRestarted ? "the reset" : "the connection was lost"
    run.remark("after \(after) the device has the address \(now); before, it had \(before)")
  }

  /// Connects again, with the attributes of the firmware that runs.
  private func reconnect(after reconnection: FirmwareUpdate.Reconnection) async throws {
    run.awaits("waiting for the device", limit: Self.reconnection)
    if reconnection == .restart, !service.hasBond {
      // Without a bond, bluetoothd would use the attributes that it has cached.
      try await service.unpair().run { _ in }
    }
    let isKept = run.plan.link.isKept
    let begun = loop.now
    let end = begun + Self.reconnection
    // In the meantime, another device that matches the target may be found. The address can have
    // changed only after a reset; this is assumed if the previous address was not found in time.
    let phaseEnd = reconnection == .restart ? begun + Self.sameAddress : end
    service.restrict(to: address.withLock { $0 })
    defer { service.restrict(to: nil) }
    var last: any Error
    repeat {
      let isRestricted = loop.now < phaseEnd
      if !isRestricted { service.restrict(to: nil) }
      let limit = (isRestricted ? phaseEnd : end) - loop.now
      let connecting = run.chain.offering(service.connect(keep: isKept, expecting: []))
      do {
        return try await connecting.timeout(limit, "connecting").run { origin in
          if origin != .found, !isKept { run.chain.linked(true) }
        }
      } catch let failure as DeviceFailure where failure.isTransient {
        last = failure
      } catch let timedOut as TimedOut {
        last = timedOut
      }
      try Task.checkCancellation()
      try await loop.sleep(for: Self.pause)
    } while loop.now < end
    throw missing(after: reconnection, (last as? DeviceFailure)?.meaning ?? "\(last)")
  }

  /// The failure when the device could not be connected again.
  ///
  /// With an image on trial it is permanent: another attempt would start the image with which the
  /// device did not come back. A later run continues from the images that the device lists by then.
  ///
  /// - Parameter why: The failure of the last attempt to connect.
  private func missing(
    after reconnection: FirmwareUpdate.Reconnection, _ why: String
  ) -> DeviceFailure {
    let limit = Self.reconnection.written
    guard update.withLock({ $0.trial }) == .started else {
      return failed(
        "the device was not connected again within \(limit) after its connection was lost: \(why)",
        .passing, code: .notFound,
        hint: "bring the device closer, and run the chain again: the upload continues where it was"
      )
    }
    let version = step.image.version
    let begun =
      reconnection == .restart
      ? "the reset into \(version): it still starts, or"
      : "it was lost with \(version) on trial: it"
    return failed(
      "the device did not come back within \(limit) after \(begun) hangs in this image, which is not confirmed, or has another address (\(why))",
      hint:
        "look for it with \(.scan); if it hangs, a reset, such as switching it off and on, restores the image before; if it has another address, select the device by its name; then run the chain again: it continues with the images that the device lists"
    )
  }

  // MARK: Failures

  private func failed(
    _ why: String, _ class: FailureClass = .definite, code: DeviceFailure.Code = .firmwareFailed,
    hint: Hint = ""
  ) -> DeviceFailure {
    DeviceFailure(
      code: code, class: `class`, operation: run.step.participle,
      device: service.deviceDescription, meaning: why, hint: hint
    )
  }

  /// The failure of an image that is not newer than the one that runs.
  ///
  /// - Parameters:
  ///   - running: The version that runs, as the device spells it.
  ///   - version: The version parsed from `running`; nil if it is not a version.
  private func notNewer(
    _ running: String, _ version: FirmwareVersion?, _ hash: [UInt8]?
  ) -> DeviceFailure {
    let image = step.image
    func start(_ hash: String) -> String { "\(hash.prefix(8))…" }
    guard let version, let goal = image.goal else {
      return failed(
        "the device runs '\(running)', which is no version such as 1.2.3: whether \(image.version) is newer is not known",
        hint: "'downgrade: true' installs it nevertheless"
      )
    }
    guard version == goal.image.version else {
      return failed(
        "the device runs \(running), and the image is \(image.version)",
        hint: "'downgrade: true' installs it nevertheless"
      )
    }
    let found = hash.map { "with the hash \(start(DecodedValue.octets($0).description))" }
    return failed(
      "the device runs another image of the same version, \(running): one \(found ?? "without a hash"), and \(image.path) has \(start(image.hash))",
      hint:
        "build the image with a higher version (imgtool sign --version), or install it nevertheless with 'downgrade: true'"
    )
  }

  private func failure(_ failure: FirmwareUpdate.Failure) -> DeviceFailure {
    let version = step.image.version
    /// Text from the device, shortened for output.
    func shown(_ text: String) -> String { ColumnText(text).cut(to: 80) }
    switch failure {
    case .refused(let command, let refusal):
      return failed(
        "the device refused \(command.words): \(refusal)",
        refusal.isTransient ? .passing : .definite,
        hint: refusal == SMPRefusal(group: 1, code: 9)
          ? "an image on test keeps the other slot: confirm it, or reset the device" : ""
      )
    case .unanswered(let command):
      return failed(
        "the device did not answer \(command.words)", .passing, code: .timedOut,
        hint: "check that the device serves SMP over this connection, and does not require pairing"
      )
    case .invalidResponse(let command, let why):
      return failed("the response to \(command.words) is invalid: \(shown(why))")
    case .wrongBoard(let found):
      return failed(
        "the device is a '\(shown(found))', and the image is for '\(step.board ?? "")'")
    case .noBoard: return failed("the device does not state its board", hint: "leave out 'board'")
    case .notNewer(let running, let hash):
      return notNewer(shown(running), FirmwareVersion(running), hash)
    case .noImage(let listed):
      let numbers = listed.map { "\($0)" }.joined(separator: ", ")
      return failed(
        listed.isEmpty
          ? "the device lists no images"
          : "the device has no image with the number \(step.imageNumber): it lists \(shown(numbers))",
        hint: listed.isEmpty
          ? "" : "leave out 'image-number' for the image 0, or give a number that the device lists"
      )
    case .noRunningImage:
      return failed(
        "the device lists the image \(step.imageNumber), but no slot of it as the one that runs")
    case .damaged: return failed("the image has arrived damaged, twice", .passing)
    case .notStored:
      return failed("the device has received the image, and does not list it", .passing)
    case .stuck(let offset):
      return failed("the device accepts no data from byte \(offset) on", .passing)
    case .bufferTooSmall(let bytes, let needed):
      return failed(
        "the device receives requests of \(bytes) bytes at most, and the first one with data needs \(needed)",
        hint:
          "build its firmware with a larger buffer for SMP: CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE is 384 if nothing else is set"
      )
    case .packetTooShort(let bytes, let needed):
      return failed(
        "the device does not answer requests of several packets, and its MTU of \(bytes + 3) is too small for others: they need \(needed + 3)",
        hint: "build its firmware with a larger MTU, or so that it joins packets"
      )
    case .linkLost(let times):
      return failed(
        "the link was lost \(times) times in a row; \(place)", .passing, code: .linkLost,
        hint: "bring the device closer, and run the chain again: the upload continues where it was"
      )
    case .notStarted(let running):
      return failed(
        "after the reset the device runs \(shown(running)), not \(version): the image did not start, or was not installed",
        hint: "look at the log of the device, and whether the image is signed with its key"
      )
    case .notReset: return failed("the device does not reset", .passing)
    case .notConfirmed: return failed("the device did not keep the confirmation")
    case .otherDevice:
      return failed(
        "after a lost connection another device answers: it runs another image",
        hint: "select the device by its address"
      )
    }
  }
}

extension SMPFrame.Command {
  /// The command in a sentence.
  fileprivate var words: String {
    switch self {
    case .parameters: "the question for its buffers"
    case .information: "the question for its board"
    case .imageState: "a request about its images"
    case .imageUpload: "the upload"
    case .reset: "the reset"
    // open: numbers of commands
    default: "command \(number) of group \(group)"
    }
  }
}
