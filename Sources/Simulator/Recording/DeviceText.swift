// The text of the device file that describes a recording.
//
// The file has the order, the names and the comments that an author would give it by hand. A fact
// that could not be learned is a comment with the reason.

package import Bluetooth
import Documents
package import SimulatedDevices

/// Writes a recording as a device file.
package struct DeviceText {
  private typealias Entries = [WrittenNode.Line<WrittenNode.Entry>]
  private typealias Items = [WrittenNode.Line<WrittenNode>]

  private let recording: DeviceRecording
  private let consequences: WriteConsequences
  private let names: AttributeNames
  private let unrecorded: UnrecordedWrite?
  /// The handles of the characteristics whose values are all texts; `writtenTexts` has those whose
  /// written values are.
  private let texts: Set<UInt16>
  private let writtenTexts: Set<UInt16>
  /// The number of octets of values that still fit: a device file has at most 1 MiB.
  private var bytesLeft = 200_000

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
    document(of: recording, source: source, names: names, unrecorded: unrecorded).lines
  }

  /// The file as a document. The parameters are those of `lines`.
  static func document(
    of recording: DeviceRecording, source: String, names: AttributeNames = .assigned,
    unrecorded: UnrecordedWrite? = nil
  ) -> WrittenNode {
    var text = DeviceText(recording, names, unrecorded)
    return .mapping(text.device(source))
  }

  private init(
    _ recording: DeviceRecording, _ names: AttributeNames, _ unrecorded: UnrecordedWrite?
  ) {
    (self.recording, self.names, self.unrecorded) = (recording, names, unrecorded)
    consequences = WriteConsequences(recording)
    let own =
      (recording.notifications + recording.reads).map { ($0.handle, $0.octets) }
      + recording.characteristics.flatMap { one in
        [one.reading?.octets, one.bondedValue].compactMap(\.self).map { (one.handle, $0) }
      }
    texts = Self.texts(own)
    writtenTexts = Self.texts(recording.writes.map { ($0.handle, $0.octets) })
  }

  // MARK: The device

  private mutating func device(_ source: String) -> Entries {
    var device: Entries = []
    device.remark(source)
    let unknown = recording.unknown + [recording.unknownInterval].compactMap(\.self)
    for reason in unknown { device.remark("Not learned: \(reason).") }
    let given = usedNames
    if !given.isEmpty { device.add("names", .mapping(given)) }
    if let name = recording.name.flatMap({ Self.name($0) }) { device.add("name", .text(name)) }
    if let name = recording.gapName.flatMap({ Self.name($0) }) {
      device.add("gap-name", .text(name))
    }
    device.add("address", .plain("\(recording.address)"))
    device.add("address-type", .plain(recording.addressType.rawValue))
    if recording.changesAddress {
      device.remark(
        "The address is a private one: the device changes it. private-address simulates that."
      )
    }
    if !recording.otherAddresses.isEmpty {
      let others = recording.otherAddresses.map(\.description).joined(separator: ", ")
      device.remark("Seen at \(others), too.")
    }
    if let appearance = recording.appearance, appearance != 0 {
      let number = "0x\(Self.hexadecimal(appearance))"
      device.add("appearance", .plain(number), remark: Appearance.name(appearance))
    }
    addAdvertisements(to: &device)
    addLink(to: &device)
    addPairing(to: &device)
    if let unrecorded { device.add("unrecorded", .plain(unrecorded.rawValue)) }
    addServices(to: &device)
    return device
  }

  private func addPairing(to device: inout Entries) {
    let isSecured = recording.characteristics.contains { security(of: $0) != nil }
    func pairing(_ method: PairingDefinition.Method, remark: String? = nil) {
      let rule = WrittenNode.Entry("pairing", .plain(method.rawValue))
      device.add("security", .row([rule]), remark: remark)
    }
    switch recording.pairing {
    case .untried where isSecured: pairing(.justWorks, remark: "how it pairs is not known")
    case .passkeyOfChain where isSecured:
      pairing(.justWorks, remark: "it has a passkey, which is not recorded")
    case .tried(.passkeyEntry):
      let rule = WrittenNode.row([
        .init("pairing", .plain(PairingDefinition.Method.passkeyEntry.rawValue)),
        .init("passkey", .plain("123456")),
      ])
      device.add("security", rule, remark: "its own passkey is not recorded")
    case .tried(let method) where isSecured || method != .justWorks: pairing(method)
    case .untried, .tried, .passkeyOfChain: break
    }
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

  /// The given names that the file uses.
  private var usedNames: Entries {
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
    let described = descriptions(of: used)
    var entries: Entries = []
    for entry in names.entries where used.contains(entry.uuid) {
      if described.contains(where: { $0.name == entry.name }) { continue }
      entries.add(entry.name, .plain(entry.uuid.text))
    }
    for description in described {
      if let text = description.text { entries.add(description.name, WrittenNode(text)) }
    }
    return entries
  }

  /// The descriptions of attributes by their user, with those that they use as formats.
  private func descriptions(of used: Set<BluetoothUUID>) -> [ValueDescription] {
    let all = names.descriptions
    let allNames = Set(all.map(\.name))
    var wanted: Set<String> = []
    var next = Set(used.compactMap { names.description(of: $0) }.filter(\.isOfUser).map(\.name))
    while !next.isEmpty {
      wanted.formUnion(next)
      let found = all.filter { next.contains($0.name) }.map { $0.formats(among: allNames) }
      next = found.reduce(into: Set<String>()) { $0.formUnion($1) }.subtracting(wanted)
    }
    return all.filter { wanted.contains($0.name) }
  }

  /// The name of an attribute, or its UUID.
  private func title(of uuid: BluetoothUUID, _ kind: AttributeKind) -> WrittenNode {
    .word(names.title(of: uuid, kind))
  }

  private func addAdvertisements(to device: inout Entries) {
    switch recording.advertisements.count {
    case 0: break
    case 1: device.add("advertisement", .mapping(entries(of: recording.advertisements[0])))
    default:
      let all = recording.advertisements.prefix(FileLimits.advertisements)
      device.add("advertisements", .list(all.map { .part(.mapping(entries(of: $0)), remark: nil) }))
    }
  }

  private func entries(of one: RecordedAdvertisement) -> Entries {
    var entries: Entries = []
    if !one.hasName { entries.add("name", .plain("false")) }
    if !one.services.isEmpty {
      let all = one.services.prefix(FileLimits.services).map { title(of: $0, .service) }
      entries.add("services", .words(all))
    }
    func data<Key>(_ all: [RecordedAdvertisement.Entry<Key>], _ key: (Key) -> String) -> WrittenNode
    {
      .mapping(
        all.map { entry in
          let count = entry.changes + 1
          return .part(
            .init(key(entry.key), .quoted(Self.spaced(entry.data))),
            remark: count > 1 ? "changes: this is the first of \(count) values" : nil
          )
        }
      )
    }
    if !one.manufacturerData.isEmpty {
      let all = data(one.manufacturerData) { "0x\(Self.hexadecimal($0))" }
      entries.add("manufacturer-data", all)
    }
    if !one.serviceData.isEmpty {
      entries.add("service-data", data(one.serviceData) { names.title(of: $0, .service) })
    }
    if let power = one.txPower, (-127...20).contains(power) {
      entries.add("tx-power", .plain("\(power)"))
    }
    if let rssi = Statistics.median(one.rssi) {
      entries.add("rssi", .plain("\(min(max(rssi, -127), 20))"))
      let spread = one.rssi.map { abs($0 - rssi) }.max() ?? 0
      entries.add("rssi-spread", .plain("\(min(spread, 60))"))
    }
    if let gap = Statistics.median(one.gaps) {
      let interval = min(max(Statistics.rounded(gap), .milliseconds(20)), .milliseconds(10_240))
      entries.add("interval", .plain(interval.written))
    }
    if one.isConnectable == false { entries.add("connectable", .plain("false")) }
    if !size(of: one).isLegacy { entries.add("extended", .plain("true")) }
    if entries.isEmpty { entries.add("name", .plain("true")) }
    return entries
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

  private func addLink(to device: inout Entries) {
    let link = recording.link
    var members: [WrittenNode.Entry] = []
    if let mtu = link.mtu, (23...517).contains(mtu) {
      members.append(.init("mtu", .plain("\(mtu)")))
    }
    if let time = Statistics.median(link.connecting) {
      members.append(.init("connect-time", Self.delay(time)))
      // If discovery was not measured separately, the time to connect already includes it.
      let discovering = Statistics.median(link.discovering) ?? .zero
      members.append(.init("discovery-time", Self.delay(discovering)))
    }
    if let latency = Statistics.median(link.latencies) {
      members.append(.init("latency", Self.delay(latency)))
      let slow = link.latencies.sorted()[link.latencies.count * 9 / 10]
      if Statistics.rounded(slow - latency) > .zero {
        members.append(.init("latency-spread", Self.delay(slow - latency)))
      }
    }
    if !members.isEmpty { device.add("link", .row(members)) }
  }

  /// A delay, rounded and bounded as in device files.
  private static func delay(_ duration: Duration) -> WrittenNode {
    .plain(min(Statistics.rounded(duration), FileLimits.delay.upperBound).written)
  }

  // MARK: Services

  private mutating func addServices(to device: inout Entries) {
    let own = recording.listedServices
    guard !own.isEmpty else { return }
    var services: Items = []
    var left = FileLimits.characteristics
    for service in own.prefix(FileLimits.services) {
      var entries: Entries = []
      entries.add("service", title(of: service.uuid, .service))
      if !service.isPrimary { entries.remark("It is a secondary service.") }
      let included = service.includes.compactMap { handle in
        own.first { $0.handle == handle && $0.uuid != service.uuid }
          .map { title(of: $0.uuid, .service) }
      }
      if !included.isEmpty { entries.add("includes", .words(included)) }
      if left > 0, !service.characteristics.isEmpty {
        var characteristics: Items = []
        for one in service.characteristics.prefix(left) {
          characteristics.add(.mapping(self.entries(of: one)))
        }
        entries.add("characteristics", .list(characteristics))
        left -= service.characteristics.count
      }
      services.add(.mapping(entries))
    }
    device.add("services", .list(services))
  }

  private mutating func entries(of one: RecordedCharacteristic) -> Entries {
    var entries: Entries = []
    entries.add("characteristic", title(of: one.uuid, .characteristic))
    entries.add("properties", .words(one.properties.flags.map { .plain($0) }))
    addBehaviour(of: one, to: &entries)
    if let (rule, remark) = security(of: one) { entries.add("security", rule, remark: remark) }
    let descriptors = one.descriptors.filter {
      $0.uuid != .clientCharacteristicConfiguration && $0.uuid != AttributeTable.extendedProperties
    }
    guard !descriptors.isEmpty else { return entries }
    entries.add("descriptors", .list(descriptors.prefix(FileLimits.descriptors).map(item)))
    return entries
  }

  private func item(of descriptor: RecordedDescriptor) -> WrittenNode.Line<WrittenNode> {
    var octets: [UInt8] = []
    var (isSecured, remark): (Bool, String?) = (false, nil)
    switch descriptor.reading {
    case .octets(let value)?: octets = value
    case .refused(let error)? where WriteConsequences.security.contains(error):
      (isSecured, remark) = (true, "its value is not known: \(error.meaning)")
    case .refused(let error)?: remark = "a read was refused: \(error.meaning)"
    case .unanswered?: remark = "a read was not answered"
    case .unknown(let reason)?: remark = reason
    case nil: remark = "not read"
    }
    let isText = Self.areTexts([octets])
    var row: [WrittenNode.Entry] = [
      .init("descriptor", title(of: descriptor.uuid, .descriptor)),
      .init("value", value(octets, of: descriptor.uuid, isText: isText).node),
    ]
    if isSecured { row.append(.init("security", .plain(LinkSecurity.encrypted.rawValue))) }
    return .part(.row(row), remark: remark)
  }

  private mutating func addBehaviour(of one: RecordedCharacteristic, to entries: inout Entries) {
    let values = consequences.spontaneous[one.handle] ?? []
    let exchanges = consequences.exchanges[one.handle] ?? []
    guard let behaviour = RecordedBehaviour(values, until: recording.observedUntil) else {
      if isEcho(exchanges, of: one) { return entries.add("echo", .plain("true")) }
      if let values = consequences.changing[one.handle], exchanges.isEmpty, bytesLeft > 0 {
        return addReads(values, of: one, to: &entries)
      }
      addValue(of: one, to: &entries)
      add(exchanges, of: one, to: &entries)
      return
    }
    if case .series(let all, _, _) = behaviour, bytesLeft <= 0 {
      entries.remark("It sent \(all.count) values, too many for a file.")
      addValue(of: one, to: &entries)
      return
    }
    let spread = RecordedBehaviour.spread(of: values)
    if let spread {
      entries.remark(
        "Between two values: \(spread.shortest.written) to \(spread.longest.written), as median "
          + "\(spread.median.written), of nine in ten at most \(spread.long.written)."
      )
    }
    switch behaviour {
    case .few(let octets):
      let sent = octets.map { octets in
        let (node, meaning) = value(octets, of: one)
        return meaning ?? node.lines.joined()
      }
      entries.remark("It sent \(sent.joined(separator: ", and ")): too few values for an interval.")
      addValue(of: one, to: &entries)
      add(exchanges, of: one, to: &entries)
      return
    case .counter(let count, let every):
      var row = Self.row(of: count) + [.init("every", .plain(every.written))]
      if count.wraps { row.append(.init("wraps", .plain("true"))) }
      entries.add("counter", .row(row))
    case .series(let all, let every, let repeats):
      var series = series(all, of: one)
      series.add("every", .plain(every.written))
      if let spread, spread.usual > .zero {
        series.add("every-spread", Self.delay(min(spread.usual, every)))
      }
      if !repeats { series.add("repeats", .plain("false")) }
      entries.add("series", .mapping(series))
    }
    if !exchanges.isEmpty {
      entries.remark("What was written to it changed nothing that could be seen.")
    }
  }

  private static func row(of count: RecordedBehaviour.Count) -> [WrittenNode.Entry] {
    [
      .init("format", .plain("\(count.format)")), .init("from", .plain("\(count.from)")),
      .init("step", .plain("\(count.step)")),
    ]
  }

  /// The values of a series. The caller adds its times.
  private mutating func series(_ all: [[UInt8]], of one: RecordedCharacteristic) -> Entries {
    var values: Items = []
    var left = all.count
    for octets in all where bytesLeft > 0 {
      let (node, meaning) = value(octets, of: one)
      values.add(node, remark: meaning)
      // 20 more for the rest of the line. An octet takes three characters.
      bytesLeft -= octets.count + 20
      left -= 1
    }
    if left > 0 { values.remark("\(left) more values came, too many for a file.") }
    var series: Entries = []
    series.add("values", .list(values))
    return series
  }

  /// Adds a behaviour that returns these values to consecutive reads.
  private mutating func addReads(
    _ values: [[UInt8]], of one: RecordedCharacteristic, to entries: inout Entries
  ) {
    entries.remark("It changed between reads: each read returns the next value.")
    if let count = RecordedBehaviour.count(values), !count.wraps {
      entries.add("counter", .row(Self.row(of: count)))
    } else {
      entries.add("series", .mapping(series(RecordedBehaviour.cycle(values), of: one)))
    }
  }

  private func addValue(of one: RecordedCharacteristic, to entries: inout Entries) {
    func add(_ octets: [UInt8]) {
      if let description = names.description(of: one.uuid), description.isOfUser,
        let fields = description.fields(of: octets)
      {
        return entries.add("value", .row([.init("fields", WrittenNode(fields))]))
      }
      let (node, meaning) = value(octets, of: one)
      entries.add("value", node, remark: meaning)
    }
    func addUnknown(_ reason: String) {
      entries.remark("Its value is not known: \(reason).")
      if unrecorded == .refuse {
        entries.add("refuse-read", .plain(ATTErrorCode.requestNotSupported.identifier))
      }
    }
    guard one.properties.contains(.read) else { return }
    if let octets = one.bondedValue { return add(octets) }
    if let late = one.late {
      entries.remark(
        "A read was answered after \(Statistics.rounded(late).written). The fault slow simulates that."
      )
    }
    switch one.reading {
    case .octets(let octets)?: add(octets)
    case .refused(let error)? where security(of: one) == nil:
      entries.add("refuse-read", .plain(error.identifier))
    case .refused(let error)?: entries.remark("Its value is not known: \(error.meaning).")
    case .unanswered?: entries.remark("Its value is not known.")
    case .unknown(let reason)?: addUnknown(reason)
    case nil: addUnknown("it was not read")
    }
  }

  /// Whether it sends back every value that is written to it. A single value is not enough to tell.
  private func isEcho(_ exchanges: [WriteConsequences.Exchange], of one: RecordedCharacteristic)
    -> Bool
  {
    exchanges.count > 1
      && exchanges.allSatisfy { exchange in
        let effects = exchange.outcome.effects
        return exchange.others == 0 && exchange.outcome.error == nil && effects.count == 1
          && effects[0].kind == .notify
          && effects[0].handle == one.handle && effects[0].octets == exchange.written
      }
  }

  private func add(
    _ exchanges: [WriteConsequences.Exchange], of one: RecordedCharacteristic,
    to entries: inout Entries
  ) {
    guard !exchanges.isEmpty else { return }
    guard !one.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
      let values = exchanges.count == 1 ? "1 value" : "\(exchanges.count) values"
      return entries.remark("It was written all the same, \(values).")
    }
    // A value that is accepted without an effect needs no entry: by default, every value is.
    let shown = unrecorded == nil ? exchanges.filter { !$0.isPlain } : exchanges
    guard !shown.isEmpty else { return }
    let others = exchanges.count - shown.count
    if others > 0 {
      let values = others == 1 ? "value was" : "values were"
      entries.remark("\(others) other \(values) accepted, and nothing followed.")
    }
    let most = FileLimits.responses
    var responses: Items = []
    for exchange in shown.prefix(most) { responses.add(.mapping(response(exchange, of: one))) }
    if shown.count > most { responses.remark("\(shown.count - most) more values were written.") }
    entries.add("responses", .list(responses))
  }

  private func response(
    _ exchange: WriteConsequences.Exchange, of one: RecordedCharacteristic
  ) -> Entries {
    var response: Entries = []
    response.add("when", value(exchange.written, of: one, isWritten: true).node)
    if exchange.others > 0 {
      let times = exchange.others == 1 ? "once" : "\(exchange.others) times"
      response.remark("Something else came of it \(times): a machine can tell them apart.")
    }
    let effects = exchange.outcome.effects
    if let error = exchange.outcome.error {
      response.add("refuse", .plain(error.identifier))
      let values = effects.count == 1 ? "1 value" : "\(effects.count) values"
      if !effects.isEmpty { response.remark("\(values) followed all the same.") }
    } else if !effects.isEmpty {
      var then: Items = []
      for effect in effects.prefix(FileLimits.responses) { then.add(row(effect, causedBy: one)) }
      let left = effects.count - FileLimits.responses
      if left > 0 { then.remark("\(left) more values followed.") }
      response.add("then", .list(then))
    }
    return response
  }

  private func row(
    _ effect: WriteConsequences.Effect, causedBy one: RecordedCharacteristic
  ) -> WrittenNode {
    let target = recording.characteristics.first { $0.handle == effect.handle }
    let value = target.map { self.value(effect.octets, of: $0).node } ?? Self.hex(effect.octets)
    let kind =
      switch effect.kind {
      case .notify: "notify"
      case .set: "set"
      }
    var row: [WrittenNode.Entry] = [.init(kind, value)]
    if effect.handle != one.handle { row.append(.init("on", reference(to: effect.handle))) }
    // The simulator counts the delay from when the write reaches the device, after the latency.
    let delay = effect.delay - (Statistics.median(recording.link.latencies) ?? .zero)
    if Statistics.rounded(delay) > .zero { row.append(.init("after", Self.delay(delay))) }
    return .row(row)
  }

  /// The name of a characteristic, unambiguous even if several have its UUID.
  private func reference(to handle: UInt16) -> WrittenNode {
    let selector = recording.selector(of: handle, names: names)
    return .word(selector.map(\.description) ?? "@0x\(Self.hexadecimal(handle))")
  }

  /// The security that a characteristic demands, as far as refusals show it, and a remark.
  private func security(of one: RecordedCharacteristic) -> (rule: WrittenNode, remark: String?)? {
    var (read, remark) = readSecurity(of: one)
    if one.authenticated.contains(.read) { (read, remark) = (.authenticated, nil) }
    let isRefused = consequences.secured.contains(one.handle)
    let write: LinkSecurity =
      one.authenticated.contains(.write) ? .authenticated : isRefused ? .encrypted : .none
    if read == .none, write == .none { return nil }
    if read == .none { return (.row([.init("write", .plain(write.rawValue))]), nil) }
    if write <= read { return (.plain(read.rawValue), remark) }
    let both = [
      WrittenNode.Entry("read", .plain(read.rawValue)), .init("write", .plain(write.rawValue)),
    ]
    return (.row(both), remark)
  }

  private func readSecurity(of one: RecordedCharacteristic) -> (LinkSecurity, remark: String?) {
    switch one.reading {
    case .refused(.insufficientEncryption)?, .refused(.encryptionKeyTooShort)?: (.encrypted, nil)
    // The value was read after Just Works, so it does not need an authenticated key.
    case .refused(.insufficientAuthentication)?
    where one.bondedValue != nil && recording.pairing == .tried(.justWorks): (.encrypted, nil)
    case .refused(.insufficientAuthentication)?:
      (.encrypted, "refused with insufficient authentication: it may want authenticated")
    case .unanswered?:
      (
        .encrypted,
        one.bondedValue == nil ? "a read was not answered, as when the device wants a bond" : nil
      )
    case .refused, .octets, .unknown, nil: (.none, nil)
    }
  }

  // MARK: Values

  private func value(
    _ octets: [UInt8], of one: RecordedCharacteristic, isWritten: Bool = false
  ) -> (node: WrittenNode, meaning: String?) {
    let texts = isWritten ? writtenTexts : texts
    return value(octets, of: one.uuid, isText: texts.contains(one.handle))
  }

  /// A value in the form of device files, and its meaning if the form does not show it.
  ///
  /// - Parameter isText: Whether the value is a text, if its UUID does not decide that.
  private func value(
    _ octets: [UInt8], of uuid: BluetoothUUID, isText: Bool
  ) -> (node: WrittenNode, meaning: String?) {
    // No value is longer, but a damaged trace may contain a longer one.
    let octets = Array(octets.prefix(FileLimits.octets))
    let text = String(validating: octets, as: UTF8.self)
    if let decoded = try? StandardValues.decoder(for: uuid)?(octets) {
      if case .text = decoded, let text, !text.isEmpty, Self.isText(text) {
        return (.row([.init("utf8", .quoted(text))]), nil)
      }
      if case .integer(let number) = decoded.only, octets.count == 1, number == octets[0] {
        return (.row([.init("u8", .plain("\(number)"))]), nil)
      }
      let meaning = "\(decoded)".onOneLine
      if meaning.isEmpty { return (Self.hex(octets), nil) }
      return (Self.hex(octets), meaning.count > 100 ? "\(meaning.prefix(100))…" : meaning)
    }
    if isText, let text, !text.isEmpty { return (.row([.init("utf8", .quoted(text))]), nil) }
    return (Self.hex(octets), nil)
  }

  private static func hex(_ octets: [UInt8]) -> WrittenNode {
    .row([.init("hex", .quoted(spaced(octets)))])
  }

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
}

extension WrittenNode {
  /// A part of a description, or of a described value.
  fileprivate init(_ node: DescriptionNode) {
    switch node.content {
    case .scalar(let text, isPlain: true): self = .plain(text)
    case .scalar(let text, isPlain: false): self = .text(text)
    case .sequence(let nodes): self = .words(nodes.map { WrittenNode($0) })
    case .mapping(let entries):
      self = .row(entries.map { Entry($0.key, WrittenNode($0.value)) })
    }
  }
}
