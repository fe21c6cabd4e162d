// `blerun inspect`: lists the services, characteristics and values of a device.

import ArgumentParser
import BlueZ
import Bluetooth
import Documents
import Jobs
import Signals
import SimulatedDevices

struct Inspect: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "List what a device offers, with the values that can be read.",
    discussion: """
      Connects, lists, and disconnects. A value that cannot be read shows why; that does not \
      fail the command. bluetoothd does not answer the read of a protected value if there is no \
      agent to pair with, and delays all later requests. If two consecutive reads are not \
      answered within --read-timeout, the other values are not read, and are marked as such.

        blerun inspect -d "Thermo*"
        blerun inspect \\
          --simulate Simulators/devices/thermometer.yaml
      """
  )

  @OptionGroup var named: DeviceOptions
  @OptionGroup var naming: NamesOptions

  @Flag(inversion: .prefixedNo, help: "Read values, of characteristics and of descriptors.")
  var values = true

  @OptionGroup var limits: ReadingLimits

  @OptionGroup var printing: OutputOptions
  @OptionGroup var link: LinkOptions
  @OptionGroup var choosing: ChoiceOptions
  @OptionGroup var options: WorldOptions

  func run() throws {
    let simulated = try options.simulatedDevices()
    let names = try naming.names().over(simulated.attributeNames)
    var plan = Plan(steps: [])
    plan.device = named.target(insteadOf: nil)
    let target = try plan.target(among: simulated)
    let rule = choosing.applied(to: link.applied(to: LinkRule()))
    let world = try options.world(simulated, "ending the inspection and disconnecting")
    defer { world.end() }
    try world.releaseOrphans()
    let following = FollowedRun(in: world, printsData: printing.output == .json)
    following.receive(RunWait(what: "inspecting \(target.text)", begun: world.loop.now))
    var connecting = ConnectOptions(rule)
    connecting.otherRuns = .share
    let service = world.service(for: target, options: connecting, follow: following.receive)
    let output = StandardOutput(in: world)
    let inspection = Inspection(
      service: service, isKept: rule.isKept, readsValues: values, limit: limits.timeout,
      readLimit: limits.readTimeout, format: printing.output, names: names
    )
    let outcome = inspection.lines().map { output.line($0) }.collect()
      .firstOrDefault([], within: .seconds(3600))
    following.end()
    try output.end(in: world, after: outcome.error)
  }
}

/// The limits for connecting to a device, and for each read.
struct ReadingLimits: ParsableArguments {
  @Option(time: "How long connecting may take. (default: \(Plan.defaultTimeout.written))")
  var timeout = Plan.defaultTimeout

  @Option(time: "How long each read may take. (default: \(Inspection.defaultReadLimit.written))")
  var readTimeout = Inspection.defaultReadLimit
}
