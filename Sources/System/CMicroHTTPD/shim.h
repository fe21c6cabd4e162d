// libmicrohttpd, the HTTP server library; 0.9.75 or later.
//
// Swift cannot call variadic functions, so this wraps the necessary ones, and accept4, which
// Swift's Glibc module omits.
#pragma once

#include <microhttpd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if MHD_VERSION < 0x00097500
#error "libmicrohttpd 0.9.75 or later is needed"
#endif

// Accepts a connection, non-blocking and close-on-exec. Returns the descriptor, or -1 with errno.
static inline int web_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// The callbacks of a server, and their common context.
struct web_callbacks {
  void *context;
  MHD_AccessHandlerCallback access;
  // Called with the unparsed target of a request; returns the context of the request.
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
};

// Starts a server without threads and without a listening socket: the caller adds connections.
static inline struct MHD_Daemon *web_start(
  const struct web_callbacks *callbacks,
  unsigned int connections,
  size_t memory,
  unsigned int stall_seconds,
  int strict
) {
  return MHD_start_daemon(
    MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
    callbacks->access, callbacks->context,
    MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->context,
    MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
    MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
    MHD_OPTION_STRICT_FOR_CLIENT, strict,
    MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
    MHD_OPTION_CONNECTION_TIMEOUT, stall_seconds,
    MHD_OPTION_END
  );
}

// The descriptor to wait for between calls of MHD_run; -1 if there is none.
static inline int web_epoll_descriptor(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

// The socket of a connection; -1 if it has none.
static inline int web_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

// The size of the request line, the headers and the empty line, in bytes; 0 if unknown.
static inline size_t web_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

// The context stored by the callback for connections; NULL before that.
static inline void *web_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}
