// A step in the one-line form.
//
// What the one-line form cannot say (triggers, repetitions, conditions) is said in words that it
// would not accept, so that nothing is left out of a dry run.

import Bluetooth

extension Step: CustomStringConvertible {
  /// The step as it would be written on one line, without inner steps.
  public var description: String {
    var words = [whole]
    if case .notify(let listening) = action {
      if let trigger = listening.trigger { words.append("after { write \(trigger) }") }
      words += listening.enough.words
      if let format = listening.format { words.append("format \(format)") }
      words += listening.options.words
    }
    if case .poll(let polling) = action { words += polling.words }
    if case .combine(let combining) = action { words += combining.enough.words }
    if case .exchange(let exchanging) = action { words += exchanging.words }
    if case .read(_, let format?) = action { words.append("format \(format)") }
    if case .attribute(let action) = action, let format = action.format {
      words.append("format \(format)")
    }
    if let capture { words.append("as \(capture)") }
    words += expectations.map { "expect \($0)" }
    if let timeout { words.append("within \(timeout.written)") }
    return words.joined(separator: " ")
  }

  /// The title, with all of what is combined.
  private var whole: String {
    guard case .combine(let combining) = action else { return title }
    return "combine { \(combining.inputs.map(\.description).joined(separator: "; ")) }"
  }

  /// What it does and to what: `read battery-level`, `write alert-level u8:1`.
  public var title: String {
    switch action {
    case .connect, .disconnect, .rssi, .unpair: operation
    case .read(let target, _): "read \(target)"
    case .write(let write): "write \(write)"
    case .notify(let listening): "notify \(listening.target)"
    case .poll(let polling): "poll \(polling.target)"
    case .combine(let combining):
      "combine \(combining.inputs.map(\.name).joined(separator: ", "))"
    case .exchange(let exchanging): "exchange \(exchanging.write)"
    case .pair(let rule): rule.description.isEmpty ? "pair" : "pair \(rule)"
    case .trust(let isTrusted): isTrusted ? "trust" : "trust no"
    case .attribute(let action): action.title
    case .scan(let scanning): "scan \(scanning)"
    case .sleep(let duration): "sleep \(duration.written)"
    case .log(let template): "log \(Quoting.quoted(template.description))"
    case .repeated(let count, _): "repeat \(count)"
    case .when(let condition, _): "when \(condition)"
    case .tried: "try"
    }
  }
}
