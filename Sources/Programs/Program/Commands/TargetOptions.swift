// The options for the device and the limits of commands that perform one operation.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The device, and the limits for connecting and for the operation.
struct TargetOptions: ParsableArguments {
  @OptionGroup var named: DeviceOptions

  @Option(
    time: """
      Time limit of connecting, and of the operation: 10s, 500ms. (default: \
      \(Plan.defaultTimeout.written); pairing \(PairStep.defaultTimeout.written))
      """
  )
  var timeout: Duration?

  @OptionGroup var waiting: WaitOptions

  /// Runs a plan on the device, as `blerun run` does.
  func run(
    _ plan: Plan, in options: WorldOptions, _ format: OutputOptions.Output, work: String,
    text: (any RunReport)? = nil
  ) throws -> Never {
    let simulated = try options.simulatedDevices()
    var plan = plan
    if let timeout { plan.timeout = timeout }
    plan.link = waiting.applied(to: plan.link)
    plan.device = named.target(insteadOf: nil)
    var session = SessionOptions(world: options, work: work, text: text)
    if format == .json { session.format = .json }
    throw CommandExit(try session.run(plan, among: simulated))
  }

  /// Runs a step with one value, and prints only values.
  func run(
    _ step: Step, _ names: AttributeNames, in options: WorldOptions, _ format: OutputOptions.Output
  ) throws -> Never {
    var plan = Plan(steps: [step])
    plan.names = names
    try run(plan, in: options, format, work: "the \(step.operation)", text: ValueReport())
  }
}

extension CharacteristicSelector {
  static func argument(_ text: String, _ names: AttributeNames) throws -> CharacteristicSelector {
    do {
      return try CharacteristicSelector(parsing: text, names: names)
    } catch {
      throw Problem("\(error)\(DeviceOptions.hint(for: text))")
    }
  }
}

extension DescriptorSelector {
  static func argument(_ text: String, _ names: AttributeNames) throws -> DescriptorSelector {
    do {
      return try DescriptorSelector(parsing: text, names: names)
    } catch {
      throw Problem("\(error)\(DeviceOptions.hint(for: text))")
    }
  }
}

/// A characteristic or descriptor, and the offset in its value.
struct AttributeOptions: ParsableArguments {
  @Argument(
    help: .value(
      "characteristic",
      "The characteristic: a name, a UUID, service/characteristic#n, or @ and a handle."
    )
  )
  var attribute: String

  @Flag(help: "It is a descriptor: characteristic/descriptor, or @ and its handle.")
  var descriptor = false

  @Option(help: "The offset of the first byte that is read or written.")
  var offset = 0

  @OptionGroup var naming: NamesOptions

  func validate() throws {
    guard (0...WrittenValue.longest).contains(offset) else {
      throw ValidationError("--offset must be between 0 and \(WrittenValue.longest).")
    }
    if descriptor, offset > 0 {
      throw ValidationError("--offset is for characteristics.")
    }
  }
}
