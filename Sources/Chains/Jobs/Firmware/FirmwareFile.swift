// The files of firmware images that chains name.
//
// They are read and checked when a plan is created, not when it runs.

import Bluetooth
public import Documents
import Glibc
import Signals

/// A firmware image in a file, read and checked.
public struct FirmwareFile: Hashable, Sendable, CustomStringConvertible {
  /// The path, as the chain spells it.
  public let path: String
  /// The content; nil for the placeholder of a step that is not read yet.
  let goal: FirmwareUpdate.Goal?

  /// The largest file, in bytes.
  static let longest = 16 * 1024 * 1024

  /// Reads an image.
  ///
  /// ```swift
  /// let image = try FirmwareFile("build/zephyr/zephyr.signed.bin")
  /// ```
  ///
  /// - Parameter path: The file, from the working directory.
  /// - Throws: `Problem` for a file that cannot be read, or is not an image of MCUboot whose hash
  ///   fits.
  public init(_ path: String) throws(Problem) {
    try self.init(path, at: path)
  }

  init(_ path: String, at place: String) throws(Problem) {
    if access(place, F_OK) == 0, !TextFile.isRegular(place) {
      throw Problem("'\(path)': not a regular file", expected: "the file of an MCUboot image")
    }
    let octets: [UInt8]
    do throws(DocumentErrors) {
      octets = try TextFile.octets(place, limit: Self.longest)
    } catch {
      throw Problem("'\(path)': \(error.problems[0].message)")
    }
    let expected = "an image of MCUboot, as imgtool signs it"
    guard !octets.isEmpty else { throw Problem("'\(path)': the file is empty", expected: expected) }
    do throws(MCUbootImageError) {
      goal = try FirmwareUpdate.Goal(octets)
    } catch {
      throw Problem("'\(path)': \(error)", expected: expected)
    }
    self.path = path
  }

  private init() { (path, goal) = ("", nil) }

  /// A placeholder, replaced when the file is read.
  static let unread = FirmwareFile()

  /// The version of the image.
  public var version: String { goal.map { "\($0.image.version)" } ?? "" }

  /// The SHA-256 by which devices identify the image, as hexadecimal digits.
  public var hash: String { goal.map { DecodedValue.octets($0.image.hash).description } ?? "" }

  /// The file, its version, and the first digits of two hashes: the image's, and the whole file's.
  public var description: String {
    let whole = goal.map { DecodedValue.octets(Array($0.sha.prefix(8))).description } ?? ""
    return "\(path) = \(version), \(hash.prefix(16)), file \(whole)"
  }

  public static func == (left: FirmwareFile, right: FirmwareFile) -> Bool {
    left.path == right.path && left.goal?.sha == right.goal?.sha
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(goal?.sha)
  }
}

/// The images that one chain names. Each file is read once, however many devices get it.
final class FirmwareFiles: Sendable {
  private let files = Guarded<[String: Result<FirmwareFile, Problem>]>([:])

  /// The image in a file that another file names.
  func file(_ name: String, beside file: String) throws(Problem) -> FirmwareFile {
    let place = TextFile.path(name, beside: file)
    if let known = files.withLock({ $0[place] }) { return try known.get() }
    let read = Result { () throws(Problem) in try FirmwareFile(name, at: place) }
    files.withLock { $0[place] = read }
    return try read.get()
  }
}

extension Plan {
  /// The firmware images of the plan, each once.
  package var firmware: [FirmwareFile] {
    var files: [FirmwareFile] = []
    for step in allSteps {
      guard case .firmware(let firmware) = step.action, !files.contains(firmware.image) else {
        continue
      }
      files.append(firmware.image)
    }
    return files
  }
}

extension Shape where Value == FirmwareFile {
  /// The path of an image, from the folder of the file that names it.
  static var firmware: Self {
    let expected = "the path of an MCUboot image such as app.bin"
    return Shape(
      expected, schema: .type("string"), word: .constant, words: { [Quoting.quoted($0.path)] }
    ) { node, reader in
      guard let name = node.text, !name.isEmpty else { return nil }
      guard let files = reader.includeContext.inclusions.firmware else {
        reader.complain(
          node, Problem("'\(name)': a chain that is not in a file has no firmware images"))
        return nil
      }
      return reader.parsed(node) { try files.file($0, beside: node.place.file) }
    }
  }
}
