// The routes of the dashboard: which path and method get which answer.
//
// Access to them is decided by the web server.

package import Bluetooth
package import Reports
package import WebServer

/// Answers the requests that the web server has allowed.
package struct DashboardRoutes: Sendable {
  /// The paths that need no login.
  package static let openPaths: Set<String> = ["/style.css", "/favicon.ico"]

  private let hub: DashboardHub
  private let actions: any DashboardActions
  private let requests: DashboardRequests
  /// The text of `/metrics`; nil if there is no such path.
  private let metrics: Metrics?

  private struct Metrics: Sendable { let text: @Sendable (MetricsFormat) -> String }

  /// Creates the routes of a dashboard.
  ///
  /// - Parameters:
  ///   - actions: The actions that pages request.
  ///   - names: The names of characteristics.
  ///   - limit: The limit for connecting, for subscribing, and for each read.
  ///   - metrics: Returns the text of `/metrics` in the format that the request prefers; nil for no such path.
  package init(
    _ hub: DashboardHub, _ actions: any DashboardActions, names: AttributeNames, limit: Duration,
    metrics: (@Sendable (MetricsFormat) -> String)? = nil
  ) {
    self.hub = hub
    self.actions = actions
    requests = DashboardRequests(names: names, limit: limit)
    self.metrics = metrics.map { Metrics(text: $0) }
  }

  /// Answers a request.
  @Sendable package func answer(_ request: WebRequest) async -> WebResponse {
    do throws(DashboardRefusal) {
      return try await route(request)
    } catch {
      return .badRequest(error.text)
    }
  }

  private func route(_ request: WebRequest) async throws(DashboardRefusal) -> WebResponse {
    let (segments, method) = (request.segments, request.method)
    switch (segments.first, segments.count) {
    case (nil, _): return reading(method) { DashboardPage.index }
    case ("style.css", 1): return reading(method) { DashboardPage.style }
    case ("app.js", 1): return reading(method) { DashboardPage.script }
    case ("chart.js", 1): return reading(method) { DashboardPage.chart }
    // There is no icon. 204 keeps browsers from reporting an error.
    case ("favicon.ico", 1): return reading(method) { .noContent }
    case ("metrics", 1):
      guard let metrics else { return .notFound }
      let accept = request.headers.filter { $0.name == "accept" }.map(\.value)
      let format = MetricsFormat(accept: accept.joined(separator: ","))
      return reading(method) {
        WebResponse(
          contentType: format.contentType, headers: [.init("Vary", "Accept")],
          text: metrics.text(format)
        )
      }
    case ("runs", 2): return try await runPage(segments[1], method)
    case ("api", 2...): return try await api(request, Array(segments.dropFirst()))
    case (.some, _): return .notFound
    }
  }

  private func reading(_ method: WebMethod, _ response: () -> WebResponse) -> WebResponse {
    switch method {
    case .get: response()
    case .post, .put, .delete: .methodNotAllowed(allow: [.get])
    }
  }

  private func runPage(
    _ number: String, _ method: WebMethod
  ) async throws(DashboardRefusal) -> WebResponse {
    guard let number = Int64(number), method == .get else { return .notFound }
    guard let page = try await actions.page(of: number) else { return .notFound }
    return DashboardPage.report(page)
  }

  // MARK: Requests of the script

  private func api(
    _ request: WebRequest, _ segments: [String]
  ) async throws(DashboardRefusal) -> WebResponse {
    switch (request.method, segments[0], segments.count) {
    case (.get, "snapshot", 1): return .json(hub.snapshot().json)
    case (.get, "events", 1): return .events(hub.events())
    case (.post, "watches", 1):
      let id = try actions.watch(try requests.watch(request.body))
      return .json("{\"watch\":\(id)}", status: 201)
    case (.delete, "watches", 2):
      return Int(segments[1]).map { actions.endWatch($0) } == true ? .noContent : .notFound
    case (.post, "notes", 1):
      actions.note(try DashboardRequests.note(request.body))
      return .noContent
    case (.post, "runs", 1):
      let (chain, device) = try DashboardRequests.run(request.body)
      let key = try actions.run(chain, device: device)
      return .json("{\"run\":\"\(key)\"}", status: 201)
    case (.post, "batches", 1):
      let key = try await actions.runBatch(try DashboardRequests.batch(request.body))
      return .json("{\"run\":\"\(key)\"}", status: 201)
    case (.delete, "runs", 2):
      return RunKey(segments[1]).map { actions.endRun($0) } == true ? .noContent : .notFound
    case (.get, "watches", _), (.get, "notes", _), (.get, "runs", _), (.get, _, _), (.post, _, _),
      (.put, _, _), (.delete, _, _):
      return .notFound
    }
  }
}

extension DashboardRoutes {
  /// Returns the login page, with a form for the token.
  @Sendable package static func loginPage(isRetry: Bool) -> WebResponse {
    .page(isRetry ? DashboardPage.wrongToken : DashboardPage.login)
  }
}
