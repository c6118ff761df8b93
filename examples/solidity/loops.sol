// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Loops, with what holds after them.
contract Loops {
    function countTo(uint256 n) external pure {
        require(n < 10);
        uint256 i = 0;
        while (i < n) {
            i = i + 1; // safe: overflow
        }
        assert(i == n); // safe: assertion
        assert(i < 6); // unsafe: assertion
    }

    function inStepsOfTwo(uint256 n) external pure {
        require(n < 100);
        uint256 x = 0;
        uint256 y = 0;
        for (uint256 i = 0; i < n; ) {
            x = x + 1; // safe: overflow
            y = y + 2; // safe: overflow
            i = i + 1; // safe: overflow
        }
        assert(y == 2 * x); // safe: assertion, overflow
    }

    function downTo(int256 n) external pure {
        require(n > 0 && n < 50);
        int256 i = n;
        do {
            i = i - 1; // safe: underflow, overflow
        } while (i > 0);
        assert(i == 0); // safe: assertion
        assert(i != n - 1); // unsafe: assertion; safe: underflow, overflow
    }

    function endsEarly(uint256 n, uint256 stop) external pure {
        require(n > 5 && n < 100);
        uint256 i = 0;
        for (; i < n; ++i) { // safe: overflow
            if (i == stop) {
                break;
            }
        }
        assert(i <= n); // safe: assertion
        assert(i == n || i == stop); // safe: assertion
        assert(i == n); // unsafe: assertion
    }
}
