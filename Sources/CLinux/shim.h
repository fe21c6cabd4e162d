// Kernel interfaces that Swift's Glibc module leaves out: epoll, eventfd, signalfd; and glibc's own
// account of its heap.
#pragma once

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
