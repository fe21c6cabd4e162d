// `disconnect`: disconnects the device.
//
// A chain disconnects implicitly at its end, unless other programs use the connection.

import Bluetooth
import Signals

struct DisconnectStep: StepKind {
  static let verb = "disconnect"
  static let synonyms = ["close"]
  static let documentation = "disconnects; a chain does so by itself at its end"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let endsLink = true
  static let keys: [Key<Self>] = []

  var action: Step.Action { .disconnect }
  var participle: String { "disconnecting" }
  var privilege: String? { nil }

  func participle(with device: String) -> String { "\(participle) from \(device)" }

  func run(_ run: StepRun) async throws {
    // An explicit step disconnects even if other programs use the connection; the implicit one does
    // not.
    let ending =
      run.placed.isImplied ? run.service.endAllUses() : run.service.disconnect().map { false }
    let disconnecting = ending.map { isLeft in
      run.chain.disconnected()
      return isLeft
    }
    run.outcome = try await run.limited(disconnecting) ? .left : nil
  }
}

extension Step {
  /// Disconnects the device; a chain does so implicitly at its end.
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
}
