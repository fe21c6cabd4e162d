// What remedies are called in chains and in the command.

import Bluetooth

extension Hint {
  /// The hint in the words of chains and of the command.
  var inCommand: String { text { $0.inCommand } }
}

extension Hint.Remedy {
  fileprivate var inCommand: String {
    switch self {
    case .adapter: "--adapter"
    case .confirm: "confirm: true"
    case .fresh: "run blerun inspect --fresh"
    case .inspect: "blerun inspect"
    case .moreTime: "allow more time with --timeout"
    case .pair: "a pair step, or blerun pair"
    case .pairWithAgent: "pair with a step or with blerun pair, which register an agent"
    case .passkey: "passkey: { env: NAME }, or blerun pair --passkey-file"
    case .scan: "blerun scan"
    case .scanActively: "scan without --passive"
    case .simulate: "run with --simulate"
    case .step: "step"
    case .subscribe: "notify"
    case .takeOver: "run blerun inspect --take-over"
    case .unpair: "blerun unpair"
    }
  }
}
