// `blerun convert`: converts suites of nRF Connect to chains.

import ArgumentParser
import Bluetooth
import Glibc
import Jobs
import NordicSuites

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert nRF Connect test suites and macros to chains.",
    discussion: """
      Each test that is run becomes a chain. An operation that a chain cannot express becomes a \
      comment, and is reported on standard error with its place in the suite.

        blerun convert macro.xml > macro.yaml
        blerun convert suite.xml --into chains \\
          -E ADDRESS C0:FF:EE:00:00:01
        blerun convert suite.xml --test 2
      """
  )

  @Argument(help: "The suite or macro (XML).", completion: .file())
  var file: String

  @OptionGroup var suites: SuiteOptions

  @Option(folder: "A folder that gets a file for each test; it is created if it is missing.")
  var into: String?

  @Option(help: "Convert only this test: its number among those that are run.")
  var test: Int?

  func run() throws {
    let suite = try suites.suite(at: file, .assigned)
    var chains = suite.chains()
    if let test {
      guard chains.indices.contains(test - 1) else {
        throw CommandExit(.usage, "the suite runs \(chains.count) tests, and there is no \(test)")
      }
      chains = [chains[test - 1]]
    }
    if into == nil, chains.count > 1 {
      throw CommandExit(
        .usage,
        "the suite runs \(chains.count) tests: --into FOLDER writes a file for each, --test 1 one"
      )
    }
    for chain in chains {
      for omission in chain.omissions { StandardError.notice("\(omission)") }
    }
    let empty = chains.filter { $0.steps == 0 }
    guard empty.isEmpty else {
      throw CommandExit(
        .failed, "nothing of \(empty.map(\.name).joined(separator: ", ")) is a chain")
    }
    if let into, mkdir(into, 0o777) != 0, errno != EEXIST {
      throw CommandExit(.output, "\(FileFailure(into, "cannot be made"))")
    }
    for chain in chains { try write(chain) }
  }

  private func write(_ chain: ConvertedChain) throws {
    guard let into else {
      try StandardOutput.show(chain.lines)
      return
    }
    let path = "\(into)/\(chain.name).yaml"
    let file = try LineFile(path)
    for line in chain.lines { file.line(line) }
    if let failure = file.failure { throw CommandExit(.output, failure) }
    StandardError.notice("wrote \(path)")
  }
}
