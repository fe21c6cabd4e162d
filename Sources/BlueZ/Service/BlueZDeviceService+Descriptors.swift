// Reading and writing descriptors.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  public func readDescriptor(_ selector: DescriptorSelector) -> Signal<[UInt8]> {
    descriptorOperation(.read, "reading", selector) { [self] in
      let (view, calls) = try descriptor(selector)
      let reply = try await calls.call(
        .bluez(view.path, GattDescriptor1.readValue, [:])
      )
      return try CharacteristicChannel.checked(reply.output(of: GattDescriptor1.readValue))
    }
  }

  public func writeDescriptor(
    _ value: [UInt8],
    to selector: DescriptorSelector
  ) -> Signal<Void> {
    descriptorOperation(.write, "writing", selector) { [self] in
      guard value.count <= GattCharacteristic1.longestValue else {
        throw Problem.tooLong(octets: value.count)
      }
      let (view, calls) = try descriptor(selector)
      guard view.uuid != .clientCharacteristicConfiguration else {
        throw Problem.configurationWrite(view.characteristic)
      }
      _ = try await calls.call(
        .bluez(view.path, GattDescriptor1.writeValue, (value, [:]))
      )
    }
  }

  private func descriptorOperation<Value: Sendable>(
    _ call: ErrorSituation.Call,
    _ verb: String,
    _ selector: DescriptorSelector,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Signal<Value> {
    operation(call, "\(verb) \(selector)", attribute: selector.description, body)
  }

  private func descriptor(
    _ selector: DescriptorSelector
  ) throws -> (DescriptorView, AttributeCalls) {
    let device = try linkedDevice()
    let view = try client.look { try selector.resolved(in: $0, of: device) }
    return (view, link(to: device).calls)
  }
}

extension Problem {
  /// - Source: BlueZ, `src/gatt-client.c` (descriptor_write_value).
  static func configurationWrite(_ characteristic: CharacteristicView) -> Problem {
    permanent(
      .notPermitted,
      "bluetoothd manages the Client Characteristic Configuration, and rejects writes to it",
      hint: "subscribe (\(.subscribe)): that writes it, for notifications or indications as the "
        + "characteristic offers"
    )
  }
}
