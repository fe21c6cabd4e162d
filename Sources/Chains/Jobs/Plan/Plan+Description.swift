// The text of a plan that `--dry-run` prints.
//
// It is for readers only; it cannot be parsed back into a plan.

import Bluetooth
import Documents
import RunEvents

extension Plan: CustomStringConvertible {
  /// The complete plan in a canonical form: a head, then a line for each step with its position.
  ///
  /// Equal plans have equal descriptions, whether they come from a file, one line or Swift.
  ///
  /// ```swift
  /// print(try Plan(file: "soil.yaml"))  // what --dry-run prints
  /// ```
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of ``description``, with control characters escaped.
  public var lines: [String] { written.map(\.printable) }

  private var written: [String] {
    let body = body
    return head + legend(of: body) + [""] + body
  }

  /// One line with the UUID of each custom name that appears in the text.
  private func legend(of body: [String]) -> [String] {
    let given = names.entries
    guard !given.isEmpty else { return [] }
    var words: Set<Substring> = []
    for line in head + body {
      words.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    }
    return given.filter { words.contains($0.name[...]) && names.given($0.uuid) == $0.name }
      .sorted { $0.name < $1.name }
      .map { "name      \($0.name) = \($0.uuid)" }
  }

  private var head: [String] {
    var lines = ["chain     \(name ?? "(no name)")"]
    lines.append("device    \(device.map { "\($0)" } ?? "(not named)")")
    lines.append("timeout   \(timeout.written) a step")
    if retry.attempts > 1 {
      let wait = retry.backoff.written
      lines.append("retry     \(retry.attempts) attempts, \(wait) before the second")
    }
    if let pairing {
      lines.append("pairing   \(pairing.description.isEmpty ? "just works" : "\(pairing)")")
    }
    let services = expectedServices.map(\.description)
    if !services.isEmpty { lines.append("services  \(services.joined(separator: ", "))") }
    return lines + firmware.map { "image     \($0)" } + link.lines
  }

  private var body: [String] {
    var lines: [String] = []
    for placed in placedSteps {
      lines +=
        placed.isImplied
        ? [Self.line("", "connect", depth: 0)] : Self.lines(of: [placed], depth: 0)
    }
    if disconnectsLast { lines.append(Self.line("", "disconnect", depth: 0)) }
    return lines
  }

  /// Whether the chain disconnects implicitly at its end.
  private var disconnectsLast: Bool {
    let isEnded = steps.last.map { type(of: $0.kind).endsLink } ?? false
    return !onlyScans && !isEnded && !link.isKept
  }

  private static func lines(of steps: [PlacedStep], depth: Int) -> [String] {
    steps.flatMap { placed in
      [line("\(placed.position)", placed.step.description, depth: depth)]
        + placed.step.kind.blocks.flatMap { block -> [String] in
          let head = block.role.word.map { [line("", $0, depth: depth)] } ?? []
          return (block.steps.isEmpty ? [] : head)
            + lines(of: placed.placed(block), depth: depth + 1)
        }
    }
  }

  private static func line(_ position: String, _ text: String, depth: Int) -> String {
    let padding = String(repeating: " ", count: max(1, 6 - position.count))
    return position + padding + String(repeating: "  ", count: depth) + text
  }
}

extension PlacedStep {
  /// The inner steps, with their positions.
  public var inner: [PlacedStep] { step.kind.blocks.flatMap { placed($0) } }

  /// The step and all steps nested in it.
  var all: [PlacedStep] { [self] + inner.flatMap(\.all) }

  /// The steps of a block, with their positions.
  func placed(_ block: StepBlock) -> [PlacedStep] {
    switch block.role {
    case .certain, .conditional: StepPosition.place(block.steps, inside: position)
    case .finally: StepPosition.place(block.steps, inside: position.finally)
    case .otherwise: StepPosition.place(block.steps, inside: position.otherwise)
    }
  }
}

extension StepBlock.Role {
  /// The word printed before the block; nil if the block directly follows the step's own line.
  fileprivate var word: String? {
    switch self {
    case .certain, .conditional: nil
    case .finally: "finally"
    case .otherwise: "else"
    }
  }
}
