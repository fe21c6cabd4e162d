// `blerun schema`: the JSON Schemas of the files, as they are in `docs`.

import ArgumentParser
import Jobs

/// Prints a JSON Schema.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of a kind of file.",
    shouldDisplay: false
  )

  /// The kinds of files that have a schema made of their descriptions.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case chain

    var text: String {
      switch self {
      case .chain: ChainSchema.text
      }
    }
  }

  @Argument(help: "The kind of file.")
  var kind: Kind

  func run() throws { StandardOutput().line(kind.text) }
}
