// Pieces of SVG and HTML.
#pragma once
#include <cstdio>
#include <string>

namespace gpuopt_roofline {

inline std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= ' ')
      out += c;
  }
  return out;
}

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

inline std::string line(double x1, double y1, double x2, double y2, const std::string &attributes) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + attributes + "/>\n";
}

inline std::string text(double x, double y, const std::string &words, const std::string &attributes) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + attributes + ">" + escaped(words) + "</text>\n";
}

inline std::string circle(double x, double y, double radius, const std::string &attributes,
                          const std::string &title = "") {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" " + attributes +
         (title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></circle>\n");
}

}  // namespace gpuopt_roofline
