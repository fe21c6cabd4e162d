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

  /// The recording without what identifies the device and its owner.
  package static func redacted(_ recording: DeviceRecording) -> DeviceRecording {
    var redaction = Redaction()
    var result = recording
    for address in [recording.address] + recording.otherAddresses {
      let pseudonym = pseudonym(of: address)
      redaction.replace(octets(of: address), by: octets(of: pseudonym))
      redaction.replace(octets(of: address).reversed(), by: octets(of: pseudonym).reversed())
    }
    result.address = pseudonym(of: recording.address)
    result.otherAddresses = recording.otherAddresses.map { pseudonym(of: $0) }
    if let name = recording.name {
      result.name = Self.name(name)
      redaction.replace(Array(name.utf8), by: Array(Self.name(name).utf8))
    }
    for one in recording.characteristics where isPersonal(one.uuid) {
      if case .octets(let octets)? = one.reading {
        redaction.replace(octets, by: shaped(octets, isText: texts.contains(one.uuid)))
      }
      if let octets = one.protected {
        redaction.replace(octets, by: shaped(octets, isText: texts.contains(one.uuid)))
      }
    }
    redaction.replacements.sort { $0.original.count > $1.original.count }
    redaction.apply(to: &result)
    redaction.replacePersonal(in: &result, of: recording)
    return result
  }

  private static func isPersonal(_ uuid: BluetoothUUID) -> Bool {
    texts.contains(uuid) || Self.octets.contains(uuid)
  }

  /// Replaces the values that are about a person or number one piece, also those that are too short to
  /// be searched for elsewhere.
  private func replacePersonal(in result: inout DeviceRecording, of original: DeviceRecording) {
    for service in original.services.indices {
      for place in original.services[service].characteristics.indices {
        let one = original.services[service].characteristics[place]
        guard Self.isPersonal(one.uuid) else { continue }
        let isText = Self.texts.contains(one.uuid)
        if case .octets(let octets)? = one.reading {
          result.services[service].characteristics[place].reading =
            .octets(Self.shaped(octets, isText: isText))
        }
        if let octets = one.protected {
          result.services[service].characteristics[place].protected =
            Self.shaped(octets, isText: isText)
        }
      }
    }
  }

  private mutating func replace(_ original: some Sequence<UInt8>, by other: some Sequence<UInt8>) {
    let original = Array(original)
    // A short text would be found by chance.
    guard original.count >= 4, !replacements.contains(where: { $0.original == original }) else {
      return
    }
    replacements.append((original, Array(other)))
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

  /// A name without its owner and without the number of a piece: "Ann's Band 1234" is "Somebody's Band
  /// 7718".
  static func name(_ name: String) -> String {
    var words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for (index, word) in words.enumerated() {
      for ending in ["'s", "’s"] where word.hasSuffix(ending) {
        words[index] = "Somebody" + ending
      }
    }
    let text = words.joined(separator: " ")
    // Runs of letters and digits that are numbers of a piece: four or more, with two digits.
    var result: [UInt8] = []
    var run: [UInt8] = []
    func end() {
      let digits = run.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      result += run.count >= 4 && digits >= 2 ? shaped(run, isText: true) : run
      run = []
    }
    for octet in text.utf8 {
      let isPart =
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20)
      if isPart {
        run.append(octet)
      } else {
        end()
        result.append(octet)
      }
    }
    end()
    return String(decoding: result, as: UTF8.self)
  }

  // MARK: Replacing

  private func apply(to recording: inout DeviceRecording) {
    for index in recording.advertisements.indices {
      for place in recording.advertisements[index].manufacturerData.indices {
        replace(in: &recording.advertisements[index].manufacturerData[place].data)
      }
      for place in recording.advertisements[index].serviceData.indices {
        replace(in: &recording.advertisements[index].serviceData[place].data)
      }
    }
    for service in recording.services.indices {
      for one in recording.services[service].characteristics.indices {
        replace(in: &recording.services[service].characteristics[one].reading)
        let protected = recording.services[service].characteristics[one].protected
        recording.services[service].characteristics[one].protected = protected.map { replaced($0) }
        for place in recording.services[service].characteristics[one].descriptors.indices {
          replace(in: &recording.services[service].characteristics[one].descriptors[place].reading)
        }
      }
    }
    recording.writes = recording.writes.map { write in
      RecordedWrite(
        handle: write.handle,
        octets: replaced(write.octets),
        at: write.at,
        error: write.error
      )
    }
    recording.notifications = recording.notifications.map {
      RecordedNotification(handle: $0.handle, octets: replaced($0.octets), at: $0.at)
    }
  }

  private func replace(in reading: inout RecordedReading?) {
    if case .octets(let octets)? = reading { reading = .octets(replaced(octets)) }
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
