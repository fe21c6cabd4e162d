// libbluetooth, and the parts of the kernel's HCI sockets that Swift cannot import: macros, ioctl
// numbers, structures that end in an array, control messages.
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

// The channels of an HCI socket, and the index for no controller.
static const unsigned short host_channel_raw = HCI_CHANNEL_RAW;
static const unsigned short host_channel_monitor = HCI_CHANNEL_MONITOR;
static const unsigned short host_channel_control = HCI_CHANNEL_CONTROL;
static const unsigned short host_no_device = HCI_DEV_NONE;

// Opens a non-blocking HCI socket, bound to a channel of a controller. Returns the descriptor, or
// -errno.
static inline int host_socket(unsigned short device, unsigned short channel) {
  int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
  if (fd < 0) return -errno;
  struct sockaddr_hci address = {
      .hci_family = AF_BLUETOOTH, .hci_dev = device, .hci_channel = channel};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int number = errno;
    close(fd);
    return -number;
  }
  return fd;
}

// Filters a raw channel: only the completion of one command is received. Returns 0, or -errno.
static inline int host_receive_completion(int fd, unsigned short opcode) {
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
  hci_filter_set_event(EVT_CMD_STATUS, &filter);
  hci_filter_set_opcode(htobs(opcode), &filter);
  return setsockopt(fd, SOL_HCI, HCI_FILTER, &filter, sizeof filter) < 0 ? -errno : 0;
}

// Filters a raw channel: only the answers to one command, the LE events and the ends of connections are
// received. The kernel gives these events to a process with CAP_NET_RAW only. Returns 0, or -errno.
static inline int host_receive_le_events(int fd, unsigned short opcode) {
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_CMD_STATUS, &filter);
  hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
  hci_filter_set_event(EVT_LE_META_EVENT, &filter);
  hci_filter_set_event(EVT_DISCONN_COMPLETE, &filter);
  hci_filter_set_opcode(htobs(opcode), &filter);
  return setsockopt(fd, SOL_HCI, HCI_FILTER, &filter, sizeof filter) < 0 ? -errno : 0;
}

// Enables timestamps of received packets, with a receive buffer of `octets` bytes. Returns 0, or
// -errno.
static inline int host_stamp(int fd, int octets) {
  int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof octets) < 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on) < 0 ? -errno : 0;
}

// Receives a packet with its wall-clock kernel timestamp. Returns its length, or -errno.
static inline long host_receive(int fd, void *octets, unsigned long room, long *microseconds) {
  char control[CMSG_SPACE(sizeof(struct timeval))];
  struct iovec part = {.iov_base = octets, .iov_len = room};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                           .msg_controllen = sizeof control};
  long count = recvmsg(fd, &message, 0);
  if (count < 0) return -errno;
  *microseconds = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMP) continue;
    struct timeval time;
    memcpy(&time, CMSG_DATA(c), sizeof time);
    *microseconds = time.tv_sec * 1000000L + time.tv_usec;
  }
  return count;
}

// Lists the connections of a controller, at most `room`. Returns their number, or -errno.
static inline int host_connections(int fd, unsigned short device, struct hci_conn_info *found,
                                   unsigned short room) {
  struct hci_conn_list_req *list = calloc(1, sizeof *list + room * sizeof *found);
  if (!list) return -ENOMEM;
  list->dev_id = device;
  list->conn_num = room;
  int result = ioctl(fd, HCIGETCONNLIST, list) < 0 ? -errno : list->conn_num;
  if (result > 0) memcpy(found, list->conn_info, result * sizeof *found);
  free(list);
  return result;
}

// Reads the kernel's information about a controller. Returns 0, or -errno.
static inline int host_device(int fd, unsigned short device, struct hci_dev_info *info) {
  memset(info, 0, sizeof *info);
  info->dev_id = device;
  return ioctl(fd, HCIGETDEVINFO, info) < 0 ? -errno : 0;
}
