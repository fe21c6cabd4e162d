// What of a recording is about one owner or one piece: replaced, before the file is written.
//
// A pseudonym follows from what it stands for and has its form, so that two recordings of one device
// fit together. There are 65 536 of each form, far fewer than originals: who tries all of these finds many
// that fit.

import Bluetooth

/// Replaces addresses, serial numbers, names of persons and what a name has of these.
package struct Redaction: Sendable {
  /// The original bytes and those in their place, the longest first.
  private var replacements: [(original: [UInt8], pseudonym: [UInt8])] = []

  /// Texts that are about a person, or number one piece: serial number, first name, e-mail address,
  /// last name.
  private static let texts = [0x2a25, 0x2a8a, 0x2a87, 0x2a90].map { BluetoothUUID(short: $0) }
  /// Bytes that number one piece, or are about a person: System ID, Date of Birth, the identifier of
  /// a medical device.
  private static let octets = [0x2a23, 0x2a85, 0x2bff].map { BluetoothUUID(short: $0) }

  /// The recording without what identifies the device and its owner, as far as its form shows that.
  package static func redacted(_ recording: DeviceRecording) -> DeviceRecording {
    var redaction = Redaction()
    var result = recording
    for address in [recording.address] + recording.otherAddresses { redaction.add(address) }
    result.address = pseudonym(of: recording.address)
    result.otherAddresses = recording.otherAddresses.map { pseudonym(of: $0) }
    result.name = recording.name.map { name($0, of: recording.address) }
    if let name = recording.name, let other = result.name, name != other, name.utf8.count >= 4 {
      redaction.replacements.append((Array(name.utf8), Array(other.utf8)))
    }
    for one in recording.characteristics where isPersonal(one.uuid) {
      for octets in [one.reading?.octets, one.protected].compactMap(\.self)
      // What is short, or nearly the same octet, is found by chance.
      where octets.count >= 6 && Set(octets).count >= 4 {
        redaction.replacements.append((octets, personal(octets, of: one.uuid)))
      }
    }
    redaction.replacements.sort { $0.original.count > $1.original.count }
    redaction.apply(to: &result)
    return result
  }

  /// An address, as octets in both orders and as text in its usual forms.
  private mutating func add(_ address: BluetoothAddress) {
    let pseudonym = Self.pseudonym(of: address)
    let (own, other) = (Self.octets(of: address), Self.octets(of: pseudonym))
    replacements.append((own, other))
    replacements.append((own.reversed(), other.reversed()))
    for separator in [":", "-", "_", ""] {
      let texts = [address, pseudonym].map {
        $0.description.split(separator: ":").joined(separator: separator)
      }
      replacements.append((Array(texts[0].utf8), Array(texts[1].utf8)))
      let lower = texts.map { Array($0.lowercased().utf8) }
      replacements.append((lower[0], lower[1]))
    }
  }

  private static func isPersonal(_ uuid: BluetoothUUID) -> Bool {
    texts.contains(uuid) || Self.octets.contains(uuid)
  }

  private static func personal(_ octets: [UInt8], of uuid: BluetoothUUID) -> [UInt8] {
    shaped(octets, isText: texts.contains(uuid) && octets.allSatisfy { (0x20...0x7e).contains($0) })
  }

  // MARK: Pseudonyms

  /// 16 bits that follow from some bytes: of FNV-1a, mixed once more.
  private static func number(of octets: [UInt8]) -> UInt64 {
    let sum = octets.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
    }
    return ((sum ^ sum >> 29) &* 0xbf58_476d_1ce4_e5b9) >> 48
  }

  /// `C0:FF:EE:00` and 16 bits that follow from the address.
  static func pseudonym(of address: BluetoothAddress) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee00_0000 | number(of: octets(of: address)))
  }

  private static func octets(of address: BluetoothAddress) -> [UInt8] {
    (0..<6).reversed().map { UInt8(truncatingIfNeeded: address.number >> (8 * UInt64($0))) }
  }

  /// Other bytes of the same form: digits for digits, letters for letters; of bytes that are no text,
  /// any.
  static func shaped(_ octets: [UInt8], isText: Bool) -> [UInt8] {
    var state = number(of: octets)
    return octets.map { octet in
      // The middle bits: the lowest of a product are poor.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let random = state >> 33
      guard isText else { return UInt8(truncatingIfNeeded: random) }
      for (first, count) in [("0", 10), ("a", 26), ("A", 26)] as [(Unicode.Scalar, UInt8)] {
        let first = UInt8(ascii: first)
        if octet >= first, octet - first < count {
          return first + UInt8(random % UInt64(count))
        }
      }
      return octet
    }
  }

  /// A name without its owner and without the number of a piece: "Ann Lee's Band 4F2A" is "Somebody's Band
  /// 83C1", where 4F2A is the end of the address. Other letters may be before such a number.
  static func name(_ name: String, of address: BluetoothAddress) -> String {
    var text = name
    for ending in ["'s ", "’s "] {
      if let end = text.firstRange(of: ending) { text = "Somebody" + text[end.lowerBound...] }
    }
    let own = octets(of: address).map { hexadecimal($0) }.joined()
    let other = octets(of: pseudonym(of: address)).map { hexadecimal($0) }.joined()
    var (result, run) = ("", "")
    func end() {
      let number = String(run.reversed().prefix(while: \.isHexDigit).reversed())
      let known = zip(number.lowercased().reversed(), own.reversed()).prefix { $0 == $1 }.count
      if known >= 4 {
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

  // MARK: Replacing

  private func apply(to recording: inout DeviceRecording) {
    for index in recording.advertisements.indices {
      for place in recording.advertisements[index].manufacturerData.indices {
        replace(in: &recording.advertisements[index].manufacturerData[place])
      }
      for place in recording.advertisements[index].serviceData.indices {
        replace(in: &recording.advertisements[index].serviceData[place].data)
      }
    }
    let kinds = Dictionary(recording.characteristics.map { ($0.handle, $0.uuid) }) { one, _ in one }
    // Also what is too short to be searched for elsewhere.
    func personal(_ octets: [UInt8], _ handle: UInt16) -> [UInt8]? {
      guard let uuid = kinds[handle], Self.isPersonal(uuid) else { return nil }
      return Self.personal(octets, of: uuid)
    }
    recording.replaceValues { personal($0, $1) ?? replaced($0) }
    recording.writes = recording.writes.map { write in
      // A known value within a longer one is replaced as where it was read.
      let found = replaced(write.octets)
      let own = found == write.octets ? personal(found, write.handle) : nil
      return RecordedWrite(
        handle: write.handle, octets: own ?? found, at: write.at, error: write.error
      )
    }
  }

  /// An address may be there in the place of a company, with its first two bytes as the company.
  private func replace(in entry: inout RecordedAdvertisement.Entry<UInt16>) {
    let octets = replaced(
      [UInt8(truncatingIfNeeded: entry.key), UInt8(entry.key >> 8)] + entry.data
    )
    let changes = entry.changes
    entry = .init(UInt16(octets[1]) << 8 | UInt16(octets[0]), Array(octets.dropFirst(2)))
    entry.changes = changes
  }

  private func replace(in octets: inout [UInt8]) { octets = replaced(octets) }

  private func replaced(_ octets: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = octets[...]
    while let first = rest.first {
      if let found = replacements.first(where: { rest.starts(with: $0.original) }) {
        result += found.pseudonym
        rest = rest.dropFirst(found.original.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}
