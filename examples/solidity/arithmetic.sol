// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Overflow, underflow, division.
contract Arithmetic {
    function sum(uint8 a, uint8 b) external pure returns (uint8) {
        return a + b; // unsafe: overflow
    }

    function average(uint8 a, uint8 b) external pure returns (uint16) {
        return (uint16(a) + uint16(b)) / 2; // safe: overflow, division
    }

    function wraps(uint8 a) external pure {
        uint8 b;
        unchecked {
            b = a + 1;
        }
        assert(b > a || a == 255); // safe: assertion
        assert(b > a); // unsafe: assertion
    }

    function difference(uint256 a, uint256 b) external pure returns (uint256) {
        if (a > b) {
            return a - b; // safe: underflow
        }
        return b - a; // safe: underflow
    }

    function share(uint256 all, uint256 people) external pure returns (uint256) {
        return all / people; // unsafe: division
    }

    function shareChecked(uint256 all, uint256 people) external pure returns (uint256) {
        require(people > 0);
        return all / people; // safe: division
    }

    function rest(uint256 x) external pure {
        assert(x % 7 < 7); // safe: assertion, division
        assert(x % 7 != 6); // unsafe: assertion; safe: division
    }

    function distance(int8 x, int8 y) external pure returns (int8) {
        return x > y ? x - y : y - x; // unsafe: overflow; safe: underflow
    }

    function magnitude(int8 x) external pure {
        require(x > -128);
        int8 y = x < 0 ? 0 - x : x; // safe: overflow, underflow
        assert(y >= 0); // safe: assertion
    }
}
