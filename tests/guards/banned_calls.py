"""Calls that would let the world, the machine or a library's whims into a run, each with what to
write instead. Text level: comments and strings are dropped first.

The rules hold where code runs in virtual time or decides anything. They don't hold in the Linux arm,
its composition root and injector, in tools, and in tests that run on Linux by their nature.
"""

import dataclasses
import re
import sys

import cpp_text
import guard
from guard import Plant, Violation

ON_LINUX = re.compile(r"(?:engine/linux|faults/on_linux|scenarios/world_linux|tools"
                      r"|tests/(?:bench|kernel|interop|\w*linux\w*|contract/\w*linux\w*))[/.]")
# The idiom programs look at addresses and count in static members: they test compilers, not runs.
NOT_OURS_TO_RULE = "tests/compiler/"


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    pattern: str
    replacement: str
    only: tuple = ()  # Folders in which it holds; all, if empty.
    allowed_in: tuple = ()  # Files, or folders with their '/', that are exempt.
    excuse: str = ""  # A comment on the line that exempts it.


_NOT_A_MEMBER = r"(?<![\w.:>])(?:std::|::)?"

LINE_RULES = (
    Rule("wall-clock",
         r"\bstd::chrono::(?:system|steady|high_resolution|utc|tai|gps|file)_clock\b"
         r"|(?<!\w)(?:(?:system|steady|high_resolution)_)?clock::now\b"
         rf"|{_NOT_A_MEMBER}(?:gettimeofday|clock_gettime|clock_getres|timespec_get|ftime|localtime"
         r"|localtime_r|getrusage)\s*\(|(?<![\w.>])::time\s*\(|\bstd::time\s*\("
         r"|(?<![\w.:>])time\s*\(\s*(?:0|NULL|nullptr|&\s*\w+)\s*\)|\b__rdtsc\b|\b__DATE__\b|\b__TIME__\b"
         rf"|{_NOT_A_MEMBER}clock\s*\(\s*\)\s*[;/*+-]",
         "the Clock of the process's context; time is a value"),
    Rule("randomness",
         rf"{_NOT_A_MEMBER}(?:rand|srand|rand_r|srandom|drand48|lrand48|arc4random\w*|getrandom"
         r"|getentropy)\s*\(|(?:(?<![\w>&*.:] )(?<![\w.:>])|\breturn )random\s*\(\s*\)"
         r"|\bstd::(?:mt19937\w*|minstd_rand0?|ranlux\w+|knuth_b"
         r"|default_random_engine|random_device|linear_congruential_engine)\b",
         "a named stream of the seed: RandomStream, or Random of the context"),
    Rule("library-distribution",
         r"\bstd::\w+_distribution\b|\bstd::(?:ranges::)?(?:shuffle|sample)\b"
         r"|\bstd::generate_canonical\b",
         "the bounded draws and shuffles of RandomStream: the standard ones differ between libraries"),
    Rule("threads",
         r"\bstd::(?:j?thread|async|(?:shared_|recursive_|timed_|recursive_timed_)?mutex"
         r"|condition_variable\w*|promise|future|shared_future|counting_semaphore|binary_semaphore"
         r"|latch|barrier|call_once|once_flag|this_thread)\b|\bpthread_\w+",
         "tasks in a scope, and the Event, Mutex, Semaphore and Channel of engine/runtime"),
    Rule("sleeping",
         rf"{_NOT_A_MEMBER}(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\((?!\s*(?:Duration|Deadline))"
         r"|\bthis_thread\s*::\s*\w+",
         "co_await clock.sleep(…): wait in virtual time"),
    Rule("environment",
         r"\b(?:secure_)?getenv\s*\(|\b(?:un)?setenv\s*\(|\bputenv\s*\(|\benviron\b",
         "a field of the options that the process is given"),
    Rule("address-in-decision",
         r"\breinterpret_cast\s*<\s*(?:std::)?u?intptr_t\b|\bstd::bit_cast\s*<\s*(?:std::)?u?intptr_t\b"
         r"|\(\s*(?:std::)?uintptr_t\s*\)",
         "an id or index of your own: addresses differ from run to run",
         allowed_in=("tests/",)),
    Rule("pointer-hash", r"\bstd::hash\s*<[^<>;]*\*\s*>", "the hash of an id"),
    Rule("pointer-order",
         r"\bstd::(?:multi)?(?:map|set)\s*<\s*(?:const\s+)?[\w:]+(?:\s*<[^<>]*>)?(?:\s+const)?\s*\*"
         r"|\bstd::(?:multi)?(?:map|set)\s*<\s*std::(?:shared|unique)_ptr\b"
         r"|\bstd::(?:less|greater)\s*<[^<>;]*\*\s*>",
         "order by an id: the order of addresses differs from run to run"),
    Rule("thread-local", r"\bthread_local\b",
         "the context of the process: nothing is ambient",
         allowed_in=("engine/types/memory_pool.cpp", "engine/types/memory_pool.hpp",
                     "engine/runtime/frame_pool.cpp")),
    Rule("floating-point", r"(?<![\w.])(?:float|double|long\s+double)\b(?!\s*_)",
         "integer nanoseconds and ratios; a figure that only people read carries `// float: reason`",
         only=("engine/", "sim/kernel/"), excuse="float:"),
)
STRING_RULES = (
    Rule("address-in-text", r"%p|\{:p\}", "an id: addresses differ from run to run"),
)

RULES = {rule.name: f"write instead: {rule.replacement}" for rule in LINE_RULES + STRING_RULES}
RULES["unordered-iteration"] = (
    "an unordered container is looked up in, by its own name, and nothing else; write instead: a"
    " sorted container, or sort the keys first")
RULES["mutable-static"] = "write instead: a member of the context; two runs in a process share nothing"

_UNORDERED = re.compile(r"^(?:unordered_(?:flat_|node_)?(?:multi)?(?:map|set)|concurrent_flat_\w+"
                        r"|flat_hash_(?:map|set))$")
# What may be done with one: nothing of this shows the order of its elements.
_LOOKUPS = frozenset((
    "find", "contains", "at", "count", "size", "empty", "clear", "erase", "emplace", "try_emplace",
    "insert", "insert_or_assign", "extract", "reserve", "end", "cend"))


def _holds_at(rule, path):
    if rule.only and not path.startswith(rule.only):
        return False
    return not (rule.allowed_in and path.startswith(rule.allowed_in))


def _line_violations(path, text):
    for rule in LINE_RULES:
        if not _holds_at(rule, path):
            continue
        pattern = re.compile(rule.pattern)
        for line, code in enumerate(text.code_lines):
            if pattern.search(code) and not (rule.excuse and rule.excuse in text.comment_lines[line]):
                yield Violation(path, line, rule.name,
                                f"`{pattern.search(code).group().strip()}`: write instead"
                                f" {rule.replacement}")
    for rule in STRING_RULES:
        pattern = re.compile(rule.pattern)
        for line, strings in enumerate(text.string_lines):
            if pattern.search(strings):
                yield Violation(path, line, rule.name, f"write instead {rule.replacement}")


def _after_angles(text, opener):
    """The index after the '>' that closes the '<' at `opener`."""
    depth = 0
    i = opener
    while i < len(text.tokens):
        piece = text.at(i)
        depth += (piece == "<") - (piece == ">")
        if depth == 0:
            return i + 1
        if piece in (";", "{", "}"):
            break
        i += 1
    return i


def unordered_types(texts):
    """Aliases of unordered containers, in all files: `using Sizes = …`, `typedef … Sizes`."""
    types, before = set(), None
    while before != len(types):  # An alias may stand for another one.
        before = len(types)
        for text in texts:
            for i in _containers(text, types):
                alias = _alias_of(text, i)
                if alias:
                    types.add(alias)
    return types


def _containers(text, types):
    return (i for i, token in enumerate(text.tokens)
            if token.is_word and (_UNORDERED.match(token.text) or token.text in types))


def _alias_of(text, i):
    """The X of `using X = container…;` or `typedef container… X;` whose container token i names."""
    j = _before_qualifiers(text, i)
    if text.at(j) == "=" and text.at(j - 2) == "using":
        return text.at(j - 1)
    if text.at(j) == "typedef":
        j = _after_angles(text, i + 1) if text.at(i + 1) == "<" else i + 1
        return text.at(j)
    return None


def _before_qualifiers(text, i):
    """The index before `const std::` and the like in front of the type at i."""
    while text.at(i - 1) == "::" or text.at(i - 1) in ("const", "typename", "static", "mutable"):
        i -= 2 if text.at(i - 1) == "::" and text.is_word(i - 2) else 1
    return i - 1


def _is_argument_of_template(text, i):
    depth = 0
    for j in range(i - 1, -1, -1):
        piece = text.at(j)
        if piece in (";", "{", "}", "(", ")", "="):
            return False
        depth += (piece == ">") - (piece == "<")
        if depth < 0:
            return True
    return False


def unordered_declarations(text, types):
    """{index of the token: name} of variables, members and functions whose type is an unordered
    container; and violations: containers that no name stands for."""
    declared, strays = {}, []
    for i in _containers(text, types):
        if _alias_of(text, i):
            continue
        before = _before_qualifiers(text, i)
        j = _after_angles(text, i + 1) if text.at(i + 1) == "<" else i + 1
        if _is_argument_of_template(text, i) or text.at(before) in ("public", "protected", "private"):
            strays.append(i)
            continue
        if text.at(before) == "=" and text.is_word(before - 1) and text.at(j) in ("{", "("):
            declared[before - 1] = text.at(before - 1)  # auto sizes = std::unordered_map<…>();
            continue
        while text.at(j) in ("&", "&&", "const", "*"):
            j += 1
        while text.is_word(j) and text.at(j + 1) == "::":
            j += 2
        while text.is_word(j) and text.at(j + 1) in (";", "=", "{", ",", ")", "(", "[", ":"):
            declared[j] = text.at(j)
            # Another one of the same declaration; what follows a comma in a list of parameters is
            # the type of the next.
            more = text.at(j + 1) == "," and text.at(j + 3) in (";", "=", "{", ",")
            j = j + 2 if more else -1
    return declared, strays


def _unordered_violations(path, text, header, declared, strays, own, others):
    """`own`: names of the file and of its `header`; `others`: of the other headers that it sees."""
    for i in strays:
        yield Violation(path, text.tokens[i].line, "unordered-iteration",
                        "an unordered container inside another type can be walked over unseen: make"
                        " it a member with a name")
    for i, token in enumerate(text.tokens):
        if not token.is_word or i in declared:
            continue
        through = text.at(i - 1) in (".", "->") and text.at(i - 2) != "this"
        if token.text not in own:
            if token.text not in others:
                continue
            if not through and any(_declares(t, token.text) for t in (text, header) if t):
                continue
        if not _only_looks_up(text, i):
            yield Violation(path, token.line, "unordered-iteration",
                            f"the unordered `{token.text}` may only be looked up in, by this name: its"
                            " order differs between libraries and runs; sort the keys first")


def _declares(text, name):
    """Whether the file seems to declare something else of that name."""
    return any(token.text == name and text.at(i + 1) in (";", "=", "{", ",", ")", "(", ":")
               and (text.at(i - 1) in (">", "&", "*")
                    or text.is_word(i - 1) and text.at(i - 1) not in ("return", "co_return", "co_await"))
               for i, token in enumerate(text.tokens))


def _only_looks_up(text, i):
    before, after = text.at(i - 1), text.at(i + 1)
    first_of_initialiser = before in (":", ",") and text.at(text.parent[i] or -1) != "("
    if after in ("(", "{") and text.match[i + 1] is not None:
        if first_of_initialiser:
            return True  # A member in a constructor's list.
        after_call = text.match[i + 1] + 1
        return text.at(after_call) in (".", "->") and text.at(after_call + 1) in _LOOKUPS
    if text.parent[i] is not None and text.at(text.parent[i]) == "[" and after in (",", "]"):
        # A capture, not an element's index.
        return before in ("[", ",") or before == "&" and text.at(i - 2) in ("[", ",")
    if after == "[" or after == "=" and before not in ("&", "*"):
        return True
    return after in (".", "->") and text.at(i + 2) in _LOOKUPS


def _static_violations(path, text):
    """`static` or `inline` variables that can change, in functions, classes and namespaces."""
    for i, token in enumerate(text.tokens):
        if token.text not in ("static", "inline") or text.at(i - 1) in ("static", "inline"):
            continue
        if token.text == "inline" and text.at(i + 1) == "namespace":
            continue
        statement, j = [], i
        while j < len(text.tokens) and text.at(j) not in (";", "=", "{", "}"):
            if text.at(j) == "(":
                break
            statement.append(text.at(j))
            if text.at(j) == "[" and text.match[j] is not None:
                j = text.match[j]
            j += 1
        if text.at(j) == "(" and text.function_of(i) is None:
            continue  # A function. Inside a body it can only be a variable.
        if j >= len(text.tokens) or {"const", "constexpr", "constinit", "consteval", "struct", "class",
                                     "enum", "union", "using", "operator", "concept",
                                     "friend"} & set(statement):
            # `static T* const x`: const is there; `static const T* x` changes, but is rare.
            if not ("constinit" in statement and "const" not in statement):
                continue
        if len(statement) < 3:  # static, type, name.
            continue
        yield Violation(path, token.line, "mutable-static",
                        f"`{' '.join(statement)}` lives as long as the program: make it a member of"
                        " the context")


def _namespace_variables(path, text):
    """Plain variables at namespace scope: `int counter = 0;`."""
    for i, token in enumerate(text.tokens):
        opener = text.parent[i]
        at_top = opener is None or (text.at(opener) == "{" and _is_namespace(text, opener)
                                    and all(text.at(a) == "{" and _is_namespace(text, a)
                                            for a in text.ancestors(i)))
        if not at_top or text.at(i - 1) not in ("", ";", "{", "}") or not token.is_word:
            continue
        statement, j = [], i
        while j < len(text.tokens) and text.at(j) not in (";", "=", "{", "}", "("):
            statement.append(text.at(j))
            if text.at(j) == "[" and text.match[j] is not None:
                j = text.match[j]
            j += 1
        if text.at(j) not in ("=", ";", "{") or len(statement) < 2:
            continue
        if {"const", "constexpr", "static", "inline", "struct", "class", "enum", "union", "using",
                "namespace", "template", "typedef", "extern", "friend", "concept", "operator",
                "thread_local", "requires", "static_assert"} & set(statement):
            continue
        # A definition of a class's static member: `int Pool::used_ = 0;` counts as well.
        yield Violation(path, token.line, "mutable-static",
                        f"`{' '.join(statement)}` is a global: make it a member of the context")


def _is_namespace(text, brace):
    j = brace - 1
    while text.is_word(j) or text.at(j) in ("::", "]", "["):
        if text.at(j) in ("namespace",) or (text.at(j) == "extern"):
            return True
        j -= 1
    return text.at(j) == "" and text.at(brace - 1) == ""


def _header_of(path):
    return re.sub(r"\.cpp$", ".hpp", path)


def _seen_headers(path, includes):
    """The project's headers that a file includes, also through others."""
    seen, open_ends = set(), [path]
    while open_ends:
        for header in includes.get(open_ends.pop(), ()):
            if header not in seen:
                seen.add(header)
                open_ends.append(header)
    return seen


def check(root):
    found = []
    paths = [path for path in guard.cpp_sources(root)
             if not ON_LINUX.match(path) and not path.startswith(NOT_OURS_TO_RULE)]
    texts = {path: cpp_text.CppText(guard.read(root, path)) for path in paths}
    includes = {path: [match.group(1) for directive in text.directives
                       if (match := re.match(r'#\s*include\s*"([^"]+)"', directive.text))
                       and match.group(1) in texts]
                for path, text in texts.items()}
    types = unordered_types(texts.values())
    unordered = {path: unordered_declarations(text, types) for path, text in texts.items()}
    names = {path: set(declared.values()) for path, (declared, _) in unordered.items()}
    for path, text in texts.items():
        found += _line_violations(path, text)
        own = names[path] | names.get(_header_of(path), set())
        others = set().union(*(names[header] for header in _seen_headers(path, includes)))
        found += _unordered_violations(path, text, texts.get(_header_of(path)), *unordered[path],
                                       own, others)
        if not path.startswith("tests/") and path not in _POOL:
            found += _static_violations(path, text)
            found += _namespace_variables(path, text)
    return found


_POOL = next(rule for rule in LINE_RULES if rule.name == "thread-local").allowed_in


def _bad(name, rule, code, path="engine/store/a.cpp"):
    return Plant(name, rule, {path: code + "\n"})


def _good(name, code, path="engine/store/a.cpp"):
    return Plant(name, None, {path: code + "\n"})


_MAP = "std::unordered_map<int, int> sizes;\n"

SELF_TESTS = (
    # The two that the project was asked for by name.
    _bad("a planted unordered_map iteration", "unordered-iteration",
         "void f() {\n  std::unordered_map<int, int> sizes;\n"
         "  for (const auto& [key, size] : sizes) use(key, size);\n}"),
    _bad("a planted wall-clock read", "wall-clock",
         "long f() { return std::chrono::system_clock::now().time_since_epoch().count(); }"),

    _bad("a monotonic clock", "wall-clock", "auto t = std::chrono::steady_clock::now();"),
    _bad("a clock behind an alias", "wall-clock", "auto f() { return steady_clock::now(); }"),
    _bad("clock_gettime", "wall-clock", "void f() { clock_gettime(CLOCK_REALTIME, &t); }"),
    _bad("time(nullptr)", "wall-clock", "long f() { return time(nullptr); }"),
    _bad("::time", "wall-clock", "long f() { return ::time(&x); }"),
    _bad("the clock of file times", "wall-clock",
         "auto f() { return std::filesystem::file_time_type::clock::now(); }"),
    _bad("the CPU time used so far", "wall-clock", "void f() { getrusage(RUSAGE_SELF, &u); }"),
    _bad("the time of the build", "wall-clock", "const char* k = __DATE__;"),
    _bad("rand", "randomness", "int f() { return rand(); }"),
    _bad("std::rand", "randomness", "int f() { return std::rand() % 6; }"),
    _bad("random", "randomness", "long f() { return random(); }"),
    _bad("mt19937", "randomness", "void f() { std::mt19937_64 engine(7); }"),
    _bad("random_device", "randomness", "void f() { std::random_device d; }", "sim/net/a.cpp"),
    _bad("a distribution", "library-distribution",
         "int f() { return std::uniform_int_distribution<int>(0, 5)(engine); }"),
    _bad("std::shuffle", "library-distribution", "void f() { std::shuffle(b, e, engine); }"),
    _bad("std::ranges::shuffle", "library-distribution", "void f() { std::ranges::shuffle(v, e); }"),
    _bad("a thread", "threads", "void f() { std::thread t(g); }"),
    _bad("a mutex member", "threads", "class A { std::mutex mutex_; };", "sim/disk/a.hpp"),
    _bad("std::async", "threads", "void f() { auto x = std::async(g); }"),
    _bad("this_thread", "sleeping", "void f() { std::this_thread::sleep_for(d); }"),
    _bad("usleep", "sleeping", "void f() { usleep(10); }"),
    _bad("sleep in a unit test", "sleeping", "void f() { sleep(1); }", "tests/unit/a.cpp"),
    _bad("getenv", "environment", 'const char* f() { return getenv("HOME"); }'),
    _bad("std::getenv", "environment", 'const char* f() { return std::getenv("HOME"); }',
         "scenarios/loader/a.cpp"),
    _bad("an address as a number", "address-in-decision",
         "auto f(void* p) { return reinterpret_cast<std::uintptr_t>(p); }"),
    _bad("an address in C's way", "address-in-decision", "auto f(void* p) { return (uintptr_t)p; }"),
    _bad("the hash of a pointer", "pointer-hash", "std::size_t f() { return std::hash<Node*>()(n); }"),
    _bad("a map ordered by addresses", "pointer-order",
         "class A { std::map<Node*, int> nodes_; };"),
    _bad("a set ordered by const addresses", "pointer-order",
         "class A { std::set<const sim::Node*> nodes_; };"),
    _bad("a set of shared pointers", "pointer-order",
         "class A { std::set<std::shared_ptr<Node>> nodes_; };"),
    _bad("thread_local", "thread-local", "void f() { thread_local const int x = 0; }"),
    _bad("a double in the engine", "floating-point", "double f();"),
    _bad("a float in the kernel", "floating-point", "class A { float rate_; };", "sim/kernel/a.hpp"),
    _bad("%p", "address-in-text", 'void f() { log("at %p", p); }'),
    _bad("a pointer in a format", "address-in-text", 'void f() { fmt::format("{:p}", p); }'),
    _bad("begin of an unordered container", "unordered-iteration",
         _MAP.replace("sizes", "sizes_").replace("std", "class A { std") + "int f() {"
         " return sizes_.begin()->first; } };"),
    _bad("std::begin of an unordered container", "unordered-iteration",
         "void f(const std::unordered_set<int>& all) { g(std::begin(all)); }"),
    _bad("an iteration over boost's container", "unordered-iteration",
         "class A { boost::unordered_flat_map<int, std::vector<int>> all_;\n"
         "void f() { for (auto& x : all_) g(x); } };"),
    _bad("an iteration over an alias", "unordered-iteration",
         "using Sizes = std::unordered_map<int, int>;\n"
         "void f(const Sizes& all) { for (auto& x : all) g(x); }"),
    _bad("an iteration through this", "unordered-iteration",
         "class A { std::unordered_set<int> all_; void f() { for (int x : this->all_) g(x); } };"),
    _bad("a loop over the result of a function", "unordered-iteration",
         "std::unordered_set<int>& all();\nvoid f() { for (int x : all()) g(x); }"),
    _bad("for_each over an unordered container", "unordered-iteration",
         "void f(std::unordered_map<int, int>& sizes) { std::ranges::for_each(sizes, g); }"),
    _bad("erase_if on an unordered container", "unordered-iteration",
         "void f(std::unordered_map<int, int>& sizes) { std::erase_if(sizes, g); }"),
    _bad("a loop over a reference to an unordered container", "unordered-iteration",
         "void f(std::unordered_map<int, int>& sizes) {\n  auto& same = sizes;\n"
         "  for (auto& x : same) g(x);\n}"),
    _bad("an alias in a capture", "unordered-iteration",
         "void f(std::unordered_map<int, int>& sizes) {\n  auto g = [same = &sizes] {};\n}"),
    _bad("a container that a function hands out", "unordered-iteration",
         "class A { const auto& all() const { return all_; } std::unordered_set<int> all_; };"),
    _bad("a sorted container filled from an unordered one", "unordered-iteration",
         "void f(const std::unordered_set<int>& all) { std::vector<int> v(std::from_range, all); }"),
    _bad("a look at the buckets", "unordered-iteration",
         "void f(const std::unordered_set<int>& all) { g(all.bucket_count()); }"),
    _bad("a container that is initialised", "unordered-iteration",
         "void f() { auto all = std::unordered_set<int>{1, 2}; for (int x : all) g(x); }"),
    _bad("the second one of a declaration", "unordered-iteration",
         "void f() { std::unordered_set<int> a, b; for (int x : b) g(x); }"),
    _bad("an unordered container inside another one", "unordered-iteration",
         "class A { std::map<int, std::unordered_set<int>> all_; };"),
    _bad("a class derived from an unordered container", "unordered-iteration",
         "class A : public std::unordered_set<int> {};"),
    _bad("a typedef", "unordered-iteration",
         "typedef std::unordered_map<int, int> Sizes;\n"
         "void f(const Sizes& all) { for (auto& x : all) g(x); }"),
    Plant("an iteration over a member of a type of another header", "unordered-iteration",
          {"sim/net/table.hpp": "struct Table { std::unordered_map<int, int> sizes; };\n",
           "sim/net/user.cpp": '#include "sim/net/table.hpp"\n'
                               "void f(Table& table) { for (auto& x : table.sizes) g(x); }\n"}),
    Plant("an iteration over a member of a base class", "unordered-iteration",
          {"sim/net/base.hpp": "class Base { protected: std::unordered_map<int, int> sizes_; };\n",
           "sim/net/more.hpp": '#include "sim/net/base.hpp"\n',
           "sim/net/user.cpp": '#include "sim/net/more.hpp"\n'
                               "void Derived::f() { for (auto& x : sizes_) g(x); }\n"}),
    Plant("an iteration over another header's alias", "unordered-iteration",
          {"sim/net/table.hpp": "using Sizes = std::unordered_map<int, int>;\n",
           "sim/net/user.cpp": '#include "sim/net/table.hpp"\n'
                               "void f(Sizes& sizes) { for (auto& x : sizes) g(x); }\n"}),
    Plant("a member of the same name and another type", None,
          {"sim/net/table.hpp": "class Table { std::unordered_map<int, int> sizes_; };\n",
           "sim/net/user.hpp": '#include "sim/net/table.hpp"\n'
                               "class User { std::map<int, int> sizes_; void f() {"
                               " for (auto& x : sizes_) g(x); } };\n"}),
    Plant("an iteration over a member of the header", "unordered-iteration",
          {"engine/store/a.hpp": "class A { std::unordered_map<int, int> sizes_; void f(); };\n",
           "engine/store/a.cpp": "void A::f() { for (auto& x : sizes_) g(x); }\n"}),
    _bad("a function's static counter", "mutable-static", "int f() { static int calls = 0; return ++calls; }"),
    _bad("a static made by parentheses", "mutable-static",
         "void f() {\n  static Cache cache(3);\n  g(cache);\n}"),
    _bad("a static container", "mutable-static",
         "void f() { static std::map<int, std::string> cache; }"),
    _bad("a static member", "mutable-static", "class A { static inline int alive_ = 0; };"),
    _bad("a global", "mutable-static", "namespace drydock {\nint counter = 0;\n}"),
    _bad("a global in an anonymous namespace", "mutable-static",
         "namespace drydock {\nnamespace {\nstd::vector<int> cache;\n}\n}"),

    _good("words that look alike",
          "void f() {\n  const Duration time = clock.time();\n  random(stream);\n"
          "  operand(3); std::string time_text; record.time(3); x.sleep(d);"
          "  RandomStream random(7); Random random(); }"),
    _good("the banned words in comments and strings",
          '// rand() and std::thread and double\nconst char* const k = "std::thread getenv(x) double";'),
    _good("a lookup in an unordered container",
          _MAP.replace("std", "class A { std") + "bool f(int k) { return sizes.find(k) != sizes.end(); }"
          " };"),
    _good("the life of an unordered container",
          "class A { explicit A(int n) : n_(n), sizes_(n) {}\n"
          "void f() { sizes_ = {}; sizes_[3] = 4; sizes_.emplace(1, 2); sizes_.clear();"
          " auto g = [&sizes_, this](int k) { return sizes_.contains(k); }; }\n"
          "int n_; std::unordered_map<int, int> sizes_; };"),
    _good("an iteration over what a lookup yields",
          "class A { std::unordered_map<int, std::vector<int>> all_;\n"
          "void f(int k) { for (int x : all_.at(k)) g(x); for (int y : all_[k]) g(y); } };"),
    _good("an iteration over a sorted container",
          "void f() { std::map<int, int> sizes; for (auto& x : sizes) g(x); }"),
    _good("a map from ids to pointers", "class A { std::map<int, Node*> nodes_; };"),
    _good("constants",
          "static constexpr int kOne = 1;\nnamespace drydock {\ninline constexpr int kTwo = 2;\n"
          "const int kThree = 3;\nvoid f() { static const int kFour = 4; }\nclass A;\nenum class B { x };\n"
          "int g();\nstatic int h() { return 1; }\ninline int i() { return 2; }\n"
          "struct P { int x = 0; };\n}"),
    _good("an excused double", "double f();  // float: shown to people only"),
    _good("a double in a report", "double f();", "reports/render/a.cpp"),
    _good("the Linux arm", "void f() { std::thread t; clock_gettime(a, &b); getenv(c); }",
          "engine/linux/a.cpp"),
    _good("tests of the Linux arm", "void f() { std::thread t; }", "tests/unit_linux/a.cpp"),
    _good("contracts on Linux", "void f() { std::thread t; }", "tests/contract/linux_world.cpp"),
    _good("a benchmark", "auto f() { return std::chrono::steady_clock::now(); }", "tests/bench/a.cpp"),
    _good("the frame pool", "thread_local Pool pool;", "engine/types/memory_pool.cpp"),
)

if __name__ == "__main__":
    sys.exit(guard.run(RULES, check, SELF_TESTS))
