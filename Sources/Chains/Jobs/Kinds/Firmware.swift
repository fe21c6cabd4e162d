// `firmware`: replaces the firmware of the device over SMP.
//
// FirmwareUpdate decides the order of the actions, and FirmwareRun performs them.

import Bluetooth
import Documents
import Signals

/// A firmware image, and the conditions under which a `firmware` step installs it.
public struct FirmwareStep: Hashable, Sendable {
  public var image: FirmwareFile
  /// The number of the image on a device that has several, such as 1 for a network core.
  public var imageNumber = 0
  /// The first digits of the SHA-256 of the image, as `imgtool` prints it; nil accepts any image.
  public var hash: String?
  /// The name of the board that the device must state; nil accepts any device.
  public var board: String?
  /// The lowest battery level, in percent; nil does not read it.
  public var battery: Int?
  /// Whether an older image, or another one of the same version, may be installed.
  public var allowsDowngrade = false
  /// Whether the image is confirmed once it runs; if not, the next reset restores the one before.
  public var confirms = true

  public init(_ image: FirmwareFile) { self.image = image }
}

extension FirmwareStep: StepKind {
  init() { self.init(.unread) }

  static let verb = "firmware"
  static let synonyms = ["dfu", "fota", "update", "upgrade", "flash", "smp", "mcumgr"]
  static let documentation =
    "replaces the firmware over SMP: upload, test, reset, confirmation; see [Firmware updates](firmware.md)"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let keys: [Key<FirmwareStep>] = [
    Key(
      "firmware", \.image, .firmware, line: .target,
      "the file of the image, from the folder of this one; it is read before the chain runs"
    ),
    Key(
      "image-number", \.imageNumber, .integer("a number", "") { _ in 0...15 }, default: 0,
      "the number of the image on a device with several, such as 1 for a network core"
    ),
    Key("hash", \.hash, .text("hexadecimal digits"), "how the SHA-256 of the image must begin"),
    Key(
      "board", \.board, .text("the name of a board"),
      "the board that the device must state, such as nrf52840dk"
    ),
    Key(
      "battery", \.battery, .integer("a percentage", "percent") { _ in 1...100 },
      "the lowest battery level, in percent: below it nothing is uploaded"
    ),
    Key(
      "downgrade", \.allowsDowngrade, .truth, default: false, line: .flag("downgrade"),
      "an older image, or another one of the same version, is installed, too"
    ),
    Key(
      "confirm", \.confirms, .truth, default: true,
      "`false`: the image is only tested, so that the next reset restores the one before"
    ),
  ]

  var action: Step.Action { .firmware(self) }
  var subjects: Subjects? { Subjects(of: self) }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] {
    [(FirmwareRun.characteristic, .subscribe), (FirmwareRun.characteristic, .write(.command))]
  }
  var privilege: String? { "replaces the firmware" }
  var participle: String { "updating the firmware to \(image.path)" }
  /// The time for an upload of some hundred kilobytes over a slow connection that drops at times.
  func limit(_ usual: Duration) -> Duration { max(usual, .seconds(1800)) }

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard let hash, let goal = image.goal else { return nil }
    let digits = hash.lowercased()
    let first = "the first digits of the hash of \(image.path), such as \(image.hash.prefix(8))"
    guard !hash.isEmpty, hash.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      return (["hash"], Problem("'\(hash)' is not hexadecimal digits", expected: first))
    }
    guard !image.hash.hasPrefix(digits) else { return nil }
    if DecodedValue.octets(goal.sha).description.hasPrefix(digits) {
      let message = "'\(hash)' is the SHA-256 of the whole file, not the hash of the image in it"
      return (["hash"], Problem(message, expected: first))
    }
    let message = "\(image.path) has the hash \(image.hash.prefix(16))…"
    return (["hash"], Problem(message, expected: "one that begins with '\(hash)'"))
  }

  func run(_ run: StepRun) async throws {
    guard let update = FirmwareRun(self, run) else {
      preconditionFailure("a firmware step without an image does not run")
    }
    let began = run.loop.now
    let report: FirmwareUpdate.Report
    do {
      report = try await run.limited(update.report) { limit in
        Lateness("\(update.place), and the update did not end within \(limit.written)")
      }
    } catch {
      if let trial = update.trialLeft { run.remarkIfLast(trial) }
      throw error
    }
    switch report.outcome {
    case .current: run.remark("the image was running and confirmed: nothing was uploaded")
    case .tested: run.remark("the image is not confirmed: the next reset restores the one before")
    case .confirmed: break
    }
    try run.report(.success(report.value(took: run.loop.now - began)), [])
  }
}

extension FirmwareUpdate.Report {
  /// The value of the step.
  fileprivate func value(took: Duration) -> DecodedValue {
    let seconds = uploading / .seconds(1)
    return .fields([
      .init("before", .text(before)), .init("version", .text(after)),
      .init("outcome", .text(outcome.rawValue)),
      .init("bytes", .integer(Int128(bytes)), unit: "bytes"),
      .init("duration", .real(took / .seconds(1), decimals: 1), unit: "s"),
      .init(
        "rate", .real(seconds > 0 ? Double(bytes) / seconds : 0, decimals: 0), unit: "bytes/s"),
    ])
  }
}

extension Step {
  /// Replaces the firmware of the device over SMP.
  ///
  /// ```swift
  /// let image = try FirmwareFile("build/zephyr/zephyr.signed.bin")
  /// let chain = try Plan { try Step.firmware(image).expect("version", .equal("2.0.0")) }
  /// ```
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - allowsDowngrade: Whether an older image, or another one of the same version, is installed.
  ///   - confirms: Whether the image is confirmed once it runs.
  public static func firmware(
    _ image: FirmwareFile, allowsDowngrade: Bool = false, confirms: Bool = true
  ) -> Step {
    var step = FirmwareStep(image)
    step.allowsDowngrade = allowsDowngrade
    step.confirms = confirms
    return Step(.firmware(step))
  }
}
