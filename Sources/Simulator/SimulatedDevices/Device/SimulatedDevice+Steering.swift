// Changes to a device's values and services by its user, or by a test.
//
// The movement of the device is in SimulatedDevice+Radio.swift.
//
// None of these changes is an operation of a client: faults do not count it, and machines do not
// receive it.

public import Bluetooth
import Signals

extension SimulatedDevice {
  /// The current value of a characteristic; nil if none has this handle. The access does not count
  /// as a read.
  public func value(at valueHandle: UInt16) -> [UInt8]? {
    look { state in
      guard case .value(let index) = state.table.position(of: valueHandle) else { return nil }
      return state.characteristics[index].present(elapsed: state.now - state.start)
    }
  }

  /// Changes the value of a characteristic as the device itself does: stores it, and sends it to
  /// the subscriber.
  ///
  /// A generated value stays fixed at the new one until ``letMove(at:)``.
  ///
  /// - Parameters:
  ///   - value: At most 512 octets.
  ///   - valueHandle: The handle of the characteristic's value.
  /// - Returns: True if a characteristic has this handle.
  @discardableResult
  public func setValue(_ value: [UInt8], at valueHandle: UInt16) -> Bool {
    steer { state in
      guard case .value(let index) = state.table.position(of: valueHandle) else {
        return (false, [])
      }
      state.characteristics[index].fix(at: value)
      return (true, state.notify(index, value))
    }
  }

  /// The response rules that no write has matched so far, in the order of the attributes; empty for
  /// a device without ``DeviceDefinition/unrecorded``.
  ///
  /// ```swift
  /// for response in try world.device("Lock-1").unusedResponses { print(response) }
  /// ```
  public var unusedResponses: [UnusedResponse] {
    let (title, names) = (title, definition.names)
    return look { state in
      guard state.unrecorded != nil else { return [] }
      return state.characteristics.flatMap { one -> [UnusedResponse] in
        guard case .response(let response) = one.definition.behaviour else { return [] }
        let name = names.title(of: one.definition.uuid, .characteristic)
        return response.rules.enumerated().filter { !one.usedRules.contains($0.offset) }.map {
          UnusedResponse(
            device: title, characteristic: name, index: $0.offset + 1, pattern: $0.element.pattern
          )
        }
      }
    }
  }

  /// Lets a fixed value be generated again, at the step it would have reached by now.
  public func letMove(at valueHandle: UInt16) {
    steer { state in
      if case .value(let index) = state.table.position(of: valueHandle) {
        state.characteristics[index].held = nil
      }
      return ((), [])
    }
  }

  /// Sends a Security Request, which asks the host to pair. It has no effect while the device has no
  /// link, or an encrypted one.
  public func requestSecurity() {
    steer { state in ((), state.isLinked ? [state.after(.zero, .requestSecurity)] : []) }
  }

  /// Removes a service of the definition from the device, or restores it.
  ///
  /// Requests for its attributes are refused with Invalid Handle, and it sends no notifications. A
  /// restored service has its earlier values.
  public func withhold(_ service: BluetoothUUID, _ isWithheld: Bool) {
    let ranges = table.services.filter { $0.uuid == service }.map { $0.handle...$0.lastHandle }
    steer { state in
      state.withheld.removeAll { ranges.contains($0) }
      if isWithheld { state.withheld += ranges }
      return ((), [])
    }
  }
}
