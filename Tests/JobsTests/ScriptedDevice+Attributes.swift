// The attributes of the scripted device.

import Bluetooth
import Signals

extension ScriptedDevice {
  func mtu() -> Signal<Int> {
    Signal(home: scheduler) { [self] sink in
      let answer = try await answered("mtu")
      try await sink(answer.isEmpty ? 517 : Int(answer[0]))
    }
  }

  /// The first octet of the answer is the interval in ms, the second the latency, the third the
  /// timeout in 10 ms.
  func connectionParameters() -> Signal<ConnectionParameters> {
    Signal(home: scheduler) { [self] sink in
      let answer = try await answered("connection-parameters") + [30, 0, 42]
      try await sink(
        ConnectionParameters(
          interval: .milliseconds(Int(answer[0])),
          latency: Int(answer[1]),
          supervisionTimeout: .milliseconds(Int(answer[2]) * 10)
        )
      )
    }
  }

  func read(_ characteristic: CharacteristicSelector, offset: Int) -> Signal<[UInt8]> {
    Signal(home: scheduler) { [self] sink in
      let note = "read \(characteristic)" + (offset == 0 ? "" : " from \(offset)")
      try await sink(try await answered("read \(characteristic)", note: note))
    }
  }

  func write(
    _ value: [UInt8],
    to characteristic: CharacteristicSelector,
    kind: WriteKind,
    offset: Int
  ) -> Signal<Void> {
    guard offset > 0 else { return write(value, to: characteristic, kind: kind) }
    let hex = DecodedValue.octets(value).description
    return operation(
      "write \(characteristic)",
      note: "write \(characteristic) \(hex) from \(offset)"
    )
  }

  func readDescriptor(_ descriptor: DescriptorSelector) -> Signal<[UInt8]> {
    Signal(home: scheduler) { [self] sink in
      try await sink(try await answered("read-descriptor \(descriptor)"))
    }
  }

  func writeDescriptor(_ value: [UInt8], to descriptor: DescriptorSelector) -> Signal<Void> {
    let hex = DecodedValue.octets(value).description
    return operation(
      "write-descriptor \(descriptor)",
      note: "write-descriptor \(descriptor) \(hex)"
    )
  }

  func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    var note = "subscribe \(characteristic)"
    if options.delivery != .signals { note += " \(options.delivery.rawValue)" }
    if options.onLinkLoss != .fail { note += " \(options.onLinkLoss.rawValue)" }
    if options.overflow != .error { note += " \(options.overflow.rawValue) \(options.buffer)" }
    return subscribe(characteristic, note: note)
  }

  func acquireWriter(_ characteristic: CharacteristicSelector) -> Signal<any CommandWriter> {
    .never()
  }
}
