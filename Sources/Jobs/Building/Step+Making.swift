// Steps in Swift: one function for each kind, with its name in a chain file.
//
// Functions that can fail take the position of their call, which their error carries.

public import Bluetooth
public import Documents

extension Step {
  /// Connects; a chain does so implicitly before its first step.
  ///
  /// Needed only for another moment: after a scan, or again after ``disconnect``.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.scan(for: .seconds(5))
  ///   Step.connect
  ///   try Step.read("battery-level")
  /// }
  /// ```
  public static var connect: Step { Step(.connect) }
  /// Disconnects; a chain does so implicitly at its end.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.write("alert-level", "u8:1")
  ///   Step.disconnect
  ///   Step.sleep(.seconds(60))
  ///   Step.connect
  ///   try Step.read("battery-level")
  /// }
  /// ```
  public static var disconnect: Step { Step(.disconnect) }
  /// Measures the RSSI of the connection.
  ///
  /// In dBm: the fields are `rssi` and, where the controller reports it, `txPower`.
  ///
  /// ```swift
  /// try Step.rssi.expect("rssi", .atLeast(-80))
  /// ```
  public static var rssi: Step { Step(.rssi) }
  /// Reads the ATT MTU.
  ///
  /// In bytes; a notification carries three less.
  ///
  /// ```swift
  /// try Step.mtu.expect("value", .atLeast(185))
  /// ```
  public static var mtu: Step { Step(.mtu) }
  /// Reads interval, latency and supervision timeout of the connection.
  ///
  /// The fields are `interval` in ms, `latency` in connection events, and `supervisionTimeout` in
  /// ms. Fails with `timing-unknown` when nobody observed them.
  ///
  /// ```swift
  /// try Step.connectionParameters.expect("interval", .atMost(50))
  /// ```
  public static var connectionParameters: Step { Step(.connectionParameters) }
  /// Lists what the device offers.
  ///
  /// ```swift
  /// let chain = try Plan { Step.services.named("what the device offers") }
  /// ```
  public static var services: Step { Step(.services) }
  /// Forgets the device and its bond.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.unpair
  ///   Step.pair(PairingRule(secret: SecretReference(.environment("PASSKEY"))))
  /// }
  /// ```
  public static var unpair: Step { Step(.unpair) }

  /// Pairs with the answers of `rule`.
  ///
  /// Without arguments, Just Works is accepted, and the user is asked the rest.
  ///
  /// ```swift
  /// Step.pair(PairingRule(secret: SecretReference(.environment("PASSKEY")))).within(.seconds(60))
  /// ```
  public static func pair(_ rule: PairingRule = PairingRule()) -> Step { Step(.pair(rule)) }

  /// Marks the device as trusted, or not.
  ///
  /// The Trusted property of bluetoothd: it accepts connections that a trusted device makes by
  /// itself.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.pair()
  ///   Step.trust()
  /// }
  /// ```
  ///
  /// - Source: BlueZ 5.66, `doc/device-api.txt` (Trusted).
  public static func trust(_ isTrusted: Bool = true) -> Step { Step(.trust(isTrusted)) }

  /// Waits.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.write("alert-level", "u8:1")
  ///   Step.sleep(.milliseconds(500))
  ///   try Step.write("alert-level", "u8:0")
  /// }
  /// ```
  public static func sleep(_ duration: Duration) -> Step { Step(.sleep(duration)) }

  /// Logs a text, with captured values in braces.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.log("charge it: {battery.percent} percent")
  /// }
  /// ```
  ///
  /// - Throws: `Problem` for a brace that is not closed.
  public static func log(
    _ text: String,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      guard let template = MessageTemplate(text) else {
        throw Problem("'\(text)' is not \(MessageTemplate.shape)")
      }
      return Step(.log(template))
    }
  }

  /// Scans for nearby devices.
  ///
  /// Needs no connection. Finding nothing is not a failure, unless the step expects a `count`.
  ///
  /// ```swift
  /// try Step.scan(for: .seconds(10), ScanFilter(name: "Soil-*")).expect("count", .atLeast(3))
  /// ```
  public static func scan(for duration: Duration, _ filter: ScanFilter = ScanFilter()) -> Step {
    Step(.scan(Scanning(for: duration, filter: filter)))
  }

  // MARK: Values

  /// Reads a characteristic.
  ///
  /// ```swift
  /// try Step.read("3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77", format: "u16")
  ///   .captured(as: "moisture").expect("value", .between(1000, 6000))
  /// ```
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `battery-level`, `180f/2a19#1`.
  ///   - offset: The first octet to read.
  ///   - format: The format of a value without a specification: `u16be`.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: `Problem` for an invalid target or format.
  public static func read(
    _ target: String,
    offset: Int = 0,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let format = try ValueFormat(written: format)
      return Step(.read(selector, offset: offset, format: format))
    }
  }

  /// Writes a characteristic.
  ///
  /// ```swift
  /// try Step.write("alert-level", "u8:1")
  /// try Step.write("6e400002-b5a3-f393-e0a9-e50e24dcca9e", "hex:01", "utf8:on", kind: .request)
  /// ```
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `alert-level`, `180f/2a19#1`.
  ///   - values: As in the one-line form: `u8:1`, `utf8:two words`, `u8:{level.percent}`.
  ///   - kind: Whether the device responds.
  ///   - offset: The first byte to write.
  ///   - delivery: How the value reaches bluetoothd.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: `Problem` for an invalid target or value.
  public static func write(
    _ target: String,
    _ values: String...,
    kind: WriteKind = .automatic,
    offset: Int = 0,
    delivery: Write.Delivery = .call,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let write = Write(
        try WrittenValue(written: values),
        to: try CharacteristicSelector(parsing: target),
        kind: kind,
        offset: offset,
        delivery: delivery
      )
      if let complaint = write.contradiction { throw complaint }
      return Step(.write(write))
    }
  }

  /// Writes, and waits for the notification that answers; ``answered(_:_:file:line:)`` selects it.
  ///
  /// ```swift
  /// try Step.exchange("record-access-control-point", "hex:0401").answered("hex", .like("05*"))
  /// ```
  ///
  /// - Parameters:
  ///   - target: As in a chain file: `alert-level`, `180f/2a19#1`.
  ///   - values: As in the one-line form: `u8:1`, `utf8:two words`.
  ///   - answer: The characteristic that answers; nil for the one that is written.
  ///   - format: The format of a value without a specification: `u16be`.
  ///   - file: The file of the call, for errors.
  ///   - line: The line of the call, for errors.
  /// - Throws: `Problem` for an invalid target, value or format.
  public static func exchange(
    _ target: String,
    _ values: String...,
    answer: String? = nil,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
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
  /// ```swift
  /// try Step.readDescriptor("battery-level/2901").captured(as: "description")
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or format.
  public static func readDescriptor(
    _ target: String,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      return Step(.readDescriptor(selector, format: try ValueFormat(written: format)))
    }
  }

  /// Writes a descriptor.
  ///
  /// With a write request. bluetoothd writes the Client Characteristic Configuration itself:
  /// `notify` subscribes.
  ///
  /// ```swift
  /// try Step.writeDescriptor("temperature-measurement/2906", "u16:5", "u16:60")
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or value.
  public static func writeDescriptor(
    _ target: String,
    _ values: String...,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try DescriptorSelector(parsing: target)
      return Step(.writeDescriptor(selector, try WrittenValue(written: values)))
    }
  }

  // MARK: Many values

  /// Subscribes, and receives values until a stop condition is met; see also ``until(_:_:file:line:)``.
  ///
  /// A plan refuses a step without any stop condition.
  ///
  /// ```swift
  /// try Step.notify("heart-rate-measurement", count: 10).expect("bpm", .between(40, 200))
  /// try Step.notify(
  ///   "glucose-measurement", after: Step.write("record-access-control-point", "hex:0101"),
  ///   untilSilent: .seconds(2))
  /// ```
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
  /// - Throws: `Problem` for an invalid target or format, and a trigger that does not write.
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
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
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
          throw Problem("'\(trigger)' is not a write")
        }
        listening.trigger = write
      }
      return Step(.notify(listening))
    }
  }

  /// Reads at a fixed interval until a stop condition is met.
  ///
  /// ```swift
  /// try Step.poll("battery-level", every: .seconds(10), for: .seconds(600))
  ///   .expect("percent", .atLeast(20))
  /// ```
  ///
  /// - Throws: `Problem` for an invalid target or format.
  public static func poll(
    _ target: String,
    every period: Duration,
    count: Int? = nil,
    for duration: Duration? = nil,
    format: String? = nil,
    file: String = #fileID,
    line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      let selector = try CharacteristicSelector(parsing: target)
      let stop = StopConditions(count: count, duration: duration)
      let format = try ValueFormat(written: format)
      return Step(.poll(Polling(selector, every: period, format: format, stop)))
    }
  }

  /// Combines the latest values of several characteristics, whenever one of them changes.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.combine(
  ///     Combining.Input("heart", .notify, "heart-rate-measurement"),
  ///     Combining.Input("battery", .poll(every: .seconds(10)), "battery-level"),
  ///     count: 20)
  /// }
  /// ```
  public static func combine(
    _ inputs: Combining.Input...,
    count: Int? = nil,
    for duration: Duration? = nil
  ) -> Step {
    Step(.combine(Combining(inputs, StopConditions(count: count, duration: duration))))
  }
}
