// Kernel interfaces that Swift's Glibc module leaves out: epoll, eventfd, signalfd.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
