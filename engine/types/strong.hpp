// Numbers that do not mix: a 64-bit or 32-bit integer with the name of what it counts.
#pragma once

#include <compare>
#include <cstdint>

namespace drydock {

// An identifier or epoch: ordered and comparable, no arithmetic but `next`.
template <class Tag, class Integer = std::uint32_t>
class Id {
 public:
  constexpr Id() = default;
  explicit constexpr Id(Integer value) : value_(value) {}
  constexpr Integer value() const { return value_; }
  constexpr Id next() const { return Id(static_cast<Integer>(value_ + 1)); }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Integer value_ = 0;
};

// A position in some sequence: position ± length, position − position = length.
template <class Tag>
class Position {
 public:
  constexpr Position() = default;
  explicit constexpr Position(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  friend constexpr auto operator<=>(Position, Position) = default;
  friend constexpr Position operator+(Position p, std::int64_t n) { return Position(p.value_ + n); }
  friend constexpr Position operator-(Position p, std::int64_t n) { return Position(p.value_ - n); }
  friend constexpr std::int64_t operator-(Position a, Position b) { return a.value_ - b.value_; }

 private:
  std::int64_t value_ = 0;
};

}  // namespace drydock
