// Calls of bluetoothd to a program that registered an application or an advertisement.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

struct ProgramCalls: Sendable {
  /// The limit for the reply to a central's request.
  ///
  /// - Source: recorded from bluetoothd 5.66; `src/shared/gatt-db.c` (ATTRIBUTE_TIMEOUT).
  static let answerLimit = Duration.seconds(5)
  /// The limit for listing objects: the default of libdbus.
  static let listingLimit = Duration.seconds(25)

  let host: Host

  /// Calls a method without expecting a reply, after sending pending announcements.
  func send<Input, Output>(
    _ method: Method<Input, Output>, _ input: Input, on path: ObjectPath, of client: String
  ) {
    host.server.flush()
    host.bus.send(method, input, on: path, of: client)
  }

  /// Calls a method, and calls `done` on the loop with the reply; nil on a timeout.
  func ask<Input, Output>(
    _ method: Method<Input, Output>, _ input: Input, on path: ObjectPath, of client: String,
    limit: Duration = answerLimit,
    _ done: @escaping @Sendable (Result<Message, DBusError>?) -> Void
  ) {
    guard let call = try? MethodCall(method, input, on: path, of: client) else { return done(nil) }
    _ = host.loop.task { [host] in
      host.server.flush()
      do {
        done(.success(try await host.bus.call(call, limit: limit)))
      } catch let error as DBusError {
        done(.failure(error))
      } catch {
        done(nil)
      }
    }
  }

  /// Calls `done` on the loop with the objects that a program lists; empty without a reply.
  func list(
    _ root: ObjectPath, of client: String, _ done: @escaping @Sendable ([ListedObject]) -> Void
  ) {
    let method = StandardInterface.getManagedObjects
    ask(method, (), on: root, of: client, limit: Self.listingLimit) { reply in
      done((try? reply?.get()).map { ListedObject.all(in: $0) } ?? [])
    }
  }
}

extension ATTErrorCode {
  /// Converts an error of a program, or a missing reply, as bluetoothd does.
  ///
  /// - Parameter permission: The code of NotPermitted.
  /// - Source: BlueZ 5.66, `src/gatt-database.c` (dbus_error_to_att_ecode); recorded from it.
  init(of error: DBusError?, permission: ATTErrorCode) {
    switch error?.name.rawValue {
    case BlueZErrorName.failed?: self = Self.application(error?.message ?? "")
    case BlueZErrorName.notSupported?: self = .requestNotSupported
    case BlueZErrorName.notAuthorized?: self = .insufficientAuthorization
    case BlueZErrorName.invalidValueLength?: self = .invalidAttributeValueLength
    case BlueZErrorName.invalidOffset?: self = .invalidOffset
    case BlueZErrorName.inProgress?: self = .procedureAlreadyInProgress
    case BlueZErrorName.notPermitted?: self = permission
    // open: names of errors
    default: self = .unlikelyError
    }
  }

  /// Parses the text of a failure as an application error code, in C notation.
  private static func application(_ text: String) -> ATTErrorCode {
    let digits = text.lowercased()
    let number =
      if digits.isEmpty {
        0
      } else if digits.hasPrefix("0x") {
        Int(digits.dropFirst(2), radix: 16)
      } else if digits.hasPrefix("0") {
        Int(digits, radix: 8)
      } else {
        Int(digits)
      }
    guard let number else { return ATTErrorCode(rawValue: 0x80) }
    return (0x80...0x9f).contains(number) ? ATTErrorCode(rawValue: UInt8(number)) : .unlikelyError
  }
}
