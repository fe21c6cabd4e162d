// `notify`: receives notifications or indications until a stop condition is met.

public import Bluetooth
public import Documents
import Signals

/// The characteristic, trigger and stop conditions of a `notify` step.
public struct NotifyStep: Hashable, Sendable {
  /// The characteristic that notifies or indicates.
  public var target: CharacteristicSelector
  /// The format; nil uses that of the characteristic's specification.
  public var format: ValueFormat?
  /// A write that makes the device send values. It runs once the subscription is active, so that no
  /// value is missed.
  public var trigger: WriteStep?
  /// The stop conditions. With a duration, the step succeeds even without values.
  public var stop: StopConditions
  /// The delivery and buffering of values, and the reaction to a dropped connection.
  public var options: SubscriptionOptions

  /// Creates a subscription.
  ///
  /// ```swift
  /// let notify = NotifyStep(to: "heart-rate-measurement", StopConditions(count: 10))
  /// let step = Step(.notify(notify), expectations: [Expectation(.rate, .atLeast(0.9))])
  /// ```
  public init(
    to target: CharacteristicSelector, format: ValueFormat? = nil, trigger: WriteStep? = nil,
    _ stop: StopConditions = StopConditions(), options: SubscriptionOptions = SubscriptionOptions()
  ) {
    self.target = target
    self.format = format
    self.trigger = trigger
    self.stop = stop
    self.options = options
  }
}

extension NotifyStep: StreamingKind {
  init() { self.init(to: .unread) }

  static let verb = "notify"
  static let synonyms = ["subscribe", "listen", "watch", "observe", "indicate"]
  static let documentation = "receives notifications or indications"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let titleKeys = 2
  static let keys: [Key<NotifyStep>] =
    [
      Key("notify", \.target, .characteristic, line: .target, "the characteristic"),
      Key(
        "after", \.trigger, .trigger,
        line: .write(after: "after", WriteStep.keys.map(\.description)),
        "a `write` that triggers them, once the subscription is active"
      ),
    ] + endingKeys + [
      Key("format", \.format, .format, "the format of each value"),
      Key(
        "delivery", \.options.delivery, .choice, default: .signals,
        "how the values arrive from bluetoothd"
      ),
      Key(
        "on-link-loss", \.options.onLinkLoss, .choice, default: .fail,
        "what happens when the connection is lost"
      ),
      Key(
        "buffer", \.options.buffer, .buffer, default: SubscriptionOptions.defaultBuffer,
        "how many values may be buffered"
      ),
      Key(
        "overflow", \.options.overflow, .choice, default: .error,
        "what happens when the buffer is full"
      ),
    ]

  var action: Step.Action { .notify(self) }
  var subjects: Subjects? {
    Subjects(of: target, format: format, kind: .stream, most: stop.count)
  }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] {
    [(target, .subscribe)] + (trigger.map { [$0.operation] } ?? [])
  }
  var participle: String { "listening to \(target)" }
  var valueTitle: String { title(keys: 1) }

  /// Subscribes, writes the trigger, then receives values until a stop condition is met.
  func run(_ run: StepRun) async throws {
    let measures = Guarded(StreamMeasures(from: run.loop.now))
    let dropped = Guarded(0)
    defer {
      let measured = measures.withLock { $0 }
      run.outcome = .listened(
        count: measured.count, rate: measured.rate(at: run.loop.now),
        dropped: dropped.withLock { $0 }
      )
    }
    let gap: @Sendable (NotificationGap) -> Void = { gap in
      dropped.withLock { $0 += gap.dropped }
      measures.withLock { $0.resume(after: gap) }
      run.chain.emit(.data(run.reported, .gap(gap)), at: gap.to)
    }
    let pieces = JoinedPieces(target, format)
    let samples = samples(run, measures, pieces, gap)
    try await run.follow(samples, measures, pieces.map { [$0] } ?? [], of: self)
    let count = measures.withLock { $0.count }
    if stop.duration == nil, stop.silence == nil, let wanted = stop.count,
      stop.conditions.isEmpty, count < wanted
    {
      throw DeviceFailure(
        code: .unknown, class: .passing, operation: participle,
        device: run.service.deviceDescription,
        attribute: target.description,
        meaning: "the notifications ended after \(count) of \(wanted) values", hint: ""
      )
    }
  }

  /// Subscribes, then writes the trigger and delivers the notifications.
  ///
  /// - Parameters:
  ///   - measures: Restarted when the trigger is written, and updated by the stop conditions.
  ///   - pieces: The joiner of values in pieces.
  ///   - gap: Called for each gap in which notifications were lost.
  private func samples(
    _ run: StepRun, _ measures: Guarded<StreamMeasures>, _ pieces: JoinedPieces?,
    _ gap: @escaping @Sendable (NotificationGap) -> Void
  ) -> Signal<Sample> {
    run.service.listening(
      to: target, format: format, options: options, pieces: pieces, onGap: gap
    ) { samples in
      Signal { sink in
        if let trigger {
          measures.withLock { $0.trigger() }
          try await run.service.write(trigger).run { _ in }
        }
        try await run.bounded(samples, stop, measures, pieces).run(sink)
      }
    }
  }
}

extension Shape where Value == Int {
  fileprivate static var buffer: Self {
    .integer("a number of values", "values") { _ in 1...SubscriptionOptions.mostBuffered }
  }
}

extension SubscriptionOptions {
  /// The largest buffer that a chain may ask for, in values.
  static let mostBuffered = 1_000_000
}

extension Step {
  /// Subscribes and receives values until a stop condition is met; see also
  /// ``until(_:_:file:line:)``.
  ///
  /// A plan rejects a step without a stop condition. With a duration, the step succeeds even
  /// without values.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", count: 10).expect("bpm", .between(40, 200))
  /// try Step.notify(
  ///   "glucose-measurement", after: Step.write("record-access-control-point", "hex:0101"),
  ///   untilSilent: .seconds(2))
  /// ```
  ///
  /// The trigger is a ``write(_:_:kind:offset:delivery:file:line:)`` that runs once the
  /// subscription is active.
  ///
  /// - Throws: `Problem` for an invalid target or format, and for a trigger that is not a write.
  public static func notify(
    _ target: String, after trigger: Step? = nil, count: Int? = nil, for duration: Duration? = nil,
    untilSilent silence: Duration? = nil, format: String? = nil,
    options: SubscriptionOptions = SubscriptionOptions(), file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      var notify = NotifyStep(
        to: try CharacteristicSelector(parsing: target), format: try ValueFormat(written: format),
        StopConditions(count: count, duration: duration, silence: silence), options: options
      )
      if let trigger {
        guard case .write(let write) = trigger.action else {
          throw Problem("'\(trigger)' is not a write")
        }
        notify.trigger = write
      }
      return Step(.notify(notify))
    }
  }
}
