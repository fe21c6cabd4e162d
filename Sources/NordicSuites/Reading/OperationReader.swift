// The operations of a test: which element is which, and what all have in common.
//
// What each kind takes is in OperationReader+Kinds.swift and beside it.

import Bluetooth
import Documents

/// Reads the operations of one test, collecting complaints.
struct OperationReader {
  private let variables: Variables
  private let isUnused: Bool
  /// The targets of the suite.
  let targets: [String]
  private let limit: Int
  let complaints: Complaints

  init(
    _ variables: Variables,
    isUnused: Bool = false,
    targets: [String],
    limit: Int,
    complaints: Complaints
  ) {
    self.variables = variables
    self.isUnused = isUnused
    self.targets = targets
    self.limit = limit
    self.complaints = complaints
  }

  /// The elements that may stand in a test.
  static let names =
    [
      "scan", "scan-for", "connect", "discover-services", "refresh", "disconnect", "bond",
      "unbond", "assert-service", "read", "read-descriptor", "write", "write-descriptor",
      "begin-reliable-write", "execute-reliable-write", "abort-reliable-write",
      "assert-notification", "read-rssi", "request-mtu", "sleep", "sleep-if", "sleep-until",
    ] + unsupportedNames

  /// The elements that may stand in a macro.
  static let macroNames =
    names + ["assert-server-service", "wait-for-notification", "wait-for-indication"]
    + serverNames + ["wait-for-phy-update", "unlock-eddystone"]

  func operations(_ elements: [Element], isMacro: Bool = false) -> [Operation] {
    let known = isMacro ? Self.macroNames : Self.names
    // An element of another name has been complained of.
    return elements.filter { known.contains($0.name) }.compactMap {
      operation($0, isMacro: isMacro)
    }
  }

  /// An element with what every operation has.
  func operation(_ element: Element, isMacro: Bool = false) -> Operation? {
    var reader = reader(element)
    let title = reader.text("description")
    var target: String?
    var expected = Expected()
    var timeout: Duration?
    if !isMacro || element.name == "sleep" || element.name.hasPrefix("sleep-") {
      timeout = element.name == "dfu" ? nil : reader.duration("timeout")
    }
    if !isMacro {
      target = targetAttribute("target", &reader)
      if element.name != "sleep" { expected = self.expected(&reader) }
    }
    if isMacro, Self.endless.contains(element.name), timeout == nil { timeout = .zero }
    let action = action(&reader, isMacro: isMacro)
    guard let action else { return nil }
    return Operation(
      name: element.name,
      title: title ?? element.name,
      place: element.place,
      target: target,
      timeout: timeout,
      expected: expected,
      action: action
    )
  }

  /// What a macro waits for without end.
  private static let endless = [
    "wait-for-notification", "wait-for-indication", "sleep-if", "sleep-until",
  ]

  func reader(_ element: Element) -> ElementReader {
    ElementReader(element, variables, isUnused: isUnused, limit: limit, complaints: complaints)
  }

  /// The identifier of a target, which must be there.
  func targetAttribute(_ name: String, _ reader: inout ElementReader) -> String? {
    guard let target = reader.text(name) else { return nil }
    if !targets.contains(target) { reader.complainOfWord(name, target, among: targets) }
    return target
  }

  private func expected(_ reader: inout ElementReader) -> Expected {
    let result: ExpectedResult? = reader.choice("expected")
    let code = reader.optional("expectedErrorCode", expected: "a number from 0 to 65535") {
      ElementReader.number($0, in: 0...65_535)
    }
    let expected = Expected(result ?? .success, errorCode: code)
    if code != nil, result?.isFailure != true {
      reader.complain(
        "expectedErrorCode",
        "an error is expected here, and no failure",
        expected: "expected=\"FAIL\" beside it"
      )
    }
    return expected
  }
}
