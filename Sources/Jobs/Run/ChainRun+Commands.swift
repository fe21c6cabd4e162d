// `command`: what a program prints is the value of the step.

import Bluetooth
import Documents
import Signals

extension ChainRun {
  func run(
    _ command: Command,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let limit = limit(of: placed)
    awaits(placed, limit: limit)
    let call = Command.Call(
      program: command.program,
      arguments: command.arguments.compactMap(\.constant),
      input: Array((command.input.constant ?? "").utf8),
      file: placed.step.sourceFile,
      limit: limit,
      allowed: runner.plan.allowedCommands
    )
    let (printed, decoded): ([UInt8], DecodedValue)
    do {
      guard let run = runner.runCommand else { throw Command.Failure.notAllowed }
      printed = try await run(call)
      decoded = try command.format.value(of: printed)
    } catch let failure as Command.Failure {
      throw RunFailure(failure, of: placed.step)
    }
    let octets = decoded.bytes ?? printed
    let value = StepValue(octets: octets, decoded: decoded)
    outcome = .value(value)
    emit(.value(placed.reported, value))
    capture(decoded, octets: octets, as: placed.step.capture)
    try check(decoded, octets, of: placed)
  }

  /// Nothing of a chain is run whose programs may not be: a lock is not opened halfway.
  func refuseCommands() throws {
    guard runner.runCommand == nil || runner.plan.allowedCommands == .none else { return }
    if let first = runner.plan.commands.first {
      throw RunFailure(Command.Failure.notAllowed, of: first.step)
    }
  }
}

extension Plan {
  /// The programs that it runs, each with its step.
  package var commands: [(command: Command, step: Step)] {
    func all(_ steps: [Step]) -> [(Command, Step)] {
      steps.flatMap { step in
        if case .command(let command) = step.action {
          [(command, step)]
        } else {
          all(step.innerSteps)
        }
      }
    }
    return all(steps)
  }
}

extension Command.Failure {
  /// Whoever runs the chain did not allow programs.
  static let notAllowed = Command.Failure(
    "this chain runs a program, which is not allowed here",
    hint: "look at the program, and run the chain with 'blerun run --allow-commands'"
  )

  /// Why a program failed that did not end in time.
  package static func late(_ limit: Duration) -> String {
    "it did not end within \(limit.written)"
  }
}

extension RunFailure {
  fileprivate init(_ failure: Command.Failure, of step: Step) {
    self.init(
      code: .commandFailed,
      class: .definite,
      what: step.doing,
      why: failure.why,
      hint: failure.hint
    )
    source = step.source
    sourceText = step.sourceText
  }
}
