// `blerun doctor`: finds the reasons why chains cannot run on this host, and suggests remedies.

import ArgumentParser
import BlueZ
import Bluetooth
import Documents
import Jobs
import Signals
import SimulatedDevices

struct Doctor: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Explain what keeps chains from running on this host.",
    discussion: """
      Prints a line for each finding, with advice: bus and bluetoothd, adapters, rfkill, scans, \
      connections, what killed runs left, missing privileges. Exit status 0 when chains can run, \
      69 when they cannot. --release drops the connections that killed runs left up.

      --radio tries the adapter with a device: it scans, connects twenty times, reads and subscribes, \
      and writes a report of the measurements, without addresses, names and values, to send to the \
      authors of blerun.

        blerun doctor --radio report.txt -d HRM-1
      """
  )

  @Flag(help: "Drop the connections that killed runs left up.")
  var release = false

  @Flag(help: "With --release: also those that another program uses by now.")
  var force = false

  @Option(
    file: "Try the adapter and the device of -d, and write a report without addresses to this file."
  )
  var radio: String?

  @Option(
    help: "With --radio: how many times it connects. (default: \(RadioSurvey.defaultConnections))"
  )
  var connections: Int?

  @OptionGroup var named: DeviceOptions
  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func validate() throws {
    if force, !release { throw ValidationError("--force goes with --release.") }
    if release, radio != nil { throw ValidationError("Give --release or --radio, not both.") }
    if radio == nil {
      if named.device != nil { throw ValidationError("-d goes with --radio.") }
      if connections != nil { throw ValidationError("--connections goes with --radio.") }
    }
    if let connections, !(1...1000).contains(connections) {
      throw ValidationError("--connections \(connections): expected 1 to 1000.")
    }
  }

  func run() throws {
    if let radio { return try survey(into: radio) }
    let world = try options.world(try options.simulatedDevices(), "ending")
    defer { world.end() }
    let output = StandardOutput(in: world) { _ in }
    if release { releaseOrphans(of: world, output) }
    try world.interruption.check()
    let diagnosis = Diagnosis(HostSurvey().facts(of: world))
    for finding in diagnosis.findings { show(finding, output) }
    try output.end(in: world)
    throw CommandExit(diagnosis.exitStatus)
  }

  /// Tries the adapter and a device, and writes the report.
  private func survey(into path: String) throws {
    let simulated = try options.simulatedDevices()
    var plan = Plan(steps: [])
    plan.device = named.target(insteadOf: nil)
    let target = try plan.target(among: simulated)
    let file = try LineFile(path, isKeptLater: true)
    defer { file.finish(isKept: false) }
    let world = try options.world(simulated, "ending the survey and disconnecting")
    defer { world.end() }
    try world.releaseOrphans()
    let traffic = AnonymousTraffic(begun: world.loop.now)
    world.traffic.observe(traffic.receive)
    let following = FollowedRun(in: world, printsData: false)
    var connecting = ConnectOptions()
    // Each attempt counts for itself.
    connecting.attempts = 1
    let service = world.service(for: target, options: connecting, follow: following.receive)
    let survey = RadioSurvey(
      service, target, connections: connections ?? RadioSurvey.defaultConnections,
      limit: Plan.defaultTimeout
    )
    world.observeLinks(survey.receive)
    let outcome = survey.run(following.receive).firstOrDefault(false, within: .seconds(86_400))
    following.end()
    let output = StandardOutput(in: world)
    var report = survey.report
    report.facts = HostSurvey().radioFacts(of: world)
    report.bus = traffic.lines
    for line in report.lines { file.line(line) }
    for line in report.summary { output.line(line) }
    file.finish(isKept: !report.connections.isEmpty)
    if let failure = file.failure { throw CommandExit(.output, failure) }
    try output.end(in: world, after: outcome.error)
    guard report.connections.contains(where: { $0.connecting.duration != nil }) else {
      throw CommandExit(.passing, "the device was not connected once; \(path) has the reasons")
    }
    StandardError.notice("\(path) has the report; read it before you pass it on")
  }

  private func show(_ finding: Finding, _ output: StandardOutput) {
    output.line(printing.output == .json ? finding.json : finding.line)
  }

  private func releaseOrphans(of world: World, _ output: StandardOutput) {
    guard let endings = world.orphans(isForced: force)?.release() else { return }
    if endings.isEmpty { show(Finding(.ok, "orphan", "no killed run left a link"), output) }
    for (link, ending) in endings {
      let finding =
        switch ending {
        case .released: Finding(.ok, "orphan", "\(link.device) was disconnected")
        case .cancelled:
          Finding(.ok, "orphan", "the attempt to connect to \(link.device) was ended")
        case .gone: Finding(.ok, "orphan", "\(link.device) was not connected any more")
        case .used(let user):
          Finding(
            .warning, "orphan", "\(link.device) was left up, and is used by \(user)",
            hint: "blerun doctor --release --force ends the link under it"
          )
        case .failed(let reason):
          Finding(
            .warning, "orphan", "\(link.device) is still connected: \(reason)",
            hint: "bluetoothctl disconnect \(link.device)"
          )
        }
      show(finding, output)
    }
  }
}
