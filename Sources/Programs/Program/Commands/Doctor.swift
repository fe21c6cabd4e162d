// `blerun doctor`: finds the reasons why chains cannot run on this host, and suggests remedies.

import ArgumentParser
import BlueZ
import Jobs
import Signals

struct Doctor: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Explain what keeps chains from running on this host.",
    discussion: """
      One line for each finding, with what to do: bus and bluetoothd, adapters, rfkill, who scans, \
      who holds links, what killed runs left, missing privileges. Exit status 0 when chains can \
      run, 69 when they cannot. --release disconnects what runs that were killed left connected.
      """
  )

  @Flag(help: "Disconnect the links that killed runs left up.")
  var release = false

  @Flag(help: "With --release: also those that another program uses by now.")
  var force = false

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func validate() throws {
    if force, !release { throw ValidationError("--force goes with --release.") }
  }

  func run() throws {
    let world = try options.world(try options.simulatedDevices(), "ending")
    defer { world.end() }
    let output = StandardOutput(in: world) { _ in }
    if release { releaseOrphans(of: world, output) }
    try world.interruption.check()
    let diagnosis = Diagnosis(HostSurvey().facts(of: world))
    for finding in diagnosis.findings { show(finding, output) }
    try output.end(in: world)
    throw Ending(diagnosis.exitStatus)
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
