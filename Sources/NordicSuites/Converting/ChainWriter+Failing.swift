// Operations that have to fail, as steps that have to.
//
// The verdict of the suite is in Verdict.swift: here are the names of failures that mean the same.

import Bluetooth
import Jobs

extension ChainWriter {
  /// The line for the failure that an operation must end with; none where it must succeed.
  func failing(_ operation: Operation) -> [String] {
    guard operation.expected.result == .failure, let names = Self.failures(operation.expected)
    else { return [] }
    return ["expect: { error: [\(names.joined(separator: ", "))] }"]
  }

  /// Why no step ends as an operation has to; nil when one does.
  func obstacleToResult(of operation: Operation) -> String? {
    let result = operation.expected.result
    guard result == .failure else {
      return result == .success ? nil : "no step is expected to end in \(result.rawValue)"
    }
    guard mayFail(operation) else { return "no step of this kind is expected to fail" }
    guard Self.failures(operation.expected) != nil else {
      return "no expectation has the meaning of error \(operation.expected.errorCode ?? 0)"
    }
    return nil
  }

  /// Whether a step can be expected to fail where the operation is.
  private func mayFail(_ operation: Operation) -> Bool {
    switch operation.action {
    case .connect, .disconnect, .discoverServices, .unbond, .requestMTU: true
    // What is left of the connection is not known otherwise.
    case .bond: link.isUp
    case .readRSSI(let assertion): assertion == nil
    case .read(let path, let assertion), .awaitNotification(let path, _, let assertion):
      // A value that differs is a failure in a suite; a step that must fail compares none.
      assertion == nil && !Self.isHidden(path)
    case .write(let path, _, _): !path.isSubscription && reliable == nil && !Self.isHidden(path)
    // A scan never fails; those that look for a device have a step that expects none.
    case .scan, .sleep, .refresh, .assertService, .sleepWhile, .unsupported: false
    case .beginReliableWrite, .executeReliableWrite, .abortReliableWrite: false
    case .scanFor: true
    }
  }

  /// bluetoothd does not expose Generic Access: in a suite that does not count as a failure.
  private static func isHidden(_ path: AttributePath) -> Bool { path.service == .genericAccess }

  /// What a chain calls the failures that a suite accepts; nil where it has no words for them.
  ///
  /// Failures of the host never count: the two classes are all others.
  private static func failures(_ expected: Expected) -> [String]? {
    guard let code = expected.errorCode else {
      return [FailureClass.passing.rawValue, FailureClass.definite.rawValue]
    }
    let att = { (codes: [UInt8]) in codes.map { ATTErrorCode(rawValue: $0).identifier } }
    switch code {
    case 5, 12, 15: return att([5, 12, 15]) + [DeviceFailure.Code.notPaired.rawValue]
    case 3, 6: return att([UInt8(code)]) + [DeviceFailure.Code.notSupported.rawValue]
    case 8:
      return att([8])
        + [DeviceFailure.Code.notPermitted.rawValue, DeviceFailure.Code.linkLost.rawValue]
    case 13: return att([13]) + [DeviceFailure.Code.invalidValue.rawValue]
    case 19, 22: return att([UInt8(code)]) + [DeviceFailure.Code.linkLost.rawValue]
    // Any failure without a code of its own.
    case 133: return nil
    case 1...255: return att([UInt8(code)])
    default: return nil
    }
  }
}
