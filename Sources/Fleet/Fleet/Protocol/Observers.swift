// Who listens, and what is observed of a device: why a job ended that no gateway began.
//
// A pure value. A submitter knows all gateways, a gateway only itself.

/// What is known of the gateways that could run the jobs of a device.
struct Observers: Sendable {
  /// A gateway that has reported lately.
  struct Listener: Sendable {
    let gateway: String
    /// The RSSI of the device, in dBm; nil when the gateway does not observe it.
    var rssi: Int?
    /// Whether another program on the gateway's host holds the connection of the device.
    var isHolding = false
    /// The version of the format that the gateway reads, and what it is capable of; nil when it is
    /// not known.
    var entry: GatewayEntry?

    func reads(_ job: FleetJob) -> Bool { entry.map { $0.format >= job.format } ?? true }

    func isCapable(of job: FleetJob) -> Bool {
      entry.map { entry in job.needs.allSatisfy(entry.capabilities.contains) } ?? true
    }

    func isAllowed(for job: FleetJob) -> Bool { job.onlyGateway ?? gateway == gateway }
  }

  /// In the order of their names.
  var listeners: [Listener] = []

  /// How a job ends whose deadline has passed and that no gateway began, with the reason for people.
  func reason(for job: FleetJob) -> (state: EndState, detail: String) {
    let observing = listeners.filter { $0.rssi != nil }
    let reports = observing.map { "\($0.gateway) at \($0.rssi ?? 0) dBm" }
    if listeners.isEmpty { return (.noGateway, "no gateway has reported") }
    // A device that is connected most often advertises no more.
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

  /// The detail of a job whose device another program has connected to.
  static func held(by gateway: String) -> String {
    "the device is connected to by another program on gateway \(gateway)"
  }

  /// At most so many are named.
  private static let named = 20

  private static func list(_ texts: [String]) -> String {
    let more = texts.count > named ? ", and \(texts.count - named) more" : ""
    return texts.prefix(named).joined(separator: ", ") + more
  }
}
