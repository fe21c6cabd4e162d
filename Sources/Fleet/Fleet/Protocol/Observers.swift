// The reason why no gateway began a job, derived from the gateways and what they observe.
//
// A pure value. A submitter fills it with all gateways; a gateway knows only itself.

/// The gateways that could have run the jobs of a device.
struct Observers: Sendable {
  /// A gateway that has reported recently.
  struct Listener: Sendable {
    let gateway: String
    /// The RSSI of the device, in dBm; nil when the gateway does not observe it.
    var rssi: Int?
    /// Whether another program on the gateway's host holds the connection of the device.
    var isHolding = false
    /// The gateway's format version and capabilities; nil when not known.
    var entry: GatewayEntry?

    func reads(_ job: FleetJob) -> Bool { entry.map { $0.format >= job.format } ?? true }

    func isCapable(of job: FleetJob) -> Bool {
      entry.map { entry in job.needs.allSatisfy(entry.capabilities.contains) } ?? true
    }

    func isAllowed(for job: FleetJob) -> Bool { job.onlyGateway ?? gateway == gateway }
  }

  /// The gateways, sorted by name.
  var listeners: [Listener] = []

  /// Returns the end of a job that no gateway began before its deadline, with a reason to print.
  func reason(for job: FleetJob) -> (state: EndState, detail: String) {
    let observing = listeners.filter { $0.rssi != nil }
    let reports = observing.map { "\($0.gateway) at \($0.rssi ?? 0) dBm" }
    if listeners.isEmpty { return (.noGateway, "no gateway has reported") }
    // A connected device usually stops advertising, so the others do not observe it.
    let holding = listeners.filter(\.isHolding).map(\.gateway)
    if !holding.isEmpty, observing.allSatisfy(\.isHolding) {
      return (.held, Self.held(by: Self.list(holding)))
    }
    if observing.isEmpty {
      return (.noGateway, "not observed by " + Self.list(listeners.map(\.gateway)))
    }
    let observed = "observed by " + Self.list(reports)
    let allowed = observing.filter { $0.isAllowed(for: job) }
    if allowed.isEmpty {
      let why = job.bond == nil ? "the job is pinned to" : "the bond is at"
      return (.noGateway, "\(observed); \(why) \(job.onlyGateway ?? "")")
    }
    let current = allowed.filter { $0.reads(job) }
    if current.isEmpty {
      let versions = allowed.map { "\($0.gateway) reads version \($0.entry?.format ?? 0)" }
      let why = "no gateway of the right version: \(Self.list(versions)), "
      return (.noCapableGateway, "\(observed); \(why)the job has version \(job.format)")
    }
    if !current.contains(where: { $0.isCapable(of: job) }) {
      return (.noCapableGateway, "\(observed); the job needs \(Self.list(job.needs))")
    }
    return (.expired, observed)
  }

  /// Returns the detail of the end ``EndState/held``.
  static func held(by gateway: String) -> String {
    "the device is connected to by another program on gateway \(gateway)"
  }

  /// The most gateways that a reason names.
  private static let named = 20

  private static func list(_ texts: [String]) -> String {
    let more = texts.count > named ? ", and \(texts.count - named) more" : ""
    return texts.prefix(named).joined(separator: ", ") + more
  }
}
