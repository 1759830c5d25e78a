"""Perfect difference sets: the lines of a projective plane as shifts of one set.

What may live here: finite fields of order q = p^e, only as far as this needs them, and
J. Singer, "A theorem in finite projective geometry and some applications to number theory"
(1938). Let alpha generate GF(q^3) over GF(q), up to factors from GF(q). Then alpha^i runs
through the n = q^2+q+1 points of the plane PG(2,q); the i whose alpha^i lies in one plane
through the origin (no alpha^2 part) are a line, and its n shifts are all the lines. Prime and
prime-power orders come out of the same walk.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import isqrt


def prime_power(q: int) -> tuple[int, int] | None:
    """(p, e) with q = p^e, None when q is no prime power."""
    if q < 2:
        return None
    p = next((d for d in range(2, isqrt(q) + 1) if q % d == 0), q)
    e = 0
    while q % p == 0:
        q, e = q // p, e + 1
    return (p, e) if q == 1 else None


def plane_order(n: int) -> int | None:
    """The prime power q with q^2+q+1 = n, None when there is none."""
    q = (isqrt(4 * n - 3) - 1) // 2 if n > 0 else 0
    return q if q * q + q + 1 == n and prime_power(q) else None


@cache
def difference_set(q: int) -> tuple[int, ...]:
    """q+1 residues whose differences are every non-zero residue of q^2+q+1 exactly once."""
    add, multiply = _field(q)
    n = q * q + q + 1
    for c, b, a in product(range(1, q), range(q), range(q)):
        # The powers of alpha with alpha^3 = a alpha^2 + b alpha + c.
        low, middle, high = 1, 0, 0
        line = []
        for i in range(n):
            if high == 0:
                line.append(i)
            low, middle, high = (
                multiply[c][high],
                add[low][multiply[b][high]],
                add[middle][multiply[a][high]],
            )
            if high == middle == 0:  # back at a multiple of 1: too early, or after all n points
                if i == n - 1 and len(line) == q + 1:
                    return tuple(line)
                break
    raise AssertionError(f"no generator of GF({q}^3) found")


def _field(q: int) -> tuple[list[list[int]], list[list[int]]]:
    """Tables of + and * for GF(q); an element is the number whose base-p digits are the
    coefficients of its polynomial."""
    power = prime_power(q)
    assert power is not None
    p, e = power
    digits = [tuple(v // p**i % p for i in range(e)) for v in range(q)]
    number = {d: v for v, d in enumerate(digits)}
    add = [
        [number[tuple((a + b) % p for a, b in zip(x, y, strict=True))] for y in digits]
        for x in digits
    ]
    for modulus in product(range(p), repeat=e):  # x^e = modulus, as digits from the lowest
        powers = [1]  # the powers of x; of the generator g = modulus[0] itself when e = 1
        while len(powers) < q:
            d = digits[powers[-1]]
            shifted = (0, *d[:-1])
            step = tuple((s + d[-1] * m) % p for s, m in zip(shifted, modulus, strict=True))
            powers.append(number[step])
            if powers[-1] in (0, 1):
                break
        if len(powers) == q and powers[-1] == 1:
            log = {v: i for i, v in enumerate(powers[:-1])}
            multiply = [
                [powers[(log[x] + log[y]) % (q - 1)] if x and y else 0 for y in range(q)]
                for x in range(q)
            ]
            return add, multiply
    raise AssertionError(f"no primitive polynomial for GF({q}) found")
