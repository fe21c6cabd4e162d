// `blerun pair` and `blerun unpair`.

import ArgumentParser
import Bluetooth
import Jobs

struct Pair: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a device.",
    discussion: """
      Connects, pairs, and disconnects; the bond stays. A device that is paired already is left \
      as it is. The options answer the questions of the pairing; without options, the user at \
      the terminal is asked, if there is one. A passkey is never taken from the command line, \
      where others see it.

        blerun pair -d "Lock*" --passkey-file passkey.txt
        blerun pair -d "Thermo*" --confirm
        LOCK=042137 blerun pair --passkey-env LOCK \\
          --simulate Simulators/devices/lock.yaml
      """
  )

  @OptionGroup var target: TargetOptions

  @Option(help: "The input and output of this side; by default, what the answers need.")
  var capability: AgentCapability?

  @Flag(help: "Confirm any number, without comparing it.")
  var confirm = false

  @Flag(
    help: """
      Refuse every question. The command fails with the reason; a bond that is made without a \
      question is removed.
      """
  )
  var reject = false

  @OptionGroup var passkey: PasskeyOptions

  @Flag(help: "Trust the device afterwards.")
  var trust = false

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func validate() throws {
    if confirm, reject { throw ValidationError("Give --confirm or --reject, not both.") }
  }

  /// Whether a word of the command line may be a passkey, which must not be printed.
  static func isPasskey(_ word: String, in arguments: [String]) -> Bool {
    arguments.first == configuration.commandName && Secret(word).passkey != nil
  }

  /// Returns the message in place of one by the parser that would show a passkey; nil for any other
  /// message.
  static func passkeyMessage(insteadOf text: String, about arguments: [String]) -> String? {
    let isShown = arguments.contains { isPasskey($0, in: arguments) && text.contains("'\($0)'") }
    guard isShown else { return nil }
    return
      "a passkey is never taken from the command line, where others see it: --passkey-file FILE "
      + "or --passkey-env NAME"
  }

  private var rule: PairingRule {
    PairingRule(
      capability: capability, acceptsJustWorks: !reject,
      comparison: confirm ? .always(true) : reject ? .always(false) : nil,
      secret: passkey.reference
    )
  }

  func run() throws {
    let steps = [Step(.pair(PairStep(rule)), timeout: target.timeout)]
    let trusting = trust ? [Step.trust()] : []
    try target.run(Plan(steps: steps + trusting), in: options, printing.output, work: "the pairing")
  }
}

/// The options for the source of a passkey.
struct PasskeyOptions: ParsableArguments {
  @Option(file: "The file with the passkey.")
  var passkeyFile: String?

  @Option(help: .value("name", "The environment variable with the passkey."))
  var passkeyEnv: String?

  func validate() throws {
    if passkeyFile != nil, passkeyEnv != nil {
      throw ValidationError("Give --passkey-file or --passkey-env, not both.")
    }
  }

  var reference: SecretReference? {
    passkeyFile.map { SecretReference(.file($0)) }
      ?? passkeyEnv.map { SecretReference(.environment($0)) }
  }
}

struct Unpair: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair",
    abstract: "Forget a device and the bond with it.",
    discussion: """
      Drops the connection, if there is one. An unknown device is not a failure. The bond on the \
      device itself is not touched.

        blerun unpair -d "Lock*"
      """
  )

  @OptionGroup var target: TargetOptions

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func run() throws {
    try target.run(Plan(steps: [Step(.unpair)]), in: options, printing.output, work: "the removal")
  }
}
