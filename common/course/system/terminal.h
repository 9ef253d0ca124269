#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// Standard output is a terminal, and neither NO_COLOR nor TERM=dumb asks for plain text.
bool colour_enabled();
bool is_terminal();

// `text` in colour where colour is enabled, otherwise as it is.
std::string bold(std::string_view text);
std::string dim(std::string_view text);
std::string green(std::string_view text);
std::string red(std::string_view text);
std::string yellow(std::string_view text);

/// Characters as a terminal shows them: UTF-8 sequences count once, colour codes not at all.
std::size_t display_width(std::string_view text);

/// `text` followed, or with `right` preceded, by spaces up to `width`.
std::string padded(std::string_view text, std::size_t width, bool right = false);

/// Rows of cells with aligned columns, two spaces apart; columns named in `right` are aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& right = {});

/// "1.5 MB": three digits and a decimal unit.
std::string bytes_text(double bytes);

/// "0.4 s", "75 s", "3 min 20 s"
std::string seconds_text(double seconds);

}  // namespace waitless::course
