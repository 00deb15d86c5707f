// SPDX-License-Identifier: Apache-2.0
// Log files line by line, in bounded memory, as the engines write them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sglexp {

// Calls take(line, number) for every line, of which only the first 4 KiB are kept. A carriage return
// ends a line too, without counting: a progress bar would otherwise hide what follows it. A file that
// cannot be read has no lines.
void each_log_line(const std::string& path, const std::function<void(std::string_view, int)>& take);

// Removes ANSI colour and cursor sequences; routers write them even into files.
void strip_ansi(std::string_view line, std::string& out);

// "2026-11-30 21:14:32" at the head of a line, also in brackets or with a T; empty if there is none.
[[nodiscard]] std::string log_time_stamp(std::string_view line);

}  // namespace sglexp
