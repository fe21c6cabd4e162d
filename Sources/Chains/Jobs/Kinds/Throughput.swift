// `throughput`: measures how fast the connection carries commands, notifications, or both.
//
// A command counts once the device has answered a request that was sent behind it, because
// bluetoothd accepts commands faster than a connection carries them.

public import Bluetooth
public import Documents
import Signals

/// The directions and the end of a `throughput` step.
public struct ThroughputStep: Hashable, Sendable {
  /// The place of a number that increases by one with each notification.
  public struct Sequence: Hashable, Sendable, CustomStringConvertible {
    /// An unsigned number of 1, 2 or 4 bytes.
    public let format: ValueFormat
    /// The offset of its first byte in the value.
    public let offset: Int

    fileprivate static let expected =
      "a format of 1, 2 or 4 bytes, and the first byte, such as u16 at 4"

    /// Parses `u16 at 4`; `u16` alone is at 0. Returns nil for other texts.
    ///
    /// ```swift
    /// let sequence = ThroughputStep.Sequence("u16 at 4")
    /// ```
    public init?(_ text: String) {
      let words = text.split(separator: " ")
      guard let format = words.first.flatMap({ ValueFormat(String($0)) }), let whole = format.whole,
        !whole.isSigned, [1, 2, 4].contains(whole.octets)
      else { return nil }
      var offset = 0
      if words.count > 1 {
        guard words.count == 3, words[1] == "at", let number = Int(words[2]),
          (0...WrittenValue.longest - whole.octets).contains(number)
        else { return nil }
        offset = number
      }
      self.format = format
      self.offset = offset
    }

    public var description: String { offset == 0 ? format.name : "\(format.name) at \(offset)" }

    private var octets: Int { format.whole?.octets ?? 0 }

    fileprivate var rule: CounterRule { CounterRule(bits: octets * 8) }

    /// The number in a value.
    fileprivate func number(in value: [UInt8]) throws(ValueError) -> Int128 {
      let part = Array(value.dropFirst(offset).prefix(octets))
      let number: DecodedValue
      do throws(ValueError) {
        number = try format.decode(part)
      } catch {
        throw error.inside("sequence")
      }
      guard case .integer(let number) = number.only else { return 0 }
      return number
    }
  }

  /// The characteristic that is written without response; nil for none.
  public var up: CharacteristicSelector?
  /// The characteristic that notifies; nil for none.
  public var down: CharacteristicSelector?
  /// A write that makes the device send notifications. It runs once the subscription is active.
  public var trigger: WriteStep?
  /// The time to measure.
  public var duration: Duration?
  /// The number of bytes after which a direction ends.
  public var bytes: Int?
  /// The length of each command in bytes; nil for the longest that the MTU permits.
  public var size: Int?
  /// The place of the numbers of notifications; nil if they have none.
  public var sequence: Sequence?
  /// The maximum number of packets that the two sides send in each connection interval; nil if it
  /// is unknown.
  public var packets: Int?
  /// The length of each window whose rate is reported while the step measures.
  public var window: Duration
  /// The transport of values: the sockets of bluetoothd, or calls and signals.
  public var delivery: WriteStep.Delivery

  /// Creates a measurement.
  ///
  /// ```swift
  /// let uart = ThroughputStep(down: "nordic-uart-tx", for: .seconds(10))
  /// let step = Step(.throughput(uart))
  /// ```
  public init(
    up: CharacteristicSelector? = nil, down: CharacteristicSelector? = nil,
    for duration: Duration? = nil, bytes: Int? = nil
  ) {
    self.up = up
    self.down = down
    self.duration = duration
    self.bytes = bytes
    window = Self.usualWindow
    delivery = .acquire
  }

  private static let usualWindow = Duration.seconds(1)
  /// The number of commands before a request checks that the device has them. While the request is
  /// pending, as many again are sent.
  private static let commandsInARow = 32
}

extension ThroughputStep: StepKind {
  init() { self.init(up: nil) }

  static let verb = "throughput"
  static let synonyms = ["speed", "bandwidth"]
  static let documentation =
    "measures how fast the connection carries write commands, notifications, or both"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let titleKeys = 2
  static let keys: [Key<ThroughputStep>] = [
    Key("up", \.up, .characteristic, "the characteristic that is written, without response"),
    Key("down", \.down, .characteristic, "the characteristic that notifies"),
    Key(
      "after", \.trigger, .trigger,
      line: .write(after: "after", WriteStep.keys.map(\.description)),
      "a `write` that triggers the notifications, once the subscription is active"
    ),
    Key("for", \.duration, .duration, "how long it measures"),
    Key("bytes", \.bytes, .bytes, "how many bytes it carries, in each direction"),
    Key("size", \.size, .size, "the bytes of each command; by default as many as the MTU permits"),
    Key(
      "sequence", \.sequence, .sequence,
      "the number in each notification that increases by one, so that lost ones are counted"
    ),
    Key(
      "packets", \.packets, .packets,
      "how many packets the device carries in a connection interval at most, for `limit`"
    ),
    Key(
      "every", \.window, .duration, default: usualWindow,
      "the time of each rate that is reported while it measures"
    ),
    Key(
      "delivery", \.delivery, .choice, default: .acquire,
      "how values pass through bluetoothd: through sockets, or as calls and signals"
    ),
  ]
  static let rules: [KeyRule] = [
    .some(
      of: ["up", "down"], "this step measures nothing",
      expected: "'up' with a characteristic to write, 'down' with one that notifies, or both",
      at: verb
    ),
    .some(
      of: ["for", "bytes"], "this step would never end",
      expected: "'for' with a duration, or 'bytes' with an amount", at: verb
    ),
    .key("size", with: ["up"]),
    .key("after", with: ["down"]),
    .key("sequence", with: ["down"]),
  ]

  var action: Step.Action { .throughput(self) }
  var isStream: Bool { true }
  /// Always nil, because the value is not that of a characteristic.
  var characteristic: CharacteristicSelector? { nil }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] {
    let written = up.map { target -> (CharacteristicSelector, CharacteristicOperation) in
      (target, delivery == .acquire ? .acquireWriter : .write(.command))
    }
    return [written, down.map { ($0, .subscribe) }, trigger?.operation].compactMap(\.self)
  }
  var subjects: Subjects? {
    let every = ["rate", "bytes", "count", "perInterval"]
    let lost = sequence == nil ? [] : ["lost", "loss", "repeated"]
    let names =
      (up == nil ? [] : every.map { "up.\($0)" })
      + (down == nil ? [] : (every + lost).map { "down.\($0)" })
      + (packets == nil ? ["interval", "mtu"] : ["interval", "mtu", "limit"])
    return Subjects(of: names.map { ($0, 0...Int.max) })
  }
  var participle: String {
    "measuring the throughput of "
      + [up, down].compactMap { $0?.description }.joined(separator: " and ")
  }
  func limit(_ usual: Duration) -> Duration { (duration ?? .zero) + usual }

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard let limit, let duration, limit < duration else { return nil }
    let message = "the timeout of \(limit.written) is shorter than the \(duration.written) of 'for'"
    return (["timeout"], Problem(message, expected: "\(duration.written) or more"))
  }

  /// The progress of both directions.
  private struct Progress: Sendable {
    var up: CarriedValues?
    var down: CarriedValues?
    /// The end of the last window.
    private(set) var reported: Instant?

    /// The rates since the last call; nil if no time has passed.
    mutating func windowRates(at now: Instant) -> DecodedValue? {
      let rates = [("up", up?.windowRate(at: now)), ("down", down?.windowRate(at: now))]
      let fields = rates.compactMap { name, rate in rate.map { Self.field(name, rate: $0) } }
      guard !fields.isEmpty else { return nil }
      reported = now
      return .fields(fields)
    }

    static func field(_ name: String, rate: Double) -> DecodedValue.Field {
      DecodedValue.Field(name, .integer(Int128(rate.rounded())), unit: "bytes/s")
    }
  }

  /// The properties of the connection that limit the rate, if they are known.
  private struct LinkFacts: Sendable {
    var mtu: Int?
    var interval: Duration?
  }

  func run(_ run: StepRun) async throws {
    let loop = run.loop
    let progress = Guarded(
      Progress(up: up.map { _ in CarriedValues() }, down: down.map { _ in CarriedValues() })
    )
    var facts = LinkFacts()
    defer {
      let value = value(progress.withLock { $0 }, facts, at: loop.now)
      run.outcome = .value(StepValue(octets: [], decoded: value))
    }
    facts.mtu = try await run.limited(run.service.mtu().ifKnown)
    if let mtu = facts.mtu, mtu < Self.firstMTU { throw tooSmall(mtu, run) }
    // A controller may report an interval that no connection has, such as 0.
    facts.interval = try await run.limited(run.service.connectionParameters().ifKnown)
      .map(\.interval).flatMap { ConnectionParameters.intervals.contains($0) ? $0 : nil }
    let directions = [
      up.map { sending(to: $0, run, progress, mtu: facts.mtu) },
      down.map { receiving(from: $0, run, progress) },
    ].compactMap(\.self)
    let report: @Sendable () -> Void = { [reported = run.reported, chain = run.chain] in
      let now = loop.now
      guard let rates = progress.withLock({ $0.windowRates(at: now) }) else { return }
      chain.emit(.data(reported, .value(StepValue(octets: [], decoded: rates))))
    }
    let windows = Signal<Void> { [window] _ in
      try await Signal<Int>.interval(window).run { _ in report() }
    }
    try await run.limited(
      Signal.merge(directions).takeUntil(windows), late: { late(progress.withLock { $0 }, $0) },
      { _ in }
    )
    // The rate of a short last window means little.
    let last = progress.withLock { $0.reported }
    if last.map({ loop.now - $0 >= window / 2 }) ?? true { report() }
    try run.use(value(progress.withLock { $0 }, facts, at: loop.now))
  }

  /// The failure for an MTU that no connection has.
  private func tooSmall(_ mtu: Int, _ run: StepRun) -> DeviceFailure {
    DeviceFailure(
      code: .unknown, class: .passing, operation: participle,
      device: run.service.deviceDescription,
      meaning: "the host reports an MTU of \(mtu) bytes; every connection has at least "
        + "\(Self.firstMTU)",
      hint: "disconnect and connect again"
    )
  }

  /// Writes 32 commands at a time, and counts them once the device has answered a request sent
  /// after them. Meanwhile it writes the next ones, so that the connection is never idle.
  private func sending(
    to target: CharacteristicSelector, _ run: StepRun, _ progress: Guarded<Progress>, mtu: Int?
  ) -> Signal<Void> {
    let service = run.service
    switch delivery {
    case .acquire:
      return service.acquireWriter(target).flattenMap { writer in
        sending(to: target, run, progress, longest: writer.longestValue) {
          try await writer.write($0)
        } flush: {
          try await writer.flush()
        }
      }
    case .call:
      let longest = min((mtu ?? Self.firstMTU) - Self.overhead, WrittenValue.longest)
      return sending(to: target, run, progress, longest: longest) {
        try await service.write($0, to: target, kind: .command).run { _ in }
      } flush: {
      }
    }
  }

  /// The MTU of every new connection, and the bytes before the value of a command or notification.
  private static let (firstMTU, overhead) = (23, 3)

  private func sending(
    to target: CharacteristicSelector, _ run: StepRun, _ progress: Guarded<Progress>, longest: Int,
    _ write: @escaping @Sendable ([UInt8]) async throws -> Void,
    flush: @escaping @Sendable () async throws -> Void
  ) -> Signal<Void> {
    let (loop, service) = (run.loop, run.service)
    let (size, bytes, duration) = (size ?? longest, bytes, duration)
    let rows = Signal<(count: Int, octets: Int)> { sink in
      progress.withLock { $0.up?.begin(at: loop.now) }
      let end = duration.map { loop.now + $0 }
      var left = bytes ?? .max
      var number: UInt8 = 0
      func goesOn() -> Bool { left > 0 && end.map { loop.now < $0 } ?? true }
      while goesOn() {
        var row = (count: 0, octets: 0)
        while row.count < Self.commandsInARow, goesOn() {
          let value = [UInt8](repeating: number, count: min(size, left))
          try await write(value)
          row = (row.count + 1, row.octets + value.count)
          left -= value.count
          number &+= 1
        }
        // The read must not overtake commands that are still in the socket.
        try await flush()
        try await sink(row)
      }
    }
    let answered = rows.flattenMap(.merge(limit: 1)) { row in
      Signal<Void> { _ in
        do {
          try await service.read(target).run { _ in }
        } catch let failure as DeviceFailure where failure.class == .definite {
          // An error response to the read answers the request as well as a value does.
        }
        progress.withLock { $0.up?.add(octets: row.octets, count: row.count, at: loop.now) }
      }
    }
    let participle = run.step.participle
    return Signal { sink in
      do {
        try await answered.run(sink)
      } catch let failure as DeviceFailure where failure.timedOut?.limitOf == participle {
        // The step timed out, and some operation is always pending then. If the device has answered
        // no other operation, the failure of this one says more.
        guard progress.withLock({ $0.up?.octets ?? 0 }) > 0, let late = failure.timedOut
        else { throw failure }
        throw late
      }
      progress.withLock { $0.up?.finish() }
    }
  }

  /// Subscribes, writes the trigger, and counts the notifications.
  private func receiving(
    from target: CharacteristicSelector, _ run: StepRun, _ progress: Guarded<Progress>
  ) -> Signal<Void> {
    let (loop, service) = (run.loop, run.service)
    let (trigger, sequence, bytes, duration) = (trigger, sequence, bytes, duration)
    var options = SubscriptionOptions()
    options.delivery = delivery == .acquire ? .acquire : .signals
    return service.subscribe(target, options).flattenMap { events in
      Signal { _ in
        if let trigger { try await service.write(trigger).run { _ in } }
        progress.withLock { $0.down?.begin(at: loop.now) }
        var values = Signal<Void> { sink in
          try await events.run { event in
            // There are no gaps: a full buffer and a lost connection end the subscription.
            guard case .value(let notified) = event else { return }
            let number = try sequence?.number(in: notified.value)
            progress.withLock { progress in
              if let number, let rule = sequence?.rule { progress.down?.follow(number, by: rule) }
              progress.down?.add(octets: notified.value.count, at: notified.at)
            }
            try await sink(())
          }
        }
        if let bytes {
          values = values.takeThrough { progress.withLock { $0.down?.octets ?? 0 } >= bytes }
        }
        if let duration {
          let over = Signal<Void> { sink in
            try await loop.sleep(for: duration)
            progress.withLock { $0.down?.finish(at: loop.now) }
            try await sink(())
          }
          values = values.takeUntil(over)
        }
        try await values.run { _ in }
        progress.withLock { $0.down?.finish() }
      }
    }
  }

  /// The value of the step: the numbers of each direction, and the limits of the connection.
  private func value(_ progress: Progress, _ facts: LinkFacts, at now: Instant) -> DecodedValue {
    let directions = [("up", progress.up), ("down", progress.down)]
    var fields = directions.compactMap { name, carried in
      carried.map { DecodedValue.Field(name, .fields(Self.fields(of: $0, facts, at: now))) }
    }
    if sequence != nil, let down = progress.down, let index = fields.indices.last,
      case .fields(let own) = fields[index].value
    {
      var lost = [DecodedValue.Field("lost", .integer(Int128(down.lost)))]
      if let loss = down.loss { lost.append(.init("loss", .real(loss, decimals: 2), unit: "%")) }
      if down.repeated > 0 { lost.append(.init("repeated", .integer(Int128(down.repeated)))) }
      fields[index] = DecodedValue.Field("down", .fields(own + lost))
    }
    if let interval = facts.interval {
      fields.append(
        .init(
          "interval", .real(interval.inMilliseconds, decimals: 2), unit: "ms", qualifier: "interval"
        )
      )
    }
    if let mtu = facts.mtu {
      fields.append(.init("mtu", .integer(Int128(mtu)), unit: "bytes", qualifier: "MTU"))
    }
    if let packets, let mtu = facts.mtu, let interval = facts.interval {
      let limit = Double(packets * (mtu - Self.overhead)) / interval.seconds
      fields.append(
        .init("limit", .integer(Int128(limit.rounded())), unit: "bytes/s", qualifier: "at most")
      )
    }
    return .fields(fields)
  }

  private static func fields(
    of carried: CarriedValues, _ facts: LinkFacts, at now: Instant
  ) -> [DecodedValue.Field] {
    var fields = carried.rate(at: now).map { [Progress.field("rate", rate: $0)] } ?? []
    fields.append(.init("bytes", .integer(Int128(carried.octets)), unit: "bytes"))
    fields.append(.init("count", .integer(Int128(carried.count)), unit: "values"))
    if let interval = facts.interval, let elapsed = carried.elapsed(at: now), elapsed > .zero {
      let number = Double(carried.count) * (interval / elapsed)
      fields.append(.init("perInterval", .real(number, decimals: 2), unit: "per interval"))
    }
    return fields
  }

  /// The reason for a timeout.
  private func late(_ progress: Progress, _ limit: Duration) -> Lateness {
    let wanted = bytes.map { " of \($0)" } ?? ""
    let parts = [("up", progress.up), ("down", progress.down)].compactMap { name, carried in
      carried.map { "\($0.octets)\(wanted) bytes \(name)" }
    }
    let why = "\(parts.joined(separator: " and ")) were carried within \(limit.written)"
    return down == nil ? Lateness(why) : .silent(why)
  }
}

extension Shape where Value == Int {
  fileprivate static var bytes: Self {
    .integer("a number of bytes", "bytes") { _ in 1...1_000_000_000 }
  }

  fileprivate static var size: Self {
    .integer("a number of bytes", "bytes") { _ in 1...WrittenValue.longest }
  }

  fileprivate static var packets: Self {
    .integer("a number of packets", "packets") { _ in 1...1000 }
  }
}

extension Shape where Value == ThroughputStep.Sequence {
  fileprivate static var sequence: Self {
    Shape(
      ThroughputStep.Sequence.expected, schema: .type("string"),
      words: { [Quoting.quoted("\($0)")] }
    ) { node, _ in node.text.flatMap { ThroughputStep.Sequence($0) } }
  }
}

extension Step {
  /// Measures how fast the connection carries write commands, notifications, or both.
  ///
  /// The fields are `up` and `down`, each with `rate` in bytes per second, `bytes` and `count`.
  ///
  /// ```swift
  /// try Step.throughput(down: "nordic-uart-tx", for: .seconds(10))
  ///   .expect("down.rate", .atLeast(50_000))
  /// ```
  ///
  /// - Parameters:
  ///   - up: The characteristic that is written without response.
  ///   - down: The characteristic that notifies.
  ///   - sequence: The place of the number of each notification: `u16 at 4`.
  /// - Throws: `Problem` for an invalid target or place.
  public static func throughput(
    up: String? = nil, down: String? = nil, for duration: Duration? = nil, bytes: Int? = nil,
    sequence: String? = nil, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      var step = ThroughputStep(
        up: try up.map { try CharacteristicSelector(parsing: $0) },
        down: try down.map { try CharacteristicSelector(parsing: $0) }, for: duration, bytes: bytes
      )
      if let sequence {
        guard let place = ThroughputStep.Sequence(sequence) else {
          throw Problem(found: "'\(sequence)'", expected: ThroughputStep.Sequence.expected)
        }
        step.sequence = place
      }
      return Step(.throughput(step))
    }
  }
}
