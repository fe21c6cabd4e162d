// Pseudonyms for what identifies the device or its owner, before a recording is written.
//
// Only data in a known form is found: see docs/simulated-devices.md. A pseudonym is computed from
// its original and has the same form, so that two recordings of one device fit together. It does
// not protect a secret: each form has 65 536 pseudonyms, so a guess is easily tested.

import Bluetooth

/// Replaces addresses, serial numbers and names of persons, wherever a recording has them.
package struct Redaction: Sendable {
  /// The octets that may not be next to a match.
  private enum Boundary {
    case none, letters, lettersAndDigits
  }

  private struct Replacement: Sendable {
    let original: [UInt8]
    let pseudonym: [UInt8]
    let boundary: Boundary
  }

  /// The longest first.
  private var replacements: [Replacement] = []
  /// The addresses as lower-case digits, in both octet orders, with the digits of their pseudonyms.
  private var digits: [(original: [UInt8], pseudonym: [UInt8])] = []

  private static let firstName = BluetoothUUID(short: 0x2a8a)
  private static let lastName = BluetoothUUID(short: 0x2a90)
  private static let serialNumber = BluetoothUUID(short: 0x2a25)
  /// Texts about a person, or with the number of one unit; 2A87 is Email Address.
  private static let texts = [serialNumber, firstName, BluetoothUUID(short: 0x2a87), lastName]
  /// Binary values about a person, or with the number of one unit: System ID, Date of Birth, the
  /// identifier of a medical device.
  private static let octets = [0x2a23, 0x2a85, 0x2bff].map { BluetoothUUID(short: $0) }

  /// Returns the recording with pseudonyms for all data in a known form that identifies the device
  /// or its owner.
  package static func redacted(_ recording: DeviceRecording) -> DeviceRecording {
    let redaction = Redaction(recording)
    var result = recording
    redaction.apply(to: &result)
    return result
  }

  /// The kinds of data that ``redacted(_:)`` replaces in a recording: "its address" first, then the
  /// others that it has.
  package static func replaced(in recording: DeviceRecording) -> [String] {
    let names = [recording.name, recording.gapName].compactMap(\.self)
    let hasOwner = names.contains { withoutOwner($0) != $0 }
    let kinds = recording.characteristics.filter { one in
      isPersonal(one.uuid) && !values(of: one, in: recording).isEmpty
    }
    let hasNumber = names.contains { name($0, of: recording.address) != withoutOwner($0) }
    return ["its address"] + (hasOwner ? ["the owner in its name"] : [])
      + (hasNumber ? ["the number in its name"] : [])
      + kinds.map { AttributeNames.assigned.title(of: $0.uuid, .characteristic) }
  }

  private init(_ recording: DeviceRecording) {
    for address in [recording.address] + recording.otherAddresses { add(address) }
    for one in recording.characteristics where Self.isPersonal(one.uuid) {
      for octets in Self.values(of: one, in: recording) { add(octets, of: one.uuid) }
    }
    sort()
    for name in [recording.name, recording.gapName].compactMap(\.self) where name.utf8.count >= 4 {
      let other = replaced(name: name, of: recording.address)
      if other != name { add(Array(name.utf8), Array(other.utf8), .none) }
    }
    sort()
  }

  private mutating func sort() { replacements.sort { $0.original.count > $1.original.count } }

  /// All values read from or written to a characteristic.
  private static func values(
    of one: RecordedCharacteristic, in recording: DeviceRecording
  ) -> [[UInt8]] {
    let known = [one.reading?.octets, one.bondedValue].compactMap(\.self)
    let read = recording.reads.filter { $0.handle == one.handle }.map(\.octets)
    let written = recording.writes.filter { $0.handle == one.handle }.map(\.octets)
    return Set(known + read + written).filter { !$0.isEmpty }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
  }

  private mutating func add(_ original: [UInt8], _ pseudonym: [UInt8], _ boundary: Boundary) {
    guard !replacements.contains(where: { $0.original == original }) else { return }
    replacements.append(
      Replacement(original: original, pseudonym: pseudonym, boundary: boundary)
    )
  }

  /// Adds an address, as octets and as text, both in either octet order.
  private mutating func add(_ address: BluetoothAddress) {
    let pair = [address, Self.pseudonym(of: address)].map { Self.octets(of: $0) }
    for (own, other) in [(pair[0], pair[1]), (pair[0].reversed(), pair[1].reversed())] {
      add(own, other, .none)
      let texts = [own, other].map { Array($0.map { hexadecimal($0) }.joined().utf8) }
      digits.append((texts[0], texts[1]))
    }
  }

  /// Adds a personal value, which is then also found, whole or in part, inside other values. A
  /// value that is shorter than three octets, or one octet repeated, would match by chance.
  private mutating func add(_ octets: [UInt8], of uuid: BluetoothUUID) {
    let trimmed = Self.trimmed(octets)
    let whole = Self.texts.contains(uuid) ? trimmed : octets
    if whole.count >= 6, Set(whole).count >= 4 {
      add(whole, Self.personal(whole, of: uuid), .none)
    }
    switch uuid {
    case Self.firstName, Self.lastName:
      for name in trimmed.split(separator: 0x20) where name.count >= 3 {
        add(Array(name), Self.personal(Array(name), of: uuid), .letters)
      }
    case Self.serialNumber:
      // A number of six or more octets is found anywhere, a shorter one only as a whole word.
      guard trimmed.count >= 3, Set(trimmed).count >= 2 else { return }
      add(
        trimmed, Self.personal(trimmed, of: uuid), trimmed.count < 6 ? .lettersAndDigits : .none
      )
    // open: characteristics
    default: break
    }
  }

  private static func isPersonal(_ uuid: BluetoothUUID) -> Bool {
    texts.contains(uuid) || Self.octets.contains(uuid)
  }

  /// The pseudonym of a personal value. NULs and spaces at the end of a text are kept, and do not
  /// affect the rest.
  private static func personal(_ octets: [UInt8], of uuid: BluetoothUUID) -> [UInt8] {
    guard texts.contains(uuid) else { return shaped(octets, isText: false) }
    let text = trimmed(octets)
    let isText =
      text.allSatisfy { $0 >= 0x20 && $0 != 0x7f } && String(validating: text, as: UTF8.self) != nil
    return shaped(text, isText: isText) + octets[text.count...]
  }

  /// A text without the NULs and spaces at its end.
  private static func trimmed(_ octets: [UInt8]) -> [UInt8] {
    Array(octets.reversed().drop { [0, 0x20].contains($0) }.reversed())
  }

  // MARK: Pseudonyms

  /// A hash of 16 bits: FNV-1a with one more mixing step.
  private static func number(of octets: [UInt8]) -> UInt64 {
    let sum = octets.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
    }
    return ((sum ^ sum >> 29) &* 0xbf58_476d_1ce4_e5b9) >> 48
  }

  /// `C0:FF:EE:00` and a hash of the address.
  static func pseudonym(of address: BluetoothAddress) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee00_0000 | number(of: octets(of: address)))
  }

  private static func octets(of address: BluetoothAddress) -> [UInt8] {
    (0..<6).reversed().map { UInt8(truncatingIfNeeded: address.number >> (8 * UInt64($0))) }
  }

  /// Pseudonymous octets of the same form: digits for digits, letters for letters; if the value is
  /// not a text, any octets.
  static func shaped(_ octets: [UInt8], isText: Bool) -> [UInt8] {
    var state = number(of: octets)
    return octets.map { octet in
      // The middle bits are used, because the lowest bits of a product are hardly random.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let random = state >> 33
      guard isText else { return UInt8(truncatingIfNeeded: random) }
      // An octet of a character outside ASCII becomes an ASCII letter.
      if octet >= 0x80 { return UInt8(ascii: "a") + UInt8(random % 26) }
      for (first, count) in [("0", 10), ("a", 26), ("A", 26)] as [(Unicode.Scalar, UInt8)] {
        let first = UInt8(ascii: first)
        if octet >= first, octet - first < count {
          return first + UInt8(random % UInt64(count))
        }
      }
      return octet
    }
  }

  /// A name with pseudonyms for its owner and for the number of the unit: "Ann Lee's Band 4F2A"
  /// becomes "Somebody's Band 83C1", where 4F2A is the end of the address. Other letters may
  /// precede such a number.
  ///
  /// - Parameter isPseudonym: Whether a run of letters and digits is a pseudonym already.
  static func name(
    _ name: String, of address: BluetoothAddress,
    where isPseudonym: (String) -> Bool = { _ in false }
  ) -> String {
    let text = withoutOwner(name)
    let own = octets(of: address).map { hexadecimal($0) }.joined()
    let other = octets(of: pseudonym(of: address)).map { hexadecimal($0) }.joined()
    var (result, run) = ("", "")
    func end() {
      let number = String(run.reversed().prefix(while: \.isHexDigit).reversed())
      let known = zip(number.lowercased().reversed(), own.reversed()).prefix { $0 == $1 }.count
      if run.count >= 4, other.hasSuffix(run.lowercased()) || isPseudonym(run) {
        result += run
      } else if known >= 4 {
        let tail = String(other.suffix(known))
        let isLower = run.suffix(known).contains(where: \.isLowercase)
        result += run.dropLast(known) + (isLower ? tail : tail.uppercased())
      } else if number.count >= 7, number.contains(where: \.isNumber) {
        let pseudonym = shaped(Array(number.utf8), isText: true)
        result += run.dropLast(number.count) + String(decoding: pseudonym, as: UTF8.self)
      } else {
        result += run
      }
      run = ""
    }
    for character in text {
      if character.isASCII, character.isLetter || character.isNumber {
        run.append(character)
      } else {
        end()
        result.append(character)
      }
    }
    end()
    return result
  }

  // MARK: Owners

  /// Words between a device and its owner in default names: "iPhone von Anna".
  private static let links: Set<String> = [
    "von", "van", "de", "di", "da", "do", "del", "della", "du", "of", "af", "av", "för", "til",
    "od",
  ]
  /// Words for products whose default names contain the owner.
  private static let owned: Set<String> = [
    "iphone", "ipad", "ipod", "macbook", "imac", "airpods", "homepod", "apple", "galaxy", "pixel",
  ]
  private static let brands: Set<String> = ["apple", "samsung", "google"]
  /// Words for models, which follow the words for products.
  private static let models: Set<String> = [
    "pro", "max", "plus", "mini", "air", "se", "ultra", "xr", "xs", "x", "note", "fold", "flip",
    "fe",
    "lite", "edge", "buds", "watch", "tab", "tv", "pencil", "touch", "fit",
  ]

  /// A name with `Somebody` in the place of its owner.
  ///
  /// An owner stands before `'s` or before an apostrophe after an s, x or z; after a word such as
  /// `von`; or next to `iPhone` and the like. Other names of persons are not found.
  static func withoutOwner(_ name: String) -> String {
    var words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let isPossessive = { (word: String) in
      let word = word.lowercased().replacing("’", with: "'")
      return word.hasSuffix("'s") || ["s'", "x'", "z'"].contains(word.suffix(2))
    }
    if let place = words.dropLast().firstIndex(where: isPossessive) {
      words.replaceSubrange(...place, with: ["Somebody's"])
    }
    // "iPhone d’Anna"
    for place in words.indices.dropFirst() {
      let word = words[place].replacing("’", with: "'")
      if word.lowercased().hasPrefix("d'") {
        words[place...] =
          [String(words[place].prefix(2)) + "Somebody"] + numbers(words[(place + 1)...])
        return words.joined(separator: " ")
      }
    }
    if let place = words.indices.dropFirst().dropLast().first(where: {
      links.contains(words[$0].lowercased())
    }) {
      words[(place + 1)...] = ["Somebody"] + numbers(words[(place + 1)...])
    } else if let place = words.firstIndex(where: { owned.contains($0.lowercased()) }) {
      let isModel = { (word: String) in
        models.contains(word.lowercased()) || owned.contains(word.lowercased())
          || word.contains(where: \.isNumber) || !word.contains(where: \.isLetter)
      }
      let after = words[(place + 1)...]
      if let owner = after.firstIndex(where: { !isModel($0) }) {
        words[owner...] = ["Somebody"] + numbers(words[(owner + 1)...])
      }
      let before = words[..<place].filter { !brands.contains($0.lowercased()) }
      if !before.isEmpty, before != ["Somebody's"] {
        words.replaceSubrange(..<place, with: ["Somebody's"])
      }
    }
    return words.joined(separator: " ")
  }

  /// The words with a digit, which cannot be names of persons.
  private static func numbers(_ words: ArraySlice<String>) -> ArraySlice<String> {
    ArraySlice(words.filter { $0.contains(where: \.isNumber) })
  }

  // MARK: Replacing

  private func apply(to recording: inout DeviceRecording) {
    let address = recording.address
    recording.address = Self.pseudonym(of: address)
    recording.otherAddresses = recording.otherAddresses.map { Self.pseudonym(of: $0) }
    recording.replaceNames { replaced(name: $0, of: address) }
    recording.replaceUUIDs { uuid in
      guard uuid.short == nil else { return uuid }
      return BluetoothUUID(airOctets: replaced(uuid.airOctets)) ?? uuid
    }
    // The reasons name characteristics, whose UUIDs may contain an address.
    recording.unknown = recording.unknown.map {
      String(decoding: replaced(Array($0.utf8)), as: UTF8.self)
    }
    for index in recording.advertisements.indices {
      for place in recording.advertisements[index].manufacturerData.indices {
        replace(in: &recording.advertisements[index].manufacturerData[place])
      }
      for place in recording.advertisements[index].serviceData.indices {
        replace(in: &recording.advertisements[index].serviceData[place].data)
      }
    }
    let kinds = Dictionary(recording.characteristics.map { ($0.handle, $0.uuid) }) { one, _ in one }
    // In its own characteristic, a personal value is replaced even if it is too short to be
    // searched for elsewhere.
    func personal(_ octets: [UInt8], _ handle: UInt16) -> [UInt8]? {
      guard let uuid = kinds[handle], Self.isPersonal(uuid) else { return nil }
      return Self.personal(octets, of: uuid)
    }
    recording.replaceValues { personal($0, $1) ?? replaced($0) }
    recording.writes = recording.writes.map { write in
      // A known value within a longer one gets the pseudonym that it has where it was read.
      let found = replaced(write.octets)
      let own = found == write.octets ? personal(found, write.handle) : nil
      return RecordedWrite(
        handle: write.handle, octets: own ?? found, at: write.at, error: write.error
      )
    }
  }

  /// Replaces octets in manufacturer data. Some devices send an address there, with its first two
  /// octets in the place of the company identifier.
  private func replace(in entry: inout RecordedAdvertisement.Entry<UInt16>) {
    let octets = replaced(
      [UInt8(truncatingIfNeeded: entry.key), UInt8(entry.key >> 8)] + entry.data
    )
    let changes = entry.changes
    entry = .init(UInt16(octets[1]) << 8 | UInt16(octets[0]), Array(octets.dropFirst(2)))
    entry.changes = changes
  }

  private func replace(in octets: inout [UInt8]) { octets = replaced(octets) }

  private func replaced(name: String, of address: BluetoothAddress) -> String {
    let known = String(decoding: replaced(Array(name.utf8)), as: UTF8.self)
    let pseudonyms = replacements.map { String(decoding: $0.pseudonym, as: UTF8.self) }
    let addresses = digits.map { String(decoding: $0.pseudonym, as: UTF8.self) }
    return Self.name(known, of: address) { run in
      pseudonyms.contains { $0.contains(run) }
        || addresses.contains(where: run.lowercased().hasSuffix)
    }
  }

  private func replaced(_ octets: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    while place < octets.count {
      let rest = octets[place...]
      if let (count, pseudonym) = addressText(rest) {
        result += pseudonym
        place += count
      } else if let found = replacements.first(where: { isThere($0, at: place, in: octets) }) {
        result += found.pseudonym
        place += found.original.count
      } else {
        result.append(octets[place])
        place += 1
      }
    }
    return result
  }

  private func isThere(_ one: Replacement, at place: Int, in octets: [UInt8]) -> Bool {
    let end = place + one.original.count
    guard end <= octets.count else { return false }
    switch one.boundary {
    case .none: return octets[place..<end].elementsEqual(one.original)
    case .letters, .lettersAndDigits:
      guard zip(octets[place..<end], one.original).allSatisfy({ $0.lowercased == $1.lowercased })
      else { return false }
    }
    func isInWord(_ index: Int) -> Bool {
      guard octets.indices.contains(index) else { return false }
      return octets[index].isLetter || one.boundary == .lettersAndDigits && octets[index].isDigit
    }
    // A genitive without an apostrophe, such as "Annas", matches, too.
    let isGenitive =
      end < octets.count && octets[end].lowercased == UInt8(ascii: "s") && !isInWord(end + 1)
    return !isInWord(place - 1) && (!isInWord(end) || isGenitive)
  }

  /// Finds an address as text at the beginning of some octets, in either case and octet order, with
  /// or without separators. Returns its length and its pseudonym.
  private func addressText(_ rest: ArraySlice<UInt8>) -> (count: Int, pseudonym: [UInt8])? {
    for (original, pseudonym) in digits {
      var place = rest.startIndex
      var result: [UInt8] = []
      for (index, digit) in original.enumerated() {
        if index > 0, index % 2 == 0, place < rest.endIndex, Self.separators.contains(rest[place]) {
          result.append(rest[place])
          place += 1
        }
        guard place < rest.endIndex, rest[place].lowercased == digit else { break }
        result.append(pseudonym[index])
        place += 1
        guard index == original.count - 1 else { continue }
        let found = rest[..<place]
        let isLower = found.contains { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
        let text = String(decoding: result, as: UTF8.self)
        return (found.count, Array((isLower ? text : text.uppercased()).utf8))
      }
    }
    return nil
  }

  private static let separators = Array(":-_. /".utf8)
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether it is an ASCII letter, or an octet of a character outside ASCII.
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased) || self >= 0x80
  }

  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
