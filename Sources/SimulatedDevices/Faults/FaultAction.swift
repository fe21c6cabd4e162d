// What goes wrong with an operation.

public import Bluetooth

/// What a device, or the air, does to an operation instead of what it should.
public enum FaultAction: Sendable, Hashable {
  /// Nothing goes wrong.
  case none
  /// The attribute operation is refused with this code.
  case refuse(ATTErrorCode)
  /// The link is lost before the operation has had any effect.
  case loseLinkBefore
  /// The operation takes effect, and the link is lost before its answer.
  case loseLinkAfter
  /// No answer comes.
  case neverAnswer
  /// The connection is refused.
  case refuseConnection
  /// The device is gone: link lost, no more advertisements, no connection.
  case vanish
  /// The operation takes this much longer.
  case slow(Duration)
  /// The operation takes effect as ever, and its answer comes this much later.
  case answerLate(Duration)
  /// A write has no effect, and is answered as if it had.
  case loseWrite

  /// Whether this can happen to an operation: only attribute operations and discovery can be
  /// refused with a code, only a connection can be refused as such.
  public func applies(to kind: FaultKind) -> Bool {
    switch self {
    case .none: true
    // What nobody answers can only be lost.
    case .loseWrite: [.write, .command, .any].contains(kind)
    case _ where kind == .command: false
    case .refuse: kind.hasCharacteristic || kind == .discover || kind == .any
    case .refuseConnection: kind == .connect
    case .answerLate: kind.hasCharacteristic || kind == .any
    case .loseLinkBefore, .loseLinkAfter, .neverAnswer, .vanish, .slow: true
    }
  }
}
