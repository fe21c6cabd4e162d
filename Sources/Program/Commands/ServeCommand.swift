// `blerun serve`: devices, live values and runs in a browser.
//
// Only the command line of it: the program `blerun-serve`, which has the same one, carries it out.

package import ArgumentParser
package import BlueZ
package import Bluetooth
import Documents
package import Jobs
package import Journal
import SimulatedDevices

/// Shows nearby devices, values as they arrive, and runs in a browser.
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

  @Argument(
    help: ArgumentHelp(
      "Characteristics to watch from the start; without --device, the device may come first.",
      valueName: "characteristic"
    ),
    completion: SimulatedWords.devicesAndCharacteristics
  )
  var words: [String] = []

  @Option(
    name: [.short, .long],
    help: """
      A device to watch from the start: an address, or a name with wildcards * and ?. Repeat it for \
      more, each before its characteristics.
      """,
    completion: SimulatedWords.devices
  )
  var device: [String] = []

  @Option(
    help: "Read the values at this interval instead of subscribing: 1m, 500ms.",
    transform: Duration.argument
  )
  var poll: Duration?

  @Option(
    name: .customLong("timeout"),
    help: """
      How long connecting, subscribing and one read may take, each: 10s, 500ms. (default: \
      \(Plan.usualTimeout.written))
      """,
    transform: Duration.positiveArgument
  )
  package var stepLimit = Plan.usualTimeout

  @Option(
    help: ArgumentHelp(
      "Where it listens: an address and a port, or unix:PATH.",
      valueName: "address"
    )
  )
  package var listen = "127.0.0.1:8642"

  @Option(
    help: ArgumentHelp(
      "A name by which browsers reach it, through a reverse proxy; repeat it for more.",
      valueName: "name"
    )
  )
  package var host: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Where the token is: read from this file where it exists, else written to it, for this user \
      alone. (default: printed on standard error, a new one each time)
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  package var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Let the page run the chain and batch files of this folder, and no others.",
      valueName: "folder"
    ),
    completion: .directory
  )
  package var allowRun: String?

  @Option(
    name: [.customLong("for")],
    help: "How long to serve: 1h (until it is ended).",
    transform: Duration.argument
  )
  package var limit: Duration?

  @OptionGroup var naming: NamesOptions
  @OptionGroup package var options: WorldOptions
  @OptionGroup package var journal: JournalOptions

  package init() {}

  package func validate() throws {
    for (option, given) in [("--poll", poll), ("--for", limit)] {
      guard let given, given <= .zero else { continue }
      throw ValidationError("\(option) must be above zero.")
    }
    try naming.check { names in
      if let problem = try watch(names, orElse: { .any })?.problem {
        throw ValidationError("\(problem).")
      }
    }
  }

  package func run() throws {
    try CompanionProgram.serve.replaceProcess(Array(CommandLine.arguments.dropFirst(2)))
  }
}

extension ServeCommand {
  /// The names of characteristics.
  ///
  /// - Throws: ``Ending`` with everything that is wrong with the files of names.
  package func names() throws(Ending) -> AttributeNames { try naming.names() }

  /// The devices, simulated in real time or this host's, and what is watched from the start.
  ///
  /// - Throws: ``Ending``.
  package func open() throws -> (world: World, watch: WatchPlan?) {
    JournalFile.prepareProcess()
    var options = options
    options.realTime = options.isSimulated
    let simulated = try options.simulatedDevices()
    let plan = try watch(try names()) {
      try Plan(steps: [Step(.connect)]).target(among: simulated)
    }
    let ending = "ending the watches and disconnecting"
    return (try options.world(simulated, ending, naming.bindKeys()), plan)
  }

  /// The file of the journal; nil when none is written.
  ///
  /// - Throws: ``Ending`` when a required one has no place.
  package func journalPath() throws(Ending) -> String? {
    try journal.path(isSimulated: options.isSimulated)
  }

  /// What watches and chains have in common.
  package var settings: ServeSettings {
    ServeSettings(
      adapter: options.adapterSelector,
      journal: journal,
      isSimulated: options.isSimulated
    )
  }

  /// The files that the page may run, by their names in the folder; none where it may run none.
  ///
  /// - Throws: ``Ending`` for anything that is not a folder with chain files.
  package func runnable() throws(Ending) -> RunnableFiles {
    guard let allowRun else { return RunnableFiles() }
    let wanted = "--allow-run \(allowRun): expected a folder with chain files"
    guard let names = try ChainFolder.names(in: allowRun) else { throw Ending(.usage, wanted) }
    let kinds = names.map { (name: $0, kind: FileKind(of: "\(allowRun)/\($0)")) }
    let files = RunnableFiles(
      folder: allowRun,
      chains: kinds.filter { $0.kind == .chain }.map(\.name),
      batches: kinds.filter { $0.kind == .batch }.map(\.name)
    )
    guard !files.chains.isEmpty || !files.batches.isEmpty else { throw Ending(.usage, wanted) }
    return files
  }

  /// What is watched from the start; nil for nothing.
  private func watch(
    _ names: AttributeNames,
    orElse only: () throws -> DeviceTarget
  ) throws -> WatchPlan? {
    guard !words.isEmpty || !device.isEmpty else { return nil }
    return WatchPlan(
      try WatchTargets(words, names: names).devices(exact: false, orElse: only),
      source: poll.map { .poll(every: $0) } ?? .notify(Self.subscription(stepLimit)),
      limit: stepLimit
    )
  }

  /// Where values come faster than they are shown, the gap counts them.
  private static func subscription(_ limit: Duration) -> SubscriptionOptions {
    SubscriptionOptions(overflow: .dropOldest, startLimit: limit)
  }
}

/// The files that a page may run.
package struct RunnableFiles: Sendable {
  private var folder = ""
  /// The chains, by their names in the folder.
  package private(set) var chains: [String] = []
  /// The batches, likewise.
  package private(set) var batches: [String] = []

  /// None.
  init() {}

  init(folder: String, chains: [String], batches: [String]) {
    self.folder = folder
    self.chains = chains
    self.batches = batches
  }

  /// The path of a chain; nil for any other name.
  package func path(ofChain name: String) -> String? {
    chains.contains(name) ? "\(folder)/\(name)" : nil
  }

  /// The path of a batch; nil for any other name.
  package func path(ofBatch name: String) -> String? {
    batches.contains(name) ? "\(folder)/\(name)" : nil
  }
}

/// What the watches and chains of a dashboard have in common.
package struct ServeSettings: Sendable {
  package let adapter: AdapterSelector
  package let journal: JournalOptions
  let isSimulated: Bool

  /// The journal of one watch or chain; nil when none is written.
  ///
  /// - Throws: ``Ending`` when a required one cannot be written.
  package func openJournal() throws(Ending) -> JournalFile? {
    try RunJournal.open(journal, isSimulated: isSimulated)
  }
}
