// Steps in Swift: one function for each kind, with its name in a chain file.
//
// Functions that can fail take the position of their call, which their error carries.

public import Bluetooth

extension Step {
  /// Connects; a chain does so implicitly before its first step.
  public static var connect: Step { Step(.connect) }
  /// Disconnects; a chain does so implicitly at its end.
  public static var disconnect: Step { Step(.disconnect) }
  /// Measures the RSSI of the connection.
  public static var rssi: Step { Step(.rssi) }
  /// Reads the ATT MTU.
  public static var mtu: Step { Step(.mtu) }
  /// Reads interval, latency and supervision timeout of the connection.
  public static var connectionParameters: Step { Step(.connectionParameters) }
  /// Lists what the device offers.
  public static var services: Step { Step(.services) }
  /// Forgets the device and its bond.
  public static var unpair: Step { Step(.unpair) }

  /// Pairs with the answers of `rule`.
  public static func pair(_ rule: PairingRule = PairingRule()) -> Step { Step(.pair(rule)) }

  /// Marks the device as trusted, or not.
  public static func trust(_ isTrusted: Bool = true) -> Step { Step(.trust(isTrusted)) }

  /// Waits.
  public static func sleep(_ duration: Duration) -> Step { Step(.sleep(duration)) }

  /// Logs a text, with captured values in braces.
  ///
  /// - Throws: ``PlanError`` for a brace that is not closed.
  public static func log(
    _ text: String,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      guard let template = MessageTemplate(text) else {
        throw PlanError(problem: "'\(text)' is not \(MessageTemplate.shape)")
      }
      return Step(.log(template))
    }
  }

  /// Scans for nearby devices.
  public static func scan(for duration: Duration, _ filter: ScanFilter = ScanFilter()) -> Step {
    Step(.scan(Scanning(for: duration, filter: filter)))
  }

  // MARK: Values

  /// Reads a characteristic.
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `battery-level`, `180f/2a19#1`.
  ///   - offset: The first octet to read.
  ///   - format: The format of a value without a specification: `u16be`.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for an invalid target or format.
  public static func read(
    _ target: String,
    offset: Int = 0,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let format = try ValueFormat(written: format)
      return Step(.read(selector, offset: offset, format: format))
    }
  }

  /// Writes a characteristic.
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `alert-level`, `180f/2a19#1`.
  ///   - values: As in the one-line form: `u8:1`, `utf8:two words`, `u8:{level.percent}`.
  ///   - kind: Whether the device responds.
  ///   - offset: The first byte to write.
  ///   - delivery: How the value reaches bluetoothd.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for an invalid target or value.
  public static func write(
    _ target: String,
    _ values: String...,
    kind: WriteKind = .automatic,
    offset: Int = 0,
    delivery: Write.Delivery = .call,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let write = Write(
        try WrittenValue(written: values),
        to: try CharacteristicSelector(parsing: target),
        kind: kind,
        offset: offset,
        delivery: delivery
      )
      if let complaint = write.contradiction { throw PlanError(problem: "\(complaint)") }
      return Step(.write(write))
    }
  }

  /// Writes, and waits for the notification that answers; ``answered(_:_:file:line:)`` selects it.
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `alert-level`, `180f/2a19#1`.
  ///   - values: As in the one-line form: `u8:1`, `utf8:two words`.
  ///   - answer: The characteristic that answers; nil for the one that is written.
  ///   - format: The format of a value without a specification: `u16be`.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for an invalid target, value or format.
  public static func exchange(
    _ target: String,
    _ values: String...,
    answer: String? = nil,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let exchanging = Exchanging(
        Write(try WrittenValue(written: values), to: selector),
        answer: try answer.map { try CharacteristicSelector(parsing: $0) },
        format: try ValueFormat(written: format)
      )
      return Step(.exchange(exchanging))
    }
  }

  /// Reads a descriptor: `battery-level/2901`.
  ///
  /// - Throws: ``PlanError`` for an invalid target or format.
  public static func readDescriptor(
    _ target: String,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      return Step(.readDescriptor(selector, format: try ValueFormat(written: format)))
    }
  }

  /// Writes a descriptor.
  ///
  /// - Throws: ``PlanError`` for an invalid target or value.
  public static func writeDescriptor(
    _ target: String,
    _ values: String...,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      return Step(.writeDescriptor(selector, try WrittenValue(written: values)))
    }
  }

  // MARK: Many values

  /// Subscribes, and receives values until a stop condition is met; see also ``until(_:_:file:line:)``.
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `alert-level`, `180f/2a19#1`.
  ///   - trigger: A ``write(_:_:kind:offset:delivery:file:line:)`` that runs once the subscription
  ///     is active.
  ///   - count: Stop after this number of values.
  ///   - duration: Stop after this time. The step then succeeds without values.
  ///   - silence: Stop after this time without a value.
  ///   - format: The format of a value without a specification: `u16be`.
  ///   - options: How the values are delivered and buffered.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: ``PlanError`` for an invalid target or format, and a trigger that does not write.
  public static func notify(
    _ target: String,
    after trigger: Step? = nil,
    count: Int? = nil,
    for duration: Duration? = nil,
    untilSilent silence: Duration? = nil,
    format: String? = nil,
    options: SubscriptionOptions = SubscriptionOptions(),
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      var listening = Listening(
        to: try CharacteristicSelector(parsing: target),
        format: try ValueFormat(written: format),
        count: count,
        duration: duration,
        silence: silence,
        options: options
      )
      if let trigger {
        guard case .write(let write) = trigger.action else {
          throw PlanError(problem: "'\(trigger)' is not a write")
        }
        listening.trigger = write
      }
      return Step(.notify(listening))
    }
  }

  /// Reads at a fixed interval until a stop condition is met.
  ///
  /// - Throws: ``PlanError`` for an invalid target or format.
  public static func poll(
    _ target: String,
    every period: Duration,
    count: Int? = nil,
    for duration: Duration? = nil,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(PlanError) -> Step {
    try PlanError.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let stop = StopConditions(count: count, duration: duration)
      let format = try ValueFormat(written: format)
      return Step(.poll(Polling(selector, every: period, format: format, stop)))
    }
  }

  /// Combines the latest values of several characteristics, whenever one of them changes.
  public static func combine(
    _ inputs: Combining.Input...,
    count: Int? = nil,
    for duration: Duration? = nil
  ) -> Step {
    Step(.combine(Combining(inputs, StopConditions(count: count, duration: duration))))
  }

  // MARK: Steps in steps

  /// Runs steps several times.
  ///
  /// - Parameters:
  ///   - count: How often.
  ///   - index: The name under which the steps use the number of the repetition, from 1.
  ///   - steps: The inner steps.
  public static func repeated(
    _ count: Int,
    index: String? = nil,
    @StepsBuilder _ steps: () throws -> [Step]
  ) rethrows -> Step {
    Step(.repeated(count: count, index: index, try steps()))
  }

  /// Runs steps when a captured value passes a check, and others when it does not.
  ///
  /// - Parameters:
  ///   - path: `reading`, `reading.celsius`.
  ///   - check: What the captured value must be.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  ///   - steps: The steps when it passes.
  ///   - otherwise: The steps when it does not.
  /// - Throws: What `steps` and `otherwise` throw; ``PlanError`` for an invalid path.
  public static func when(
    _ path: String,
    _ check: Check,
    file: String = #fileID,
    line: Int = #line,
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder otherwise: () throws -> [Step] = { [] }
  ) throws -> Step {
    let test = try PlanError.at(file, line) { try Condition.Test(path, check) }
    return Step(.when(Condition([test]), try steps(), otherwise: try otherwise()))
  }

  /// Runs steps, then others, whatever the outcome of the first: failure, cancellation, deadline.
  public static func attempt(
    @StepsBuilder _ steps: () throws -> [Step],
    @StepsBuilder finally last: () throws -> [Step]
  ) rethrows -> Step {
    Step(.tried(try steps(), finally: try last()))
  }
}

extension Condition.Test {
  /// A check of the captured value, or field of one, that a text names.
  init(_ path: String, _ check: Check) throws(PlanError) {
    guard let path = VariablePath(path) else {
      throw PlanError(problem: "'\(path)' is not the name of a captured value")
    }
    self.init(path, check)
  }
}
