// The usual words of `blerun run`, read without the parser.
//
// The parser finds by reflection what a command takes, and looks up the conformances of each type:
// that takes as long as the rest of a short simulated run. Everything else is the parser's, with its
// errors and its help. A test compares the two.

import Bluetooth
import Jobs
import NordicSuites

/// A chain of one file, or of steps, on simulated devices.
struct UsualRun {
  /// Nil where steps are given.
  private(set) var file: String?
  private(set) var steps: [String] = []
  private(set) var device: DeviceTarget?
  private(set) var world = RequestedWorld()
  private(set) var output: ChainOutputOptions.Output?

  /// Reads the arguments of the program.
  ///
  /// - Returns: Nil where anything is unusual, which may be wrong.
  init?(_ arguments: [String]) {
    guard arguments.first == "run" else { return nil }
    var words = arguments.dropFirst()
    while let word = words.popFirst() {
      if let option = UsualOption(word: word) {
        guard let value = words.popFirst(), Self.isValue(value), take(value, for: option) else {
          return nil
        }
      } else {
        guard file == nil, Self.isValue(word) else { return nil }
        file = word
      }
    }
    guard world.isSimulated, (file == nil) != steps.isEmpty else { return nil }
    if let file, ChainFolder.isFolder(file) || Suite.isMeant(at: file) { return nil }
  }

  private static func isValue(_ word: String) -> Bool { !word.isEmpty && word.utf8.first != 0x2D }

  /// - Returns: False for a value that is wrong, or the second of an option that takes one.
  private mutating func take(_ value: String, for option: UsualOption) -> Bool {
    switch option {
    case .simulate: world.simulate.append(value)
    case .steps: steps.append(value)
    case .seed:
      guard world.seed == nil, let seed = UInt64(value) else { return false }
      world.seed = seed
    case .device:
      guard device == nil, let target = try? DeviceTarget(parsing: value) else { return false }
      device = target
    case .output:
      guard output == nil, let form = ChainOutputOptions.Output(rawValue: value) else {
        return false
      }
      output = form
    }
    return true
  }

  /// Runs the chain as ``Run`` does.
  ///
  /// - Throws: ``Ending`` always: with the status of the run.
  func run() throws(Ending) -> Never {
    let names = try NamesOptions.names(of: nil)
    var plan = try RequestedChain(steps: steps, names: names).plan(file)
    plan.device = device ?? plan.device
    let simulated = try world.simulatedDevices()
    plan.device = try plan.target(among: simulated)
    throw Ending(try ChainCommand.run(plan, simulated, world, output ?? .text))
  }
}
