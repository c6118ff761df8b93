// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Operations on bits, with masks that are numbers and masks that are not.
contract Bits {
    uint8 flags;

    uint8 constant PAUSED = 1;

    function low(uint8 x) external pure {
        uint8 y = x & 15;
        assert(y < 16); // safe: assertion
        assert(y < 15); // unsafe: assertion
    }

    function even(uint256 x) external pure {
        assert((x & 1 == 0) == (x % 2 == 0)); // safe: assertion, division
    }

    function high(uint8 x) external pure {
        uint8 y = x | 128;
        assert(y >= 128); // safe: assertion
        assert(y >= x); // safe: assertion
        assert(y > 128); // unsafe: assertion
    }

    function flip(uint8 x) external pure {
        uint8 y = x ^ 255;
        assert(y == 255 - x); // safe: assertion, underflow
        assert(y != 7); // unsafe: assertion
    }

    function shift(uint16 x) external pure {
        uint16 y = x >> 4;
        assert(y < 4096); // safe: assertion
        assert(y != 9); // unsafe: assertion
    }

    function pause() external {
        flags = flags | PAUSED;
        assert(flags & PAUSED != 0); // safe: assertion
    }

    function resume() external {
        flags = flags & (255 - PAUSED);
        assert(flags & PAUSED == 0); // safe: assertion
    }

    function other(uint8 x, uint8 y, uint8 z) external pure returns (uint8) {
        // Both masks are arguments: what is proved elsewhere in the contract stays proved.
        uint8 both = x & y;
        require(z < 100);
        assert(z < 200); // safe: assertion
        return both;
    }

    function sum(uint8 x, uint8 y) external pure returns (uint8) {
        return (x & 15) + (y & 15); // safe: overflow
    }
}
