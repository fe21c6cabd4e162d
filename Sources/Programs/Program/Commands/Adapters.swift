// `blerun adapters`: lists this host's adapters, as bluetoothd and the kernel report them.

import ArgumentParser
import BlueZ
import HostController
import Jobs
import Signals

struct Adapters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapters", abstract: "List this host's adapters: maker, version, features.",
    discussion:
      "It asks bluetoothd and the kernel, one of which is enough, and lists adapters that are off, too."
  )

  @OptionGroup var printing: OutputOptions

  func run() throws {
    let loop = EventLoop()
    let facts = Result { try loop.run { try await BlueZClient.open(on: loop).adapterFacts } }
    let details = Result { try loop.run { try await HostController(on: loop).adapters() } }
    switch (facts, details) {
    case (.failure(let error), .failure(let other)):
      let failure = RunFailure(error)
      StandardError.notice("the kernel: \(RunFailure(other).message)")
      throw failure
    case (.success, .failure(let error)):
      StandardError.notice("only what bluetoothd reports: \(RunFailure(error).message)")
    case (.failure(let error), .success):
      StandardError.notice("only what the kernel reports: \(RunFailure(error).message)")
    case (.success, .success): break
    }
    let adapters = ListedAdapter.all((try? facts.get()) ?? [], (try? details.get()) ?? [])
    let companies = LibraryNames()
    try StandardOutput.show(
      adapters.flatMap {
        printing.output == .text ? $0.lines(companies) : [$0.line(companies).text]
      }
    )
  }
}
