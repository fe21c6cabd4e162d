// `blerun adapters`: what the kernel knows of this host's controllers.

import ArgumentParser
import Bluetooth
import HostController
import Jobs
import Signals

/// Lists the controllers of this host.
struct Adapters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapters",
    abstract: "List this host's adapters: maker, version, features.",
    discussion: "It asks the kernel, needs no bluetoothd, and shows adapters that are off too."
  )

  @Option(help: "How results are printed: text or json.")
  var output: OutputOptions.Output = .text

  func run() throws {
    let loop = EventLoop()
    let adapters: [AdapterDetails]
    do {
      adapters = try loop.run { try await HostController(on: loop).adapters() }
    } catch {
      let failure = RunFailure(error)
      throw Ending(ExitStatus(after: failure), "\(failure)")
    }
    let output = StandardOutput()
    for adapter in adapters {
      for line in lines(for: adapter) { output.line(line) }
    }
    if let failure = output.finish() { throw Ending(.output, "\(failure)") }
  }

  private func lines(for adapter: AdapterDetails) -> [String] {
    let maker = LibraryNames().name(of: adapter.manufacturer)
    guard output == .text else { return [json(adapter, maker).text] }
    let version = adapter.specification.map { "Bluetooth \($0)" } ?? "HCI \(adapter.version)"
    return [
      "\(adapter.name)  \(adapter.address)  \(version)  \(maker ?? "company \(adapter.manufacturer)")",
      "   can  \(adapter.supported.joined(separator: ", "))",
      "   on   \(adapter.current.joined(separator: ", "))",
    ]
  }

  private func json(_ adapter: AdapterDetails, _ maker: String?) -> JSONValue {
    .object([
      ("v", JSONValue(JSONLinesReport.version)),
      ("event", .string("adapter")),
      ("adapter", .string(adapter.name)),
      ("address", .string("\(adapter.address)")),
      ("company", JSONValue(Int(adapter.manufacturer))),
      ("companyName", maker.map { .string($0) } ?? .null),
      ("version", adapter.specification.map { .string($0) } ?? .null),
      ("supported", .array(adapter.supported.map { .string($0) })),
      ("current", .array(adapter.current.map { .string($0) })),
      ("features", .string(DecodedValue.octets(adapter.features).description)),
    ])
  }
}
