// A device whose attributes are those of a program, which answers when it likes.
//
// How the program is reached is not here. Logic, which answers at once, is in SimulatedDevice+Logic.swift.

public import Bluetooth
import Signals

/// What answers for attributes of a device.
///
/// It is asked on the loop about requests that the properties and the security of an attribute allow,
/// and answers on the loop: each answer is expected once.
public struct DeviceProgram: Sendable {
  /// Receives the answer to a request.
  public typealias Answer<Value: Sendable> = @Sendable (Result<Value, ATTErrorCode>) -> Void

  /// Whether the attribute at a handle is the program's; the device answers for others.
  public var serves: @Sendable (_ handle: UInt16) -> Bool
  /// A read of a value or a descriptor. The answer is the value from the offset on.
  public var read: @Sendable (_ handle: UInt16, _ offset: Int, @escaping Answer<[UInt8]>) -> Void
  /// A write of a value or a descriptor.
  public var write:
    @Sendable (_ handle: UInt16, [UInt8], _ offset: Int, @escaping Answer<Void>) -> Void
  /// A central has subscribed to the value at a handle, or has ended its subscription.
  public var subscription: @Sendable (_ handle: UInt16, _ isSubscribed: Bool) -> Void
  /// The central has confirmed an indication of the value at a handle.
  public var confirmed: @Sendable (_ handle: UInt16) -> Void

  /// What answers; see the properties.
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
  /// Has a program answer for attributes from now on.
  public func setProgram(_ program: DeviceProgram) {
    loop.performAndWait { [self] in self.program.contents = program }
  }

  /// Reads a value or a descriptor, and calls `done` with the value from the offset on.
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

  /// Writes a value or a descriptor, and calls `done` with the answer.
  ///
  /// - Parameters:
  ///   - offset: The first octet that is written.
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

  /// The program that answers for an attribute. The device keeps configurations itself.
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

  /// The handles of the values that a central is subscribed to.
  var subscriptions: [UInt16] {
    look { state in state.characteristics.filter { $0.mode != nil }.map(\.handle) }
  }

  /// A central confirms indications at once.
  func confirm(_ handle: UInt16) {
    guard let program = program(serving: handle) else { return }
    let isIndicated = look { state in
      state.characteristics.contains { $0.handle == handle && $0.mode == .indication }
    }
    if isIndicated { program.confirmed(handle) }
  }
}
