// Values and services changed at the device: by its user, or by a test.
//
// Its movement is in SimulatedDevice+Radio.swift.
//
// Nothing here is an operation of a client: no fault counts it, and no machine receives it.

public import Bluetooth
import Signals

extension SimulatedDevice {
  /// The value of a characteristic now, without its being read; nil: none has this handle.
  public func value(at valueHandle: UInt16) -> [UInt8]? {
    look { state in
      guard case .value(let index) = state.table.position(of: valueHandle) else { return nil }
      return state.characteristics[index].present(elapsed: state.now - state.start)
    }
  }

  /// Changes the value of a characteristic as the device itself does: it is kept, and sent to a
  /// subscriber.
  ///
  /// A value that moves by itself stands still at the new one until ``letMove(at:)``.
  ///
  /// - Parameters:
  ///   - value: At most 512 octets.
  ///   - valueHandle: The handle of the characteristic's value.
  /// - Returns: Whether a characteristic has this handle.
  @discardableResult
  public func setValue(_ value: [UInt8], at valueHandle: UInt16) -> Bool {
    steer { state in
      guard case .value(let index) = state.table.position(of: valueHandle) else {
        return (false, [])
      }
      state.characteristics[index].hold(value)
      return (true, state.notify(index, value))
    }
  }

  /// The rules of its responses that no write has matched so far, in the order of its attributes; none
  /// of a device without ``DeviceDefinition/unrecorded``.
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

  /// Has a value move by itself again, where it would be without having stood still.
  public func letMove(at valueHandle: UInt16) {
    steer { state in
      if case .value(let index) = state.table.position(of: valueHandle) {
        state.characteristics[index].held = nil
      }
      return ((), [])
    }
  }

  /// Removes a service of the definition from the device, or brings it back.
  ///
  /// Requests for its attributes are refused with Invalid Handle, and it sends no notifications.
  /// Its values are unchanged when it comes back.
  public func withhold(_ service: BluetoothUUID, _ isWithheld: Bool) {
    let ranges = table.services.filter { $0.uuid == service }.map { $0.handle...$0.lastHandle }
    steer { state in
      state.withheld.removeAll { ranges.contains($0) }
      if isWithheld { state.withheld += ranges }
      return ((), [])
    }
  }
}
