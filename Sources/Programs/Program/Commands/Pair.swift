// `blerun pair` and `blerun unpair`.

import ArgumentParser
import Bluetooth
import Jobs

struct Pair: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a device.",
    discussion: """
      Connects, pairs, and disconnects; the bond stays. A device that is paired already is left as \
      it is. What pairing asks is answered by the options; without any, the person at the terminal \
      is asked, if there is one. A passkey is never taken from the command line, where others see it.

        blerun pair -d "Lock*" --passkey-file passkey.txt
        blerun pair -d "Thermo*" --confirm
        LOCK=042137 blerun pair --passkey-env LOCK \\
          --simulate Simulators/devices/lock.yaml
      """
  )

  @OptionGroup var target: TargetOptions

  @Option(help: "What this side can do; without it, what the answers need.")
  var capability: AgentCapability?

  @Flag(help: "Confirm whatever number is to be compared.")
  var confirm = false

  @Flag(
    help: """
      Refuse whatever is asked. The command fails with the reason; a bond that the device makes \
      without asking is removed.
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

  /// Returns an error in place of one by the parser that would show a passkey; nil for any other error.
  static func complaint(insteadOf text: String, about arguments: [String]) -> String? {
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
      Ends the link, if there is one. A device that is not known is none to forget. The bond on the \
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
