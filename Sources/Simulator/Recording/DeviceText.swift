// The text of the device file that describes a recording.
//
// The file has the order, the names and the comments that an author would give it by hand. A fact
// that could not be learned is a comment with the reason.

package import Bluetooth
import Documents
package import SimulatedDevices

/// Writes a recording as a device file.
package struct DeviceText {
  private let recording: DeviceRecording
  private let dialogue: Dialogue
  private let names: AttributeNames
  private let unrecorded: UnrecordedWrite?
  /// The handles of the characteristics whose values are all texts; `writtenTexts` has those whose
  /// written values are.
  private let texts: Set<UInt16>
  private let writtenTexts: Set<UInt16>
  private var lines: [String] = []
  /// The number of octets of values that still fit: a device file has at most 1 MiB.
  private var room = 200_000

  /// The lines of the file.
  ///
  /// - Parameters:
  ///   - source: The origin of the recording, for the first comment: "recorded from hci0 within
  ///     20s".
  ///   - names: Names for UUIDs. The file lists those that it uses.
  ///   - unrecorded: The treatment of writes that were never recorded; nil to omit it.
  package static func lines(
    of recording: DeviceRecording, source: String, names: AttributeNames = .assigned,
    unrecorded: UnrecordedWrite? = nil
  ) -> [String] {
    var text = DeviceText(recording, names, unrecorded)
    text.write(source)
    return text.lines
  }

  private init(
    _ recording: DeviceRecording, _ names: AttributeNames, _ unrecorded: UnrecordedWrite?
  ) {
    (self.recording, self.names, self.unrecorded) = (recording, names, unrecorded)
    dialogue = Dialogue(recording)
    let own =
      (recording.notifications + recording.reads).map { ($0.handle, $0.octets) }
      + recording.characteristics.flatMap { one in
        [one.reading?.octets, one.protected].compactMap(\.self).map { (one.handle, $0) }
      }
    texts = Self.texts(own)
    writtenTexts = Self.texts(recording.writes.map { ($0.handle, $0.octets) })
  }

  private mutating func line(_ depth: Int, _ text: String) {
    lines.append(String(repeating: "  ", count: depth) + text)
  }

  private mutating func comment(_ depth: Int, _ text: String) {
    line(depth, "# \(Self.oneLine(text))")
  }

  // MARK: The device

  private mutating func write(_ source: String) {
    comment(0, source)
    let unknown = recording.unknown + [recording.unknownInterval].compactMap(\.self)
    for reason in unknown { comment(0, "Not learned: \(reason).") }
    writeNames()
    if let name = recording.name.flatMap({ Self.name($0) }) {
      line(0, "name: \(Self.scalar(name))")
    }
    if let name = recording.gapName.flatMap({ Self.name($0) }) {
      line(0, "gap-name: \(Self.scalar(name))")
    }
    line(0, "address: \(recording.address)")
    line(0, "address-type: \(recording.addressType.rawValue)")
    if recording.changesAddress {
      comment(
        0, "The address is a private one: the device changes it. private-address simulates that."
      )
    }
    if !recording.otherAddresses.isEmpty {
      let others = recording.otherAddresses.map(\.description).joined(separator: ", ")
      comment(0, "Seen at \(others), too.")
    }
    if let appearance = recording.appearance, appearance != 0 {
      let name = Appearance.name(appearance).map { " # \($0)" } ?? ""
      line(0, "appearance: 0x\(Self.hexadecimal(appearance))\(name)")
    }
    writeAdvertisements()
    writeLink()
    let isSecured = recording.characteristics.contains { security(of: $0) != nil }
    switch recording.pairing {
    case .untried where isSecured:
      line(0, "security: { pairing: just-works } # how it pairs is not known")
    case .passkeyOfChain where isSecured:
      line(0, "security: { pairing: just-works } # it has a passkey, which is not recorded")
    case .tried(.passkeyEntry):
      line(
        0,
        "security: { pairing: passkey-entry, passkey: 123456 } # its own passkey is not recorded"
      )
    case .tried(let method) where isSecured || method != .justWorks:
      line(0, "security: { pairing: \(method.rawValue) }")
    case .untried, .tried, .passkeyOfChain: break
    }
    if let unrecorded { line(0, "unrecorded: \(unrecorded.rawValue)") }
    writeServices()
  }

  /// A name in the bounds of a device file: up to its first NUL, as in bluetoothd; nil if it is
  /// empty.
  private static func name(_ text: String) -> String? {
    var name = ""
    for scalar in text.unicodeScalars.prefix(while: { $0 != "\0" }) {
      guard name.utf8.count + UTF8.width(scalar) <= FileLimits.name else { break }
      name.unicodeScalars.append(scalar)
    }
    return name.isEmpty ? nil : name
  }

  /// Writes those of the given names that the file uses.
  private mutating func writeNames() {
    var used: Set<BluetoothUUID> = []
    for service in recording.services {
      used.insert(service.uuid)
      for one in service.characteristics {
        used.insert(one.uuid)
        used.formUnion(one.descriptors.map(\.uuid))
      }
    }
    for advertisement in recording.advertisements {
      used.formUnion(advertisement.services)
      used.formUnion(advertisement.serviceData.map(\.key))
    }
    let given = names.entries.filter { used.contains($0.uuid) }
    guard !given.isEmpty else { return }
    line(0, "names:")
    for entry in given { line(1, "\(entry.name): \(entry.uuid.text)") }
  }

  private mutating func writeAdvertisements() {
    switch recording.advertisements.count {
    case 0: break
    case 1:
      line(0, "advertisement:")
      write(recording.advertisements[0], 1, "")
    default:
      line(0, "advertisements:")
      for advertisement in recording.advertisements.prefix(FileLimits.advertisements) {
        write(advertisement, 1, "- ")
      }
    }
  }

  /// - Parameter mark: The beginning of its first line: a dash in a list.
  private mutating func write(_ one: RecordedAdvertisement, _ depth: Int, _ mark: String) {
    let first = lines.count
    if !one.hasName { line(depth, "name: false") }
    if !one.services.isEmpty {
      let all = one.services.prefix(FileLimits.services).map { names.title(of: $0, .service) }
      line(depth, "services: [\(all.joined(separator: ", "))]")
    }
    let rotating = "changes: this is the first of"
    if !one.manufacturerData.isEmpty {
      line(depth, "manufacturer-data:")
      for entry in one.manufacturerData {
        let note = entry.changes > 0 ? " # \(rotating) \(entry.changes + 1) values" : ""
        line(depth + 1, "0x\(Self.hexadecimal(entry.key)): \"\(Self.spaced(entry.data))\"\(note)")
      }
    }
    if !one.serviceData.isEmpty {
      line(depth, "service-data:")
      for entry in one.serviceData {
        let note = entry.changes > 0 ? " # \(rotating) \(entry.changes + 1) values" : ""
        let name = names.title(of: entry.key, .service)
        line(depth + 1, "\(name): \"\(Self.spaced(entry.data))\"\(note)")
      }
    }
    if let power = one.txPower, (-127...20).contains(power) { line(depth, "tx-power: \(power)") }
    if let rssi = Figures.median(one.rssi) {
      line(depth, "rssi: \(min(max(rssi, -127), 20))")
      let spread = one.rssi.map { abs($0 - rssi) }.max() ?? 0
      line(depth, "rssi-spread: \(min(spread, 60))")
    }
    if let gap = Figures.median(one.gaps) {
      let interval = min(max(Figures.rounded(gap), .milliseconds(20)), .milliseconds(10_240))
      line(depth, "interval: \(interval.written)")
    }
    if one.isConnectable == false { line(depth, "connectable: false") }
    if !size(of: one).isLegacy { line(depth, "extended: true") }
    if lines.count == first { line(depth, "name: true") }
    guard !mark.isEmpty else { return }
    for index in first..<lines.count {
      let text = lines[index].dropFirst(2 * depth)
      let indent = String(repeating: "  ", count: depth)
      lines[index] = indent + (index == first ? mark : "  ") + text
    }
  }

  private func size(of one: RecordedAdvertisement) -> AdvertisementSize {
    let definition = AdvertisementDefinition(
      services: Array(one.services.prefix(FileLimits.services)),
      manufacturerData: one.manufacturerData.map { .init(company: $0.key, octets: $0.data) },
      serviceData: one.serviceData.map { .init(service: $0.key, octets: $0.data) },
      txPower: one.txPower, isConnectable: one.isConnectable != false
    )
    return AdvertisementSize(
      definition, name: one.hasName ? recording.name : nil,
      appearance: one.hasName ? recording.appearance : nil
    )
  }

  private mutating func writeLink() {
    let link = recording.link
    var members: [String] = []
    if let mtu = link.mtu, (23...517).contains(mtu) { members.append("mtu: \(mtu)") }
    if let time = Figures.median(link.connecting) {
      members.append("connect-time: \(Self.delay(time))")
      // If discovery was not measured separately, the time to connect already includes it.
      let discovering = Figures.median(link.discovering) ?? .zero
      members.append("discovery-time: \(Self.delay(discovering))")
    }
    if let latency = Figures.median(link.latencies) {
      members.append("latency: \(Self.delay(latency))")
      let slow = link.latencies.sorted()[link.latencies.count * 9 / 10]
      if Figures.rounded(slow - latency) > .zero {
        members.append("latency-spread: \(Self.delay(slow - latency))")
      }
    }
    guard !members.isEmpty else { return }
    line(0, "link: { \(members.joined(separator: ", ")) }")
  }

  /// A delay, rounded and bounded as in device files.
  private static func delay(_ duration: Duration) -> String {
    min(Figures.rounded(duration), FileLimits.delay.upperBound).written
  }

  // MARK: Services

  private mutating func writeServices() {
    let own = recording.listedServices
    guard !own.isEmpty else { return }
    line(0, "services:")
    var left = FileLimits.characteristics
    for service in own.prefix(FileLimits.services) {
      line(1, "- service: \(names.title(of: service.uuid, .service))")
      if !service.isPrimary { comment(2, "It is a secondary service.") }
      let included = service.includes.compactMap { handle in
        own.first { $0.handle == handle && $0.uuid != service.uuid }
          .map { names.title(of: $0.uuid, .service) }
      }
      if !included.isEmpty { line(2, "includes: [\(included.joined(separator: ", "))]") }
      guard !service.characteristics.isEmpty else { continue }
      guard left > 0 else { continue }
      line(2, "characteristics:")
      for one in service.characteristics.prefix(left) { write(one) }
      left -= service.characteristics.count
    }
  }

  private mutating func write(_ one: RecordedCharacteristic) {
    line(3, "- characteristic: \(names.title(of: one.uuid, .characteristic))")
    line(4, "properties: [\(one.properties.flags.joined(separator: ", "))]")
    writeBehaviour(of: one)
    if let security = security(of: one) { line(4, security) }
    let descriptors = one.descriptors.filter {
      $0.uuid != .clientCharacteristicConfiguration && $0.uuid != AttributeTable.extendedProperties
    }
    guard !descriptors.isEmpty else { return }
    line(4, "descriptors:")
    for descriptor in descriptors.prefix(FileLimits.descriptors) {
      let name = names.title(of: descriptor.uuid, .descriptor)
      var octets: [UInt8] = []
      var (security, note) = ("", "")
      switch descriptor.reading {
      case .octets(let value)?: octets = value
      case .refused(let error)? where Dialogue.security.contains(error):
        (security, note) = (", security: encrypted", " # its value is not known: \(error.meaning)")
      case .refused(let error)?: note = " # a read was refused: \(error.meaning)"
      case .unanswered?: note = " # a read was not answered"
      case .unknown(let reason)?: note = " # \(Self.oneLine(reason))"
      case nil: note = " # not read"
      }
      let isText = Self.areTexts([octets])
      let value = value(octets, of: descriptor.uuid, isText: isText).text
      line(5, "- { descriptor: \(name), value: \(value)\(security) }\(note)")
    }
  }

  private mutating func writeBehaviour(of one: RecordedCharacteristic) {
    let values = dialogue.spontaneous[one.handle] ?? []
    let exchanges = dialogue.exchanges[one.handle] ?? []
    guard let motion = Motion(values, until: recording.observedUntil) else {
      if isEcho(exchanges, of: one) { return line(4, "echo: true") }
      if let values = dialogue.changing[one.handle], exchanges.isEmpty, room > 0 {
        return writeReads(values, of: one)
      }
      writeValue(of: one)
      write(exchanges, of: one)
      return
    }
    if case .series(let all, _, _) = motion, room <= 0 {
      comment(4, "It sent \(all.count) values, too many for a file.")
      writeValue(of: one)
      return
    }
    let spread = Motion.spread(of: values)
    if let spread {
      comment(
        4,
        "Between two values: \(spread.shortest.written) to \(spread.longest.written), as median "
          + "\(spread.median.written), of nine in ten at most \(spread.long.written)."
      )
    }
    switch motion {
    case .few(let octets):
      let sent = octets.map { octets in
        let (text, meaning) = value(octets, of: one)
        return meaning ?? text
      }
      comment(4, "It sent \(sent.joined(separator: ", and ")): too few values for an interval.")
      writeValue(of: one)
      write(exchanges, of: one)
      return
    case .counter(let counter, let every):
      let end = counter.wraps ? ", wraps: true" : ""
      line(4, "counter: { \(Self.members(of: counter)), every: \(every.written)\(end) }")
    case .series(let all, let every, let repeats):
      writeSeries(all, of: one)
      line(5, "every: \(every.written)")
      if let spread, spread.usual > .zero {
        line(5, "every-spread: \(Self.delay(min(spread.usual, every)))")
      }
      if !repeats { line(5, "repeats: false") }
    }
    if !exchanges.isEmpty {
      comment(4, "What was written to it changed nothing that could be seen.")
    }
  }

  private static func members(of count: Motion.Count) -> String {
    "format: \(count.format), from: \(count.from), step: \(count.step)"
  }

  /// Writes the values of a series. The caller adds its times.
  private mutating func writeSeries(_ all: [[UInt8]], of one: RecordedCharacteristic) {
    line(4, "series:")
    line(5, "values:")
    var left = all.count
    for octets in all where room > 0 {
      let (text, meaning) = value(octets, of: one)
      line(6, "- \(text)\(meaning.map { " # \($0)" } ?? "")")
      // 20 more for the rest of the line. An octet takes three characters.
      room -= octets.count + 20
      left -= 1
    }
    if left > 0 { comment(6, "\(left) more values came, too many for a file.") }
  }

  /// Writes a behaviour that returns these values to consecutive reads.
  private mutating func writeReads(_ values: [[UInt8]], of one: RecordedCharacteristic) {
    comment(4, "It changed between reads: each read returns the next value.")
    if let count = Motion.count(values), !count.wraps {
      line(4, "counter: { \(Self.members(of: count)) }")
    } else {
      writeSeries(Motion.cycle(values), of: one)
    }
  }

  private mutating func writeValue(of one: RecordedCharacteristic) {
    guard one.properties.contains(.read) else { return }
    if let octets = one.protected { return writeValue(octets, of: one) }
    if let late = one.late {
      comment(
        4,
        "A read was answered after \(Figures.rounded(late).written). The fault slow simulates that."
      )
    }
    switch one.reading {
    case .octets(let octets)?: writeValue(octets, of: one)
    case .refused(let error)? where security(of: one) == nil:
      line(4, "refuse-read: \(error.identifier)")
    case .refused(let error)?: comment(4, "Its value is not known: \(error.meaning).")
    case .unanswered?: comment(4, "Its value is not known.")
    case .unknown(let reason)?: writeUnknown(reason)
    case nil: writeUnknown("it was not read")
    }
  }

  private mutating func writeUnknown(_ reason: String) {
    comment(4, "Its value is not known: \(reason).")
    if unrecorded == .refuse { line(4, "refuse-read: request-not-supported") }
  }

  private mutating func writeValue(_ octets: [UInt8], of one: RecordedCharacteristic) {
    let (text, meaning) = value(octets, of: one)
    line(4, "value: \(text)\(meaning.map { " # \($0)" } ?? "")")
  }

  /// Whether it sends back every value that is written to it. A single value is not enough to tell.
  private func isEcho(_ exchanges: [Dialogue.Exchange], of one: RecordedCharacteristic) -> Bool {
    exchanges.count > 1
      && exchanges.allSatisfy { exchange in
        let effects = exchange.outcome.effects
        return exchange.others == 0 && exchange.outcome.error == nil && effects.count == 1
          && effects[0].kind == .notify
          && effects[0].handle == one.handle && effects[0].octets == exchange.written
      }
  }

  private mutating func write(_ exchanges: [Dialogue.Exchange], of one: RecordedCharacteristic) {
    guard !exchanges.isEmpty else { return }
    guard !one.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      let values = exchanges.count == 1 ? "1 value" : "\(exchanges.count) values"
      return comment(4, "It was written all the same, \(values).")
    }
    // A value that is accepted without an effect needs no entry: by default, every value is.
    let shown = unrecorded == nil ? exchanges.filter { !$0.isPlain } : exchanges
    guard !shown.isEmpty else { return }
    let others = exchanges.count - shown.count
    if others > 0 {
      let values = others == 1 ? "value was" : "values were"
      comment(4, "\(others) other \(values) accepted, and nothing followed.")
    }
    line(4, "responses:")
    let most = FileLimits.responses
    for exchange in shown.prefix(most) {
      line(5, "- when: \(value(exchange.written, of: one, isWritten: true).text)")
      if exchange.others > 0 {
        let times = exchange.others == 1 ? "once" : "\(exchange.others) times"
        comment(6, "Something else came of it \(times): a machine can tell them apart.")
      }
      if let error = exchange.outcome.error {
        line(6, "refuse: \(error.identifier)")
        let count = exchange.outcome.effects.count
        let values = count == 1 ? "1 value" : "\(count) values"
        if count > 0 { comment(6, "\(values) followed all the same.") }
        continue
      }
      guard !exchange.outcome.effects.isEmpty else { continue }
      line(6, "then:")
      let effects = exchange.outcome.effects
      for effect in effects.prefix(FileLimits.responses) { write(effect, causedBy: one) }
      if effects.count > FileLimits.responses {
        comment(7, "\(effects.count - FileLimits.responses) more values followed.")
      }
    }
    if shown.count > most {
      comment(5, "\(shown.count - most) more values were written.")
    }
  }

  private mutating func write(_ effect: Dialogue.Effect, causedBy one: RecordedCharacteristic) {
    let target = recording.characteristics.first { $0.handle == effect.handle }
    let text = target.map { value(effect.octets, of: $0).text } ?? Self.hex(effect.octets)
    let other = effect.handle == one.handle ? "" : ", on: \(reference(to: effect.handle))"
    // The simulator counts the delay from when the write reaches the device, after the latency.
    let delay = effect.delay - (Figures.median(recording.link.latencies) ?? .zero)
    let after = Figures.rounded(delay) > .zero ? ", after: \(Self.delay(delay))" : ""
    let kind =
      switch effect.kind {
      case .notify: "notify"
      case .set: "set"
      }
    line(7, "- { \(kind): \(text)\(other)\(after) }")
  }

  /// The name of a characteristic, unambiguous even if several have its UUID.
  private func reference(to handle: UInt16) -> String {
    let text =
      recording.selector(of: handle, names: names)
      .map(\.description) ?? "@0x\(Self.hexadecimal(handle))"
    // Without quotes, a # could begin a comment.
    return text.contains("#") ? Self.quoted(text) : text
  }

  /// The security that a characteristic demands, as far as refusals show it.
  private func security(of one: RecordedCharacteristic) -> String? {
    var (read, note) = readSecurity(of: one)
    if one.authenticated.contains(.read) { (read, note) = (.authenticated, "") }
    let isRefused = dialogue.secured.contains(one.handle)
    let write: LinkSecurity =
      one.authenticated.contains(.write) ? .authenticated : isRefused ? .encrypted : .none
    if read == .none, write == .none { return nil }
    if read == .none { return "security: { write: \(write.rawValue) }" }
    if write <= read { return "security: \(read.rawValue)\(note)" }
    return "security: { read: \(read.rawValue), write: \(write.rawValue) }\(note)"
  }

  private func readSecurity(of one: RecordedCharacteristic) -> (LinkSecurity, note: String) {
    switch one.reading {
    case .refused(.insufficientEncryption)?, .refused(.encryptionKeyTooShort)?: (.encrypted, "")
    // The value was read after Just Works, so it does not need an authenticated key.
    case .refused(.insufficientAuthentication)?
    where one.protected != nil && recording.pairing == .tried(.justWorks): (.encrypted, "")
    case .refused(.insufficientAuthentication)?:
      (.encrypted, " # refused with insufficient authentication: it may want authenticated")
    case .unanswered?:
      (
        .encrypted,
        one.protected == nil ? " # a read was not answered, as when the device wants a bond" : ""
      )
    case .refused, .octets, .unknown, nil: (.none, "")
    }
  }

  // MARK: Values

  private func value(
    _ octets: [UInt8], of one: RecordedCharacteristic, isWritten: Bool = false
  ) -> (text: String, meaning: String?) {
    let texts = isWritten ? writtenTexts : texts
    return value(octets, of: one.uuid, isText: texts.contains(one.handle))
  }

  /// A value in the form of device files, and its meaning if the form does not show it.
  ///
  /// - Parameter isText: Whether the value is a text, if its UUID does not decide that.
  private func value(
    _ octets: [UInt8], of uuid: BluetoothUUID, isText: Bool
  ) -> (text: String, meaning: String?) {
    // No value is longer, but a damaged trace may contain a longer one.
    let octets = Array(octets.prefix(FileLimits.octets))
    let text = String(validating: octets, as: UTF8.self)
    if let decoded = try? StandardValues.decoder(for: uuid)?(octets) {
      if case .text = decoded, let text, !text.isEmpty, Self.isText(text) {
        return ("{ utf8: \(Self.quoted(text)) }", nil)
      }
      if case .integer(let number) = decoded.only, octets.count == 1, number == octets[0] {
        return ("{ u8: \(number) }", nil)
      }
      let meaning = Self.oneLine("\(decoded)")
      if meaning.isEmpty { return (Self.hex(octets), nil) }
      return (Self.hex(octets), meaning.count > 100 ? "\(meaning.prefix(100))…" : meaning)
    }
    if isText, let text, !text.isEmpty { return ("{ utf8: \(Self.quoted(text)) }", nil) }
    return (Self.hex(octets), nil)
  }

  private static func hex(_ octets: [UInt8]) -> String { "{ hex: \"\(spaced(octets))\" }" }

  private static func spaced(_ octets: [UInt8]) -> String {
    octets.map { Bluetooth.hexadecimal($0) }.joined(separator: " ")
  }

  private static func hexadecimal(_ number: UInt16) -> String {
    Bluetooth.hexadecimal(UInt8(number >> 8)) + Bluetooth.hexadecimal(UInt8(number & 0xff))
  }

  private static func texts(_ values: [(UInt16, [UInt8])]) -> Set<UInt16> {
    let byHandle = Dictionary(grouping: values, by: \.0)
    return Set(byHandle.filter { areTexts($0.value.map(\.1)) }.keys)
  }

  /// Whether all these values are texts. Short octets may be printable by chance, so one value must
  /// be longer than three octets, or be three letters.
  private static func areTexts(_ values: [[UInt8]]) -> Bool {
    let texts = values.map { String(validating: $0, as: UTF8.self) }
    return texts.allSatisfy { $0.map(isText) ?? false }
      && texts.contains { text in
        guard let text else { return false }
        return text.utf8.count > 3 || text.utf8.count == 3 && text.allSatisfy(\.isLetter)
      }
  }

  /// Whether all characters are printable, or are line breaks or tabs.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.isPrintable || ["\n", "\r", "\t"].contains($0) }
  }

  /// Whether all characters are printable.
  private static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(\.isPrintable)
  }

  /// A text as a YAML scalar: in double quotes, unless YAML reads it as the same text without them.
  private static func scalar(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      // open: octets
      default: false
      }
    }
    let begins = text.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xdf) }
    let isKeyword = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
      .contains(text.lowercased())
    return isWord && begins == true && !isKeyword ? text : quoted(text)
  }

  /// A text in double quotes, as YAML and JSON have it.
  private static func quoted(_ text: String) -> String { JSONValue.string(text).text }

  /// A text of a device, escaped so that it stays on the line of its comment.
  static func oneLine(_ text: String) -> String {
    isPlain(text) ? text : String(quoted(text).dropFirst().dropLast())
  }
}
