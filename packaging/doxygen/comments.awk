# The public headers as Doxygen wants them, whose own comments are for people who read the source: a comment right above a
# declaration or behind it becomes that declaration's, the first one the file's (gpuopt.h: the main page). Lines in columns and
# lines of code stay as they are; what Doxygen would take for markup is escaped elsewhere.

function escaped(text) {
  gsub(/[\\@<>#&%"]|::/, "\\\\&", text)
  return text
}

# Is a line of a comment one of a table or of code? What goes on with a point of a list is not.
function is_set(text, in_list) {
  return text ~ /[^ .]  +[^ ]/ || (text ~ /^ / && !(in_list && text ~ /^  [^ ]/))
}

# The comment's lines, text[1 .. lines], as the inside of one of Doxygen's.
function print_text(   i, set, was_set, in_list) {
  for (i = 1; i <= lines; ++i) {
    in_list = text[i] ~ /^- / || (in_list && text[i] ~ /^  /)
    was_set = set
    set = is_set(text[i], in_list) || (set && text[i] == "")
    if (set != was_set) print set ? "@verbatim" : "@endverbatim"
    print set ? text[i] : escaped(text[i])
  }
  if (set) print "@endverbatim"
}

# A comment that stands for itself. Of nobody if a blank line follows, but for the first of the file. Functions that follow each
# other share it.
function finish(of_somebody) {
  if (!of_somebody) shared = 0
  if (!lines && shared && /^GPUOPT_API/) lines = shared
  if (!lines) return
  if (!first_done) {
    first_done = 1
    print "/** @file */"
    print "/** " (FILENAME ~ /gpuopt\.h$/ ? "@mainpage gpuopt" : "@file")
    print_text()
    print "*/"
  } else if (of_somebody && text[1] !~ /^----/) {
    print "/**"
    print_text()
    print "*/"
    shared = lines
  }
  lines = 0
}

# The words of a line of a block comment.
function words(line) {
  sub(/^[ \t]*(\/\*| \*)?/, "", line)
  sub(/[ \t]*\*\/[ \t]*$/, "", line)
  sub(/^ /, "", line)
  return line
}

behind { # the rest of a comment that began behind code
  if (/\*\//) behind = 0
  line = words($0)
  print escaped(line) (behind ? "" : " */")
  next
}
inside {
  text[++lines] = words($0)
  if (/\*\//) inside = 0
  next
}
/^[ \t]*\/\*/ && !/\*\/[ \t]*[^ \t]/ {
  finish(0)
  text[++lines] = words($0)
  inside = !/\*\//
  next
}
/^[ \t]*\/\/ clang-format/ { next }
/^[ \t]*\/\/( |$)/ {
  line = $0
  sub(/^[ \t]*\/\/ ?/, "", line)
  text[++lines] = line
  next
}
{
  finish(!/^[ \t]*$/)
  if (!/\\$/ && match($0, /[^ \t].*[ \t]+\/\* /)) { # behind code, but for the lines of a macro
    code = substr($0, 1, RSTART + RLENGTH - 4)
    rest = substr($0, RSTART + RLENGTH)
    behind = rest !~ /\*\//
    sub(/[ \t]*\*\/.*/, "", rest)
    print code "/**< " escaped(rest) (behind ? "" : " */")
  } else if (match($0, /[^ \t].*[ \t]+\/\/ /) && !/"[^"]*\/\/ /) {
    print substr($0, 1, RSTART + RLENGTH - 4) "///< " escaped(substr($0, RSTART + RLENGTH))
  } else {
    print
  }
}
