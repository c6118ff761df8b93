// SPDX-License-Identifier: MIT
pragma solidity >=0.8.20;

/// Arrays in storage and in memory.
contract Arrays {
    uint256[] private values;
    uint256 private pushed;
    uint8[4] private four;

    function add(uint256 value) external {
        require(values.length < 1000 && pushed < 1000);
        values.push(value);
        ++pushed; // safe: overflow
        assert(values[values.length - 1] == value); // safe: assertion, bounds, underflow
    }

    function remove() external {
        require(values.length > 0);
        values.pop(); // safe: pop
    }

    function removeAny() external {
        values.pop(); // unsafe: pop
    }

    function lengths() external view {
        assert(values.length <= pushed); // safe: assertion
        assert(values.length == pushed); // unsafe: assertion
    }

    function get(uint256 i) external view returns (uint256) {
        return values[i]; // unsafe: bounds
    }

    function getChecked(uint256 i) external view returns (uint256) {
        require(i < values.length);
        return values[i]; // safe: bounds
    }

    function set(uint256 i) external {
        require(i < 4);
        four[i] = 7; // safe: bounds
        assert(four[i] == 7); // safe: assertion, bounds
    }

    function fill(uint256 n) external pure {
        require(n > 0 && n < 20);
        uint256[] memory made = new uint256[](n);
        uint256 i = 0;
        for (; i < n; ++i) { // safe: overflow
            made[i] = i; // safe: bounds
        }
        assert(made.length == n); // safe: assertion
        assert(made[0] == 1); // unsafe: assertion; safe: bounds
    }
}
