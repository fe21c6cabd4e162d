// `blerun schema`: prints the JSON Schemas of the files, the same as in `docs` and `Simulators`.

import ArgumentParser
import Jobs
import SimulatedDevices

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of a kind of file.",
    discussion: """
      An editor that knows JSON Schema completes and checks files with it. The schema of batches \
      refers to chain.schema.json in the same folder, that of scenarios to device.schema.json:

        blerun schema device > device.schema.json
        blerun schema scenario > scenario.schema.json
      """
  )

  /// The kinds of files with a schema, which is derived from the description that also parses them.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case chain, batch, device, scenario

    /// The schema, without a final line feed.
    var text: String {
      switch self {
      case .chain: ChainSchema.text
      case .batch: BatchSchema.text
      case .device: Self.line(DeviceFile.schema)
      case .scenario: Self.line(ScenarioFile.schema)
      }
    }

    private static func line(_ file: String) -> String {
      file.hasSuffix("\n") ? String(file.dropLast()) : file
    }
  }

  @Argument(help: "The kind of file.")
  var kind: Kind

  func run() throws {
    let output = StandardOutput()
    output.lines(kind.text)
    try output.end()
  }
}
