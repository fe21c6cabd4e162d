// `poll`: reads a characteristic at a fixed interval.

public import Bluetooth
public import Documents

/// The characteristic, interval and stop conditions of a `poll` step.
public struct PollStep: Hashable, Sendable {
  public var target: CharacteristicSelector
  /// The format; nil uses that of the characteristic's specification.
  public var format: ValueFormat?
  /// The interval between the starts of two reads. A slow read does not shift the schedule: the
  /// reads that it overlaps are skipped.
  public var period: Duration
  public var stop: StopConditions

  /// Creates reads at a fixed interval.
  ///
  /// ```swift
  /// let level = PollStep("battery-level", every: .seconds(10), StopConditions(count: 6))
  /// let step = Step(.poll(level))
  /// ```
  public init(
    _ target: CharacteristicSelector, every period: Duration, format: ValueFormat? = nil,
    _ stop: StopConditions
  ) {
    self.target = target
    self.format = format
    self.period = period
    self.stop = stop
  }

  /// The expected duration; nil if it is unknown.
  var length: Duration? {
    stop.duration ?? stop.count.map { period * ($0 - 1) }
  }
}

extension PollStep: StreamingKind {
  init() { self.init(.unread, every: .zero, StopConditions()) }

  static let verb = "poll"
  static let documentation = "reads a characteristic at a fixed interval, the first time at once"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<PollStep>] =
    [
      Key("poll", \.target, .characteristic, line: .target, "the characteristic"),
      Key("every", \.period, .duration, "the interval between the starts of two reads"),
      Key("format", \.format, .format, "the format of each value"),
    ] + endingKeys

  var action: Step.Action { .poll(self) }
  var subjects: Subjects? {
    Subjects(of: target, format: format, kind: .poll, most: stop.count)
  }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [(target, .read)] }
  var participle: String { "polling \(target)" }
  func limit(_ usual: Duration) -> Duration { (length ?? .zero) + usual }

  func run(_ run: StepRun) async throws {
    let reads = run.service.reads(of: target, format, every: period)
    try await run.gather(reads, of: self) { measures, rate in
      .polled(count: measures.count, rate: rate, latencies: measures.latencies.percentiles)
    }
  }
}

extension Step {
  /// Reads at a fixed interval until a stop condition is met.
  ///
  /// ```swift
  /// try Step.poll("battery-level", every: .seconds(10), for: .seconds(600))
  ///   .expect("percent", .atLeast(20))
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or format.
  public static func poll(
    _ target: String, every period: Duration, count: Int? = nil, for duration: Duration? = nil,
    format: String? = nil, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let stop = StopConditions(count: count, duration: duration)
      let format = try ValueFormat(written: format)
      return Step(.poll(PollStep(selector, every: period, format: format, stop)))
    }
  }
}
