// Devices whose attributes are served by a program, which may answer later.
//
// Reaching the program is up to the caller. Logic, which answers at once, is in
// SimulatedDevice+Logic.swift.

public import Bluetooth
import Signals

/// A program that serves attributes of a device.
///
/// It is called on the loop, for requests that the attribute's properties and security allow. It
/// must answer each one exactly once, on the loop.
public struct DeviceProgram: Sendable {
  /// Receives the result of a request.
  public typealias Answer<Value: Sendable> = @Sendable (Result<Value, ATTErrorCode>) -> Void

  /// True if the program serves the attribute at a handle; the device serves the others.
  public var serves: @Sendable (_ handle: UInt16) -> Bool
  /// Reads a value or a descriptor. The result begins at the offset.
  public var read: @Sendable (_ handle: UInt16, _ offset: Int, @escaping Answer<[UInt8]>) -> Void
  /// Writes a value or a descriptor.
  public var write:
    @Sendable (_ handle: UInt16, [UInt8], _ offset: Int, @escaping Answer<Void>) -> Void
  /// Called when a central has subscribed to, or unsubscribed from, the value at a handle.
  public var subscription: @Sendable (_ handle: UInt16, _ isSubscribed: Bool) -> Void
  /// Called when the central has confirmed an indication of the value at a handle.
  public var confirmed: @Sendable (_ handle: UInt16) -> Void

  /// Creates a program; see the properties.
  public init(
    serves: @escaping @Sendable (_ handle: UInt16) -> Bool,
    read: @escaping @Sendable (_ handle: UInt16, _ offset: Int, @escaping Answer<[UInt8]>) -> Void,
    write:
      @escaping @Sendable (_ handle: UInt16, [UInt8], _ offset: Int, @escaping Answer<Void>) -> Void,
    subscription: @escaping @Sendable (_ handle: UInt16, _ isSubscribed: Bool) -> Void,
    confirmed: @escaping @Sendable (_ handle: UInt16) -> Void
  ) {
    self.serves = serves
    self.read = read
    self.write = write
    self.subscription = subscription
    self.confirmed = confirmed
  }
}

extension SimulatedDevice {
  /// Sets the program that serves attributes from now on.
  public func setProgram(_ program: DeviceProgram) {
    loop.performAndWait { [self] in self.program.contents = program }
  }

  /// Reads a value or a descriptor, and calls `done` with the value from the offset.
  public func read(
    _ handle: UInt16, from offset: Int, _ done: @escaping DeviceProgram.Answer<[UInt8]>
  ) {
    loop.performAndWait { [self] in
      guard let program = program(serving: handle) else {
        return done(
          read(handle, from: offset).flatMap { value in
            offset <= value.count
              ? .success(Array(value.dropFirst(offset))) : .failure(.invalidOffset)
          }
        )
      }
      if let error = look({ $0.refusal(ofReading: handle) }) { return done(.failure(error)) }
      program.read(handle, offset, done)
    }
  }

  /// Writes a value or a descriptor, and calls `done` with the result.
  ///
  /// - Parameters:
  /// - offset: The offset of the first written octet.
  ///   - withResponse: Whether this is a Write Request.
  public func write(
    _ handle: UInt16, _ value: [UInt8], at offset: Int = 0, withResponse: Bool,
    _ done: @escaping DeviceProgram.Answer<Void>
  ) {
    loop.performAndWait { [self] in
      guard let program = program(serving: handle) else {
        return done(write(handle, value, at: offset, withResponse: withResponse))
      }
      let error = look { $0.refusal(ofWriting: handle, withResponse: withResponse) }
      if let error { return done(.failure(error)) }
      program.write(handle, value, offset, done)
    }
  }

  /// The program that serves an attribute. Configurations stay with the device.
  private func program(serving handle: UInt16) -> DeviceProgram? {
    guard let program = program.contents, program.serves(handle),
      table.descriptor(at: handle)?.uuid != .clientCharacteristicConfiguration
    else { return nil }
    return program
  }

  func tellProgram(_ handle: UInt16, isSubscribed: Bool) {
    guard let program = program(serving: handle) else { return }
    program.subscription(handle, isSubscribed)
  }

  /// The handles of the subscribed values.
  var subscriptions: [UInt16] {
    look { state in state.characteristics.filter { $0.mode != nil }.map(\.handle) }
  }

  /// Confirms an indication; a central does so at once.
  func confirm(_ handle: UInt16) {
    guard let program = program(serving: handle) else { return }
    let isIndicated = look { state in
      state.characteristics.contains { $0.handle == handle && $0.mode == .indication }
    }
    if isIndicated { program.confirmed(handle) }
  }
}
