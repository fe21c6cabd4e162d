// `blerun fleet`: shows the state of a fleet, and changes it.
//
// Only the command line is here. The program `blerun-fleet`, which has the same command line, runs it.

package import ArgumentParser

package struct FleetCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Show a fleet; follow or cancel its jobs; drain a gateway.",
    discussion: """
      Every command prints on standard error which server, user and fleet it talks to. The fleet is \
      named by --fleet, or by the environment variable BLERUN_FLEET.

        blerun fleet status --fleet nats://127.0.0.1:4222/hall
        blerun fleet jobs
        blerun fleet follow b0123abcd
        blerun fleet drain hall-1
      """,
    shouldDisplay: CompanionProgram.fleet.isInstalled,
    subcommands: [
      Status.self, Gateways.self, Devices.self, Jobs.self, Follow.self, Cancel.self, Drain.self,
      Forget.self,
    ]
  )

  package init() {}
}

package protocol AboutFleet: ParsableCommand {
  var common: FleetCommand.Options { get }
}

extension FleetCommand {
  /// The options that all commands about a fleet share.
  package struct Options: ParsableArguments {
    @OptionGroup package var server: FleetOptions
    @OptionGroup var printing: OutputOptions

    package init() {}

    /// Whether results are printed as JSON.
    package var isJSON: Bool { printing.output == .json }
  }

  package struct Status: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Print how many gateways, devices and jobs a fleet has."
    )
    @OptionGroup package var common: Options

    package init() {}
  }

  package struct Gateways: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "gateways", abstract: "List the gateways, and what each is capable of."
    )
    @OptionGroup package var common: Options

    package init() {}
  }

  package struct Devices: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "List the devices that gateways observe, and those with jobs.",
      discussion: "Gateways report every 5 s: it listens for 6 s, or as long as --listen."
    )
    @OptionGroup package var common: Options

    @Option(
      help: .time("How long to listen for reports. (default: 6s)"), transform: Duration.argument
    )
    package var listen = Duration.seconds(6)

    package init() {}
  }

  package struct Jobs: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "jobs",
      abstract: "List the jobs that have not ended, or with --all every job that is kept."
    )
    @OptionGroup package var common: Options

    @Flag(help: "Ended jobs, too.")
    package var all = false

    package init() {}
  }

  package struct Follow: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "follow",
      abstract: "Print the events of a job, or of all jobs of a batch, until they have ended.",
      discussion: """
        Ends as a batch does: with 0 only if every job succeeded, with 75 if every failure is \
        transient, else with 1. Ctrl-C ends the command; the jobs continue.
        """
    )
    @OptionGroup package var common: Options

    @Argument(help: "A job, or a batch.")
    package var what: String

    package init() {}
  }

  package struct Cancel: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "cancel",
      abstract: "Cancel jobs, or all jobs of a batch: a request that their gateways obey."
    )
    @OptionGroup package var common: Options

    @Argument(help: "Jobs, or batches.")
    package var what: [String]

    package init() {}
  }

  package struct Forget: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Remove a gateway that is gone from the list of gateways."
    )
    @OptionGroup package var common: Options

    @Argument(help: "The gateway.")
    package var gateway: String

    package init() {}
  }

  package struct Drain: AboutFleet {
    package static let configuration = CommandConfiguration(
      commandName: "drain", abstract: "Have a gateway claim nothing new and end its chains."
    )
    @OptionGroup package var common: Options

    @Argument(help: "The gateway.")
    package var gateway: String

    package init() {}
  }
}

extension AboutFleet {
  package func run() throws {
    _ = try common.server.address()
    try CompanionProgram.fleet.replaceProcess(Array(ProcessArguments.all.dropFirst()))
  }
}
