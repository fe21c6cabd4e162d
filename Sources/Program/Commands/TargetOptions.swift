// Which device, and for how long: the options of the commands that do one thing.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The device, and how long each step may take.
struct TargetOptions: ParsableArguments {
  @OptionGroup var named: DeviceOptions
  @OptionGroup var naming: NamesOptions

  @Option(
    help: """
      How long connecting, and the operation, may take: 10s, 500ms. (default: \
      \(Plan.usualTimeout.written))
      """,
    transform: Duration.positiveArgument
  )
  var timeout = Plan.usualTimeout

  @OptionGroup var waiting: WaitOptions

  /// A plan of one step on the device.
  func plan(_ step: Step) throws(Ending) -> Plan {
    var plan = Plan(timeout: timeout, steps: [step])
    plan.names = try naming.names()
    plan.link = waiting.applied(to: plan.link)
    plan.device = named.target(insteadOf: nil)
    return plan
  }
}

extension TargetOptions {
  /// Runs one step as `run` does, printing values alone.
  ///
  /// - Throws: ``Ending`` always: with the status of the run.
  func run(_ step: Step, in options: WorldOptions, _ format: OutputOptions.Output) throws -> Never {
    let simulated = try options.simulatedDevices()
    let session = SessionOptions(
      world: options,
      format: format.ofChain,
      work: "the \(step.operation)",
      text: ValueReport()
    )
    throw Ending(try session.run(try plan(step), among: simulated))
  }
}

extension CharacteristicSelector {
  /// Reads a selector from the command line.
  static func argument(_ text: String, _ names: AttributeNames) throws -> CharacteristicSelector {
    do {
      return try CharacteristicSelector(parsing: text, names: names)
    } catch {
      throw Problem("\(error)\(DeviceOptions.hint(for: text))")
    }
  }
}

extension DescriptorSelector {
  /// Reads a selector from the command line.
  static func argument(_ text: String, _ names: AttributeNames) throws -> DescriptorSelector {
    do {
      return try DescriptorSelector(parsing: text, names: names)
    } catch {
      throw Problem("\(error)\(DeviceOptions.hint(for: text))")
    }
  }
}

/// A format on the command line.
struct FormatArgument: ExpressibleByArgument {
  let format: ValueFormat

  init?(argument: String) {
    guard let format = ValueFormat(argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { ValueFormat.names }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
