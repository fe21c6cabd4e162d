// Reads the operations of a test: their kinds, and the attributes that all have in common.
//
// The attributes of each kind are in OperationReader+Kinds.swift and beside it.

import Bluetooth
import Documents

/// Reads the operations of one test, collecting complaints.
struct OperationReader {
  let context: ReadingContext
  /// Whether the operations are those of a macro.
  let isMacro: Bool
  /// The targets of the suite.
  let targets: [String]

  func operations(_ elements: [Element]) -> [Operation] {
    let known = isMacro ? OperationKind.names.ofMacros : OperationKind.names.ofTests
    // Complaints about other elements exist already.
    return elements.filter { known.contains($0.name) }.compactMap { operation($0) }
  }

  /// Reads one operation; nil when a part of it is wrong.
  func operation(_ element: Element) -> Operation? {
    guard let kind = OperationKind.named(element.name) else { return nil }
    let name = kind.name
    var reader = reader(element)
    let title = reader.text("description")
    var target: String?
    var expected = (result: ExpectedResult.success, code: Int?.none)
    var timeout: Duration?
    let isSleep = ["sleep", "sleep-if", "sleep-until"].contains(name)
    if !isMacro || isSleep { timeout = name == "dfu" ? nil : reader.duration("timeout") }
    if !isMacro {
      target = reader.word("target", among: targets)
      if name != "sleep" { expected = self.expected(&reader) }
    }
    if isMacro, Self.endless.contains(name), timeout == nil { timeout = .zero }
    guard let action = kind.read(self, &reader) else { return nil }
    return Operation(
      name: name, title: title ?? name, place: element.place, target: target, timeout: timeout,
      expected: expected.result, errorCode: expected.code, action: action
    )
  }

  /// The waits of macros, which have no timeout.
  private static let endless = [
    "wait-for-notification", "wait-for-indication", "sleep-if", "sleep-until",
  ]

  func reader(_ element: Element) -> ElementReader { ElementReader(element, context) }

  private func expected(_ reader: inout ElementReader) -> (result: ExpectedResult, code: Int?) {
    let result: ExpectedResult? = reader.choice("expected")
    let code = reader.optional("expectedErrorCode", expected: "a number from 0 to 65535") {
      ElementReader.number($0, in: 0...65_535)
    }
    if code != nil, result?.isFailure != true {
      reader.complain(
        "expectedErrorCode", "an error code needs an expected failure",
        expected: "expected=\"FAIL\" beside it"
      )
    }
    return (result ?? .success, code)
  }
}
