// `blerun serve`: shows devices, live values and runs in a browser.
//
// Only the command line is here. The program `blerun-serve`, which has the same command line, runs it.

package import ArgumentParser
package import Bluetooth
package import Jobs
import Journal
import SimulatedDevices

package struct ServeCommand: WorldCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show devices, live values and runs in a browser.",
    discussion: """
      Serves a page with the nearby devices, live charts of characteristics, the last 24 hours from \
      the journal, and the runs with their steps, until Ctrl-C or SIGTERM; it then disconnects what \
      it connected. Watches are started and stopped on the page, and on the command line as for \
      blerun watch. Simulated devices run in real time.

        blerun serve HRM-1 heart-rate-measurement \\
          --simulate Simulators/devices/heart-rate.yaml
        blerun serve --listen unix:/run/blerun/serve.sock
        blerun serve --allow-run chains/

      Only this host can reach it, unless --listen names another address. Whatever changes \
      something needs the token, which is printed on standard error, or written to --token-file.
      """ + RareOptions.hint("serve"),
    shouldDisplay: CompanionProgram.serve.isInstalled
  )

  @OptionGroup var watched: WatchedOptions

  @Option(help: .value("address", "Where it listens: an address and a port, or unix:PATH."))
  package var listen = "127.0.0.1:8642"

  @Option(
    help: .value(
      "name", "A name by which browsers reach it, through a reverse proxy; repeat it for more."
    )
  )
  package var host: [String] = []

  @Option(
    file: """
      Where the token is: read from this file where it exists, else written to it, for this user \
      alone. (default: printed on standard error, a new one each time)
      """
  )
  package var tokenFile: String?

  @Option(folder: "Let the page run the chain and batch files of this folder, and no others.")
  package var allowRun: String?

  @Option(name: [.customLong("for")], time: "How long to serve: 1h (until it is ended).")
  package var limit: Duration?

  @OptionGroup package var options: WorldOptions
  @OptionGroup package var journal: JournalOptions

  package init() {}

  package func validate() throws {
    try watched.naming.check { names in
      if let problem = try watch(names, orElse: { .any })?.problem {
        throw ValidationError("\(problem).")
      }
    }
  }

  package func run() throws {
    try CompanionProgram.serve.replaceProcess(Array(ProcessArguments.all.dropFirst(2)))
  }
}

extension ServeCommand {
  package func names() throws(CommandExit) -> AttributeNames { try watched.naming.names() }

  /// The limit for connecting, for subscribing, and for each read.
  package var stepLimit: Duration { watched.timeout }

  /// Opens the world (simulated in real time, or this host's), and returns the watch to begin with.
  package func open() throws -> (world: World, watch: WatchPlan?) {
    JournalFile.prepareProcess()
    let simulated = try options.simulatedDevices()
    let plan = try watch(try names()) {
      try Plan(steps: [Step(.connect)]).target(among: simulated)
    }
    let ending = "ending the watches and disconnecting"
    let bindKeys = try watched.naming.bindKeys()
    return (try options.inRealTime.world(simulated, ending, bindKeys), plan)
  }

  /// Returns the file of the journal; nil if none is written.
  package func journalPath() throws(CommandExit) -> String? {
    try journal.path(isSimulated: options.isSimulated)
  }

  /// Returns the files that the page may run, by their names in the folder.
  ///
  /// - Throws: ``CommandExit`` if it is not a folder with chain files.
  package func runnable() throws(CommandExit) -> RunnableFiles {
    var files = RunnableFiles()
    guard let allowRun else { return files }
    let wanted = "--allow-run \(allowRun): expected a folder with chain files"
    guard let names = try ChainFolder.names(in: allowRun) else { throw CommandExit(.usage, wanted) }
    for name in names {
      let path = "\(allowRun)/\(name)"
      let kind = FileKind(of: path)
      if kind == .chain { files.chains[name] = path }
      if kind == .batch { files.batches[name] = path }
    }
    guard !files.chains.isEmpty || !files.batches.isEmpty else { throw CommandExit(.usage, wanted) }
    return files
  }

  /// Returns the watch to begin with; nil if there is none.
  private func watch(
    _ names: AttributeNames, orElse only: () throws -> DeviceTarget
  ) throws -> WatchPlan? {
    guard !watched.words.isEmpty || !watched.device.isEmpty else { return nil }
    return try watched.plan(names, orElse: only)
  }
}

/// The paths of the files that a page may run, by their names in the folder.
package struct RunnableFiles: Sendable {
  package var chains: [String: String] = [:]
  package var batches: [String: String] = [:]
}
